"""SRIS beside its formulas worked out one by one, brute force, and small games written out."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import bestdo
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid
from bestdo.research.learners.sris import SRIS, allocation, divergences
from bestdo.simulate import parallel

P, THETA = 0.4, (0.3, 0.6)
"""The chance of X = 1, and of Y = 1 given X, in the game."""


def spread_law():
    """Z with three values between X and Y: the law of Z differs between all actions, and all overlap but for the last."""
    graph = bestdo.Graph.of(
        [bestdo.Variable("X", tuple("0123")), bestdo.Variable("Z", tuple("012")), bestdo.Variable("Y")],
        [("X", "Z"), ("Z", "Y")],
        reward="Y",
    )
    table = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.05, 0.15, 0.8], [0.5, 0.5, 0.0]]
    success = [0.2, 0.5, 0.9]
    model = bestdo.Model(graph, {"X": [0.25] * 4, "Z": table, "Y": [[1 - t, t] for t in success]})
    problem = bestdo.Problem(graph, [f"do(X={x})" for x in "0123"], all_compete=True)
    return (
        bestdo.World(replace(problem, law=model.parent_law(problem.actions)), model),
        np.array(table),
        np.array(success),
    )


WORLD, LAW, SUCCESS = spread_law()


def divergence(k, j):
    if any(a > 0 and b == 0 for a, b in zip(LAW[k], LAW[j], strict=True)):
        return math.inf
    pairs = [(a / b, b) for a, b in zip(LAW[k], LAW[j], strict=True) if b > 0]
    return 1 + math.log(1 + sum(b * (r * math.exp(r - 1) - 1) for r, b in pairs))


def test_divergences_are_those_of_the_formula():
    expected = [[divergence(k, j) for j in range(4)] for k in range(4)]
    assert divergences(WORLD.problem) == pytest.approx(np.array(expected))
    assert np.isinf(expected[0][3])
    assert not np.isinf(expected[3][0])
    assert expected[2][2] == pytest.approx(1)


@pytest.mark.parametrize("among", [(0, 1, 2, 3), (0, 2), (1, 2, 3)])
def test_no_other_allocation_has_a_larger_least_gain(among):
    """Beside all allocations on a grid of sixtieths."""
    alive = np.isin(np.arange(4), among)
    gain = np.array([[1 / divergence(k, j) for j in range(4)] for k in among])
    best = (gain @ allocation(WORLD.problem, alive.tobytes())).min()
    grid = (
        np.array([a, b, c, 60 - a - b - c]) / 60
        for a, b, c in itertools.product(range(61), repeat=3)
        if a + b + c <= 60
    )
    on_grid = (gain @ np.stack(list(grid), axis=1)).min(axis=0).max()
    assert on_grid <= best + 1e-9
    assert on_grid > best - 0.02


def test_with_costs_it_is_the_gain_of_the_money():
    costly = replace(WORLD.problem, cost=(1.0, 4.0, 1.0, 2.0))
    gain = np.array([[1 / divergence(k, j) / costly.cost[j] for j in range(4)] for k in range(4)])
    best = (gain @ allocation(costly, np.ones(4, bool).tobytes())).min()
    others = np.random.default_rng(0).dirichlet(np.full(4, 0.5), 20_000)
    assert (gain @ others.T).min(axis=0).max() <= best + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_the_estimate_is_the_sum_over_all_rounds(seed):
    """Told counts as the first phase: ε = 1, so weights above 2 log 2 M are cut off."""
    rng, made = np.random.default_rng(seed), SRIS()
    n = rng.integers(0, 5, (4, 3)) * (LAW > 0)
    s = rng.binomial(n, 0.5)
    state = made.start(WORLD.problem, 60, 1, rng)
    sums = Tally.from_counts(n.reshape(1, -1).astype(float), s.reshape(1, -1).astype(float))
    state = made.tell(state, Plan(n.sum(axis=1)[None]), sums)
    for k in range(4):
        total = z = 0.0
        for j, x in itertools.product(range(4), range(3)):
            if not n[j, x] or math.isinf(divergence(k, j)):
                continue
            weight = LAW[k, x] / LAW[j, x]
            z += n[j, x] / divergence(k, j)
            total += (weight <= 2 * math.log(2) * divergence(k, j)) * s[j, x] * weight / divergence(k, j)
        assert made.estimates(state).mean[0, k] == pytest.approx(total / z)


def test_the_expectation_of_the_estimate_is_the_mean_less_what_is_cut_off():
    """Sums as expected of 10 rounds of each action in the sixth phase, in which nothing is cut off here."""
    made, expected = SRIS(), 10 * LAW
    assert (
        max(LAW[k, x] / LAW[j, x] / divergence(k, j) for k in range(4) for j in range(4) for x in range(3) if LAW[j, x])
        < 5
    )
    state = made.start(WORLD.problem, 4000, 1, np.random.default_rng(0))
    counts = state.counts._replace(
        block=5, tally=Tally.from_counts(expected.reshape(1, -1), (expected * SUCCESS).reshape(1, -1))
    )
    assert made.estimates(state._replace(counts=counts)).mean[0] == pytest.approx(WORLD.means)


def test_the_phases_of_a_hundred_rounds():
    """n = ⌈log₂ 200⌉ = 8; the harmonic number of 8 is 761/280."""
    found = SRIS().phases(WORLD.problem, 100)
    assert [phase for phase, _ in found] == list(range(1, 9))
    assert np.diff([0, *(upto for _, upto in found)]) == pytest.approx(
        [100 / (phase * 761 / 280) for phase in range(1, 9)]
    )


def game():
    """X -> Y; do() or do(X = 1); the law of X is known."""
    graph = bestdo.Graph.parse("X -> Y", reward="Y", success="1")
    model = bestdo.Model(graph, {"X": [1 - P, P], "Y": [[1 - t, t] for t in THETA]})
    problem = bestdo.Problem(graph, ["do()", "do(X=1)"], all_compete=True)
    return bestdo.World(replace(problem, law=model.parent_law(problem.actions)), model)


OUTCOMES = (
    {(0, x, y): (P if x else 1 - P) * (THETA[x] if y else 1 - THETA[x]) for x in (0, 1) for y in (0, 1)},
    {(1, 1, y): THETA[1] if y else 1 - THETA[1] for y in (0, 1)},
)
"""For do() and do(X = 1): the chance of each (action, x, y)."""


def whole(wanted, money):
    """The chances of numbers of rounds: rounded down, then one more of each in a random order while the money lasts."""
    low = [math.floor(w + 1e-9) for w in wanted]
    rest, left = [max(w - b, 0) for w, b in zip(wanted, low, strict=True)], money - sum(low)
    found = {}
    for first, second in ((0, 1), (1, 0)):
        if rest[first] <= 1e-9:
            continue
        more, budget = list(low), left
        for a in (first, second):
            if rest[a] > 1e-9 and budget >= 1 - 1e-9:
                more[a], budget = more[a] + 1, budget - 1
        found[tuple(more)] = found.get(tuple(more), 0.0) + rest[first] / sum(rest)
    return found or {tuple(low): 1.0}


def estimated(counts, phase):
    """The estimates of do() and do(X = 1). M is 1 for one by itself, 1 / P for do(X = 1) by do(), infinite otherwise."""
    n0 = sum(c for (a, _, _), c in counts.items() if a == 0)
    n1 = sum(c for (a, _, _), c in counts.items() if a == 1)
    won = {key: c for key, c in counts.items() if key[2]}
    mean0 = sum(c for key, c in won.items() if key[0] == 0) / n0 if n0 else None
    assert 2 * math.log(2 * 2 ** (phase - 1)) >= 1  # so the weight 1 / P is within its limit
    by_do = won.get((0, 1, 1), 0)  # P times 1 / P
    z = n1 + n0 * P
    return mean0, (won.get((1, 1, 1), 0) + by_do) / z if z else None


def expected_regret(version, horizon, drop=5.0):
    """The expected regret of the game, every outcome written out."""
    phases = math.ceil(math.log2(20 * math.sqrt(horizon)))
    harmonic = [sum(1 / i for i in range(1, length + 1)) for length in range(1, phases + 1)]
    both, shares = frozenset((0, 1)), {0: 1 / (2 - P), 1: (1 - P) / (2 - P)}
    states, last = {(frozenset(), both, 0, 1): 1.0}, 1
    for phase in range(1, phases + 1):
        upto = horizon * harmonic[phase - 1] / harmonic[-1]
        if math.floor(upto + 1e-9) <= math.floor(horizon * harmonic[phase - 2] / harmonic[-1] + 1e-9) * (phase > 1):
            continue
        after = {}
        for (known, alive, spent, seen), chance in states.items():
            if len(alive) == 1:
                after[known, alive, spent, seen] = after.get((known, alive, spent, seen), 0.0) + chance
                continue
            money = upto - spent
            for rounds, weight in whole([money * shares[0], money * shares[1]], money).items():
                plays = [0] * rounds[0] + [1] * rounds[1]
                for outcome in itertools.product(*(OUTCOMES[a] for a in plays)):
                    q = math.prod(OUTCOMES[a][o] for a, o in zip(plays, outcome, strict=True))
                    counts = dict(known) if version == 2 else {}
                    for o in outcome:
                        counts[o] = counts.get(o, 0) + 1
                    mean = estimated(counts, phase)
                    if None in mean:  # version 1 adds the phase to the one before
                        counts = {key: counts.get(key, 0) + dict(known).get(key, 0) for key in {*counts, *dict(known)}}
                        mean = estimated(counts, phase)
                    top = max((m for m in mean if m is not None), default=0)
                    left = frozenset(a for a in both if mean[a] is None or mean[a] >= top - drop / 2**phase - 1e-9)
                    key = (frozenset(counts.items()), left if plays else alive, spent + sum(rounds), phase)
                    after[key] = after.get(key, 0.0) + chance * weight * q
        states, last = after, phase
    assert last
    means, total = (P * THETA[1] + (1 - P) * THETA[0], THETA[1]), 0.0
    for (known, alive, _, seen), chance in states.items():
        found = estimated(dict(known), seen)
        value = {a: -1.0 if found[a] is None else found[a] for a in alive}
        best = [a for a in alive if value[a] > max(value.values()) - 1e-9]
        total += chance * (max(means) - sum(means[a] for a in best) / len(best))
    return total


@pytest.mark.parametrize("version", [1, 2])
def test_a_game_written_out(version):
    """20,000 lanes within 3 sigma of the sum over all outcomes."""
    regret = bestdo.play(game(), SRIS(version), 8, 20_000, seed=version)
    assert abs(regret.mean() - expected_regret(version, 8)) < 3 * regret.std() / 20_000**0.5


def test_another_version_would_be_noticed():
    """The other version, and actions dropped by 5 / 2^(l+1): each more than 3 sigma of 20,000 lanes away."""
    sigma = 0.18 / 2 / 20_000**0.5  # the regret of a lane is 0 or 0.18
    right = expected_regret(2, 8)
    assert abs(expected_regret(1, 8) - right) > 3 * sigma
    assert abs(expected_regret(1, 8, drop=2.5) - expected_regret(1, 8)) > 3 * sigma


def test_rounds_of_do_are_worth_more_than_plays_alone():
    """The claim of the paper: with shared rounds the best action is found sooner than by Successive Rejects; 3 sigma."""
    world = parallel([0.4, 0.5, 0.5, 0.5, 0.6])
    ours, theirs = (bestdo.play(world, learner, 100, 500, seed=0) for learner in (SRIS(), "successive-rejects"))
    assert ours.mean() < theirs.mean() - 3 * math.hypot(ours.std(), theirs.std()) / 500**0.5


def test_it_refuses_what_it_cannot_know():
    with pytest.raises(NotValid, match="needs the law"):
        SRIS().start(replace(WORLD.problem, law=None), 40, 1, np.random.default_rng(0))
