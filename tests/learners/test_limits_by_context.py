"""Limits where variables are seen first: they hold in each context, for the action that the rule recommends there."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

from bestdo.bandit.limit import Limit
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rule import Rule
from bestdo.causal.action import do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.errors import GraphError
from bestdo.learners import learner as learner_by_name
from bestdo.learners.beliefs.shared_prior import chance_below, chance_worth
from bestdo.learners.game import game_of
from bestdo.learners.rule_found import rule_of
from bestdo.report.sections.rehearsal import advice
from bestdo.simulate.driver import play_out
from bestdo.simulate.play import outcomes
from bestdo.simulate.prior import Prior
from bestdo.simulate.world import World
from bestdo.study.rule_file import rule_file
from bestdo.usecases.rehearsal_worlds import _of_rules
from bestdo.usecases.rehearse import rehearse_problem
from bestdo.usecases.simulation import Simulation

SALE = {("mobile", "usual"): 0.3, ("mobile", "low"): 0.8, ("desktop", "usual"): 0.3, ("desktop", "low"): 0.8}
REFUND = {("mobile", "usual"): 0.05, ("mobile", "low"): 0.6, ("desktop", "usual"): 0.05, ("desktop", "low"): 0.1}


def shop(hidden="", at_most=0.3, **options):
    """The low price sells best everywhere, and breaks the limit on mobiles alone."""
    text = f"device -> sale; price -> sale; device -> refund; price -> refund{hidden}"
    values = {"device": ("mobile", "desktop"), "price": ("usual", "low")}
    graph = Graph.parse(text, reward="sale", success="1", values=values)
    tables = {"device": np.array([0.6, 0.4]), "price": np.array([0.5, 0.5])}
    for name, rows in (("sale", SALE), ("refund", REFUND)):
        table = np.array([[[1 - rows[d, p], rows[d, p]] for p in values["price"]] for d in values["device"]])
        tables[name] = table
    limit = Limit("refund", "1", at_most=at_most)
    problem = Problem(graph, set=["price"], limits=limit, first=("device",), **options)
    return problem if hidden else World(problem, Model(graph, tables))


@pytest.mark.parametrize(("name", "rounds"), [("causal-top-two", 150), ("top-two", 600), ("thompson", 600)])
def test_the_rule_keeps_the_limit_in_each_context(name, rounds):
    """Learners that take each context by itself need more rounds: they seldom play what probably breaks the limit."""
    world = shop()
    learner = game_of(learner_by_name(name), world.problem)
    state = play_out(world, learner, rounds, 1, np.random.default_rng(1))
    rule = rule_of(learner, state)
    assert [str(one.action) for one in rule.contexts][1] == "do(price=low)"
    assert rule.contexts[0].action != do(price="low")
    assert rule.contexts[0].keeps >= 0.9
    assert not rule.beyond_limits
    assert rule.about_limits.startswith("in each context its action keeps all limits with probability")
    assert rule.single != do(price="low")
    assert rule.gain.mean > 0
    assert rule.action({}) != do(price="low")  # it would break the limit on mobiles
    low = world.problem.actions.index(do(price="low"))
    assert rule.keeps[0, low] < 0.05
    assert learner.estimates(state).keeps[0, low] == rule.keeps[:, low].min()


def test_the_probability_is_that_of_the_posterior_of_the_context():
    """A Beta posterior of each pair of context and action; a play counts for up to three where others show the same."""
    world = shop()
    learner = game_of(learner_by_name("top-two"), world.problem)
    state = play_out(world, learner, 60, 2, np.random.default_rng(2))
    ((sums,),) = state.kept.sums
    played, good = sums.weight, sums.reward
    alone = beta.cdf(0.3, 1 + good, 1 + played - good)
    mean, worth = chance_worth(played, good, played.sum(axis=1))
    worth = np.minimum(worth, np.minimum(3 * played, played.sum(axis=1, keepdims=True)))
    with_others = beta.cdf(0.3, 1 + worth * mean, 1 + worth * (1 - mean))
    alone = np.where(good <= 0.3 * played, np.maximum(alone, with_others), alone)
    shared = chance_below(played, good, 0.3, played.sum(axis=1))
    assert learner.keeps(state).reshape(2, -1) == pytest.approx(np.minimum(alone, shared))
    assert played.sum(axis=1) == pytest.approx(60)


def test_before_the_first_round_nothing_is_kept_surely_and_the_answer_says_so():
    world = shop()
    learner = game_of(learner_by_name("causal-top-two"), world.problem)
    state = learner.start(50, 1, np.random.default_rng(0))
    rule = rule_of(learner, state)
    assert rule.beyond_limits == (0, 1)
    assert "in 2 of 2 contexts no action keeps all limits with probability 0.9 so far" in rule.about_limits
    assert "device=mobile" in rule.about_limits


def test_regret_and_rehearsal_count_a_broken_limit_as_the_worst():
    world = shop()
    breaks = world.breaks_by_context
    usual, low = (world.problem.actions.index(do(price=p)) for p in ("usual", "low"))
    assert breaks[:, low].tolist() == [True, False]
    assert breaks[:, usual].tolist() == [False, False]
    watch = world.problem.actions.index(do())
    assert breaks[0, watch]  # 0.325 on mobiles
    regret = world.regret_of_rule(np.array([[usual, low], [low, low], [usual, usual]]))
    assert regret == pytest.approx([0, 0, 0.4 * 0.5])  # the worst on mobiles is the usual price: nothing is lost
    found = outcomes(world, "causal-top-two", 100, 20, np.random.default_rng(0))
    assert found.regret.mean() < 0.05
    assert found.breaks.mean() < 0.1  # it says 0.9 at least
    worlds = Prior(world.problem, ("device", "price", "sale", "refund")).worlds(6, np.random.default_rng(0))
    assert worlds.breaks_by_context.shape == (6, 2, 3)
    given = _of_rules(worlds)
    assert given.without >= 0
    assert given.columns["rule_gain"] >= -1e-12
    rows = rehearse_problem(world.problem, [10], Simulation(4), ["causal-top-two"]).rows
    assert "of the people, and for" in advice(rows)


def test_all_worlds_agree_with_one_world():
    world = shop()
    many = Prior(world.problem, ("device", "price", "sale", "refund")).worlds(3, np.random.default_rng(1))
    for lane in range(3):
        tables = {n: t[lane] if t.ndim > world.model.tables[n].ndim else t for n, t in many.tables.items()}
        one = World(world.problem, Model(world.problem.graph, tables))
        assert (one.breaks_by_context == many.breaks_by_context[lane]).all()


def test_a_limit_on_the_mean_of_a_number_and_a_reward_that_is_one():
    variables = [Variable("device", ("m", "d")), Variable("price", ("a", "b"))]
    variables += [Variable("revenue", number=Number(0, 100)), Variable("wait", number=Number(0, 10))]
    parents = {"revenue": ("device", "price"), "wait": ("device", "price")}
    graph = Graph(tuple(variables), parents).rewarding("revenue", aim="maximise")
    revenue = Outcome(np.array([[20.0, 60.0], [20.0, 60.0]]), np.full((2, 2), 5.0), "beta")
    wait = Outcome(np.array([[2.0, 8.0], [2.0, 3.0]]), np.full((2, 2), 0.5), "beta")
    half = {"device": np.array([0.5, 0.5]), "price": np.array([0.5, 0.5])}
    model = Model(graph, half, {"revenue": revenue, "wait": wait})
    problem = Problem(graph, set=["price"], limits=Limit("wait", at_most=5.5), first="device")
    world = World(problem, model)
    learner = game_of(learner_by_name("causal-top-two"), problem)
    state = play_out(world, learner, 80, 1, np.random.default_rng(0))
    rule = rule_of(learner, state)
    assert rule.contexts[1].action == do(price="b")
    assert rule.contexts[0].action != do(price="b")
    assert rule.contexts[0].keeps > 0.9


def test_hidden_causes_and_old_data():
    problem = shop("; price <-> refund")
    learner = game_of(learner_by_name("causal-top-two"), problem)
    state = learner.start(50, 1, np.random.default_rng(0))
    assert learner.ask(state, Request(), np.random.default_rng(0)).counts.sum() == 1


def test_the_rule_as_a_file_and_as_data(tmp_path):
    world = shop()
    learner = game_of(learner_by_name("causal-top-two"), world.problem)
    rule = rule_of(learner, play_out(world, learner, 100, 1, np.random.default_rng(1)))
    again = Rule.of_data(world.problem, json.loads(json.dumps(rule.as_data())))
    assert again.contexts == rule.contexts
    assert (again.keeps == rule.keeps).all()
    assert again.about_limits == rule.about_limits
    assert rule.as_data()["within_limits"] is True
    assert b"keeps_limits" in rule_file(rule, "rule.csv").splitlines()[0]
    program = tmp_path / "rule.py"
    program.write_bytes(rule_file(rule, "rule.py"))
    space = {}
    exec(compile(program.read_text(), "rule.py", "exec"), space)
    for seen in ({"device": "mobile"}, {"device": "desktop"}, {}, {"device": None}):
        assert space["rule"](seen) == dict(rule.action(seen))
    never = replace(rule, keeps=np.full_like(rule.keeps, 0.2) + 0.1 * np.eye(3)[2])  # the last is the nearest
    program.write_bytes(rule_file(never, "rule.py"))
    exec(compile(program.read_text(), "rule.py", "exec"), space)
    assert space["rule"]({}) == dict(never.action({})) == dict(world.problem.actions[2])
    assert "Limits: P(refund = 1) at most 0.3" in program.read_text()
    done = subprocess.run([sys.executable, str(program), "device=desktop"], capture_output=True, text=True, check=True)
    assert done.stdout == "price=low\n"


def test_what_is_seen_first_cannot_be_limited():
    graph = Graph.parse("device -> sale; price -> sale", reward="sale", success="1")
    with pytest.raises(GraphError, match="no action can change it"):
        Problem(graph, set=["price"], first="device", limits=Limit("device", "1", at_most=0.5))
