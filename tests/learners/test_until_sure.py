"""Stopping when sure: the evidence, the rule, and the two classical learners with a fixed confidence."""

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.errors import BestdoError
from bestdo.evidence.confidence_sequences import against, bounds
from bestdo.learners import learner
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.kernels.until_sure_kernels import unbeaten_rivals
from bestdo.learners.lucb import LUCB
from bestdo.learners.top_two import TopTwo
from bestdo.learners.track_and_stop import TrackAndStop, optimal_weights
from bestdo.learners.uniform import Watching
from bestdo.learners.until_sure import UntilSure, WithPairs
from bestdo.simulate import arms, final, parallel
from bestdo.statistics.pair_counts import Pairs
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen
from bestdo.testing import check_learner, check_statistic


def test_the_evidence_is_the_likelihood_averaged_over_the_prior():
    for n, s, theta in ((7, 2, 0.4), (30, 29, 0.5), (0, 0, 0.3)):
        top = integrate.quad(lambda p, n=n, s=s: p**s * (1 - p) ** (n - s) * stats.beta(0.5, 0.5).pdf(p), 0, 1)[0]
        found = against(np.array(float(n)), np.array(float(s)), np.array(theta))
        assert found == pytest.approx(np.log(top / (theta**s * (1 - theta) ** (n - s))), abs=1e-6)


def test_bounds_are_where_the_evidence_reaches_its_limit():
    n, s = np.array([[50.0, 50, 3, 0]]), np.array([[20.0, 50, 0, 0]])
    low, high = bounds(n, s, 4.0)
    assert against(n, s, low)[0, 0] == pytest.approx(4, abs=1e-5)
    assert against(n, s, high)[0, 0] == pytest.approx(4, abs=1e-5)
    assert high[0, 1] == 1
    assert low[0, 2] == 0
    assert (low[0, 3], high[0, 3]) == (0, 1)


def wrong_at_some_time(limit, lanes=4000, rounds=400, mean=0.3):
    """How often a mean is outside its bounds at least once in the rounds."""
    s = np.cumsum(np.random.default_rng(0).random((lanes, rounds)) < mean, axis=1).astype(float)
    n = np.broadcast_to(np.arange(1.0, rounds + 1), s.shape)
    return (against(n, s, np.array(mean)) >= limit).any(axis=1).mean()


def test_bounds_hold_at_all_times_together():
    # Ville: at most 0.1; sigma is 0.005. Bounds for one moment (1.35 = 1.645² / 2) are left far more often.
    assert wrong_at_some_time(np.log(10)) < 0.1
    assert wrong_at_some_time(1.35) > 0.15


def money(cells, theta, within=0.0):
    """What someone has who stakes as `sure_kernels` does, round by round: the average over the pairs of stakes."""
    stakes = (0.0, 0.08, 0.25, 0.7)
    pairs = [(x, y) for x in stakes for y in stakes if x or y]
    total = 0.0
    for x, y in pairs:
        held = 1.0
        for (for_a, for_b, good), rounds in cells.items():
            held *= (1 + x * for_a * (good - theta) - y * for_b * (good - theta - within)) ** rounds
        total += held / len(pairs)
    return total


def beaten(cells, limit, within=0.0):
    """By the kernel."""
    n, s, both = np.zeros((1, 2)), np.zeros((1, 2)), np.zeros(2)
    for (for_a, for_b, good), rounds in cells.items():
        n += np.array([for_a, for_b]) * rounds
        s += np.array([for_a, for_b]) * rounds * good
        both += np.array([1, good]) * rounds * (for_a and for_b)
    out = np.zeros((1, 2), bool)
    shared = [np.array([[total, part]]) for total, part in zip((n[0, 0], s[0, 0]), both, strict=True)]
    unbeaten_rivals(n, s, *shared, np.array([0]), np.log(limit), within, False, out)
    return not out[0, 1]


@pytest.mark.parametrize("within", [0.0, 0.1])
def test_the_verdict_is_about_every_theta(within):
    """Against a fine grid of thetas: never beaten where it is not so, and hardly ever missed where it is."""
    rng = np.random.default_rng(0)
    verdicts = []
    for _ in range(25):
        keys = [(1, 0, 1), (1, 0, 0), (0, 1, 1), (0, 1, 0), (1, 1, 1), (1, 1, 0)]
        cells = dict(zip(keys, rng.integers(0, 40, size=6).tolist(), strict=True))
        least = min(money(cells, theta, within) for theta in np.linspace(0, 1 - within, 150))
        if least > 1:
            verdicts.append(True)
            assert beaten(cells, 0.5 * least, within)
        assert not beaten(cells, 1.01 * least, within)
    assert verdicts


def test_the_money_is_a_supermartingale():
    """Enumerated: one round of do() that counts for a and b together or apart, with chances that agree with the graph."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        chances = rng.dirichlet(np.ones(8)).reshape(2, 2, 2)  # C_a, C_b, Y: any dependence
        mu_a = chances[1, :, 1].sum() / chances[1].sum()
        mu_b = chances[:, 1, 1].sum() / chances[:, 1].sum()
        for theta in np.linspace(min(mu_a, mu_b), max(mu_a, mu_b), 3):
            grown = sum(chances[c] * money({c: 1}, theta) for c in np.ndindex(2, 2, 2))
            if mu_a <= mu_b:
                assert grown <= 1 + 1e-12
            else:
                assert grown >= 1 - 1e-12  # the check can fail


@pytest.mark.parametrize("inner", ["top-two", "algorithm-1", "algorithm-2", "successive-rejects"])
def test_a_wrapped_learner_keeps_the_contract(inner):
    """But for one thing: of several rivals that are not beaten yet, the one listed first gets the extra round."""
    check_learner(UntilSure(learner(inner), 0.6), horizon=30, lanes=3, plans_in_any_order=False)
    check_learner(
        UntilSure(learner(inner), 0.6, within=0.2, trusting=False), horizon=10, lanes=3, plans_in_any_order=False
    )


def test_causal_top_two_gathers_what_can_be_proved():
    world = parallel([0.4, 0.5, 0.5])
    check_learner(UntilSure(CausalTopTwo(seen=True), 0.6), world, horizon=30, lanes=3, plans_in_any_order=False)
    state = final(world, UntilSure(CausalTopTwo(seen=True)), 1500, 20, np.random.default_rng(0))
    assert (state.verdict == world.means.argmax()).mean() > 0.9


def test_both_sums_side_by_side():
    world = parallel([0.3, 0.5])
    statistic = UntilSure(TopTwo()).statistic(world.problem, 10)
    assert isinstance(statistic, WithPairs)
    check_statistic(statistic, world)
    assert isinstance(UntilSure(Watching()).statistic(world.problem, 10), Pairs)
    assert isinstance(UntilSure(TopTwo(), trusting=False).statistic(world.problem, 10), Pairs)


@pytest.mark.parametrize("trusting", [True, False])
def test_pairs_hold_what_counts_for_each(trusting):
    world = parallel([0.3, 0.5])
    pairs = Pairs(world.problem, trusting)
    check_statistic(pairs, world)
    rounds = world.rounds(Plan(np.full((2, 5), 7)), np.random.default_rng(0))
    each = (Seen if trusting else Played)(world.problem).tally(rounds, 2)
    found, itself = pairs.tally(rounds, 2), pairs.place.diagonal()
    assert (found.weight[:, itself] == each.weight).all()
    assert (found.reward[:, itself] == each.reward).all()
    zero, one, watch = (world.problem.actions.index(a) for a in ("do(X1=0)", "do(X1=1)", "do()"))
    assert not found.weight[:, pairs.place[zero, one]].any()
    assert found.weight[:, pairs.place[watch, one]].any() == trusting


def test_it_stops_when_sure_and_is_right():
    world = parallel([0.4, 0.5, 0.5])
    made = UntilSure(TopTwo(block=16), 0.9)
    state = final(world, made, 2000, 100, np.random.default_rng(0))
    used = made.estimates(state).played.sum(axis=1)
    assert (state.verdict >= 0).mean() > 0.9
    assert used.mean() < 1500
    right = world.means[state.verdict[state.verdict >= 0]] == world.means.max()
    assert right.mean() > 0.9  # the theorem; it is far more often right in practice
    assert (made.best(state)[state.verdict >= 0] == state.verdict[state.verdict >= 0]).all()


def test_with_equal_means_it_is_hardly_ever_sure():
    # every verdict is an error here; at most 20 % by the theorem, sigma is 2.8 %. A rule that looks each time as if it
    # were the only time is wrong far more often: see below
    world = arms([0.5, 0.5])
    made = UntilSure(TopTwo(block=4), 0.8)
    assert (final(world, made, 400, 200, np.random.default_rng(0)).verdict >= 0).mean() < 0.2


def test_within_lets_it_stop_among_equals():
    world = arms([0.6, 0.6])
    made = UntilSure(TopTwo(block=20), 0.9, within=0.2)
    assert (final(world, made, 3000, 20, np.random.default_rng(0)).verdict >= 0).all()


def test_it_says_what_is_sure_and_what_is_in_the_way():
    world = arms([0.9, 0.1, 0.5])
    made = UntilSure(TopTwo(), 0.95)
    state = made.start(world.problem, 100, 1, np.random.default_rng(0))
    n, s = np.zeros((1, 6)), np.zeros((1, 6))
    itself = Pairs(world.problem).place.diagonal()
    n[:, itself], s[:, itself] = 40, [36, 0, 30]
    unsure = state._replace(pairs=Tally.from_counts(n, s))
    assert made.certainty(unsure).startswith('not sure at 95 % yet: do(X="arm 1") (0.')
    assert 'do(X="arm 3") (0.' in made.certainty(unsure)
    assert made.certainty(unsure).endswith("cannot be ruled out yet")
    assert made.certainty(state._replace(verdict=np.array([0]))) == 'sure at 95 %: do(X="arm 1") is the best'


def test_what_makes_no_sense_is_refused():
    with pytest.raises(BestdoError, match="between 0 and 1"):
        UntilSure(TopTwo(), 95)
    with pytest.raises(BestdoError, match="at least 0"):
        UntilSure(TopTwo(), 0.9, within=-1.5)
    with pytest.raises(BestdoError, match="bounds are 1 apart"):
        UntilSure(TopTwo(), 0.9, within=1.5).start(arms([0.2, 0.5]).problem, 10, 1, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("means", "weights", "time"),
    [
        ((0.5, 0.45, 0.43, 0.4), (0.4165, 0.3903, 0.1362, 0.0570), 989.792),
        ((0.3, 0.21, 0.2, 0.19, 0.18), (0.3359, 0.2515, 0.1766, 0.1324, 0.1036), 326.642),
    ],
)
def test_the_weights_of_track_and_stop_are_the_published_ones(means, weights, time):
    found, needed = optimal_weights(np.array([means[::-1], means]))
    assert found[1] == pytest.approx(weights, abs=5.1e-5)
    assert found[0] == pytest.approx(weights[::-1], abs=5.1e-5)
    assert needed == pytest.approx(time, abs=5.1e-4)


def test_weights_among_equals_are_equal():
    found, needed = optimal_weights(np.array([[0.5, 0.5, 0.2], [0.0, 0.0, 0.0]]))
    assert found == pytest.approx(np.full((2, 3), 1 / 3))
    assert np.isinf(needed).all()


@pytest.mark.parametrize(
    "made",
    [LUCB(0.1), TrackAndStop(0.1, block=3), TrackAndStop(0.1, block=3, proven=False)],
    ids=["lucb", "track-and-stop", "track-and-stop without a proof"],
)
def test_classical_learners_stop_when_sure(made):
    world = arms([0.9, 0.3, 0.3, 0.1])
    state = final(world, made, 3000, 100, np.random.default_rng(0))
    assert made.sure(state).all()
    assert (made.best(state) == 0).mean() > 0.9
    assert made.estimates(state).played.sum(axis=1).max() < 3000


def test_track_and_stop_plays_in_the_best_proportions():
    world = arms([0.5, 0.3, 0.1])
    state = final(world, TrackAndStop(1e-40, block=100), 4000, 10, np.random.default_rng(0))
    share = state.played.mean(axis=0) / 4000
    assert share == pytest.approx(optimal_weights(world.means[None])[0][0], abs=0.05)


def counted(made, n, s):
    """The learner's state after n plays of each action (float[L, A]) with s successes."""
    n, s = np.atleast_2d(np.asarray(n, float)), np.atleast_2d(np.asarray(s, float))
    state = made.start(arms([0.5] * n.shape[1]).problem, 10**6, len(n), np.random.default_rng(0))
    return state._replace(tally=Tally.from_counts(n, s))


def evidence(n, s):
    """ln of the largest likelihood by the largest one with the leader no better than some rival, by a numerical search."""
    leader, found = int(np.argmax(s / n)), []
    for rival in set(range(len(n))) - {leader}:
        pair = [leader, rival]

        def log(p, q, pair=pair):
            return special.xlogy(s[pair], (p, q)).sum() + special.xlog1py((n - s)[pair], (-p, -q)).sum()

        # with the leader no better, the best is where the two are alike
        alike = optimize.minimize_scalar(lambda p, log=log: -log(p, p), bounds=(0, 1), options={"xatol": 1e-10})
        found.append(log(*(s / n)[pair]) + alike.fun)
    return min(found)


@pytest.mark.parametrize("proven", [True, False])
def test_track_and_stop_stops_where_the_evidence_passes_its_threshold(proven):
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = rng.integers(20, 200, size=4)
        s = rng.binomial(n, [0.7, 0.4, 0.3, 0.2])
        least = (2 * n.sum() * 3 if proven else 1 + np.log(n.sum())) * np.exp(-evidence(n, s))  # as delta
        for factor, sure in ((1.001, True), (0.999, False)):
            made = TrackAndStop(least * factor, proven=proven)
            assert made.sure(counted(made, n, s)) == sure


def test_the_lemma_of_the_proven_threshold():
    """The averaged likelihood of n plays is at least the largest one by 2√n: enumerated."""
    for n in (1, 2, 3, 10, 57, 400):
        s = np.arange(n + 1.0)
        assert (against(np.full(n + 1, float(n)), s, s / n) >= -np.log(2 * np.sqrt(n)) - 1e-9).all()


def test_the_proven_threshold_is_smaller_than_that_for_all_exponential_families():
    """Kaufmann & Koolen (2021): 2 T(ln((K − 1) / δ) / 2) + 6 ln(1 + ln(t / 2)), T by Lambert's function."""

    def inverse(x):  # of u − ln u, for u > 1
        return -special.lambertw(-np.exp(-x), -1).real

    def families(t, actions, delta):
        u = inverse((inverse(1 + np.log((actions - 1) / delta) / 2) + np.log(np.pi**2 / 3)) / 2)
        assert u > 1 / np.log(1.5)  # on this branch
        return 4 * u * np.exp(1 / u) + 6 * np.log(1 + np.log(t / 2))

    assert families(1000, 7, 0.05) == pytest.approx(34.84, abs=0.01)
    t = np.logspace(1, 15, 50)
    for actions in (2, 7, 101):
        made = TrackAndStop(0.05)
        assert (made.threshold(t, actions) < families(t, actions, 0.05)).all()
        assert (made.threshold(t, actions) > TrackAndStop(0.05, proven=False).threshold(t, actions)).all()


def test_track_and_stop_is_hardly_ever_wrong_among_equals():
    """Two equal actions, played in turn, looked at after every two plays: the first is called the best.

    At most 0.2 by the theorem; sigma is 0.009. With e^Z held against 1 / δ, as if one looked once, it is more often: the
    threshold of δ = 2t times as much.
    """
    rng = np.random.default_rng(0)
    s = np.cumsum(rng.random((2000, 300, 2)) < 0.5, axis=1).astype(float)

    def wrong(delta):  # of t
        found = np.zeros(2000, bool)
        for k in range(300):
            made = TrackAndStop(delta(2 * k + 2))
            state = counted(made, np.full((2000, 2), k + 1.0), s[:, k])
            found |= made.sure(state) & (s[:, k, 0] > s[:, k, 1])
        return found.mean()

    assert wrong(lambda t: 0.2) < 0.2
    assert wrong(lambda t: 0.2 * 2 * t) > 0.25
