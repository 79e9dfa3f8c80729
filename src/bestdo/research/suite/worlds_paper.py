"""Worlds of the suite whose graph is known and right: the paper's, those after it, and those with hidden causes."""

from __future__ import annotations

import math

from bestdo.research.suite.authors_numbers import AUTHORS_FIGURE_2
from bestdo.research.suite.suite_world import Published, SuiteWorld
from bestdo.research.suite.world_changes import all_competing, to_earn
from bestdo.research.worlds.confounded_worlds import bow, front_door, instrument, napkin
from bestdo.research.worlds.earning_worlds import pomis_iv, pomis_markovian, pomis_xyzwst, screening_context
from bestdo.research.worlds.skewed_worlds import skewed_causes
from bestdo.simulate import World
from bestdo.simulate.paper_worlds import chain, confounded, paper_parallel

__all__ = ["PAPER_WORLDS"]

_PAPER = "Lattimore, Lattimore & Reid, NeurIPS 2016"
_OWN = "tables of this library"
_BENCHMARK = "drawn by this library with a fixed seed (`experiments/figures/benchmark_worlds.py`)"
_POMIS = "Lee & Bareinboim, NeurIPS 2018; npsem"
_HIDDEN_HORIZONS = (50, 200)


def _benchmark(name: str) -> World:
    """A world of the figures, one of the twenty fixed random ones."""
    from bestdo.research.figures.benchmark_worlds import benchmark_worlds

    return benchmark_worlds()[name]


def _small_gap() -> World:
    """The world of figure 2 (b) at 545 rounds."""
    return paper_parallel(50, 2, math.sqrt(50 / (8 * 545)))


def _confounded() -> World:
    """The confounded world of the figure `confounded`."""
    return confounded(given_0=[0.1, 0.1, 0.4, 0.4, 0.4], given_1=[0.3, 0.3, 0.7, 0.7, 0.7], z=0.2)


_PARALLEL = (
    SuiteWorld(
        "paper-parallel",
        1,
        "parallel",
        lambda: paper_parallel(50, 2, 0.3),
        (110, 210, 410),
        "50 independent causes, of which the first matters; two of them are never 1 by themselves.",
        f"{_PAPER}, figure 2 (c)",
        AUTHORS_FIGURE_2["paper-parallel"],
    ),
    SuiteWorld(
        "paper-parallel-m10",
        1,
        "parallel",
        lambda: paper_parallel(50, 10, 0.3),
        (200, 400),
        "50 independent causes, of which the first matters; ten of them are never 1 by themselves.",
        f"{_PAPER}, figure 2 (a), m = 10, T = 400",
        AUTHORS_FIGURE_2["paper-parallel-m10"],
    ),
    SuiteWorld(
        "paper-parallel-m30",
        1,
        "parallel",
        lambda: paper_parallel(50, 30, 0.3),
        (200, 400),
        "50 independent causes, of which the first matters; thirty of them are never 1 by themselves.",
        f"{_PAPER}, figure 2 (a), m = 30, T = 400",
        AUTHORS_FIGURE_2["paper-parallel-m30"],
    ),
    SuiteWorld(
        "paper-parallel-small-gap",
        1,
        "parallel",
        _small_gap,
        (245, 545),
        "50 independent causes and a gap of √(N / 8T) for T = 545; with 245 rounds the gap is the same.",
        f"{_PAPER}, figure 2 (b), T = 545",
        AUTHORS_FIGURE_2["paper-parallel-small-gap"],
    ),
    SuiteWorld(
        "parallel-8",
        1,
        "parallel",
        lambda: _benchmark("parallel, 8 variables"),
        (34, 170),
        "Eight independent causes that all matter, with tables drawn uniformly; learners know the graph only.",
        _BENCHMARK,
    ),
)
_KNOWN = (
    SuiteWorld(
        "confounded",
        1,
        "known graph",
        _confounded,
        (40, 80),
        "Z causes X1 to X5, which may cause the reward (X1 and X5 do), and is no direct cause of it: seeing is not doing; "
        "the law of the causes is known.",
        f"the figure confounded of this library; not figure 1 (b) of {_PAPER}, where the common cause causes the reward "
        "directly",
    ),
    SuiteWorld(
        "chain",
        1,
        "known graph",
        lambda: chain(20, epsilon=0.1),
        (20, 80),
        "20 variables in a chain, each a copy of the one before: one action shows the values of all others.",
        f"{_PAPER}, the chain of its text",
    ),
    SuiteWorld(
        "tree-7",
        1,
        "known graph",
        lambda: all_competing(_benchmark("tree, 7 variables")),
        (30, 150),
        "Seven variables, each with one direct effect, a later variable or the reward; all actions compete.",
        _BENCHMARK,
    ),
    SuiteWorld(
        "common-cause-7",
        1,
        "known graph",
        lambda: _benchmark("common cause, 7 variables"),
        (30, 150),
        "One variable causes six others, which cause the reward.",
        _BENCHMARK,
    ),
    SuiteWorld(
        "srm-skewed",
        1,
        "known graph",
        skewed_causes,
        (200, 500, 1000),
        "50 causes with arrows between them, nine of which are seldom 1; as in the authors' program every cause is drawn "
        "independently of its parents, so that the arrows are in the graph only.",
        "Maiti, Nair & Sinha, UAI 2022; aurghya/general-causal-bandits, regret_T_single (its numbers count how often "
        "the best action is kept, in 100 runs, and are not repeated here)",
    ),
    SuiteWorld(
        "pomis-markovian",
        1,
        "known graph",
        lambda: to_earn(pomis_markovian()),
        (500, 3000),
        "Z1 and Z2 cause X1 and X2, which cause the reward, nothing is hidden: the best action sets X1 and X2.",
        f"{_POMIS}, task Markovian, with its draw of seed 0; 10,000 rounds there",
    ),
    SuiteWorld(
        "hac-benign",
        1,
        "known graph",
        lambda: to_earn(screening_context(3000)),
        (1000, 3000),
        "20 actions, and Z, seen after acting, which tells all; the gap is √(K ln T / T) for T = 3000, also at 1000.",
        "Bilodeau, Wang & Roy, NeurIPS 2022, the setting in which the graph is right, T = 3000",
    ),
)
_HIDDEN = (
    SuiteWorld(
        "bow",
        1,
        "hidden causes",
        bow,
        _HIDDEN_HORIZONS,
        "A hidden cause of the dose and of success: observations identify no effect, and the worst dose looks best.",
        _OWN,
    ),
    SuiteWorld(
        "instrument",
        1,
        "hidden causes",
        instrument,
        _HIDDEN_HORIZONS,
        "Advice acts on the dose, which shares a hidden cause with success: observations identify the effect of the advice.",
        _OWN,
    ),
    SuiteWorld(
        "front-door",
        1,
        "hidden causes",
        front_door,
        _HIDDEN_HORIZONS,
        "X acts on Y through M, and a hidden cause of X and Y makes the worst choices look good.",
        _OWN,
    ),
    SuiteWorld(
        "napkin",
        1,
        "hidden causes",
        napkin,
        _HIDDEN_HORIZONS,
        "Two hidden causes; the effect of X is a ratio of observed probabilities.",
        _OWN,
    ),
    SuiteWorld(
        "hidden-cause-6",
        1,
        "hidden causes",
        lambda: _benchmark("hidden cause, 6 variables"),
        (26, 130),
        "Six causes, two of which share a hidden cause with the reward.",
        _BENCHMARK,
    ),
    SuiteWorld(
        "pomis-iv",
        1,
        "hidden causes",
        lambda: to_earn(pomis_iv()),
        (500, 5000),
        "An instrument Z of X, with a hidden cause of X and Y: to set Z is better than to set X.",
        f"{_POMIS}, task IV",
        (
            Published("thompson", 5000, 18.06, 1.8, "authors' code", "npsem, POMIS arms, 300 runs, by rewards drawn"),
            Published("thompson", 5000, 20.4, 0.8, "authors' code", "npsem, POMIS arms, 60 runs, by true means"),
        ),
    ),
    SuiteWorld(
        "pomis-xyzwst",
        1,
        "hidden causes",
        lambda: to_earn(pomis_xyzwst()),
        (500, 3000),
        "Five variables that can be set and two hidden causes: the best actions set some of them only.",
        f"{_POMIS}, task XYZWST, with its draw of seed 0; 10,000 rounds there",
    ),
)
PAPER_WORLDS = (*_PARALLEL, *_KNOWN, *_HIDDEN)
"""The worlds of this file."""
