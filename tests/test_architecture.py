"""Front ends read, call and show: they import no algorithm; and a problem is composed in one place."""

import ast

import pytest

from support import ROOT

SOURCE = ROOT / "src" / "bestdo"
FRONT = [*sorted((SOURCE / "cli").rglob("*.py")), *sorted((SOURCE / "web").rglob("*.py"))]
ALGORITHMS = ("learners", "design", "simulate", "experiments", "statistics")
"""Rooms that only use cases and studies open; beliefs are in `learners`."""
COMPOSES = "data/compose.py"
MAKES_WORLDS = ("causal/", "simulate/", "experiments/figures/", "research/")
"""Where worlds are made up: their actions and laws are part of what they are."""


def imported(tree):
    """The modules that a file imports, also inside functions and for types alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def algorithms(code):
    """What front ends must not import, of what the code imports."""
    found = [name.split(".") for name in imported(ast.parse(code))]
    return [".".join(parts) for parts in found if parts[0] == "bestdo" and parts[1:2] and parts[1] in ALGORITHMS]


@pytest.mark.parametrize("file", FRONT, ids=lambda file: str(file.relative_to(SOURCE)))
def test_front_ends_import_no_algorithm(file):
    assert algorithms(file.read_text()) == []


def test_an_import_of_an_algorithm_is_found_wherever_it_stands():
    assert algorithms("def f():\n    from bestdo.design.optimal import optimal_design") == [
        "bestdo.design.optimal.optimal_design"
    ]
    assert algorithms("from bestdo import learners") == ["bestdo.learners"]
    assert algorithms("import bestdo.learners.beliefs.belief") == ["bestdo.learners.beliefs.belief"]
    assert algorithms("if TYPE_CHECKING:\n    from bestdo.simulate import World") == ["bestdo.simulate.World"]
    assert algorithms("from bestdo.usecases.check import check\nfrom bestdo.study import Study") == []


def composing(code):
    """The calls that decide what learners know, or which actions there are when nobody says."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            default = node.func.attr == "single" and len(node.args) + len(node.keywords) == 1
            if default and isinstance(node.func.value, ast.Name) and node.func.value.id == "Actions":
                yield "Actions.single"
            if node.func.attr in ("parent_law", "law_of"):
                yield node.func.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Problem":
            named = {keyword.arg for keyword in node.keywords}
            yield from ["Problem(graph)"] * (len(node.args) < 2 and not named & {"actions", "set"})


def test_a_problem_is_composed_in_one_place():
    found = {
        str(file.relative_to(SOURCE)): sorted(set(composing(file.read_text()))) for file in sorted(SOURCE.rglob("*.py"))
    }
    made = {name: calls for name, calls in found.items() if calls and not name.startswith(MAKES_WORLDS)}
    assert made == {COMPOSES: ["Problem(graph)"]}


def test_a_second_composition_would_be_found():
    assert list(composing("problem = contents.problem or Problem(graph, Actions.single(graph))")) == ["Actions.single"]
    assert list(composing("problem = contents.problem or Problem(graph)")) == ["Problem(graph)"]
    assert list(composing("problem = Problem(graph, set=['price'])")) == []
    assert list(composing("law = model.parent_law(actions)")) == ["parent_law"]
    assert list(composing("Actions.single(graph, ['a'])")) == []


def test_reports_compute_nothing_with_algorithms():
    """Of learners they know the registry, for titles and colours; of designs and worlds the classes, which they show."""
    found = {name for file in sorted((SOURCE / "report").rglob("*.py")) for name in algorithms(file.read_text())}
    shown = {"bestdo.design.optimal.Design", "bestdo.simulate.world.World"}
    assert found <= {"bestdo.learners.LEARNERS", "bestdo.learners.title"} | shown
