"""The names of graph formats are said once, and people read all of them wherever formats are listed."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import bestdo.files
from bestdo.formats import FORMATS, format_names

MODULES = {path.stem for path in Path(bestdo.files.__path__[0]).glob("*.py") if "\nSTARTS = " in path.read_text()}


def test_every_format_has_its_module():
    assert set(FORMATS) == MODULES
    for module, name in FORMATS.items():
        assert name == importlib.import_module(f"bestdo.files.{module}").NAME


def test_names_in_a_sentence():
    assert format_names() == "TOML, BIF, DAGitty, DOT, GML, JSON"
    assert format_names("DAGitty", last=" or ") == "TOML, BIF, DOT, GML or JSON"


@pytest.mark.parametrize("command", ["check", "init"])
def test_help_names_every_format_and_reads_no_numbers(command):
    code = (
        f"import sys; sys.argv = ['bestdo', {command!r}, '--help']\nfrom bestdo.cli import bestdo\n"
        "bestdo(standalone_mode=False)\nassert 'numpy' not in sys.modules"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert [name for name in FORMATS.values() if name not in found] == []
    assert "{" not in found
