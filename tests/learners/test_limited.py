"""Limits: the best of the actions that keep them, with the probability that each does."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta, betabinom, t

from bestdo import Actions, Doubts, Graph, Limit, Model, Problem, Variable, World, do, play
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.sums import added, tallies
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.errors import GraphError, NotValid
from bestdo.learners import learner
from bestdo.learners.game import game_of
from bestdo.learners.until_sure import UntilSure
from bestdo.simulate.driver import play_out
from bestdo.simulate.play import outcomes
from bestdo.simulate.prior import Prior

DOSES = ("none", "some", "more", "much")
MOST = Limit("harm", "yes", at_most=0.2)


def medicine(cure=(0.3, 0.5, 0.7, 0.9), harm=(0.02, 0.05, 0.1, 0.5), hidden=True, limits=(MOST,)):
    """The more medicine, the more cures and the more harm: the best action by far harms too often."""
    variables = [Variable("dose", DOSES), Variable("harm", ("no", "yes")), Variable("cure", ("no", "yes"))]
    graph = Graph.of(variables, [("dose", "harm"), ("dose", "cure")], [("harm", "cure")] if hidden else [])
    graph = graph.rewarding("cure", "yes")
    actions = Actions(graph, [do(dose=d) for d in DOSES])
    yes = [np.array(part) for part in (harm, cure)]
    tables = {"dose": [0.25] * 4}
    for name, chance in zip(("harm", "cure"), yes, strict=True):
        table = np.stack([1 - chance, chance], axis=-1)
        if hidden:
            axes = graph.parents[name]
            table = np.stack([table, table], axis=axes.index("cure<->harm") if "cure<->harm" in axes else 0)
        tables[name] = table
    if hidden:
        tables["cure<->harm"] = [0.5, 0.5]
    return World(Problem(graph, actions, limits=limits), Model(graph, tables))


def test_the_truth_of_a_limit():
    world = medicine()
    np.testing.assert_array_equal(world.breaks, [False, False, False, True])
    np.testing.assert_allclose(world.regret(np.arange(4)), [0.4, 0.2, 0.0, 0.4])  # much counts as the worst of all
    hopeless = medicine(harm=(0.5, 0.5, 0.6, 0.7))
    np.testing.assert_allclose(hopeless.regret(np.arange(4)), 0)


@pytest.mark.parametrize(
    ("name", "hidden", "rounds"),
    [("top-two", True, 300), ("causal-top-two", True, 400), ("causal-top-two", False, 300), ("thompson", True, 400)],
)
def test_the_limited_recommendation_is_right(name, hidden, rounds):
    """At least 95 % of 200 studies (sigma 1.5 %); without the limit the same studies keep the action that breaks it."""
    world = medicine(hidden=hidden)
    rng = np.random.default_rng(1)
    right = play(world, name, rounds, 200, seed=rng) < 1e-9
    assert right.mean() >= 0.95
    unlimited = replace(world, problem=replace(world.problem, limits=()))
    kept_much = play(unlimited, name, 100, 50, seed=rng) < 1e-9
    assert kept_much.mean() >= 0.9


@pytest.mark.parametrize("name", ["uniform", "sequential-halving", "ucb"])
def test_other_learners_play_as_before_and_recommend_within_the_limits(name):
    """In at least 95 % of 200 studies the action kept breaks no limit (sigma 1.5 %)."""
    world = medicine()
    made = game_of(learner(name), world.problem)
    state = play_out(world, made, 200, 200, np.random.default_rng(1))
    assert (~world.breaks[made.best(state)]).mean() >= 0.95
    assert world.breaks[learner(name).best(state.own)].mean() >= 0.9


def states(world, name, counts, harmed, cured):
    """A learner's state after so many rounds of each action with so many harms and cures."""
    made, problem = game_of(learner(name), world.problem), world.problem
    rows = [(a, i < harmed[a], i < cured[a]) for a, n in enumerate(counts) for i in range(n)]
    action, harm, cure = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    x = np.full((len(rows), len(problem.graph.names)), -1)
    for variable, column in (("dose", action), ("harm", harm), ("cure", cure)):
        x[:, problem.graph.names.index(variable)] = column
    rounds = Rounds(np.zeros(len(rows), np.int64), action, x, cure == 1)
    state = made.start(400, 1, np.random.default_rng(0))
    statistic = made.statistic(400)
    return made, made.tell(state, Plan(np.array([counts])), statistic.tally(rounds, 1)), statistic, rounds


def below_by_hand(counts, harmed, bound, draws=400_000):
    """P(chance at most the bound) of each action: the less of a uniform prior's and of one that all actions share.

    The shared Beta is drawn: its centre uniformly, its worth from 2 to 512 rounds, the logarithm uniformly; weighted by the
    likelihood of all counts.
    """
    rng = np.random.default_rng(5)
    centre, worth = rng.random(draws), 2.0 ** rng.integers(1, 10, draws)
    a, b = centre * worth, (1 - centre) * worth
    n, s = np.array(counts)[:, None], np.array(harmed)[:, None]
    weight = np.exp((part := betabinom.logpmf(s, n, a, b).sum(axis=0)) - part.max())
    shared = beta.cdf(bound, a + s, b + n - s) @ weight / weight.sum()
    alone = beta.cdf(bound, 1 + s[:, 0], 1 + (n - s)[:, 0])
    return alone, shared


@pytest.mark.parametrize("name", ["top-two", "ucb"])
def test_the_probability_of_keeping_is_that_of_a_beta(name):
    """By plays alone every action counts its own plays, whatever the learner; the lucky ones are not believed."""
    counts, harmed = (30, 40, 50, 20), (0, 5, 12, 9)
    made, state, *_ = states(medicine(), name, counts, harmed, (9, 20, 35, 18))
    alone, shared = below_by_hand(counts, harmed, 0.2)
    by_hand = np.minimum(alone, shared)
    found = made.estimates(state)
    np.testing.assert_allclose(found.keeps[0], by_hand, atol=0.01)
    assert by_hand[0] < alone[0] - 0.002  # of four actions the luckiest is not believed as much as by its own rounds
    assert found.p_best[0].sum() <= 1
    assert 0.8 < by_hand[1] < 0.9
    assert made.best(state)[0] == 0
    lax = replace(made, problem=replace(made.problem, sure=0.8))
    assert lax.best(state)[0] == 1
    least = medicine(limits=(Limit("harm", "yes", at_least=0.2),))
    made, state, *_ = states(least, name, counts, harmed, (9, 20, 35, 18))
    np.testing.assert_allclose(made.estimates(state).keeps[0], np.minimum(1 - alone, 1 - shared), atol=0.01)


def test_both_sides_of_an_outcome_are_multiplied():
    limits = (MOST, Limit("harm", "no", at_least=0.5))
    made, state, *_ = states(medicine(limits=limits), "top-two", (30, 40, 50, 20), (0, 5, 12, 9), (9, 20, 35, 18))
    one = beta(1 + 12, 1 + 38).cdf(0.2) * beta(1 + 38, 1 + 12).sf(0.5)
    assert made.estimates(state).keeps[0, 2] == pytest.approx(one, abs=0.02)  # close to what the others show


def test_where_tables_are_believed_every_round_tells():
    """Without a hidden cause the tables are believed; with one family of one cause that is near the counts of plays."""
    counts, harmed = (30, 40, 50, 20), (0, 5, 12, 9)
    made, state, *_ = states(medicine(hidden=False), "causal-top-two", counts, harmed, (9, 20, 35, 18))
    by_hand = [beta(1 + h, 1 + n - h).cdf(0.2) for h, n in zip(harmed, counts, strict=True)]
    np.testing.assert_allclose(made.estimates(state).keeps[0], by_hand, atol=0.12)


def test_where_none_keeps_the_limits_the_nearest_is_recommended():
    world = medicine(harm=(0.3, 0.5, 0.6, 0.7))
    made, state, *_ = states(world, "top-two", (40, 40, 40, 40), (12, 20, 24, 28), (12, 20, 28, 36))
    assert made.best(state)[0] == 0
    assert made.estimates(state).keeps.max() < world.problem.sure


def test_what_was_never_tried_does_not_keep_a_limit():
    made, state, *_ = states(medicine(), "causal-top-two", (100, 100, 0, 0), (0, 0, 0, 0), (30, 50, 0, 0))
    assert (made.estimates(state).keeps[0, 2:] < 0.5).all()


def test_an_action_that_breaks_a_limit_does_not_win_by_being_known():
    """UCB knows nothing of the reward of what was not played; of a limit that is easily kept the prior says enough."""
    lax = medicine(limits=(Limit("harm", "yes", at_least=0.05),))
    made, state, *_ = states(lax, "ucb", (0, 0, 0, 50), (0, 0, 0, 0), (0, 0, 0, 45))
    made = replace(made, problem=replace(made.problem, sure=0.25))
    keeps = made.estimates(state).keeps[0]
    assert (keeps[:3] >= 0.25).all()
    assert keeps[3] < 0.1
    assert made.best(state)[0] < 3


def test_tallies_add():
    _, _, statistic, rounds = states(medicine(hidden=False), "causal-top-two", (3, 4, 5, 2), (0, 1, 2, 2), (1, 2, 3, 2))
    whole = statistic.tally(rounds, 1)
    parts = added(statistic.tally(rounds.pick(slice(0, 6)), 1), statistic.tally(rounds.pick(slice(6, None)), 1))
    for mine, theirs in zip(tallies(whole), tallies(parts), strict=True):
        for one, other in zip(mine.sums, theirs.sums, strict=True):
            np.testing.assert_allclose(one, other)


def test_a_round_in_which_the_outcome_was_not_seen_tells_nothing_of_it():
    _, _, statistic, rounds = states(medicine(), "top-two", (3, 4, 5, 2), (0, 1, 2, 2), (1, 2, 3, 2))
    x = rounds.x.copy()
    x[0, statistic.problem.graph.names.index("harm")] = -1
    found = statistic.tally(rounds._replace(x=x), 1)
    np.testing.assert_array_equal(found.own.weight[0], [3, 4, 5, 2])
    np.testing.assert_array_equal(found.limits[0][0].weight[0], [2, 4, 5, 2])


def number_world(at_most=10.0):
    number = Number()
    variables = [Variable("dose", DOSES), Variable("pain", number=number), Variable("cure", ("no", "yes"))]
    graph = Graph.of(variables, [("dose", "pain"), ("dose", "cure")]).rewarding("cure", "yes")
    cure = np.array([0.3, 0.5, 0.7, 0.9])
    outcome = Outcome(np.array([5.0, 6.0, 8.0, 12.0]), np.full(4, 2.0))
    model = Model(graph, {"dose": [0.25] * 4, "cure": np.stack([1 - cure, cure], axis=-1)}, {"pain": outcome})
    actions = Actions(graph, [do(dose=d) for d in DOSES])
    return World(Problem(graph, actions, limits=(Limit("pain", at_most=at_most),)), model)


def test_the_mean_of_a_number_can_be_limited():
    world = number_world()
    np.testing.assert_array_equal(world.breaks, [False, False, False, True])
    right = play(world, "causal-top-two", 200, 100, seed=2) < 1e-9
    assert right.mean() >= 0.95


def test_the_probability_that_a_mean_is_kept_is_students():
    """Equal spreads: the pooled variance of all actions, with its degrees of freedom."""
    world = number_world()
    made = game_of(learner("top-two"), world.problem)
    plan = Plan(np.array([[30, 30, 30, 30]]))
    rounds = world.rounds(plan, np.random.default_rng(3))
    state = made.start(200, 1, np.random.default_rng(0))
    state = made.tell(state, plan, made.statistic(200).tally(rounds, 1))
    pain = rounds.numbers["pain"].reshape(4, 30)
    pooled = ((pain - pain.mean(axis=1, keepdims=True)) ** 2).sum() / (4 * 29)
    by_hand = t(4 * 29).cdf((10 - pain.mean(axis=1)) / np.sqrt(pooled / 30))
    np.testing.assert_allclose(made.estimates(state).keeps[0], by_hand, atol=0.01)


@pytest.mark.parametrize("name", ["causal-top-two", "top-two"])
def test_what_is_said_to_keep_the_limits_does(name):
    """In random worlds at most a tenth of the actions kept with probability 0.9 or more break the limit (300 studies)."""
    prior = Prior.of(medicine(hidden=False, limits=(Limit("harm", "yes", at_most=0.4),)).problem)
    ended = outcomes(prior, name, 60, 300, np.random.default_rng(7))
    said = ended.none == 0
    assert 0.3 < said.mean() < 1
    assert ended.breaks[said].mean() <= 0.1
    assert (ended.regret >= 0).all()


def test_without_limits_nothing_is_wrapped():
    world = medicine(limits=())
    plain = learner("top-two")
    game = game_of(plain, world.problem)
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    state, own = game.start(50, 4, one), plain.start(world.problem, 50, 4, other)
    assert game.bare
    assert (game.ask(state, Request(), one).counts == plain.ask(own, Request(), other).counts).all()
    assert one.bit_generator.state == other.bit_generator.state
    assert type(game.statistic(50)) is type(plain.statistic(world.problem, 50))


def test_until_sure_is_refused():
    with pytest.raises(NotValid, match="with limits a study cannot stop because it is sure"):
        play(medicine(), UntilSure(learner("top-two")), 10, 1, seed=0)


def test_a_number_that_causes_a_limited_variable_hands_its_causes_on():
    variables = [Variable("a"), Variable("m", number=Number()), Variable("h"), Variable("y")]
    graph = Graph.of(variables, [("a", "m"), ("m", "h")]).rewarding("y", "1")
    limit = Limit("h", "1", at_most=0.2)
    Problem(graph, Actions.single(graph, ["a"]), limits=(limit,))
    assert limit.of(graph).parents["h"] == ("a",)
    doubts = Doubts.of(graph, [("a", "?->", "y")])
    with pytest.raises(GraphError, match="its cause 'm' is a number while arrows are in doubt"):
        Problem(doubts, set=["a"], limits=(limit,))


def test_all_actions_compete():
    """One that cannot be the best by the graph can be the best of those that keep the limits."""
    graph = Graph.parse("a -> b; b -> y; a -> harm", reward="y")
    actions = Actions(graph, [do(), do(a=1), do(b=1), do(b=0)])
    assert not Problem(graph, actions).contenders.all()
    assert Problem(graph, actions, limits=(Limit("harm", "1", at_most=0.1),)).contenders.all()
