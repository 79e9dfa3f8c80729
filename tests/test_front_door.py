import re
import subprocess
import sys

import pytest

import bestdo
from support import ROOT

FOLDERS = ("docs/tutorials", "docs/howto", "docs/gallery", "examples")
EXTENSIONS = (".md", ".py", ".ipynb")
HEAVY = "numpy scipy networkx rich opt_einsum click"


def loaded(code):
    """Which heavy modules a fresh interpreter has loaded after running the code."""
    script = f"{code}\nimport sys\nprint(*[m for m in {HEAVY.split()!r} if m in sys.modules])"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_importing_loads_only_the_standard_library():
    assert loaded("import bestdo") == []


def test_help_loads_only_click():
    code = "import sys; sys.argv = ['bestdo', '--help']\nimport bestdo.cli\n"
    code += "try: bestdo.cli.main()\nexcept SystemExit: pass"
    assert loaded(code)[-1:] == ["click"]
    assert "numpy" not in loaded(code)


@pytest.mark.parametrize("name", bestdo.__all__)
def test_every_name_opens(name):
    assert getattr(bestdo, name) is not None
    assert name in dir(bestdo)


def test_there_are_at_most_40_names():
    assert len(bestdo.__all__) <= 40


def test_a_name_that_is_not_there_is_answered_with_a_similar_one():
    with pytest.raises(AttributeError, match="did you mean 'rehearse'"):
        bestdo.reherse  # noqa: B018


PEOPLE_READ = [
    ROOT / "README.md",
    *(p for d in FOLDERS for p in sorted((ROOT / d).iterdir()) if p.suffix in EXTENSIONS),
]


@pytest.mark.parametrize("page", PEOPLE_READ, ids=lambda page: page.name)
def test_what_people_read_imports_from_the_front_door(page):
    """Only `bestdo`, `bestdo.study` and `bestdo.learners`: deeper modules may move."""
    text = page.read_text().replace("\\n", "\n")
    deeper = re.findall(r"(?:from|import) (bestdo\.(?!study\b(?!\.)|learners\b(?!\.))[\w.]+)", text)
    assert not deeper


def test_learners_have_their_classes_and_what_authors_need():
    from bestdo.learners import _FOR_AUTHORS, LEARNERS, Plan, UntilSure

    for name in (
        *_FOR_AUTHORS,
        *(e.where.partition(":")[2] for e in LEARNERS.values() if "." not in e.where.rpartition(":")[2]),
    ):
        assert getattr(bestdo.learners, name).__name__
    assert {Plan.__name__, UntilSure.__name__} == {"Plan", "UntilSure"}
    with pytest.raises(AttributeError, match="no attribute 'Nobody'"):
        bestdo.learners.Nobody  # noqa: B018


def test_rooms_open_from_the_front_door():
    assert bestdo.causal.where.possibly_optimal_sets
    assert bestdo.causal.identify.identify
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bestdo.nothing  # noqa: B018
