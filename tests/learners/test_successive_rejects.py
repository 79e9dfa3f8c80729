"""Which actions are dropped: the worst by their means, however little they differ; equal means at random."""

import numpy as np
import pytest

from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.learners.sequential_halving import SequentialHalving
from bestdo.learners.successive_rejects import SuccessiveRejects
from bestdo.simulate import parallel

PROBLEM = parallel([0.5] * 4).problem  # 9 actions
LANES = 200
LEARNERS = [SuccessiveRejects(), SequentialHalving()]


def told(learner, n, s, horizon=200):
    """The state after one block with these sums (float[L, A])."""
    state = learner.start(PROBLEM, horizon, LANES, np.random.default_rng(0))
    plan = learner.ask(state, Request(), np.random.default_rng(1))
    return state, learner.tell(state, plan, Tally.from_counts(n, s))


def expected(state, n, s, keep):
    """The best `keep` actions of each lane, and the best of all, by sorting with Python."""
    ties = state.counts.ties.order(1)
    lanes = []
    for lane in range(LANES):
        mean = [s[lane, a] / n[lane, a] if n[lane, a] else -np.inf for a in range(n.shape[1])]
        lanes.append(sorted(range(n.shape[1]), key=lambda a: (mean[a], ties[lane, a]), reverse=True)[:keep])
    return lanes


def sums(kind, rng):
    shape = LANES, len(PROBLEM.actions)
    n = np.full(shape, 6.0)
    if kind == "0 or 1":
        return n, rng.integers(0, 4, shape) * 1.0
    if kind == "0 or 1, often":
        return n * 2e6, rng.integers(5_999_999, 6_000_002, shape) * 1.0
    if kind == "old rounds of one action":
        n[:, -1] = 31
        return n, np.floor(n * rng.integers(1, 4, shape) / 4)
    if kind == "some never played":
        n[:, :5] *= rng.integers(0, 2, (LANES, 5))
        return n, np.minimum(n, rng.integers(0, 4, shape))
    if kind == "almost equal":
        return n, 3 + rng.integers(0, 4, shape) * 1e-12
    if kind == "negative":
        return n, -2.5 * rng.integers(0, 5, shape)
    assert kind == "any number"
    return n, rng.normal(size=shape) * 10.0 ** rng.integers(-9, 9, (LANES, 1))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(
    "kind",
    [
        "0 or 1",
        "0 or 1, often",
        "old rounds of one action",
        "some never played",
        "almost equal",
        "negative",
        "any number",
    ],
)
def test_the_worst_are_dropped_and_equals_at_random(learner, kind):
    n, s = sums(kind, np.random.default_rng(3))
    start, state = told(learner, n, s)
    keep = state.alive.shape[1]
    assert keep < start.alive.shape[1]
    best = expected(state, n, s, keep)
    assert [set(row) for row in state.alive.tolist()] == [set(row) for row in best]
    assert learner.best(state).tolist() == [row[0] for row in best]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_a_reward_that_is_a_little_better_wins_in_every_lane(learner):
    """Means of 0.5 and 0.5 + 10^-9: they differ by less than one part in n², and yet not at random."""
    rng = np.random.default_rng(0)
    better = 3
    state = learner.start(PROBLEM, 200, LANES, rng)
    while (plan := learner.ask(state, Request(), rng)) is not None:
        reward = 0.5 * plan.counts
        reward[:, better] += 1e-9 * plan.counts[:, better]
        state = learner.tell(state, Plan(plan.counts), Tally.from_counts(plan.counts * 1.0, reward))
    assert (learner.best(state) == better).all()


@pytest.mark.parametrize("kind", ["0 or 1", "old rounds of one action"])
def test_each_of_equals_is_kept_equally_often(kind):
    n = sums(kind, np.random.default_rng(3))[0]
    _, state = told(SequentialHalving(), n, n / 2 - (n == 31) / 2)
    kept = np.bincount(state.alive.reshape(-1), minlength=9)[: 8 if n[0, -1] == 31 else 9]
    chance = kept.sum() / LANES / len(kept)
    assert (np.abs(kept - LANES * chance) < 4 * np.sqrt(LANES * chance)).all()
