"""Docstrings of all public names say arguments and errors where there are some, and their examples run, with exact output."""

import ast
import doctest
import inspect
import re

import pytest

import bestdo
from bestdo.study import Study
from support import ROOT

INTERNAL = ("book", "changing", "found", "reading", "plot", "to_frame")
"""Methods of Study that its own modules use, and those that all objects share (docs/decisions/0020)."""
NAMES = [name for name in bestdo.__all__ if name != "__version__"]
METHODS = [
    name
    for name, what in vars(Study).items()
    if name[0] != "_" and name not in INTERNAL and callable(getattr(Study, name))
]
PUBLIC = {name: getattr(bestdo, name) for name in NAMES} | {f"Study.{name}": getattr(Study, name) for name in METHODS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the examples, where studies are made."""
    place = tmp_path_factory.mktemp("docstrings")
    (place / "examples").symlink_to(ROOT / "examples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.delenv("BESTDO_STORAGE", raising=False)
        yield place


@pytest.mark.parametrize("name", PUBLIC)
def test_the_example_runs(name, folder):
    text = inspect.getdoc(PUBLIC[name])
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert example.examples, f"{name} has no example"
    said = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert not result.failed, "".join(said)


@pytest.mark.parametrize("name", [name for name, what in PUBLIC.items() if inspect.isroutine(what)])
def test_arguments_are_named(name):
    """Every argument of a function is in its docstring, except `who`, which is everywhere the name that the log keeps."""
    text, function = inspect.getdoc(PUBLIC[name]), PUBLIC[name]
    parameters = list(inspect.signature(function).parameters)
    if name.startswith("Study."):
        parameters = [p for p in parameters if p not in ("self", "study", "cls", "who", "others")]
    missing = [p for p in parameters if p not in text and p not in ("who", "number", "why", "after", "most")]
    assert not missing, f"{name} does not say what {', '.join(missing)} are"


PRONOUN = re.compile(r"(It|Its|This|Those|These|They|The same|There is|There are)\b")
"""Words that a docstring does not begin with: its first sentence names its noun."""


def test_docstrings_begin_with_a_noun():
    """Every first sentence can be read by itself, those of fields and private functions included."""
    wrong = []
    for file in sorted((ROOT / "src" / "bestdo").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            value = node.value if isinstance(node, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and PRONOUN.match(value.value):
                wrong.append(f"{file.relative_to(ROOT)}:{node.lineno} {value.value.splitlines()[0]}")
    assert not wrong, wrong
