"""The learners that earn while they learn, beside their formulas worked out one action and one state at a time."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bestdo import Problem, World, do, learner
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.errors import NotValid
from bestdo.learners import LEARNERS
from bestdo.learners.kl_ucb import KLUCB, kl_bound
from bestdo.learners.ucb import UCB
from bestdo.research.learners.crm import CRM
from bestdo.research.learners.hac_ucb import HACUCB
from bestdo.simulate import arms, final, parallel

EARNING = ("ucb1", "kl-ucb", "c-ucb-2", "c-ts", "crm", "hac-ucb")
GRAPH = Graph.of(
    [Variable("X", tuple("abcd")), Variable("Z", tuple("012")), Variable("Y")], [("X", "Z"), ("Z", "Y")], reward="Y"
)


def through_z(rng, law=None):
    """X -> Z -> Y with the four values of X as actions and a known law of Z, all of whose probabilities are positive."""
    law = rng.dirichlet([1.0, 1.0, 1.0], 4) if law is None else np.asarray(law)
    success = rng.random(law.shape[1])
    model = Model(GRAPH, {"X": [0.25] * 4, "Z": law, "Y": np.stack([1 - success, success], axis=-1)})
    actions = Actions(GRAPH, [do(X=v) for v in "abcd"])
    return World(Problem(GRAPH, actions, model.law_of(["Z"], actions)), model)


def random_counts(rng, cells, most=9):
    n = rng.integers(0, most, size=(1, cells)).astype(float)
    return n, rng.integers(0, n.astype(int) + 1).astype(float)


def told(made, problem, played, horizon, *sums):
    """The state after one block with these plays and sums."""
    state = made.start(problem, horizon, 1, np.random.default_rng(0))
    parts = [Tally.from_counts(n, s) for n, s in sums]
    return made.tell(state, Plan(np.asarray(played, np.int64).reshape(1, -1)), parts[0].beside(*parts[1:]))


def plays_the_highest(made, state, bounds):
    counts = made.ask(state, Request(), np.random.default_rng(1)).counts[0]
    assert counts.sum() == 1
    assert bounds[int(counts.argmax())] == pytest.approx(max(bounds), rel=1e-9)


def divergence(p, q):
    def part(a, b):
        return 0.0 if a == 0 else math.inf if b == 0 else a * math.log(a / b)

    return part(p, q) + part(1 - p, 1 - q)


def largest(mean, level):
    """The largest q with d(mean, q) <= level, by halving."""
    low, high = mean, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if divergence(mean, middle) <= level else (low, middle)
    return low


def test_bounds_by_divergence_solve_their_equation():
    rng = np.random.default_rng(0)
    mean = np.concatenate([rng.random(200), [0.0, 0.0, 1.0, 1 - 1e-9]])
    level = np.concatenate([10 ** rng.uniform(-7, 1.2, 200), [1e-6, 15.0, 0.1, 1e-3]])
    found = 1 / (1 + np.exp(-kl_bound(mean, level)))
    assert found == pytest.approx([largest(m, at) for m, at in zip(mean, level, strict=True)], abs=1e-9)


@pytest.mark.parametrize("c", [0.0, 3.0])
def test_kl_ucb_plays_the_highest_bound(c):
    rng, world = np.random.default_rng(4), arms([0.1, 0.5, 0.9, 0.4, 0.2])
    for k in range(60):
        n, s = random_counts(rng, 5, 300 if k % 2 else 6)
        n, s = np.maximum(n, 1), np.where(n == 0, 0, s)
        state = told(KLUCB(c), world.problem, n, 10_000, (n, s))
        t = n.sum() + 1
        level = math.log(t) + c * math.log(max(1.0, math.log(t)))
        bounds = [largest(m, level / k) for m, k in zip((s / n)[0], n[0], strict=True)]
        plays_the_highest(KLUCB(c), state, bounds)


def test_kl_ucb_breaks_ties_at_random_and_plays_all_first():
    world = arms([0.5] * 4)
    state = final(world, KLUCB(), 4, 50, np.random.default_rng(0))
    assert (state.played == 1).all()
    equal = replace_tally(KLUCB().start(world.problem, 100, 4000, np.random.default_rng(0)), [3, 3, 3, 9], [1, 1, 1, 1])
    share = KLUCB().ask(equal, Request(), np.random.default_rng(0)).counts.mean(axis=0)
    assert share[:3] == pytest.approx(1 / 3, abs=4 * math.sqrt(2 / 9 / 4000))  # 4 sigma
    assert share[3] == 0


def replace_tally(state, n, s):
    lanes = len(state.played)
    counted = (np.tile(np.array(part, float), (lanes, 1)) for part in (n, s))
    return state._replace(tally=Tally.from_counts(*counted), played=np.tile(np.array(n, float), (lanes, 1)))


def test_kl_ucb_is_never_worse_than_ucb1_by_its_bounds():
    """Pinsker's inequality: with the same level the bound is lower than that of Hoeffding."""
    mean, level = np.random.default_rng(0).random((2, 500))
    assert (1 / (1 + np.exp(-kl_bound(mean, level))) <= mean + np.sqrt(level / 2) + 1e-12).all()


def test_ucb1_is_the_published_one():
    rng, world = np.random.default_rng(1), arms([0.2, 0.5, 0.7])
    assert learner("ucb1") == UCB(alpha=4.0)
    for _ in range(20):
        n, s = random_counts(rng, 3, 30)
        n = n + 1
        state = told(learner("ucb1"), world.problem, n, 500, (n, s))
        plays_the_highest(
            learner("ucb1"), state, [(s[0, a] / n[0, a]) + math.sqrt(2 * math.log(n.sum()) / n[0, a]) for a in range(3)]
        )


def test_c_ucb_2_plays_the_highest_bound():
    rng = np.random.default_rng(2)
    for _ in range(20):
        world = through_z(rng)
        table = world.problem.law.flat
        n, s = random_counts(rng, 3)
        state = told(learner("c-ucb-2"), world.problem, [n.sum(), 0, 0, 0], 400, (n, s))
        t, bounds = n.sum() + 1, []
        for row in table:
            mean = sum(p * (s[0, x] / n[0, x] if n[0, x] else 0.0) for x, p in enumerate(row))
            zeta = sum(p / min(table[:, x]) for x, p in enumerate(row))
            bounds.append(mean + math.sqrt(math.log(3 * t**2) / (2 * t)) * zeta)
        plays_the_highest(learner("c-ucb-2"), state, bounds)


def test_c_ucb_2_where_an_action_cannot_lead_to_a_state():
    """State 2 has the share of rounds that are expected to have met it: 0.4 of 6 rounds of d, of 11."""
    law = [[0.5, 0.5, 0.0], [0.2, 0.8, 0.0], [0.9, 0.1, 0.0], [0.3, 0.3, 0.4]]
    world = through_z(np.random.default_rng(0), law)
    n, s = np.array([[4.0, 4.0, 2.0]]), np.array([[3.0, 1.0, 1.0]])
    state = told(learner("c-ucb-2"), world.problem, [4, 0, 0, 6], 400, (n, s))
    share = [0.2, 0.1, 0.4 * 6 / 11]
    radius = math.sqrt(math.log(3 * 121) / 22)
    bounds = [
        sum(p * m for p, m in zip(row, (0.75, 0.25, 0.5), strict=True))
        + radius * sum(p / q for p, q in zip(row, share, strict=True))
        for row in law
    ]
    plays_the_highest(learner("c-ucb-2"), state, bounds)


def test_c_ts_plays_each_action_as_often_as_it_is_the_best_in_a_draw():
    """Chances by 200,000 draws of a scalar formula; 4 sigma of the 20,000 plays."""
    world, rng = through_z(np.random.default_rng(5)), np.random.default_rng(0)
    table, n, s = world.problem.law.flat, np.array([4.0, 0.0, 7.0]), np.array([1.0, 0.0, 5.0])
    state = learner("c-ts").start(world.problem, 100, 20_000, rng)
    state = state._replace(tally=Tally.from_counts(*(np.tile(part, (20_000, 1)) for part in (n, s))))
    share = learner("c-ts").ask(state, Request(), rng).counts.mean(axis=0)
    theta = np.stack([rng.beta(1 + s[x], 1 + n[x] - s[x], 200_000) for x in range(3)])
    chance = np.bincount((table @ theta).argmax(axis=0), minlength=4) / 200_000
    assert share == pytest.approx(chance, abs=4 * math.sqrt(0.25 / 20_000))


def test_crm_watches_so_often_and_otherwise_plays_the_highest_bound():
    world, rng, watched_at = parallel([0.3, 0.6]), np.random.default_rng(6), 0
    actions = world.problem.actions
    watching = actions.index(do())
    for _ in range(60):
        played = rng.integers(0, 12, size=(1, 5)).astype(float)
        played[0, watching] += 1
        n = played + np.where(np.arange(5) == watching, 0, rng.integers(1, 9, size=5))
        s = rng.integers(0, n.astype(int) + 1).astype(float)
        state = told(CRM(), world.problem, played, 500, (n, s))
        log, mean = math.log(played.sum()), (s / n)[0]
        gap = max(mean) - mean[watching]
        beta = min(2 * math.sqrt(2) / gap, math.sqrt(log)) if gap > 0 else 1.0
        if n[0, watching] < beta**2 * log:
            assert CRM().ask(state, Request(), rng).counts[0, watching] == 1
            watched_at += 1
        else:
            plays_the_highest(CRM(), state, [m + math.sqrt(8 * log / k) for m, k in zip(mean, n[0], strict=True)])
    assert 5 < watched_at < 55


def test_crm_divides_by_cost():
    world = parallel([0.3, 0.6])
    problem = replace(world.problem, cost=tuple(1.0 if a == do() else 3.0 for a in world.problem.actions))
    n, s = np.full((1, 5), 400.0), np.array([[300.0, 300.0, 300.0, 300.0, 120.0]])
    state = told(CRM(), problem, n, 10_000.0, (n, s))
    assert CRM().ask(state, Request(), np.random.default_rng(0)).counts[0].argmax() == problem.actions.index(do())


def test_crm_needs_watching():
    world = parallel([0.3, 0.6])
    actions = [a for a in world.problem.actions if a != do()]
    with pytest.raises(NotValid, match="does not allow the action do"):
        CRM().start(Problem(world.problem.graph, actions), 50, 1, np.random.default_rng(0))
    graph = Graph.parse("A -> X -> Y; A -> Y", reward="Y")
    with pytest.raises(NotValid, match="CRM needs seeing to be as good as doing"):
        CRM().start(Problem(graph), 50, 1, np.random.default_rng(0))


class TestHAC:
    def test_it_plays_every_action_some_times_first(self):
        world = through_z(np.random.default_rng(0))
        for horizon, sweeps in ((100, 4), (900, 8), (10, 2), (3, 1)):  # round(10/4 + 1) is 4: half to even
            made = HACUCB()
            state = made.start(world.problem, horizon, 3, np.random.default_rng(0))
            plan = made.ask(state, Request(), np.random.default_rng(0)).counts
            assert plan.sum(axis=1).tolist() == [min(4 * sweeps, horizon)] * 3
            assert plan.max() == sweeps

    def test_its_bounds_and_when_it_stops_to_trust(self):
        rng, trusted = np.random.default_rng(7), 0
        for k in range(60):
            world = through_z(rng)
            table, horizon = world.problem.law.flat, 900
            played = rng.integers(10, 200, size=(1, 4)).astype(float)
            n = np.full((1, 3), played.sum() // 3)
            s, own = rng.integers(0, n.astype(int) + 1).astype(float), rng.integers(0, played.astype(int) + 1)
            if k % 2:  # as the graph says
                own = np.round(played * (table @ (s / n)[0]))
            state = told(HACUCB(), world.problem, played, horizon, (n, s), (played, own.astype(float)))
            log = math.log(horizon**2)
            causal = [
                sum(p * (s[0, x] / n[0, x] + math.sqrt(log / (2 * n[0, x]))) for x, p in enumerate(row))
                for row in table
            ]
            plain = [own[0, a] / played[0, a] + math.sqrt(log / (2 * played[0, a])) for a in range(4)]
            loose = [sum(p * math.sqrt(2 * log / n[0, x]) for x, p in enumerate(row)) for row in table]
            fits = all(
                plain[a] - causal[a] <= math.sqrt(2 * log / played[0, a]) and causal[a] - plain[a] <= loose[a]
                for a in range(4)
            )
            assert bool(state.trusts[0]) == fits
            trusted += fits
            if state.counts.left[0] > 0:
                plays_the_highest(HACUCB(), state, causal if fits else plain)
        assert 30 <= trusted < 50

    def test_it_never_trusts_again(self):
        world = through_z(np.random.default_rng(0))
        state = HACUCB().start(world.problem, 100, 2, np.random.default_rng(0))
        state = state._replace(trusts=np.array([True, False]))
        end = [state]
        rng = np.random.default_rng(1)
        while (plan := HACUCB().ask(end[-1], Request(), rng)) is not None:
            sums = HACUCB().statistic(world.problem, 100).tally(world.rounds(plan, rng), 2)
            end.append(HACUCB().tell(end[-1], plan, sums))
        assert [e.trusts[1] for e in end] == [False] * len(end)
        assert end[-1].trusts[0]
        by_play = end[-1].plays.reward[1] / end[-1].plays.weight[1]
        assert HACUCB().estimates(end[-1]).mean[1] == pytest.approx(by_play)


def test_what_they_are_for():
    for name in EARNING:
        assert LEARNERS[name].goals == ("earn",)
