"""Worlds of the suite whose reward is a number, those with costs, and those that were fitted to logs."""

from __future__ import annotations

import itertools
from dataclasses import replace

from bestdo.causal.action import Actions, do
from bestdo.research.suite.files_worlds import example_world, fitted_world
from bestdo.research.suite.suite_world import SuiteWorld
from bestdo.research.suite.world_changes import all_competing, priced, unlimited
from bestdo.simulate import World
from bestdo.simulate.paper_worlds import paper_parallel, parallel

__all__ = ["NUMBER_WORLDS"]

_PSA = "Aglietti, Lu, Paleyes & González, AISTATS 2020 (equations as in their code), cut into groups of age and weight"
_RANDOM = "drawn by this library with a fixed seed (`experiments/figures/number_worlds.py`)"


def _of_modl(number: int) -> World:
    """A world of MODL, drawn as in the authors' program."""
    from bestdo.research.figures.modl_worlds import modl_worlds

    return all_competing(modl_worlds()[number - 1])


def _modl_settings() -> World:
    """A world of MODL with all settings of three variables as actions: the cause and the two with the most values."""
    world = _of_modl(11)
    graph = world.problem.graph
    (cause,) = graph.parents["Y"]
    others = sorted((n for n in graph.names if n not in (cause, "Y")), key=lambda n: -graph.size(n))
    names = [cause, *others[:2]]
    each = itertools.product(*(graph.variable(name).values for name in names))
    actions = Actions(graph, [do(), *(do(dict(zip(names, values, strict=True))) for values in each)])
    return replace(world, problem=replace(world.problem, actions=actions))


def _random(name: str) -> World:
    """A random world whose reward is a number."""
    from bestdo.research.figures.number_worlds import number_worlds

    return number_worlds()[name]


def _modl(number: int, about: str) -> SuiteWorld:
    """A world of MODL, one of the first."""
    return SuiteWorld(
        f"modl-{number}",
        1,
        "numbers",
        lambda: _of_modl(number),
        (100, 400),
        about,
        f"Malek, Aglietti & Chiappa, ICML 2023; additive_cbug, its world of seed {number - 1}. Its number is no regret: "
        "14,413 rounds until MODL is sure, on average over 20 worlds; its actions set all variables at once",
    )


_NUMBERS = (
    _modl(
        1,
        "Ten variables of three to six values, one of which causes a normal reward; 41 single actions, which all compete.",
    ),
    _modl(
        2,
        "Ten variables of three to six values, one of which causes a normal reward; 43 single actions, which all compete.",
    ),
    SuiteWorld(
        "modl-settings",
        1,
        "numbers",
        _modl_settings,
        (150, 600),
        "Ten variables, one of which causes a normal reward; 144 actions set it and two others at once.",
        "Malek, Aglietti & Chiappa, ICML 2023; additive_cbug, its world of seed 10, the one in which no value stands out; "
        "there actions set all ten variables",
    ),
    SuiteWorld(
        "psa",
        1,
        "numbers",
        lambda: example_world("psa"),
        (20, 100),
        "Two medicines that move a marker in the blood, which is to be low, with a limit on cancer.",
        f"{_PSA}; an example of this library (psa.toml), which adds the limit",
    ),
    SuiteWorld(
        "psa-no-limit",
        1,
        "numbers",
        lambda: unlimited(example_world("psa")),
        (20, 100),
        "Two medicines that move a marker in the blood, which is to be low.",
        _PSA,
    ),
    SuiteWorld(
        "numbers-parallel",
        1,
        "numbers",
        lambda: _random("parallel, 8 causes, normal, minimise"),
        (34, 170),
        "Eight independent causes of a normal reward that is to be small.",
        _RANDOM,
    ),
    SuiteWorld(
        "numbers-hidden",
        1,
        "numbers",
        lambda: _random("hidden cause, 6 causes, zeros, maximise"),
        (26, 130),
        "Six causes, two of which share a hidden cause with a reward that is mostly zero and sometimes large.",
        _RANDOM,
    ),
    SuiteWorld(
        "numbers-common-cause",
        1,
        "numbers",
        lambda: _random("common cause, 6 causes, lognormal, maximise"),
        (26, 130),
        "One variable causes five others, which cause a reward that is skewed to the right.",
        _RANDOM,
    ),
)
_COSTS = (
    SuiteWorld(
        "costs-seldom-seen",
        1,
        "costs",
        lambda: priced(parallel([0.1] * 10 + [0.5] * 10), 20.0),
        (400, 1600),
        "20 independent causes; a round that sets one costs 20, one of do(), which shows the best value in a tenth, costs 1.",
        "the figure costs of this library",
    ),
    SuiteWorld(
        "costs-never-seen",
        1,
        "costs",
        lambda: priced(paper_parallel(20, 4, 0.3), 20.0),
        (400, 1600),
        "20 independent causes; a round that sets one costs 20, one of do(), which never shows the best value, costs 1.",
        "the figure costs of this library",
    ),
    SuiteWorld(
        "moulding",
        1,
        "costs",
        lambda: example_world("moulding"),
        (30, 120),
        "Injection moulding: parts that are worth money, and trials that cost between 1 and 3.",
        "an example of this library (moulding.toml), tables made up",
    ),
)
_LOGS = (
    SuiteWorld(
        "open-bandit",
        1,
        "log",
        lambda: fitted_world("open-bandit"),
        (1000, 3000),
        "Which of 34 items of a fashion shop, or which place on the page, is clicked most often; about one in 200 is.",
        "fitted to the Open Bandit data (Saito et al., 2020) in the package obp 0.4.1: men's campaign, random policy, 10,000 "
        "rows with 46 clicks, cells of 7 kinds of items and 3 places; the graph is this library's",
    ),
    SuiteWorld(
        "nhefs",
        1,
        "log",
        lambda: fitted_world("nhefs"),
        (90, 450),
        "Which of quitting smoking, exercise and activity goes with the smallest gain in weight, in kilograms.",
        "fitted to 1,566 rows of the NHANES I follow-up study (Hernán & Robins) in the package causalpy 0.9.0: age cut at "
        "44, 36 rows of the reward; the graph is this library's",
    ),
    SuiteWorld(
        "lalonde",
        1,
        "log",
        lambda: fitted_world("lalonde"),
        (40, 200, 800),
        "Whom a training helps to earn more, by degree and earlier employment, which are seen first.",
        "fitted to 614 rows (LaLonde 1986; Dehejia & Wahba 1999) in the package causalpy 0.9.0, 8 rows of the reward; "
        "those who were not trained are another sample, so that the tables are no estimate of the effect",
    ),
)
NUMBER_WORLDS = (*_NUMBERS, *_COSTS, *_LOGS)
"""The worlds of this file."""
