"""Learners that choose by context: exact sums, rounds that teach about other contexts, rules with less regret."""

import re

import numpy as np
import pytest

from bestdo.bandit.learner import traits
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.errors import NotValid
from bestdo.learners import learner as learner_by_name
from bestdo.learners import registry
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.learners.beliefs.passes import passes_of
from bestdo.learners.game import game_of
from bestdo.learners.rule_game import RuleGame
from bestdo.learners.unfolding import unfolded
from bestdo.report.comparison_table import heading_of
from bestdo.report.sections.rehearsal import advice
from bestdo.simulate.driver import play_out
from bestdo.simulate.encounters import before_acting, rounds_after
from bestdo.simulate.play import play
from bestdo.simulate.prior import Prior
from bestdo.simulate.world import World
from bestdo.usecases.rehearsal_worlds import _of_rules
from bestdo.usecases.rehearse import rehearse_problem, sensible_for
from bestdo.usecases.simulation import Simulation
from support import ROOT, brute_force, random_model

CHOOSING = [name for name in registry.LEARNERS if traits(learner_by_name(name)).chooses and name != "mabuc"]
"""The learners that choose by context; MABUC's wants one intuition, and is tested by itself."""


def shop(seed=0, more="", **options):
    """Device and country are seen, banner and price set; through the click a banner works alike in all countries."""
    text = f"device -> banner -> click -> sale; device -> click; country -> price -> sale; country -> sale{more}"
    values = {"country": ("DE", "AT", "CH"), "banner": ("small", "large", "none")}
    graph = Graph.parse(text, reward="sale", values=values)
    model = random_model(np.random.default_rng(seed), graph, hidden_values=2)
    problem = Problem(graph, Actions.single(graph, ["banner", "price"]), first=("device", "country"), **options)
    return World(problem, model)


@pytest.mark.parametrize(
    ("name", "more"),
    [
        *(
            (name, more)
            for name in ("causal-top-two", "top-two", "thompson")
            for more in ("", "; banner <-> sale", "; wish <-> country; wish -> sale")
        ),
        *((name, "") for name in ("linear-thompson", "kl-ucb", "uniform")),
    ],
)
def test_many_rounds_find_the_best_rule(name, more):
    world = shop(4, more)
    horizons = (10, 150 if name == "causal-top-two" else 800)
    few, many = (play(world, name, rounds, lanes=6, seed=1).mean() for rounds in horizons)
    assert many < few / 1.5
    assert many < 0.1


def test_a_round_teaches_about_other_contexts():
    """Causal top-two keeps a better rule than each context by itself, by more than four standard errors."""
    world = shop(3)
    own, alone = (play(world, name, 60, lanes=60, seed=2) for name in ("causal-top-two", "top-two"))
    assert own.mean() + 4 * np.hypot(own.std(), alone.std()) / np.sqrt(60) < alone.mean()


def test_rounds_are_drawn_given_what_is_seen_first():
    """Rows of one context and action have the law of brute force, hidden causes included: 20,000 rows, 5 sigma."""
    world = shop(2, "; wish <-> country; wish <-> sale; wish -> click")
    rng, n = np.random.default_rng(3), 20_000
    before = before_acting(world, n, rng)
    contexts = world.problem.contexts
    chance = np.bincount(contexts.numbers(before), minlength=6) / n
    assert chance == pytest.approx(world.means_by_context[1], abs=5 * 0.5 / np.sqrt(n))
    action = world.problem.actions.index(do(banner="large"))
    rounds = rounds_after(world, np.arange(n), np.full(n, action), before, rng)
    for c, context in enumerate(contexts):
        mine = contexts.numbers(rounds.x) == c
        expected = brute_force(world.model, ["click"], do(banner="large"), context)[1]
        click = rounds.x[mine, world.problem.graph.names.index("click")]
        assert click.mean() == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(mine.sum()))
        assert rounds.y[mine].mean() == pytest.approx(
            world.means_by_context[0][c, action], abs=5 * 0.5 / np.sqrt(mine.sum())
        )


def test_pairs_of_context_and_action_and_the_law_that_is_known():
    world = shop()
    problem = unfolded(world.problem)
    assert len(problem.actions) == 6 * 6
    assert problem.actions[7] == do(device="0", country="AT", banner="small")
    known = Problem(
        world.problem.graph, world.problem.actions, world.model.parent_law(world.problem.actions), first=("device",)
    )
    assert unfolded(known).law is None  # of a law without its tables nothing is known in a context
    tables = {n: t for n, t in world.model.tables.items() if n != "sale"}
    from bestdo.causal.law_from_tables import law_from_tables

    known = Problem(world.problem.graph, world.problem.actions, law_from_tables(world.problem.actions, tables))
    law = unfolded(Problem(known.graph, known.actions, known.law, first=("device", "country"))).law
    assert law.table[7] == pytest.approx(
        brute_force(world.model, law.parents, do(banner="small"), {"device": "0", "country": "AT"})
    )


@pytest.mark.parametrize("name", CHOOSING)
def test_the_horizon_is_kept_and_what_is_not_whole_is_not_counted(name):
    world = shop(cost=(0.5, 1, 2, 1, 1, 3))
    learner = game_of(learner_by_name(name), world.problem)
    state = play_out(world, learner, 20.0, 3, np.random.default_rng(0))
    played = state.own.played.reshape(3, 6, 6).sum(axis=1)
    assert (world.problem.price(played) <= 20 + 1e-9).all()
    assert state.own.money == pytest.approx(20 - world.problem.price(played))
    rounds = Rounds(np.zeros(1, int), np.array([2]), np.full((1, len(world.problem.graph.names)), -1), np.ones(1, bool))
    start = learner.start(20.0, 1, np.random.default_rng(0))
    told = learner.tell(start, Plan(np.eye(6, dtype=int)[[2]]), learner.statistic(20.0).tally(rounds, 1))
    assert told.own.money == pytest.approx(18)
    assert not told.own.played.any()
    assert not told.seen.any()


def test_all_actions_of_a_context_take_one_pass_and_what_is_not_wanted_is_left_out():
    """Means by passes are those of the model; what a round tells about one context is the same by the passes it needs."""
    world = shop(5)
    problem = unfolded(world.problem)
    passes = passes_of(problem.actions)
    assert len(passes.bases) == len(world.problem.contexts)
    belief = FamilyBelief(problem)
    tables = np.concatenate([world.model.tables[n].reshape(-1) for n in belief.statistic.own.cells.names])
    assert belief.means_of(tables[None])[0] == pytest.approx(world.means_by_context[0].reshape(-1))
    here = np.arange(36) // 6 == 2
    rounds = world.rounds(Plan(np.full((3, 6), 4)), np.random.default_rng(0))
    sums = belief.statistic.tally(
        rounds._replace(action=world.problem.contexts.numbers(rounds.x) * 6 + rounds.action), 3
    )
    for there in (here, np.arange(36) // 6 == 4):
        whole, some = (
            belief.information_gain(sums, np.ones((3, 36)), Question(8, here, of), np.random.default_rng(1))[:, there]
            for of in (None, there)
        )
        assert some == pytest.approx(whole)
        assert whole.any()


def test_old_rounds_are_known_and_not_played():
    world = shop()
    learner = game_of(learner_by_name("causal-top-two"), world.problem)
    statistic = learner.statistic(50)
    old = world.rounds(Plan(np.array([[500, 0, 0, 0, 0, 0]])), np.random.default_rng(0))
    start = learner.start(50, 1, np.random.default_rng(0))
    state = learner.tell(start, Plan(np.zeros((1, 6), int)), statistic.tally(old, 1))
    assert state.seen.sum() == 500
    assert not state.own.played.any()
    assert learner.shares(state)[0] == pytest.approx(world.means_by_context[1], abs=5 * 0.5 / np.sqrt(500))
    found = learner.estimates(state)
    assert found.joint.sum() == pytest.approx(1)
    assert (np.abs(found.mean[0] - world.means) < 0.15).mean() > 0.7
    assert (found.low <= found.mean).all()
    assert (found.mean <= found.high).all()


def test_numbers_and_smaller_is_better():
    variables = [Variable("C", ("a", "b")), Variable("X"), Variable("Y", number=Number())]
    graph = Graph.of(variables, [("C", "Y"), ("X", "Y")], reward="Y", aim="minimise")
    mean = np.array([[2.0, 6.0], [7.0, 3.0]])
    model = Model(graph, {"C": [0.3, 0.7], "X": [0.5, 0.5]}, {"Y": Outcome(mean, np.full((2, 2), 1.0))})
    world = World(Problem(graph, Actions.single(graph, ["X"]), first=("C",)), model)
    learner = game_of(learner_by_name("causal-top-two"), world.problem)
    state = play_out(world, learner, 60, 5, np.random.default_rng(0))
    assert learner.recommended(state)[0].tolist() == [[1, 2]] * 5
    assert world.regret_of_rule(np.array([[1, 1]])) == pytest.approx([0.7 * 4])


def test_worlds_drawn_from_a_prior():
    world = shop()
    prior = Prior.of(world.problem)
    worlds = prior.worlds(4, np.random.default_rng(0))
    means, chance = worlds.means_by_context
    for lane in range(4):
        one = worlds.one(lane).means_by_context
        assert means[lane] == pytest.approx(one[0], abs=1e-12)
        assert chance[lane] == pytest.approx(one[1], abs=1e-12)
    regret = play(prior, "causal-top-two", 30, lanes=10, seed=0, worlds=1)
    assert ((regret >= -1e-12) & (regret < 1)).all()


def test_all_other_learners_refuse_in_words():
    """They name all that can choose by context and serve the goal: a list by hand left out four."""
    world = shop(0, all_compete=True)
    assert {name for name, entry in registry.LEARNERS.items() if entry.contexts} == {*CHOOSING, "mabuc"}
    finding = [name for name, entry in registry.LEARNERS.items() if entry.contexts and "find" in entry.goals]
    assert len(CHOOSING) >= 9, "one was lost"
    assert len(finding) >= 7, "one was lost"
    able = f"take {', '.join(finding[:-1])} or {finding[-1]}, or leave out"
    with pytest.raises(NotValid, match=able):
        game_of(learner_by_name("successive-rejects"), world.problem)
    for name in registry.LEARNERS:
        if name == "mabuc":
            with pytest.raises(NotValid, match="one variable that is seen first, the intuition, not 2"):
                game_of(learner_by_name(name), world.problem)
            continue
        if name in CHOOSING:
            assert isinstance(game_of(learner_by_name(name), world.problem), RuleGame)
            continue
        with pytest.raises(NotValid, match="does not look at what is seen first"):
            play(world, name, 200, lanes=1)
        with pytest.raises(NotValid):
            learner_by_name(name).start(world.problem, 200, 1, np.random.default_rng(0))


def test_a_rehearsal_says_whether_a_rule_is_worth_it():
    problem = shop().problem
    worlds = Prior.of(problem).worlds(5, np.random.default_rng(0))
    given = _of_rules(worlds)
    best, gain = given.best, given.columns["rule_gain"]
    each = [worlds.one(lane).means_by_context for lane in range(5)]
    assert best == pytest.approx([(chance * means.max(axis=1)).sum() for means, chance in each])
    assert gain == pytest.approx(np.mean(best - [(chance @ means).max() for means, chance in each]))
    found = rehearse_problem(problem, [10], Simulation(4), ["causal-top-two"])
    assert "better than the best single action for everybody" in advice(found.rows)
    assert sensible_for(problem) == ("causal-top-two", "top-two", "uniform")
    assert heading_of(found.rows[0]).startswith("Regret of the rule kept")


def test_the_guide_names_all_learners_that_choose_by_context():
    text = (ROOT / "docs" / "howto" / "contexts.md").read_text().partition("**Learners.** ")[2].partition("\n\n")[0]
    named = set(re.findall(r"[a-z0-9-]+", text))
    assert {name for name in registry.LEARNERS if traits(learner_by_name(name)).chooses} <= named
