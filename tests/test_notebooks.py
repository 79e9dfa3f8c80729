"""Notebooks of the documentation: building it executes them (docs/conf.py); here is what that does not check."""

import ast
import json
import re

import pytest

from support import ROOT

NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))
NOTEBOOKS = [path for path in NOTEBOOKS if "_build" not in path.parts]
AT_THE_DOOR = ("bestdo", "bestdo.study", "bestdo.learners")
"""What a newcomer imports; nothing deeper is needed."""


def cells(path, kind):
    """The texts of the cells of a kind."""
    return ["".join(c["source"]) for c in json.loads(path.read_text())["cells"] if c["cell_type"] == kind]


def imported(code):
    """The modules of ours that some code imports; magic lines are left out."""
    plain = "\n".join(line for line in code.splitlines() if not line.lstrip().startswith(("%", "!")))
    for node in ast.walk(ast.parse(plain)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == "bestdo")
        elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "bestdo":
            yield node.module


def test_building_the_documentation_executes_every_notebook_and_fails_if_one_fails():
    settings = (ROOT / "docs" / "conf.py").read_text()
    assert re.search(r'^nb_execution_mode = "force"', settings, re.M)
    assert re.search(r"nb_execution_raise_on_error = True", settings)
    assert "-b html docs" in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_without_results_and_begins_with_a_title(path):
    notebook = json.loads(path.read_text())
    assert cells(path, "markdown")[0].startswith("# ")
    for cell in notebook["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_needs_the_front_door_only(path):
    used = {name for code in cells(path, "code") for name in imported(code)}
    assert used <= set(AT_THE_DOOR)


def test_a_deeper_import_would_be_found():
    assert list(imported("%matplotlib inline\nfrom bestdo.usecases.check import check")) == ["bestdo.usecases.check"]


@pytest.mark.campaign
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_on_its_own(path, tmp_path):
    import nbformat
    from nbclient import NotebookClient

    (tmp_path / "examples").symlink_to(ROOT / "examples")
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
