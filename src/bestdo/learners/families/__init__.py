"""The families of rewards, a file each: how sums over rounds become means with intervals, and posteriors of own rounds.

A reward names its family (`Reward.family`), which is the name of the file here. A further family is a further file.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from bestdo.arrays import Floats
from bestdo.bandit.confidence import SHOWN, Level
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.learners.families.family import CellPosterior, Family, OwnMeans

__all__ = ["CellPosterior", "Family", "OwnMeans", "cell_posterior", "family", "from_counts", "from_ratio", "own_means"]


@cache
def _family(name: str) -> Family:
    return cast("Family", import_module(f"{__name__}.{name}").FAMILY)


def family(graph: Graph) -> Family:
    """The family of a graph's reward."""
    return _family(graph.rewarded.family)


def from_counts(tally: Tally, played: Floats, graph: Graph, level: Level = SHOWN) -> Estimates:
    """Estimates from counts of rounds: means with the intervals of the reward's family, at a level."""
    return family(graph).from_counts(tally, played, graph, level)


def from_ratio(tally: Tally, played: Floats, graph: Graph) -> Estimates:
    """Estimates from weighted sums: means reward / weight, with an interval for the effective number of rounds."""
    return family(graph).from_ratio(tally, played, graph)


def cell_posterior(tally: Tally, graph: Graph) -> CellPosterior:
    """The posterior of each cell's mean by its own rounds, and a prior that all cells may share."""
    return family(graph).posterior(tally, graph)


def own_means(tally: Tally, graph: Graph) -> OwnMeans:
    """The posterior of each cell's mean by its own rounds alone."""
    return family(graph).own_means(tally, graph)
