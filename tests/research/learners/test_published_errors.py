"""Presets that repeat errors of published code: what they do, and where their warnings are said."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bestdo import Problem, World, do, learner
from bestdo.causal.graph import Graph
from bestdo.causal.model import Model
from bestdo.cli.simulation import own_modules
from bestdo.errors import NotValid
from bestdo.learners import LEARNERS, descriptions, reservations, warning
from bestdo.research.learners.additive import MODL
from bestdo.simulate import arms, final, parallel
from bestdo.testing import check_learner
from research.learners.exact_halves import outcomes
from support import ROOT

WRONG = [name for name, entry in LEARNERS.items() if entry.warning]


def test_every_preset_with_an_error_has_a_warning_and_is_not_the_default_of_its_class():
    assert {n for n in LEARNERS if n.endswith(("-with-error", "-as-in-authors-code"))} == set(WRONG)
    for name in WRONG:
        assert name.endswith(("-as-published-with-error", "-as-in-authors-code"))
        right = name.partition("-as-")[0].removesuffix("-clip")
        assert right in LEARNERS
        assert learner(name) != learner(right)


@pytest.mark.parametrize("name", WRONG)
def test_warnings_are_said_where_learners_are_chosen(name):
    assert f"not to be used: {LEARNERS[name].warning}" in descriptions()[name]
    assert warning(name).startswith(f"{name} is here to explain old numbers")
    assert reservations(name, LEARNERS[name].goals[0]) == warning(name)


def test_the_page_has_them_all():
    page = (ROOT / "docs" / "explanation" / "published-errors.md").read_text()
    assert not [n for n in WRONG if f"`{n}`" not in page]


def test_a_run_says_them(capsys):
    name = "successive-elimination-as-published-with-error"
    own_modules([name, "ucb", name])
    assert capsys.readouterr().err == f"{warning(name)}\n"


def test_the_right_learners_have_no_warning():
    assert warning("causal-top-two") == warning("mine:Own") == reservations("ucb", "earn") == ""


def test_elimination_that_never_eliminates_is_uniform():
    world = arms([0.05, 0.95, 0.5])
    wrong, right = (learner(f"successive-elimination{end}") for end in ("-as-published-with-error", ""))
    assert (final(world, wrong, 300, 5, np.random.default_rng(0)).counts.played == 100).all()
    assert (final(world, right, 300, 5, np.random.default_rng(0)).counts.played[:, 1] > 100).all()


def confounded():
    """A hidden cause of X and the reward: do(X=1) is better by 0.1, and looks worse by 0.38."""
    graph = Graph.parse("U -> X -> Y; U -> Y", reward="Y", hidden=["U"])
    y = np.array([[0.7, 0.8], [0.1, 0.2]])  # by U and X
    order = [("U", "X").index(p) for p in graph.parents["Y"]]
    table = np.stack([1 - y, y], axis=-1).transpose(*order, 2)
    model = Model(graph, {"U": [0.5, 0.5], "X": [[0.9, 0.1], [0.1, 0.9]], "Y": table})
    return World(Problem(graph, [do(X=0), do(X=1), do()], all_compete=False), model)


def test_modl_as_published_by_all_outcomes():
    """4 sigma, 5,000 lanes, 6 rounds: the value with the larger S / (n + 0.1) among those that occurred when nothing is set.

    MODL, which sets them, keeps the better value in 59 % of the lanes, this in 21 %.
    """
    law = [
        0.5 * (0.9 * 0.3 + 0.1 * 0.9),
        0.5 * (0.9 * 0.7 + 0.1 * 0.1),
        0.5 * (0.1 * 0.2 + 0.9 * 0.8),
        0.5 * (0.1 * 0.8 + 0.9 * 0.2),
    ]
    truth, lanes = 0.0, 5_000
    for counts, chance in outcomes(6, law):
        n, s = counts.reshape(2, 2).sum(axis=1), counts.reshape(2, 2)[:, 1]
        value = np.where(n > 0, s / (n + 0.1), -1.0).round(9)
        truth += chance * (0.5 if value[0] == value[1] else float(value[1] > value[0]))
    made = learner("modl-as-published-with-error")
    found = (made.best(final(confounded(), made, 6, lanes, np.random.default_rng(0))) == 1).mean()
    assert abs(found - truth) < 4 * math.sqrt(truth * (1 - truth) / lanes)
    right = (MODL().best(final(confounded(), MODL(), 6, 500, np.random.default_rng(0))) == 1).mean()
    assert right > truth + 0.3


def test_modl_as_published_keeps_the_contract_and_says_what_it_needs():
    check_learner(learner("modl-as-published-with-error"), confounded(), horizon=12, lanes=3)
    problem = confounded().problem
    with pytest.raises(NotValid, match="take modl"):
        learner("modl-as-published-with-error").start(
            replace(problem, actions=[do(X=0), do(X=1)]), 9, 1, np.random.default_rng(0)
        )


def test_the_constant_of_ucb_plus_is_divided_by_the_number_of_sets():
    made, problem = learner("ucb-plus-as-in-authors-code"), parallel([0.3, 0.6]).problem
    assert (made.alpha, made.divided) == (0.1, True)
    assert made.candidates(problem, 40) == learner("ucb-plus").candidates(problem, 40)
