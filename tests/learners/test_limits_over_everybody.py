"""Limits on average over everybody who gets the rule: one context can give what another takes."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from bestdo import Actions, Graph, Limit, Model, Problem, Variable, World, do
from bestdo.bandit.learner import in_study
from bestdo.bandit.rule import Rule
from bestdo.learners import learner
from bestdo.learners.game import game_of
from bestdo.learners.rule_found import rule_of
from bestdo.report.sections import limits as words
from bestdo.simulate.driver import play_out
from bestdo.simulate.play import outcomes
from bestdo.simulate.prior import Prior

CURE = [[0.2, 0.9], [0.3, 0.5]]
HARM = [[0.05, 0.45], [0.05, 0.45]]
OVER = Limit("harm", "yes", at_most=0.3, over="everybody")


def clinic(limit=OVER, cure=CURE, harm=HARM, shares=(0.5, 0.5)):
    """The high dose harms 45 % in both ages; on average over both, 30 % are allowed, so that one age can have it."""
    variables = [Variable("age", ("young", "old")), Variable("dose", ("low", "high"))]
    variables += [Variable("harm", ("no", "yes")), Variable("cure", ("no", "yes"))]
    graph = Graph.of(variables, [(a, b) for a in ("age", "dose") for b in ("harm", "cure")]).rewarding("cure", "yes")
    tables = {"age": list(shares), "dose": [0.5, 0.5]}
    tables |= {
        name: np.stack([1 - np.array(chance), chance], axis=-1) for name, chance in (("harm", harm), ("cure", cure))
    }
    actions = Actions(graph, [do(dose="low"), do(dose="high")])
    return World(Problem(graph, actions, limits=limit, first=("age",)), Model(graph, tables))


def played(world, rounds, name="causal-top-two", lanes=1, seed=1):
    game = game_of(in_study(learner(name)), world.problem)
    return game, play_out(world, game, rounds, lanes, np.random.default_rng(seed))


def test_the_age_that_gains_most_gets_the_high_dose():
    """In 10 studies of 800 rounds; in each context the limit allows nobody the high dose."""
    world = clinic()
    game, state = played(world, 800, "uniform", lanes=10)
    rule, within = game.recommended(state)
    assert (rule == [1, 0]).all(axis=1).mean() >= 0.8
    assert within.mean() >= 0.8
    assert not (rule == [1, 1]).all(axis=1).any()
    game, state = played(clinic(replace(OVER, over="context")), 800, "uniform", lanes=10)
    assert (game.recommended(state)[0] == [0, 0]).all(axis=1).mean() >= 0.8


def test_what_is_said_of_the_rule():
    game, state = played(clinic(), 800, "uniform")
    rule = rule_of(game, state)
    assert rule.actions.tolist() == [1, 0]
    assert rule.everybody >= 0.9
    assert rule.within_limits
    assert rule.beyond_limits == ()
    assert rule.about_limits.startswith(
        "the rule keeps P(harm = yes) at most 0.3 on average over everybody with probability"
    )
    assert [one.keeps for one in rule.contexts] == [1, 1]  # no limit holds in each context
    assert rule.keeps[1, 1] < 0.1 < 0.9 <= rule.keeps[1, 0] == rule.keeps[0, 1] == rule.everybody
    again = Rule.of_data(rule.problem, rule.as_data())
    assert (again.everybody, again.about_limits) == (rule.everybody, rule.about_limits)
    keeps = game.estimates(state).keeps[0]
    assert keeps[0] > 0.9 > 0.1 > keeps[1]  # one dose for everybody
    assert rule.single == do(dose="low")
    stated = " ".join(each.sentence for each in words.stated(game.problem))
    assert "A rule is recommended if it keeps P(harm = yes) at most 0.3 on average over everybody" in stated
    assert "n a context an action" not in stated


def test_where_no_rule_keeps_it_the_nearest_is_named():
    game, state = played(clinic(harm=[[0.5, 0.7], [0.5, 0.7]]), 150)
    rule = rule_of(game, state)
    assert rule.actions.tolist() == [0, 0]
    assert not rule.within_limits
    assert (
        "no rule keeps P(harm = yes) at most 0.3 on average over everybody with probability 0.9 so far"
        in rule.about_limits
    )
    assert not game.recommended(state)[1].any()


def test_the_truth_of_rules():
    """By every rule and its sum over contexts; one that breaks the limit counts as the worst everywhere."""
    world = clinic(shares=(0.4, 0.6))
    rules = np.array(list(product(range(2), repeat=2)))
    harm = np.array([0.4 * HARM[0][a] + 0.6 * HARM[1][b] for a, b in rules])
    cure = np.array([0.4 * CURE[0][a] + 0.6 * CURE[1][b] for a, b in rules])
    np.testing.assert_array_equal(world.breaks_of_rule(rules).all(axis=1), harm > 0.3)
    best = cure[harm <= 0.3].max()
    worst = 0.4 * 0.2 + 0.6 * 0.3
    np.testing.assert_allclose(world.regret_of_rule(rules), best - np.where(harm > 0.3, worst, cure), atol=1e-12)
    prior = Prior(world.problem, ("age", "dose", "harm", "cure"))
    worlds = prior.worlds(7, np.random.default_rng(1))
    for lane in range(7):
        tables = {n: t[lane] if t.ndim > world.model.tables[n].ndim else t for n, t in worlds.tables.items()}
        one = World(world.problem, Model(world.problem.graph, tables))
        np.testing.assert_allclose(one.beyond_everybody[0], worlds.beyond_everybody[lane], atol=1e-12)
    assert worlds.beyond_everybody.shape == (7, 1, 2, 2)
    found = outcomes(prior, "thompson", 20, 7, np.random.default_rng(2))
    assert (found.regret >= 0).all()
    assert set(found.breaks) <= {0.0, 1.0}


def test_where_nothing_is_seen_first_both_mean_the_same():
    world = clinic()
    plain = replace(world.problem, first=())
    same = [World(replace(plain, limits=limit), world.model) for limit in (OVER, replace(OVER, over="context"))]
    (one, first), (other, second) = (played(each, 60, lanes=3) for each in same)
    np.testing.assert_array_equal(one.recommended(first)[0], other.recommended(second)[0])
    np.testing.assert_array_equal(one.keeps(first), other.keeps(second))
    assert rule_of_words(same[0].problem) == rule_of_words(same[1].problem)


def rule_of_words(problem):
    return words.explained(problem)


@pytest.mark.parametrize("name", ["top-two", "thompson", "causal-thompson", "uniform", "linear-thompson"])
def test_every_learner_that_chooses_by_context_answers(name):
    """With a looser limit in each context beside it."""
    world = clinic((OVER, Limit("harm", "yes", at_most=0.6)))
    game, state = played(world, 40, name, lanes=2)
    rule, within = game.recommended(state)
    assert rule.shape == within.shape == (2, 2)
    about = rule_of(game, state).about_limits
    assert "over everybody" in about
    assert "in each context" in about or "of 2 contexts" in about
