"""What learners are called in tables and pictures."""

from __future__ import annotations

from typing import Any

from bestdo.bandit.learner import Learner
from bestdo.learners import learner

__all__ = ["called", "title"]

_TITLES = {
    "algorithm-1": "Algorithm 1",
    "algorithm-1-as-in-paper": "Algorithm 1 as in the paper",
    "algorithm-1-as-in-authors-code": "Algorithm 1 as in the authors' code",
    "algorithm-2": "Algorithm 2",
    "algorithm-2-as-in-paper": "Algorithm 2 as in the paper",
    "algorithm-2-as-in-authors-code": "Algorithm 2 as in the authors' code",
    "uniform": "Uniform",
    "watching": "Watching",
    "successive-rejects": "Successive Rejects",
    "sequential-halving": "Sequential Halving",
    "successive-elimination": "Successive Elimination",
    "ucb": "UCB",
    "thompson": "Thompson sampling",
    "top-two": "Top-two Thompson sampling",
}


def title(name: str) -> str:
    """The full name of a learner; one of another package is called as it calls itself."""
    return _TITLES.get(name, name)


def called(*names: str) -> dict[str, Learner[Any]]:
    """Learners with their default parameters, by their full names."""
    return {title(name): learner(name) for name in names}
