"""A hidden common cause of the reward and a guardrail, or an arrow from the reward to it, costs no sharing."""

import numpy as np
import pytest

from bestdo import Graph, Limit, Model, Problem, Variable, World, do
from bestdo.bandit.rounds import Plan, Rounds, rewards
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.errors import GraphError
from bestdo.learners import learner
from bestdo.learners.beliefs.own_causes import own_causes
from bestdo.learners.causal_top_two import believed
from bestdo.learners.cautions import cautions
from bestdo.learners.game import game_of
from bestdo.learners.unfolding import in_pairs
from bestdo.simulate.prior import Prior
from bestdo.study.default_learner import choose

REWARDS = {
    "success": (Variable("revenue"), {"success": "1"}),
    "worth": (Variable("revenue", ("none", "some", "much")), {"worth": {"none": 0.0, "some": 1.0, "much": 5.0}}),
    "number": (Variable("revenue", number=Number(0, 10)), {"aim": "maximise"}),
    "count": (Variable("revenue", number=Number.count()), {"aim": "maximise"}),
}


def shop(kind, *, both=(), arrows=(), first=()):
    """Price and photo cause revenue, price and the device cause tickets, of which there is a limit."""
    reward, wanted = REWARDS[kind]
    variables = [
        Variable("device", ("phone", "desk")),
        Variable("price"),
        Variable("photo"),
        reward,
        Variable("tickets"),
    ]
    causes = [("price", "revenue"), ("photo", "revenue"), ("device", "revenue"), ("price", "tickets"), *arrows]
    graph = Graph.of(variables, causes, both).rewarding("revenue", **wanted)
    actions = [do(price=p, photo=f) for p in "01" for f in "01"]
    return Problem(graph, actions, limits=[Limit("tickets", "1", at_most=0.3)], first=first)


def told(problem):
    """Twenty rounds of a problem, as a study of it sums them, and what it says after them."""
    rng = np.random.default_rng(5)
    made = game_of(learner("causal-top-two"), problem)
    state = made.start(100, 1, rng)
    names = problem.graph.names
    x = np.full((20, len(names)), -1)
    action = rng.integers(0, 4, 20)
    draws = {n: rng.integers(0, 2, 20) for n in ("device", "revenue", "tickets")}
    x[:, names.index("price")], x[:, names.index("photo")] = action // 2, action % 2
    for name, values in draws.items():
        x[:, names.index(name)] = 0 if name == "revenue" and problem.graph.number else values
    numbers = {"revenue": draws["revenue"] * 3.0} if problem.graph.number else {}
    y = rewards(problem.graph, x, numbers)
    rounds = Rounds(np.zeros(20, np.int64), action, x, y, numbers=problem.numbers(numbers))
    counts = np.bincount(action, minlength=4)[None]
    state = made.tell(state, Plan(counts), made.statistic(100).tally(rounds, 1))
    found = made.estimates(state)
    return np.stack([found.mean[0], found.low[0], found.high[0], found.keeps[0], found.joint[0]]), made.keeps(state)


@pytest.mark.parametrize("first", [(), ("device",)], ids=["everybody", "contexts"])
@pytest.mark.parametrize("kind", REWARDS)
def test_an_answer_is_the_same_with_a_hidden_cause_of_reward_and_guardrail(kind, first):
    with_it, plain = (shop(kind, both=both, first=first) for both in ([("revenue", "tickets")], []))
    assert believed(in_pairs(with_it)).shares_all
    np.testing.assert_array_equal(told(with_it)[0], told(plain)[0])
    np.testing.assert_array_equal(told(with_it)[1], told(plain)[1])
    assert choose(with_it, 100)[1] == choose(plain, 100)[1]
    assert cautions(with_it).not_shared is None


@pytest.mark.parametrize("first", [(), ("device",)], ids=["everybody", "contexts"])
@pytest.mark.parametrize("kind", REWARDS)
def test_the_reward_may_cause_a_guardrail(kind, first):
    """Where revenue is a number, tickets have its causes: a limit on tickets was refused."""
    problem = shop(kind, arrows=[("revenue", "tickets")], first=first)
    assert believed(in_pairs(problem)).shares_all
    found, _ = told(problem)
    assert np.isfinite(found).all()
    limited = problem.limits[0].of(problem.graph)
    if problem.graph.number:
        assert set(limited.parents["tickets"]) == {"price", "photo", "device"}
    else:
        assert set(limited.parents["tickets"]) == {"price", "revenue"}
    if kind != "number":  # how far apart counts are is not known before rounds
        return
    worlds = Prior.of(problem).worlds(200, np.random.default_rng(0))
    rate = worlds._of(problem.limits[0]).means
    assert abs(rate[:, 0] - rate[:, 1]).max() > 0.01  # the photo matters by the revenue


def test_the_truth_of_a_guardrail_that_a_number_causes():
    """The table of tickets has one row for the number, and its chance by each price is what the table says."""
    problem = shop("number", arrows=[("revenue", "tickets")])
    graph = problem.graph
    assert graph.parents["tickets"] == ("price", "revenue")
    tables = {"device": [0.5, 0.5], "price": [0.5, 0.5], "photo": [0.5, 0.5], "tickets": [[[0.9, 0.1]], [[0.4, 0.6]]]}
    outcome = Outcome(1 + np.arange(8.0).reshape(2, 2, 2), np.full((2, 2, 2), 0.5), "beta")
    world = World(problem, Model(graph, tables, {"revenue": outcome}))
    assert world.breaks.tolist() == [False, False, True, True]


def test_a_hidden_cause_that_matters_stays():
    """Of a setting, of a mediator and of the reward; and of a setting that causes nothing, which confounds what is seen."""
    graph = Graph.parse("price -> basket -> sale; basket <-> sale; other <-> sale", reward="sale")
    problem = Problem(graph, set=["price", "other"])
    assert own_causes(problem) is problem
    assert not believed(problem).shares_all
    alone = Problem(graph, set=["price"])
    changed = own_causes(alone).graph
    assert changed.parents["sale"] == ("basket", "basket<->sale")
    assert changed.names == graph.names


def test_a_number_that_leads_to_a_guardrail_in_two_ways_is_refused():
    reward, wanted = REWARDS["number"]
    variables = [Variable("price"), reward, Variable("calls"), Variable("tickets")]
    arrows = [("price", "revenue"), ("revenue", "calls"), ("calls", "tickets"), ("revenue", "tickets")]
    graph = Graph.of(variables, arrows).rewarding("revenue", **wanted)
    with pytest.raises(GraphError, match="in several ways: give that values and cuts"):
        Problem(graph, set=["price"], limits=[Limit("tickets", "1", at_most=0.3)])


@pytest.mark.parametrize("first", [(), ("device",)], ids=["everybody", "contexts"])
@pytest.mark.parametrize("kind", REWARDS)
def test_what_every_action_sets_has_no_hidden_cause_in_any_round(kind, first):
    """Price and photo are set in every round, so that what else causes them and the revenue does not show."""
    both = [("price", "revenue"), ("photo", "revenue"), ("price", "photo")]
    with_it, plain = (shop(kind, both=some, first=first) for some in (both, []))
    assert believed(in_pairs(with_it)).shares_all
    np.testing.assert_array_equal(told(with_it)[0], told(plain)[0])


def test_what_an_action_leaves_alone_has_its_hidden_cause():
    """With do() among the actions, or one that sets the photo alone, rounds are confounded: each action counts its own."""
    graph = Graph.parse("price -> sale; photo -> sale; price <-> sale", reward="sale")
    each = [do(price=p, photo=f) for p in "01" for f in "01"]
    assert believed(Problem(graph, each)).shares_all
    for more in (do(), do(photo=1)):
        assert not believed(Problem(graph, [*each, more])).shares_all


@pytest.mark.parametrize("seed", [1, 2])
def test_means_are_true_where_a_hidden_cause_of_settings_and_reward_is_cut(seed):
    """A taste that raises sales decided the price before: 4,000 rounds of all joint settings, 4 sigma of 1,000 each."""
    graph = Graph.parse("price -> sale; photo -> sale; taste -> price; taste -> sale", reward="sale", hidden=["taste"])
    chance = np.random.default_rng(seed).uniform(0.1, 0.9, [graph.size(n) for n in graph.parents["sale"]])
    tables = {
        "taste": [0.5, 0.5],
        "price": [[0.9, 0.1], [0.1, 0.9]],
        "photo": [0.5, 0.5],
        "sale": np.stack([1 - chance, chance], axis=-1),
    }
    world = World(Problem(graph, [do(price=p, photo=f) for p in "01" for f in "01"]), Model(graph, tables))
    belief = believed(world.problem)
    counts = np.full((1, 4), 1000)
    tally = belief.statistic.tally(world.rounds(Plan(counts), np.random.default_rng(seed)), 1)
    assert belief.shares_all
    assert abs(belief.mean(tally, counts.astype(float))[0] - world.means).max() < 4 * np.sqrt(0.25 / 1000)
