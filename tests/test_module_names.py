"""Names of modules: one thing, one name."""

import re
from collections import defaultdict

import bestdo
from support import ROOT

SOURCE = ROOT / "src" / "bestdo"

SAME_THING = {  # a name that stands in several rooms, because it is the same thing there: the noun, its section, its page
    "alarm": {"evidence", "research/figures"},
    "arrows": {"causal", "report/sections"},
    "check": {"cli", "report/sections", "usecases"},
    "compare": {"cli", "usecases"},
    "contexts": {"causal", "report/sections"},
    "design": {"cli", "usecases"},
    "doubts": {"causal", "report/sections"},
    "earned": {"bandit", "report/sections", "study"},
    "estimate": {"bandit", "cli", "usecases"},
    "estimate_history": {"study", "web"},
    "figure": {"cli", "report", "usecases"},
    "init": {"cli", "usecases"},
    "limits": {"bandit", "report/sections"},
    "observe": {"cli", "study/verbs", "usecases", "web/routes"},
    "old_data": {"report/sections", "research/figures", "study"},
    "plan": {"report/sections", "web/routes"},
    "rehearse": {"cli", "usecases", "web/routes"},
    "rounds": {"bandit", "web/routes"},
    "settings": {"study", "web/routes"},
    "shop": {"research/figures", "research/worlds"},
    "simulation": {"cli", "usecases"},
    "studies": {"cli", "web/routes"},
    "study": {"cli", "study"},
    "suite": {"cli", "research/suite"},
    "until_sure": {"learners", "research/figures"},
}


def modules():
    """Every module of the library, as a path below it without its ending."""
    found = (path.relative_to(SOURCE).with_suffix("") for path in SOURCE.rglob("*.py"))
    return sorted(path.as_posix() for path in found if path.name not in ("__init__", "__main__"))


def test_no_two_modules_share_a_name_unless_they_are_the_same_thing_for_two_rooms():
    rooms = defaultdict(set)
    for module in modules():
        room, _, name = module.rpartition("/")
        rooms[name].add(room)
    assert {name: where for name, where in rooms.items() if len(where) > 1} == SAME_THING


def test_the_reference_names_everything_at_the_front_door():
    page = (ROOT / "docs" / "reference" / "python.md").read_text()
    for name in bestdo.__all__:
        assert re.search(rf"bestdo\.{name}\b", page), f"docs/reference/python.md does not name {name}"
