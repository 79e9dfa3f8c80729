"""bestdo finds the best intervention, given a causal graph and a limited number of rounds.

The names below are the front door; they are imported when first used. `bestdo.study` and `bestdo.learners` have more.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bestdo.bandit.limit import Limit as Limit
    from bestdo.bandit.problem import Problem as Problem
    from bestdo.causal.action import Actions as Actions
    from bestdo.causal.action import Intervention as Intervention
    from bestdo.causal.action import do as do
    from bestdo.causal.doubts import Doubt as Doubt
    from bestdo.causal.doubts import Doubts as Doubts
    from bestdo.causal.graph import Graph as Graph
    from bestdo.causal.graph import Variable as Variable
    from bestdo.causal.identify import identify as identify
    from bestdo.causal.model import Model as Model
    from bestdo.causal.number import Number as Number
    from bestdo.causal.outcome import Outcome as Outcome
    from bestdo.causal.where import possibly_optimal_sets as possibly_optimal_sets
    from bestdo.data.compose import Composed as Composed
    from bestdo.data.compose import compose as compose
    from bestdo.data.in_doubt import in_doubt as in_doubt
    from bestdo.design.optimal import Design as Design
    from bestdo.design.optimal import optimal_design as optimal_design
    from bestdo.errors import BestdoError as BestdoError
    from bestdo.files import Contents as Contents
    from bestdo.files import read as read
    from bestdo.files import write as write
    from bestdo.learners import learner as learner
    from bestdo.report.graph_picture import draw as draw
    from bestdo.report.study_report import show as show
    from bestdo.research.known_worlds import world as world
    from bestdo.research.known_worlds import worlds as worlds
    from bestdo.research.suite.suite import suite_run as suite_run
    from bestdo.simulate import World as World
    from bestdo.simulate.play import play as play
    from bestdo.study import Study as Study
    from bestdo.testing import check_learner as check_learner
    from bestdo.usecases.check import check as check
    from bestdo.usecases.compare import compare as compare
    from bestdo.usecases.design import design as fixed_plan  # noqa: F401
    from bestdo.usecases.estimate import estimate as estimate
    from bestdo.usecases.init import init as init
    from bestdo.usecases.rehearse import rehearse as rehearse

    __version__: str

_HOME = {
    "Actions": "bestdo.causal.action",
    "BestdoError": "bestdo.errors",
    "Composed": "bestdo.data.compose",
    "Contents": "bestdo.files",
    "Design": "bestdo.design.optimal",
    "Doubt": "bestdo.causal.doubts",
    "Doubts": "bestdo.causal.doubts",
    "Graph": "bestdo.causal.graph",
    "Intervention": "bestdo.causal.action",
    "Limit": "bestdo.bandit.limit",
    "Model": "bestdo.causal.model",
    "Number": "bestdo.causal.number",
    "Outcome": "bestdo.causal.outcome",
    "Problem": "bestdo.bandit.problem",
    "Study": "bestdo.study",
    "Variable": "bestdo.causal.graph",
    "World": "bestdo.simulate",
    "check": "bestdo.usecases.check",
    "check_learner": "bestdo.testing",
    "compare": "bestdo.usecases.compare",
    "compose": "bestdo.data.compose",
    "do": "bestdo.causal.action",
    "draw": "bestdo.report.graph_picture",
    "estimate": "bestdo.usecases.estimate",
    "fixed_plan": "bestdo.usecases.design:design",
    "identify": "bestdo.causal.identify",
    "in_doubt": "bestdo.data.in_doubt",
    "init": "bestdo.usecases.init",
    "learner": "bestdo.learners",
    "optimal_design": "bestdo.design.optimal",
    "play": "bestdo.simulate.play",
    "possibly_optimal_sets": "bestdo.causal.where",
    "read": "bestdo.files",
    "rehearse": "bestdo.usecases.rehearse",
    "show": "bestdo.report.study_report",
    "suite_run": "bestdo.research.suite.suite",
    "world": "bestdo.research.known_worlds",
    "worlds": "bestdo.research.known_worlds",
    "write": "bestdo.files",
}
"""The module of each name, and what it is called there where that differs."""

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> object:
    if name in _HOME:
        module, _, other = _HOME[name].partition(":")
        return getattr(importlib.import_module(module), other or name)
    if name == "__version__":
        from importlib.metadata import version

        return version("bestdo")
    try:  # a room: bestdo.causal
        return importlib.import_module(f"bestdo.{name}")
    except ModuleNotFoundError:
        raise AttributeError(_unknown(name)) from None


def _unknown(name: str) -> str:
    """The message for a name that is not there, with a similar one."""
    import difflib

    near = difflib.get_close_matches(name, _HOME, n=1)
    return f"module 'bestdo' has no attribute {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")


def __dir__() -> list[str]:
    return __all__
