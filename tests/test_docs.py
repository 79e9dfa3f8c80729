"""Documentation is tested: its code runs, and nothing is left out of it."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from bestdo import read
from bestdo.cli import bestdo
from support import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(kind, text, id=f"{page.name}-{i}")
    for page in PAGES
    for i, (kind, text) in enumerate(re.findall(r"^```(python|sh)\n(.*?)^```", page.read_text(), re.M | re.S))
]


@pytest.mark.parametrize(("kind", "text"), BLOCKS)
def test_every_block_of_code_runs(kind, text, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "out").mkdir()
    environment = {**os.environ, "COLUMNS": "100"}
    if kind == "python":
        commands = [[sys.executable, "-W", "error", "-c", text]]
    else:
        lines = [shlex.split(line, comments=True) for line in text.splitlines()]
        commands = [[sys.executable, "-m", *line] for line in lines if line[:1] == ["bestdo"]]
        set_ = [line[1].split("=", 1) for line in lines if line[:1] == ["export"]]
        environment |= {name: value for name, value in set_ if "$" not in value}
    for command in commands:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        if kind == "python":
            for line in re.findall(
                r"^# (.+)$", text[text.rindex("print") :], re.M
            ):  # what the last comments say is printed
                assert line.strip() in done.stdout


def test_every_whole_file_in_the_documentation_is_read(tmp_path):
    blocks = re.findall(r"^```toml\n(bestdo = 1\n.*?)^```", (ROOT / "docs" / "files.md").read_text(), re.M | re.S)
    assert len(blocks) == 2
    for text in blocks:
        (tmp_path / "x.toml").write_text(text)
        assert read(tmp_path / "x.toml").graph.reward


def test_every_command_is_in_the_documentation():
    pages = "\n".join(page.read_text() for page in PAGES)
    for name, command in bestdo.commands.items():
        assert f"bestdo {name}" in pages
        assert command.help


def test_every_link_leads_somewhere():
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", *(ROOT / "docs" / "decisions").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_project_speaks_of_itself_alone():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    for name in tracked:
        if name.startswith("locks/"):
            assert "http" + "s://" not in (ROOT / name).read_text()


def test_the_picture_in_the_readme_is_what_the_command_draws(tmp_path):
    from bestdo.report.drawing import draw

    farm = read(ROOT / "examples" / "farm.toml")
    settable = set().union(*farm.problem.actions)
    assert draw(farm.graph, settable) == (ROOT / "docs" / "images" / "farm.svg").read_text()
