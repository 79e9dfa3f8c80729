"""bestdo finds the best intervention, given a causal graph and a limited number of rounds.

The names below are the front door; they are imported when first used.
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
    from bestdo.causal.graph import Graph as Graph
    from bestdo.causal.graph import Variable as Variable
    from bestdo.causal.identify import identify as identify
    from bestdo.causal.model import Model as Model
    from bestdo.causal.number import Number as Number
    from bestdo.causal.outcome import Outcome as Outcome
    from bestdo.data.compose import Composed as Composed
    from bestdo.data.compose import compose as compose
    from bestdo.design.optimal import Design as Design
    from bestdo.design.optimal import optimal_design as optimal_design
    from bestdo.errors import BestdoError as BestdoError
    from bestdo.files import Contents as Contents
    from bestdo.files import read as read
    from bestdo.files import write as write
    from bestdo.learners import learner as learner
    from bestdo.simulate import World as World
    from bestdo.simulate.play import play as play
    from bestdo.study import Study as Study
    from bestdo.usecases.init import init as init
    from bestdo.usecases.rehearse import rehearse as rehearse

_HOME = {
    "Actions": "bestdo.causal.action",
    "BestdoError": "bestdo.errors",
    "Composed": "bestdo.data.compose",
    "Contents": "bestdo.files",
    "Design": "bestdo.design.optimal",
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
    "compose": "bestdo.data.compose",
    "do": "bestdo.causal.action",
    "identify": "bestdo.causal.identify",
    "init": "bestdo.usecases.init",
    "learner": "bestdo.learners",
    "optimal_design": "bestdo.design.optimal",
    "play": "bestdo.simulate",
    "read": "bestdo.files",
    "rehearse": "bestdo.usecases.rehearse",
    "write": "bestdo.files",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    try:  # a room: bestdo.causal
        return importlib.import_module(f"bestdo.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"module 'bestdo' has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return __all__
