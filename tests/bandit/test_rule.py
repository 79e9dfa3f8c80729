"""A rule: its lines say exactly what it does, and it decides by what is known."""

import itertools

import numpy as np
import pytest

from bestdo.bandit.problem import Problem
from bestdo.bandit.rule import Rule, Value
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph
from bestdo.errors import GraphError

GRAPH = Graph.parse(
    "device -> sale; country -> sale; age -> sale; banner -> sale",
    reward="sale",
    values={"device": ("mobile", "desktop", "tablet"), "country": ("DE", "AT", "CH"), "banner": ("small", "large")},
)
PROBLEM = Problem(GRAPH, Actions.single(GRAPH, ["banner"]), first=("device", "country", "age"))
NOTHING = Value(0.0, 0.0, 0.0)


def rule(actions, means=None, shares=None):
    means = np.zeros((18, 3)) if means is None else means
    shares = np.full(18, 1 / 18) if shares is None else shares
    return Rule(PROBLEM, np.array(actions), means, shares, (), NOTHING, do(), NOTHING, NOTHING, 0.0, np.ones((18, 3)))


@pytest.mark.parametrize("seed", range(20))
def test_the_lines_say_what_the_rule_does(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (3, 3, 2)) if seed % 2 else np.broadcast_to(rng.integers(0, 3, (3, 1, 1)), (3, 3, 2))
    found = rule(table.reshape(-1))
    for context, action in zip(PROBLEM.contexts, table.reshape(-1), strict=True):
        fits = [line for line in found.lines if all(context[n] in values for n, values in line.when.items())]
        assert fits[0].action == PROBLEM.actions[int(action)]
        assert len(fits) <= 2  # its own, and the one for all others
        assert found.action(context) == PROBLEM.actions[int(action)]


def test_what_does_not_matter_is_not_said():
    table = np.zeros((3, 3, 2), int)
    assert str(rule(table.reshape(-1))) == "everybody: do()"
    table[0] = 2
    assert str(rule(table.reshape(-1))) == "device=mobile: do(banner=large); all others: do()"
    table[0, 2] = 0
    assert str(rule(table.reshape(-1))) == "device=mobile, country=DE or AT: do(banner=large); all others: do()"
    table[:] = 0
    table[:, :, 1] = 1
    assert {str(line) for line in rule(table.reshape(-1)).lines} in (
        {"age=1: do(banner=small)", "all others: do()"},
        {"age=0: do()", "all others: do(banner=small)"},
    )


def test_a_context_with_missing_values_is_decided_by_what_is_known():
    rng = np.random.default_rng(0)
    means, shares = rng.random((18, 3)), rng.dirichlet(np.ones(18))
    means[:, 0] = 0  # do() never is the best by the graph
    found = rule(means.argmax(axis=1), means, shares)
    for device, age in itertools.product(("mobile", "desktop", None), ("0", "1", None)):
        agrees = [
            c for c, v in enumerate(PROBLEM.contexts) if device in (None, v["device"]) and age in (None, v["age"])
        ]
        expected = (shares[agrees] @ means[agrees]).argmax()
        assert found.action({"device": device, "age": age}) == PROBLEM.actions[int(expected)]
    assert found.action({"Device": "MOBILE "}) == found.action({"device": "mobile"})
    with pytest.raises(GraphError, match="unknown value 'phone'"):
        found.action({"device": "phone"})
