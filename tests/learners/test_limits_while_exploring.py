"""Limits that hold while exploring, too: a round plays what is known to be safe, or what rounds have shown to be."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, binom, nct
from scipy.stats import t as student

from bestdo import Actions, Graph, Limit, Model, Problem, Variable, World, do
from bestdo.bandit.learner import in_study
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.sums import added
from bestdo.causal.number import Number
from bestdo.errors import ActionError, GraphError, NotValid
from bestdo.learners import learner
from bestdo.learners.beliefs.limit_belief import LimitBeliefs, _none_is_wrong, limit_beliefs
from bestdo.learners.beliefs.odds_of_bound import chance_odds, mean_odds
from bestdo.learners.game import game_of
from bestdo.simulate.driver import play_out

DOSES = ("0", "1", "2", "3")
MOST = 0.2
ALWAYS = Limit("harm", "yes", at_most=MOST, always=True, safe=["do()"])


def clinic(rng, limit=ALWAYS, ages=()):
    """Doses that people also take by themselves; each breaks the limit with 1/2, and do() keeps it.

    Where age is seen first, it changes harm and cure of every dose.
    """
    variables = [Variable("dose", DOSES), Variable("harm", ("no", "yes")), Variable("cure", ("no", "yes"))]
    variables += [Variable("age", ("young", "old"))] if ages else []
    causes = [*ages, "dose"]
    graph = Graph.of(variables, [(a, b) for a in causes for b in ("harm", "cure")], []).rewarding("cure", "yes")
    shape = (2,) * len(ages) + (4,)
    harm = np.where(rng.random(shape) < 0.5, rng.uniform(0.25, 0.6, shape), rng.uniform(0.01, 0.06, shape))
    harm[..., 0] = rng.uniform(0.01, 0.05, shape[:-1])
    own = {"dose": [0.4, 0.2, 0.2, 0.2], **{name: [0.5, 0.5] for name in ages}}
    tables = {
        name: np.stack([1 - chance, chance], axis=-1)
        for name, chance in (("harm", harm), ("cure", rng.beta(2, 2, shape)))
    }
    actions = Actions(graph, [do(), *(do(dose=dose) for dose in DOSES)])
    return World(Problem(graph, actions, limits=limit, first=ages), Model(graph, {**own, **tables}))


def played_and_kept(world, name, rounds, rng):
    """The share of rounds that break the limit, and the regret of what is kept."""
    game, broken = game_of(in_study(learner(name)), world.problem), [0]

    def told(plan, context):
        which = 0 if context is None else context[0]
        broken[0] += (plan.counts[0] * world.breaks_by_context[which]).sum()

    state = play_out(world, game, rounds, 1, rng, 1, told)
    return broken[0] / rounds, world.regret_of_rule(game.recommended(state)[0])[0]


@pytest.mark.parametrize(
    ("name", "ages"), [("causal-top-two", ()), ("thompson", ()), ("causal-top-two", ("age",)), ("top-two", ("age",))]
)
def test_rounds_do_not_break_a_limit_that_always_holds(name, ages):
    """In up to 16 studies of 60 rounds; without it a learner breaks the limit in 5 % of the rounds or more."""
    safe, free = [], []
    for seed in range(16):
        rng = np.random.default_rng([seed, 4])
        world = clinic(rng, ages=ages)
        if world.breaks_by_context[:, 0].any():
            continue
        other = clinic(np.random.default_rng([seed, 4]), replace(ALWAYS, always=False, safe=()), ages)
        np.testing.assert_array_equal(other.breaks, world.breaks)
        safe.append(played_and_kept(world, name, 60, rng)[0])
        free.append(played_and_kept(other, name, 60, rng)[0])
    assert len(safe) >= 8
    assert np.mean(np.array(safe) > 0) <= 0.1 + 2 * np.sqrt(0.09 / len(safe))  # the promise is for nine studies of ten
    assert np.mean(safe) < 0.01
    assert np.mean(free) > 0.05


def test_the_best_safe_dose_is_found_where_watching_shows_that_it_is_safe():
    """Each dose is watched in a fifth of the rounds of do(): most studies of 150 rounds find one that is nearly the best."""
    lost = []
    for seed in range(10):
        rng = np.random.default_rng([seed, 5])
        world = clinic(rng)
        if not world.breaks[0]:
            lost.append(played_and_kept(world, "causal-top-two", 150, rng)[1])
    assert len(lost) >= 8
    assert np.mean(np.array(lost) < 0.05) >= 0.7


def test_what_may_be_played_is_safe_or_known_to_be():
    """By the formulas: a uniform prior for each action's own rounds, and factors that allow for three other actions."""
    world = clinic(np.random.default_rng(1), replace(ALWAYS, safe=(do(), do(dose="0"))))
    problem = world.problem
    beliefs = limit_beliefs(problem, False)  # by plays alone: there are no tables
    rounds, harmed = np.array([0, 0, 40, 12, 12]), np.array([0, 0, 0, 0, 2])
    action = np.repeat(np.arange(5), rounds)
    x = np.zeros((len(action), 3), np.int64)
    x[:, list(problem.graph.names).index("harm")] = np.concatenate(
        [np.arange(n) < k for n, k in zip(rounds, harmed, strict=True)]
    )
    sums = beliefs.tally(Rounds(np.zeros(len(action), np.int64), action, x, np.zeros(len(action), bool)), 1)
    own = beta(1 + harmed, 1 + rounds - harmed).cdf(MOST)
    odds = chance_odds(rounds, harmed, MOST)
    keeps = beliefs.keeps(sums)[0]
    assert (keeps[:2] == 1).all()  # the person's word
    assert (keeps[2:4] <= own[2:4]).all()
    assert own[4] < keeps[4] < 0.7  # harmed twice, and drawn to the others a little
    np.testing.assert_array_equal(beliefs.may(sums)[0], [True, True, *((keeps >= 0.9) & (odds >= 3 / 0.1))[2:]])
    assert beliefs.may(sums)[0, 2]
    assert not beliefs.may(sums)[0, 4]
    assert beliefs.may(beliefs.nothing(1)).tolist() == [[True, True, False, False, False]]


@pytest.mark.parametrize("bound", [0.01, 0.1, 0.5])
def test_the_factor_of_a_chance_can_be_looked_at_after_every_round(bound):
    """At the bound its mean is 1 after any number of rounds, above it less: then Ville's inequality holds."""
    for n in (1, 7, 60, 400):
        s = np.arange(n + 1)
        odds = chance_odds(np.full(n + 1, n), s, bound)
        assert binom.pmf(s, n, bound) @ odds == pytest.approx(1)
        assert binom.pmf(s, n, min(1.3 * bound, 1)) @ odds < 1
        assert binom.pmf(s, n, 0.5 * bound) @ odds > 1
        against = chance_odds(np.full(n + 1, n), s, bound, below=False)
        assert n > 100 or binom.pmf(s, n, bound) @ against == pytest.approx(1)  # the largest factor is e^700
        assert binom.pmf(s, n, 0.7 * bound) @ against < 1
        if bound < 0.5:
            np.testing.assert_allclose(chance_odds(np.full(n + 1, n), n - s, 1 - bound, below=True), against)
    mixed = quad(lambda p: (0.5 / bound + 0.25 / np.sqrt(bound * p)) * p**2 * (1 - p) ** 28, 0, bound)[0]
    by_hand = mixed / (bound**2 * (1 - bound) ** 28)
    assert chance_odds(np.array([30]), np.array([2]), bound)[0] == pytest.approx(by_hand)


def test_the_factor_of_a_mean_is_an_integral_over_distances():
    """Student's t under a distance, against no distance; the distances are half a normal distribution."""
    for mean, error, rounds in ((9.0, 0.5, 8), (10.5, 0.4, 20), (7.0, 1.0, 3)):
        value = (10 - mean) / error

        def part(d, value=value, rounds=rounds):
            weight = 2 * np.exp(-(d**2) / 2 / 0.5) / np.sqrt(2 * np.pi * 0.5)
            return weight * nct.pdf(value, rounds - 1, d * np.sqrt(rounds))

        by_hand = quad(part, 0, 8, limit=200)[0] / student.pdf(value, rounds - 1)
        found = mean_odds(*(np.array([each]) for each in (mean, error, rounds, rounds - 1.0)), 10.0)[0]
        assert found == pytest.approx(by_hand, rel=1e-4)


def test_the_largest_factor_has_to_allow_for_all_actions():
    odds = np.array([[40.0, 25.0, 11.0, 99.0], [39.0, 25.0, 11.0, 99.0], [40.0, 35.0, 5.0, 99.0]])
    found = _none_is_wrong(odds, np.array([True, True, True, False]), 0.1)
    assert found.tolist() == [[True, True, True, False], [True, True, True, False], [True, True, False, False]]
    assert not _none_is_wrong(odds, np.ones(4, bool), 0.001).any()


def near(number=False):
    """Four doses, whose harm is a chance or a number, and do(), which is named as safe."""
    harm = Variable("harm", number=Number()) if number else Variable("harm", ("no", "yes"))
    variables = [Variable("dose", DOSES), harm, Variable("cure", ("no", "yes"))]
    graph = Graph.of(variables, [("dose", "harm"), ("dose", "cure")], []).rewarding("cure", "yes")
    bound = {"at_most": 10.0} if number else {"value": "yes", "at_most": MOST}
    limit = Limit("harm", **bound, always=True, safe=["do()"])
    return Problem(graph, Actions(graph, [do(), *(do(dose=dose) for dose in DOSES)]), limits=limit)


@pytest.mark.parametrize("kind", ["chance", "number"])
def test_the_promise_holds_however_near_to_the_limit_the_actions_are(kind):
    """100 studies of 600 watched rounds; all doses break the limit, by 2 % of it or 3 % of the spread of a number.

    In at most ten is one ever allowed, 19 with 3 sigma. By the odds of a uniform prior one was in 47, and in 25 with numbers:
    a promise on average over all chances is none for those near the limit.
    """
    problem, lanes, rng = near(kind == "number"), 100, np.random.default_rng(6)
    beliefs = LimitBeliefs(problem)
    place = list(problem.graph.names).index("harm")
    sums, ever = beliefs.nothing(lanes), np.zeros(lanes, bool)
    for _ in range(60):
        lane = np.repeat(np.arange(lanes), 10)
        x = np.zeros((len(lane), 3), np.int64)
        x[:, list(problem.graph.names).index("dose")] = rng.integers(0, 4, len(lane))
        x[:, place] = 0 if kind == "number" else rng.random(len(lane)) < 1.02 * MOST
        numbers = {"harm": rng.normal(10.03, 1.0, len(lane))} if kind == "number" else {}
        rounds = Rounds(lane, np.zeros(len(lane), np.int64), x, np.zeros(len(lane), bool), numbers=numbers)
        sums = added(sums, beliefs.tally(rounds, lanes))
        ever |= beliefs.may(sums)[:, 1:].any(axis=1)
    assert ever.sum() <= 19


def test_rounds_that_speak_against_a_safe_action_are_believed():
    """A hundred to one against the person's word; where no other action is safe it is played all the same."""
    problem = clinic(np.random.default_rng(1)).problem
    beliefs = limit_beliefs(problem, False)
    place = list(problem.graph.names).index("harm")
    for harmed in range(12):
        x = np.zeros((12, 3), np.int64)
        x[:harmed, place] = 1
        sums = beliefs.tally(Rounds(np.zeros(12, np.int64), np.zeros(12, np.int64), x, np.zeros(12, bool)), 1)
        against = chance_odds(np.array(12), np.array(harmed), MOST, below=False) > 100
        assert (beliefs.keeps(sums)[0, 0] == 1) == (not against), harmed
        assert beliefs.may(sums)[0].tolist() == [True, False, False, False, False]
    assert against


@pytest.mark.parametrize("name", ["uniform", "ucb", "kl-ucb", "top-two", "causal-thompson", "thompson"])
def test_whatever_learner_chooses_begins_with_what_is_safe(name):
    """In several lanes at once, and with rounds that are out."""
    world = clinic(np.random.default_rng(2), replace(ALWAYS, safe=(do(), do(dose="3"))))
    game, rng = game_of(learner(name), world.problem), np.random.default_rng(3)
    state = game.start(50, 30, rng)
    out = np.tile([2, 0, 0, 0, 1], (30, 1))
    seen = np.zeros(5, np.int64)
    for _ in range(10):
        plan = game.ask(state, Request(out=out if game.any_time else Request().out), rng)
        assert (plan.counts.sum(axis=1) == 1).all()
        seen += plan.counts.sum(axis=0)
        state = state._replace(block=state.block + 1)
    assert seen[[1, 2, 3]].sum() == 0
    assert (seen[[0, 4]] > 0).all()


def test_an_allowed_action_that_shows_others_is_played_to_learn_of_them():
    """do(dose=3) is safe, too, and shows nothing of other doses: do() is played because a better dose may be safe."""
    world = clinic(np.random.default_rng(2), replace(ALWAYS, safe=(do(), do(dose="3"))))
    beliefs = limit_beliefs(world.problem, True)
    assert beliefs.shows[0].all()
    assert beliefs.shows[1:].sum() == 4
    only = np.array([[False, False, False, False, True]])
    assert beliefs.shown_by(only).tolist() == only.tolist()
    assert beliefs.shown_by(np.array([[True, False, False, False, False]])).all()


def test_learners_that_cannot_do_without_some_actions_are_refused():
    problem = clinic(np.random.default_rng(1)).problem
    for name in ("successive-rejects", "algorithm-1", "sequential-halving"):
        with pytest.raises(NotValid, match="this learner cannot do without the actions that may break it"):
            game_of(learner(name), problem).start(50, 1, np.random.default_rng(0))


def test_a_safe_action_is_left_to_play():
    problem = clinic(np.random.default_rng(1)).problem
    assert replace(problem, retired=(do(dose="1"),)).retired
    with pytest.raises(ActionError, match="no safe action would be left"):
        replace(problem, retired=(do(),))


def test_limits_that_always_hold_need_a_safe_action_in_common():
    graph = Graph.parse("a -> y; a -> u; a -> w", reward="y", success="1")
    one = Limit("u", "1", at_most=0.1, always=True, safe=["do()"])
    with pytest.raises(GraphError, match="no action is named as safe in all of them"):
        Problem(graph, set=["a"], limits=[one, Limit("w", "1", at_most=0.1, always=True, safe=["do(a=1)"])])
    both = Problem(graph, set=["a"], limits=[one, Limit("w", "1", at_most=0.1, always=True, safe=["do(a=1)", "do()"])])
    assert list(map(str, both.limits.safe)) == ["do()"]
    with pytest.raises(
        ActionError, match=r"do\(a=2\) is named as safe in the limit on 'u', and is not among the actions"
    ):
        Problem(graph, set=["a"], limits=replace(one, safe=(do(a=2),)))


def test_a_plan_told_elsewhere_is_no_matter():
    """Rounds that were played against the promise, as before the limit was set, are told as any others."""
    world = clinic(np.random.default_rng(1))
    game = game_of(in_study(learner("causal-top-two")), world.problem)
    state = game.start(50, 1, np.random.default_rng(0))
    plan = Plan(np.array([[0, 0, 5, 0, 0]]))
    state = game.tell(state, plan, game.statistic(50).tally(world.rounds(plan, np.random.default_rng(0)), 1))
    assert game.ask(state, Request(), np.random.default_rng(0)).counts[0, 2] == 0
