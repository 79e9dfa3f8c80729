"""Worlds of the suite in which actions set several variables, and those whose graph is in doubt or not known."""

from __future__ import annotations

from bestdo.research.suite.suite_world import Published, SuiteWorld
from bestdo.research.suite.world_changes import to_earn
from bestdo.research.worlds.combinatorial_worlds import covering_layers, linear_parallel, linear_two_layers
from bestdo.research.worlds.earning_worlds import contradicting_context
from bestdo.research.worlds.unknown_graph_worlds import unknown_causes, unknown_tree
from bestdo.simulate import World

__all__ = ["CHOICE_WORLDS"]

_HAC = "the program of Bilodeau, Wang & Roy"
_CCB = "Feng & Chen, AAAI 2023; fengtony686/CCB"
_UNKNOWN = "Shahverdikondori, Etesami & Kiyavash, AISTATS 2026; ban-epfl/Unknown-Graph-Causal-Bandits"


def _linear(ofu: tuple[float, float, int], lr: tuple[float, float, int]) -> tuple[Published, ...]:
    """The loss of the authors' code of linear models in 500 rounds, its standard error, and the number of runs."""
    both = {"bglm-ofu-as-in-authors-code": ofu, "blm-lr-as-in-authors-code": lr}
    return tuple(
        Published(name, 500, regret, error, "authors' code", f"fengtony686/CCB, T = 500, {runs} runs")
        for name, (regret, error, runs) in both.items()
    )


_COMBINATORIAL = (
    SuiteWorld(
        "covering-layers",
        1,
        "combinatorial",
        covering_layers,
        (250, 500),
        "17 variables in four layers; an action sets all seven of the first, and only all ones are better than the rest.",
        "Sawarni, Madhavan, Sinha & Barman, UAI 2023, who play propagating inference (Yabe et al., ICML 2018) beside theirs; "
        "sample_model of sawarniayush/learning-good-interventions-using-covering, whose horizons go from 500 to 40,000",
        (
            Published(
                "propagating-inference-as-published-with-error",
                500,
                0.0306,
                0.0029,
                "authors' code",
                "the baseline of sawarniayush/learning-good-interventions-using-covering, 100 runs",
            ),
        ),
    ),
    SuiteWorld(
        "ccb-three-of-six",
        1,
        "combinatorial",
        lambda: to_earn(linear_parallel((0.3, 0.4, 0.2, 0.1, 0.6, 0.5), (0.1, 0.3, 0.2, 0.2, 0.1, 0.1), 3)),
        (500, 3000),
        "Six independent causes that act on success linearly, three of which are set to 1 at once, or none.",
        f"{_CCB}, G1; 10,000 rounds there, and no do() for learners without a graph",
        _linear((19.55, 1.27, 60), (22.43, 0.90, 60)),
    ),
    SuiteWorld(
        "ccb-two-of-eight",
        1,
        "combinatorial",
        lambda: to_earn(linear_parallel((0.2,) * 2 + (0.6,) * 6, (0.2,) * 2 + (0.1,) * 6, 2)),
        (500, 2000),
        "Eight independent causes that act on success linearly, two of which are set to 1 at once, or none.",
        f"{_CCB}, G2; no do() for learners without a graph there",
        _linear((12.84, 0.78, 60), (15.30, 0.81, 60)),
    ),
    SuiteWorld(
        "ccb-two-layers",
        1,
        "combinatorial",
        lambda: to_earn(linear_two_layers()),
        (500, 3000),
        "Two causes act linearly on three others, and these on success; two of the five are set to 1 at once, or none.",
        f"{_CCB}, G5; 10,000 rounds there, and no do() for learners without a graph",
        _linear((10.66, 0.46, 100), (8.35, 0.35, 100)),
    ),
)


def _doubtful(number: int) -> World:
    """A random world of the figure `doubt`."""
    from bestdo.research.figures.doubt import doubtful_world

    return doubtful_world(number - 1).world


def _doubt(number: int, actions: int, about: str) -> SuiteWorld:
    """A world of the figure `doubt`, one of its first."""
    return SuiteWorld(
        f"doubt-{number}",
        1,
        "doubtful graph",
        lambda: _doubtful(number),
        (2 * actions, 5 * actions),
        about,
        f"world {number} of the figure doubt of this library",
    )


_DOUBTFUL = (
    _doubt(1, 13, "Seven variables and two arrows in doubt, of which one is there."),
    _doubt(2, 19, "Ten variables and six arrows in doubt, of which three are there."),
    _doubt(3, 19, "Ten variables and two arrows in doubt, of which one is there."),
    SuiteWorld(
        "hac-contradicting",
        1,
        "doubtful graph",
        lambda: to_earn(contradicting_context()),
        (1000, 3000),
        "20 actions and a graph that is wrong: the action acts on the reward through Z, seen after acting, and directly.",
        "Bilodeau, Wang & Roy, NeurIPS 2022, the setting that contradicts the graph; up to 5,000 rounds there",
        (
            Published("hac-ucb", 1000, 234.0, 3.5, "a rewrite of it", f"{_HAC}, 40 runs"),
            Published("hac-ucb", 3000, 324.4, 5.5, "a rewrite of it", f"{_HAC}, 40 runs"),
            Published("corral", 1000, 174.1, 1.2, "a rewrite of it", f"{_HAC}, its error mended, 60 runs"),
            Published("corral-as-published-with-error", 1000, 163.8, 0.5, "a rewrite of it", f"{_HAC}, 60 runs"),
        ),
    ),
)
_NOT_KNOWN = (
    SuiteWorld(
        "unknown-causes",
        1,
        "unknown graph",
        lambda: to_earn(unknown_causes()),
        (500, 2000),
        "Eight variables of three values, one of which causes the reward; arrows are not known, actions set three at once.",
        f"{_UNKNOWN}, n = 8, m = 3, k = 1, T = 2000; 1,512 actions as there; one draw, by this library's generator",
    ),
    SuiteWorld(
        "unknown-causes-single",
        1,
        "unknown graph",
        lambda: to_earn(unknown_causes(variables=5, at_once=1)),
        (150, 1000),
        "Five variables of three values, one of which causes the reward; arrows are not known, actions set one variable.",
        f"after {_UNKNOWN}, smaller",
    ),
    SuiteWorld(
        "unknown-tree",
        1,
        "unknown graph",
        unknown_tree,
        (80, 400),
        "A tree of twenty two-valued variables, one of which causes the reward; arrows are not known.",
        "the setting of Konobeev, Etesami & Kiyavash, 2023 (RAPS): trees, n = 20, K = 2; the chances are this library's",
    ),
)
CHOICE_WORLDS = (*_COMBINATORIAL, *_DOUBTFUL, *_NOT_KNOWN)
"""The worlds of this file."""
