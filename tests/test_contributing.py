"""The guide for contributors is true: the files that it names exist, and hold the names that it says they hold."""

import re

from support import ROOT

TEXT = re.sub(r"```.*?```", "", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.DOTALL)
ROOMS = ("src/bestdo", "tests", "docs", "scripts", "examples", "benchmarks")
ENDS = (".py", ".pyx", ".pxd", ".pxi", ".pyi", ".md", ".toml", ".html", ".js", "/")
TO_BE_MADE = re.compile(r"NAME|test_mine|^\.|[<>{}\s…=(]|^/dev/")
"""Names of files that a reader makes, and words in code that are no files."""
FILES = [
    path.relative_to(ROOT).as_posix() + ("/" if path.is_dir() else "")
    for room in ROOMS
    for path in (ROOT / room).rglob("*")
    if "__pycache__" not in path.parts
] + [*(f"{room}/" for room in ROOMS), *(path.name for path in ROOT.iterdir())]
CODE = list(dict.fromkeys(re.findall(r"`([^`\n]+)`", TEXT)))
NAMED = [word for word in CODE if word.endswith(ENDS) and not TO_BE_MADE.search(word)]
HELD = re.findall(r"`(\w+)` (?:in|of) `([\w/]+\.(?:py|pyx|pxd|pxi|js))`", TEXT)


def files_named(word):
    """The files and folders of the repository that a path, or its end, stands for; `*` stands for a part of a name."""
    pattern = re.compile(r"(?:.*/)?" + re.escape(word).replace(r"\*", "[^/]*"))
    return [path for path in FILES if pattern.fullmatch(path)]


def test_the_files_that_the_guide_names_exist():
    assert [word for word in NAMED if not files_named(word)] == []


def test_files_hold_the_names_that_the_guide_says():
    def holds(name, word):
        return any(re.search(rf"\b{name}\b", (ROOT / path).read_text()) for path in files_named(word))

    assert [(name, word) for name, word in HELD if not holds(name, word)] == []


def test_the_guide_names_many_files():
    """The patterns of this test find what the guide names."""
    assert len(NAMED) > 80
    assert len(HELD) > 20
