"""Documentation is tested: its code runs, and nothing is left out of it."""

import re
import shlex
import subprocess
import sys
import textwrap
from types import ModuleType

import pytest

from bestdo import read
from bestdo.cli import bestdo
from bestdo.testing import check_learner
from support import ROOT
from support import bestdo as command_line

FOLDERS = ("howto", "gallery", "explanation", "reference", "results")
PAGES = [ROOT / "README.md", ROOT / "docs" / "index.md"]
PAGES += [page for folder in FOLDERS for page in sorted((ROOT / "docs" / folder).glob("*.md"))]
STEP_BY_STEP = ("howto", "gallery")
"""Where the blocks of a page are run one after the other in one folder, as a person who follows it would run them."""


def blocks_of(page):
    """What is run together, with a name: all blocks of a page, or each of them."""
    blocks = re.findall(r"^```(python|sh)\n(.*?)^```", page.read_text(), re.M | re.S)
    name = str(page.relative_to(ROOT).with_suffix(""))
    if page.parent.name in STEP_BY_STEP:
        return [(name, blocks)] if blocks else []
    return [(f"{name}-{i}", [block]) for i, block in enumerate(blocks)]


BLOCKS = [pytest.param(blocks, id=name) for page in PAGES for name, blocks in blocks_of(page)]

FEW = {
    "rehearse": ("--worlds", "20"),
    "figure": ("--sims", "20"),
    "compare": ("--sims", "20"),
    "suite run": ("--world", "confounded", "--world", "parallel-8"),
}
"""Fewer simulations and worlds in the tests; the campaign runs all commands as they are written."""


def run_blocks(blocks, folder, fewer=FEW):
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "out").mkdir()
    environment = {"COLUMNS": "100"}
    for kind, text in blocks:
        saved = re.match(r"# (\w+\.py)\n", text)
        if saved:  # a file that the reader is asked to save
            (folder / saved[1]).write_text(text)
        elif kind == "python":
            done = command_line("-c", text, cwd=folder, environment=environment)
            assert done.returncode == 0, done.stderr
            said = re.findall(r"^# (.+)$", text[text.rindex("print") :], re.M) if "print" in text else []
            for line in said:  # the last comments say what is printed
                assert line.strip() in done.stdout
        for line in () if kind == "python" else text.replace("\\\n", " ").splitlines():
            program, *arguments = shlex.split(line, comments=True) or [""]
            if program == "export" and "$" not in arguments[0]:
                environment |= [arguments[0].split("=", 1)]
            elif program == "bestdo":
                less = next((fewer[name] for name in fewer if shlex.join(arguments).startswith(name)), ())
                done = command_line(*arguments, *less, cwd=folder, environment=environment)
                assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.parametrize("blocks", BLOCKS)
def test_every_block_of_code_runs(blocks, tmp_path):
    run_blocks(blocks, tmp_path)


@pytest.mark.campaign
@pytest.mark.parametrize("blocks", BLOCKS)
def test_every_block_of_code_runs_as_it_is_written(blocks, tmp_path):
    run_blocks(blocks, tmp_path, fewer={})


def test_every_whole_file_in_the_documentation_is_read(tmp_path):
    page = (ROOT / "docs" / "reference" / "files.md").read_text()
    blocks = re.findall(r"^```toml\n(bestdo = 1\n.*?)^```", page, re.M | re.S)
    assert len(blocks) == 2
    for text in blocks:
        (tmp_path / "x.toml").write_text(text)
        assert read(tmp_path / "x.toml").graph.reward


def test_every_command_is_in_the_documentation():
    pages = "\n".join(page.read_text() for page in PAGES)
    for name, command in bestdo.commands.items():
        assert f"bestdo {name}" in pages
        assert command.help


def test_the_project_speaks_of_itself_alone():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    for name in tracked:
        if name.startswith("locks/"):
            assert "http" + "s://" not in (ROOT / name).read_text()


@pytest.mark.parametrize("name", ["farm", "psa"])
def test_the_pictures_of_examples_are_what_the_command_draws(name):
    from bestdo.report.drawing import draw

    example = read(ROOT / "examples" / f"{name}.toml")
    settable = set().union(*example.problem.actions)
    assert draw(example.graph, settable) == (ROOT / "docs" / "images" / f"{name}.svg").read_text()


def test_the_skeleton_of_a_learner_keeps_the_contract():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (block,) = [b for b in re.findall(r"^   ```python\n(.*?)^   ```", text, re.M | re.S) if "class Mine" in b]
    module = sys.modules["skeleton"] = ModuleType("skeleton")
    exec(textwrap.dedent(block), vars(module))  # the code that contributors copy
    check_learner(module.Mine())


def test_examples_in_docstrings_are_shown_as_they_are():
    source = (ROOT / "docs" / "conf.py").read_text()
    only = {"re": re}
    exec(source[source.index("def plain_docstrings") : source.index("def setup")], only)
    lines = ["a * b", "", ">>> f(*a)", "'x|y*'", "", "a_ |"]
    only["plain_docstrings"](None, "", "", None, None, lines)
    assert lines == ["a \\* b", "", ">>> f(*a)", "'x|y*'", "", "a\\_ \\|"]


def test_the_version_to_cite_is_the_one_that_is_installed():
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    for page, line in (("CITATION.cff", f"version: {version}\n"), ("docs/index.md", f"version = {{{version}}}")):
        assert line in (ROOT / page).read_text()
