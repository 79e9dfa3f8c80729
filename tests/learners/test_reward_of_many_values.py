"""A reward of three to five values, one of them success, against the same reward cut in two by hand."""

import math

import numpy as np
import pytest

from bestdo import Actions, Graph, Problem, Variable
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds, rewards
from bestdo.causal.model import Model
from bestdo.errors import GraphError, NotValid
from bestdo.evidence.alarm import alarms
from bestdo.evidence.answers import answers
from bestdo.learners import learner
from bestdo.simulate import World
from support import SINGLE, random_graph, random_model

HORIZON = 60


def widened(graph, values, success):
    """The graph with a reward of these values."""
    variables = tuple(Variable("Y", values) if v.name == "Y" else v for v in graph.variables)
    return Graph(variables, dict(graph.parents), "Y", success)


def cut(graph):
    """The graph with a reward of two values: success, and one for all others."""
    values = ("good", "bad") if graph.success == graph.variable("Y").values[0] else ("bad", "good")
    return widened(graph, values, "good")


def cut_model(model):
    graph, code = cut(model.graph), model.graph.success_code
    table = model.tables["Y"]
    good, bad = table[..., code], 1 - table[..., code]
    return Model(graph, {**model.tables, "Y": np.stack([good, bad] if not code else [bad, good], axis=-1)})


def cut_rounds(rounds, graph):
    """The same rounds, with the code of the reward in the graph that is cut."""
    x, place = rounds.x.copy(), graph.names.index("Y")
    x[:, place] = np.where(rounds.y, graph.success_code > 0, graph.success_code == 0)
    return rounds._replace(x=x)


def worlds(seed, kind="tables"):
    """A world with a reward of three to five values, and the same one cut in two."""
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 4, 0.8, both=0.4 if kind == "hidden" else 0.0, sizes=(2, 3), last=True)
    if kind == "parallel":
        graph = Graph.parse("A -> Y; B -> Y; C -> Y", reward="Y")
    values = tuple("abcde"[: rng.integers(3, 6)])
    graph = widened(graph, values, str(rng.choice(list(values))))
    model = random_model(rng, graph)
    made = []
    for one in (model, cut_model(model)):
        actions = Actions.single(one.graph)
        law = one.parent_law(actions) if kind == "parallel" else None
        made.append(World(Problem(one.graph, actions, law), one))
    return made


@pytest.mark.parametrize("kind", ["tables", "parallel", "hidden"])
@pytest.mark.parametrize("name", SINGLE)
def test_every_learner_answers_as_on_the_reward_cut_by_hand(name, kind):
    whole, halved = worlds(11, kind)
    playing, asked = learner(name), np.random.default_rng(5)
    try:
        states = [playing.start(w.problem, HORIZON, 1, np.random.default_rng(0)) for w in (whole, halved)]
    except NotValid:
        assert kind != "parallel"
        return
    for block in range(12):
        plan, other = (playing.ask(s, Request(), np.random.default_rng(block)) for s in states)
        assert (plan is None) == (other is None)
        if plan is None:
            break
        np.testing.assert_array_equal(plan.counts, other.counts)
        rounds = whole.rounds(plan, asked)
        told = (rounds, cut_rounds(rounds, whole.problem.graph))
        states = [
            playing.tell(s, plan, playing.statistic(w.problem, HORIZON).tally(r, 1))
            for s, w, r in zip(states, (whole, halved), told, strict=True)
        ]
    assert block
    for one, two in zip(*(playing.estimates(s)[:5] for s in states), strict=True):
        np.testing.assert_array_equal(one, two)
    assert playing.best(states[0]) == playing.best(states[1])


@pytest.mark.parametrize("seed", range(5))
def test_old_data_answer_as_with_the_reward_cut_by_hand(seed):
    whole, halved = worlds(seed, "hidden")
    plan = Plan(np.eye(1, len(whole.problem.actions), dtype=np.int64) * 300)
    rounds = whole.rounds(plan, np.random.default_rng(seed))
    found = []
    for world, r in ((whole, rounds), (halved, cut_rounds(rounds, whole.problem.graph))):
        old = OldData(r.x.astype(np.int16), np.ones(len(r.x), np.int64), len(r.x), "")
        found.append([(a.mean, a.low, a.high, a.low_99, a.high_99) for a in answers(world.problem, lambda _, o=old: o)])
    assert any(not math.isnan(one[0]) for one in found[0])
    np.testing.assert_array_equal(*found)


def test_worlds_know_the_mean_that_is_played():
    """Shares of success in 20,000 rounds of each action, within 4.5 standard errors of the exact means."""
    whole, halved = worlds(3)
    n = 20_000
    np.testing.assert_allclose(whole.means, halved.means, atol=1e-12)
    rounds = whole.rounds(Plan(np.full((1, len(whole.means)), n)), np.random.default_rng(1))
    share = np.bincount(rounds.action, rounds.y) / n
    assert (np.abs(share - whole.means) < 4.5 * np.sqrt(whole.means * (1 - whole.means) / n) + 1e-12).all()


def test_the_alarm_compares_all_values_of_the_reward():
    """Y is b or c by whether X was set or seen, and a as often: only the failures tell that the graph is wrong."""
    graph = Graph.parse("X -> Y", "Y", "a", {"Y": ("a", "b", "c")})
    problem = Problem(graph, Actions.single(graph))
    n = 400
    action = np.repeat([0, problem.actions.index(problem.actions[2])], n)
    x = np.stack([np.ones(2 * n), np.where(np.arange(2 * n) % 2, 0, np.where(action, 1, 2))], axis=1).astype(np.int16)
    rounds = Rounds(np.zeros(2 * n, np.int64), action, x, rewards(graph, x))
    assert problem.actions[2]["X"] == "1"
    found = alarms(problem, rounds)
    assert found
    assert "mean 0.50" in found[0].evidence


def test_a_reward_needs_two_values_and_a_success():
    graph = Graph.parse("X -> Y", values={"Y": tuple("abcdefghij")})
    with pytest.raises(GraphError, match=r"success, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' or 2 more\? Name it"):
        graph.rewarding("Y")
    assert graph.rewarding("Y", "c").success_code == 2
