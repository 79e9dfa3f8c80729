"""The worlds of the suite by name."""

from __future__ import annotations

from bestdo.research.suite.suite_world import KINDS, SuiteWorld
from bestdo.research.suite.worlds_choices import CHOICE_WORLDS
from bestdo.research.suite.worlds_networks import NETWORK_WORLDS
from bestdo.research.suite.worlds_numbers import NUMBER_WORLDS
from bestdo.research.suite.worlds_paper import PAPER_WORLDS

__all__ = ["WORLDS"]

_ALL = (*PAPER_WORLDS, *NETWORK_WORLDS, *CHOICE_WORLDS, *NUMBER_WORLDS)

WORLDS: dict[str, SuiteWorld] = {world.name: world for world in sorted(_ALL, key=lambda w: KINDS.index(w.kind))}
"""The worlds by name, those of a kind together."""
