from dataclasses import replace

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Problem, Variable, do
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.number import Number
from bestdo.causal.unlisted_law import ProductLaw
from bestdo.design.handmade import natural_chances
from bestdo.simulate import World, arms, chain, confounded, paper_parallel, parallel
from bestdo.simulate.parallel_sums import importance_sums, seen_sums
from bestdo.simulate.samplers import tally
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.formula_counts import Joint
from bestdo.statistics.importance import Importance
from bestdo.statistics.missing_parents import MissingParents
from bestdo.statistics.pair_counts import Pairs
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen
from bestdo.statistics.states import States
from bestdo.statistics.strata import Strata
from bestdo.testing import check_sampler, check_statistic, check_world, measured


def three_valued():
    """Independent causes with three values, a reward that depends on two of them, all single actions."""
    variables = [Variable("A", ("a", "b", "c")), Variable("B"), Variable("C", ("x", "y", "z")), Variable("Y")]
    graph = Graph.of(variables, [(n, "Y") for n in "ABC"], reward="Y")
    truth = Graph.of(variables, [("A", "Y"), ("B", "Y")], reward="Y")
    tables = {
        "A": [0.2, 0.5, 0.3],
        "B": [0.9, 0.1],
        "C": [0.6, 0.3, 0.1],
        "Y": np.array([[[0.2, 0.8], [0.5, 0.5]], [[0.6, 0.4], [0.3, 0.7]], [[0.9, 0.1], [0.4, 0.6]]]),
    }
    model = Model(truth, tables)
    actions = Actions.single(graph)
    law = ProductLaw(actions, tuple(model.tables[n] for n in "ABC"))
    return World(Problem(graph, actions, law), model)


WORLDS = {
    "paper": lambda: paper_parallel(6, 2, 0.3),
    "unbalanced": lambda: parallel([0.3, 0.0, 0.1, 0.5, 0.9]),
    "certain": lambda: parallel([0.3, 1.0, 0.5, 0.05]),
    "three-valued": three_valued,
    "confounded": lambda: confounded([0.1, 0.4, 0.4], [0.3, 0.7, 0.6]),
    "chain": lambda: chain(3, copy=0.8, first=0.3),
    "bandit": lambda: arms([0.2, 0.7, 0.5]),
}
PARALLEL = ["paper", "unbalanced", "certain", "three-valued"]


def plan(world, most=12):
    counts = np.random.default_rng(5).integers(0, most, size=(1, len(world.problem.actions)))
    if do() in world.problem.actions:
        counts[:, world.problem.actions.index(do())] = 20
    return Plan(counts)


def handmade(world):
    """Half of the rounds on do(), the rest on actions that rarely happen: the others leave the density alone."""
    actions = world.problem.actions
    natural = natural_chances(world.problem)
    rare = [i for i, a in enumerate(actions) if a and natural[i] < 0.2]
    eta = np.zeros(len(actions))
    eta[actions.index(do())] = 0.5
    eta[rare] = 0.5 / len(rare)
    return eta


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_knows_its_means(name):
    check_world(WORLDS[name]())


@pytest.mark.parametrize("name", WORLDS)
def test_sums_add_and_do_not_depend_on_the_order(name):
    world = WORLDS[name]()
    check_statistic(Played(world.problem), world)
    check_statistic(Seen(world.problem), world)
    if world.problem.law is not None:
        eta = np.full(len(world.problem.actions), 1 / len(world.problem.actions))
        check_statistic(Importance(world.problem, eta), world)
    if name in ("confounded", "chain"):
        check_statistic(States(world.problem), world)


@pytest.mark.parametrize("name", WORLDS)
def test_drawn_plays_equal_rounds(name):
    world = WORLDS[name]()
    check_sampler(world, Played(world.problem), plan(world))


@pytest.mark.parametrize("name", PARALLEL)
def test_drawn_sums_of_what_is_seen_equal_rounds(name):
    world = WORLDS[name]()
    statistic = Seen(world.problem)
    assert seen_sums(world, statistic, plan(world), np.random.default_rng(0)) is not None
    check_sampler(world, statistic, plan(world))


@pytest.mark.parametrize("name", PARALLEL)
@pytest.mark.parametrize(("limit", "zero_above"), [(None, True), (3.0, True), (3.0, False)])
def test_drawn_importance_weights_equal_rounds(name, limit, zero_above):
    world = WORLDS[name]()
    eta = handmade(world)
    cut = None if limit is None else np.full(len(eta), limit)
    statistic = Importance(world.problem, eta, cut, zero_above)
    some = Plan(np.where(eta > 0, plan(world).counts, 0))
    assert importance_sums(world, statistic, some, np.random.default_rng(0)) is not None
    check_sampler(world, statistic, some)


def wrong_mean(world, statistic, plan_, rng):
    right = tally(world, statistic, plan_, rng)
    return right._replace(reward=right.reward * 1.02)


def wrong_spread(world, statistic, plan_, rng):
    right = tally(world, statistic, plan_, rng)
    smooth = 0.5 * right.reward + 0.5 * right.reward.mean(axis=0)
    return right._replace(reward=smooth)


def wrong_together(world, statistic, plan_, rng):
    """Every cell by itself has the right law, but the cells belong to different rounds."""
    right = tally(world, statistic, plan_, rng)
    return Tally.from_counts(right.weight, np.stack([np.roll(c, i) for i, c in enumerate(right.reward.T)], axis=1))


@pytest.mark.parametrize("wrong", [wrong_mean, wrong_spread, wrong_together])
def test_the_check_fails_on_a_wrong_sampler(wrong):
    world = WORLDS["paper"]()
    with pytest.raises(AssertionError, match="standard errors apart"):
        check_sampler(world, Seen(world.problem), plan(world), sampler=wrong)


def test_a_belief_that_is_not_the_truth_is_played_round_by_round():
    world = WORLDS["unbalanced"]()
    law = world.problem.law
    belief = ProductLaw(law.actions, tuple(0.8 * m + 0.1 for m in law.marginals))
    wrong = World(replace(world.problem, law=belief), world.model)
    statistic = Importance(wrong.problem, handmade(world))
    some = Plan(np.where(statistic.eta > 0, plan(world).counts, 0))
    assert importance_sums(wrong, statistic, some, np.random.default_rng(0)) is None
    check_sampler(wrong, statistic, some, lanes=2000)


def test_worlds_without_a_known_law_of_sums_are_played_round_by_round():
    world = WORLDS["confounded"]()
    assert seen_sums(world, Seen(world.problem), plan(world), np.random.default_rng(0)) is None
    assert tally(world, Seen(world.problem), plan(world), np.random.default_rng(0)).weight.shape == (1, 9)


@pytest.mark.parametrize("name", WORLDS)
def test_sums_of_numbers_add_and_do_not_depend_on_the_order(name):
    world = measured(WORLDS[name](), Number(-2, 6) if name == "chain" else None, aim="minimise")
    check_world(world)
    statistics = [Played(world.problem), Seen(world.problem), Pairs(world.problem), Joint(world.problem)]
    statistics += [Strata(world.problem)]
    if world.problem.law is not None:
        statistics += [Importance(world.problem, np.full(len(world.problem.actions), 1 / len(world.problem.actions)))]
    if name in ("confounded", "chain"):
        statistics += [States(world.problem), BesideSeen(States(world.problem))]
        statistics += [MissingParents(BesideSeen(States(world.problem)))]
    for statistic in statistics:
        if not isinstance(statistic, MissingParents):  # there a missing value makes other cells count
            check_statistic(statistic, world)
        for sums, powers in zip(powers_of(statistic, world), ("reward", "squares"), strict=True):
            np.testing.assert_allclose(*sums, atol=1e-9, err_msg=f"{type(statistic).__name__}: {powers}")


def powers_of(statistic, world):
    """The sums of rewards and of their squares, each beside the rewards of single rounds times the rounds' weights."""
    rounds = world.rounds(Plan(np.full((2, len(world.problem.actions)), 4)), np.random.default_rng(2))
    missing = np.random.default_rng(3).random(rounds.x.shape) < 0.1
    rounds = rounds._replace(x=np.where(missing, -1, rounds.x))
    found = statistic.tally(rounds, 2)
    parts = [statistic.tally(rounds.pick(np.array([r])), 2) for r in range(len(rounds.y))]
    for sums, power in ((found.reward, 1), (found.squares, 2)):
        yield sums, sum(y**power * part.weight for y, part in zip(rounds.y, parts, strict=True))
    np.testing.assert_allclose(
        found.squares2, sum(y**2 * part.weight2 for y, part in zip(rounds.y, parts, strict=True)), atol=1e-9
    )
