"""What learners are called in tables and pictures."""

from __future__ import annotations

import inspect
from typing import Any

from bestdo.bandit.learner import Learner
from bestdo.errors import BestdoError
from bestdo.learners import learner, names

__all__ = ["called", "described", "title"]

_TITLES = {
    "algorithm-1": "Algorithm 1",
    "algorithm-1-as-in-paper": "Algorithm 1 as in the paper",
    "algorithm-1-as-in-authors-code": "Algorithm 1 as in the authors' code",
    "algorithm-1-rejects": "Algorithm 1 with rejects",
    "algorithm-2": "Algorithm 2",
    "algorithm-2-as-in-paper": "Algorithm 2 as in the paper",
    "algorithm-2-as-in-authors-code": "Algorithm 2 as in the authors' code",
    "algorithm-2-phases": "Algorithm 2 in phases",
    "uniform": "Uniform",
    "watching": "Watching",
    "watch-then-act": "Watch, then act",
    "successive-rejects": "Successive Rejects",
    "sequential-halving": "Sequential Halving",
    "successive-elimination": "Successive Elimination",
    "ucb": "UCB",
    "thompson": "Thompson sampling",
    "top-two": "Top-two Thompson sampling",
    "lucb": "LUCB1",
    "track-and-stop": "Track-and-Stop",
    "causal-top-two": "Causal top-two",
}


def title(name: str) -> str:
    """The full name of a learner; one of another package is called as it calls itself."""
    return _TITLES.get(name, name)


def called(*names: str) -> dict[str, Learner[Any]]:
    """Learners with their default parameters, by their full names."""
    return {title(name): learner(name) for name in names}


def described() -> dict[str, str]:
    """Every name that can be asked for, those of other packages included, each with one line about it."""
    return {name: _line(name) for name in names()}


def _line(name: str) -> str:
    try:
        about = (inspect.getdoc(type(learner(name))) or "no description").splitlines()[0]
    except BestdoError as error:  # of another package
        return str(error)
    known, _, variant = title(name).partition(" as in ")
    if variant:
        return f"{known} as in {variant}"
    return about if known == name or about.startswith(known) else f"{known}: {about}"
