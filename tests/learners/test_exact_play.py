"""Learners in small games beside every outcome written out from their papers: the rows "exact" of docs/checks.md.

Every check is at 4 standard errors of 20,000 lanes with a fixed seed. `cd tests && python -m learners.test_exact_play` prints
the numbers of that page, by 200,000.
"""

import functools
import math
from dataclasses import replace

import numpy as np
import pytest

from bestdo import Problem, World, do, learner
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.simulate import arms, final, parallel
from learners import exact_rules as rules
from learners import exact_side as side
from learners.exact_play import bandit, best_mean, expected, highest, parallel_game, through
from learners.exact_rules import LAW, SUCCESS
from learners.exact_tracking import track_and_stop

LANES = 20_000
MEANS = (0.2, 0.5, 0.7)
Q, EPSILON = (0.3, 0.6), 0.3


def through_z(law=LAW, success=SUCCESS):
    """X -> Z -> Y with the values of X as actions, and the law of Z known."""
    values = tuple("abc"[: len(law)])
    graph = Graph.of([Variable("X", values), Variable("Z"), Variable("Y")], [("X", "Z"), ("Z", "Y")], reward="Y")
    rows, each = np.array(success), [1 / len(law)] * len(law)
    model = Model(graph, {"X": each, "Z": np.array(law), "Y": np.stack([1 - rows, rows], axis=-1)})
    actions = Actions(graph, [do(X=v) for v in values])
    return World(Problem(graph, actions, model.law_of(["Z"], actions)), model)


def hidden():
    """Two actions on X, whose effect M shares a hidden cause with the reward: nothing but plays can be counted."""
    graph = Graph.parse("X -> M -> Y; U -> M; U -> Y", reward="Y", hidden=["U"])
    m = np.array([[[0.9, 0.1], [0.3, 0.7]], [[0.6, 0.4], [0.1, 0.9]]])  # by U and X
    y = np.array([[[0.9, 0.1], [0.6, 0.4]], [[0.7, 0.3], [0.1, 0.9]]])  # by U and M
    by_u = {n: [("U", other).index(p) for p in graph.parents[n]] for n, other in (("M", "X"), ("Y", "M"))}
    tables = {"M": m.transpose(*by_u["M"], 2), "Y": y.transpose(*by_u["Y"], 2)}
    model = Model(graph, {"U": [0.5, 0.5], "X": [0.5, 0.5], **tables})
    return World(Problem(graph, [do(X=0), do(X=1)]), model)


def matching_world():
    world = parallel(list(Q), EPSILON)
    chosen = [a for a in world.problem.actions if a != do()]
    return World(Problem(world.problem.graph, chosen), world.model)


def own_plays(n, s, memory):
    """The best mean of each action's own rounds, which are counted behind the two states."""
    return best_mean(len(n) - 2)(n[2:], s[2:], memory)


TWO = MEANS[:2]
APART = (0.1, 0.95)
CLEAR = (0.1, 0.2, 0.95)
NEVER = (0.0, 0.0, 0.0)
EVEN_LAW = ((0.6, 0.4), (0.5, 0.5), (0.4, 0.6))  # all actions have the same radius
UNLIKE = ((0.9, 0.1), (0.45, 0.55), (0.3, 0.7))
TWO_LAW = ((0.8, 0.2), (0.3, 0.7))  # Q(x) = 1/2 by 0.4 and 0.6 of the rounds
DESIGN = (0.0, 0.0, 1 / 3, 0.0, 2 / 3)
PARALLEL = parallel_game(Q, EPSILON)
ONE = parallel_game((0.3,), 0.4)
ONE_CAUSE = parallel([0.3], 0.4)
LINEAR = side.one_cause_game(0.3, tuple(ONE_CAUSE.means[:2]))
STATES = through(LAW, SUCCESS)
BOTH = through(LAW, SUCCESS, plays=True)
PAIR = through(TWO_LAW, SUCCESS, plays=True)
GAMES = {
    "uniform": (arms(MEANS), bandit(MEANS), 7, rules.evenly, best_mean(3)),
    "successive-rejects": (
        arms(MEANS),
        bandit(MEANS),
        10,
        rules.dropping(rules.dropping_schedule(3, 10)),
        rules.the_last,
    ),
    "sequential-halving": (arms(MEANS), bandit(MEANS), 12, rules.sequential_halving(3, 12), rules.the_last),
    "successive-elimination": (arms(APART), bandit(APART), 44, rules.successive_elimination(22, 0.9), best_mean(2)),
    "successive-elimination-as-published-with-error": (
        arms(APART),
        bandit(APART),
        44,
        rules.once((22, 22)),
        best_mean(2),
    ),
    "ucb": (arms(MEANS), bandit(MEANS), 7, highest(rules.ucb(2.0), 7), best_mean(3)),
    "ucb1": (arms(MEANS), bandit(MEANS), 7, highest(rules.ucb(4.0), 7), best_mean(3)),
    "kl-ucb": (arms(MEANS), bandit(MEANS), 7, highest(rules.kl_ucb, 7), best_mean(3)),
    "thompson": (arms(MEANS), bandit(MEANS), 6, rules.thompson(6), rules.posterior_mean),
    "top-two": (arms(MEANS), bandit(MEANS), 6, rules.top_two(6), rules.posterior_mean),
    "npts": (arms(TWO), bandit(TWO), 7, rules.npts(7), best_mean(2)),
    "linear-thompson": (arms(TWO), bandit(TWO), 7, rules.linear_thompson(7), rules.shrunken_mean),
    "track-and-stop": (arms(CLEAR), bandit(CLEAR), 14, track_and_stop(14, 0.9), best_mean(3)),
    "lucb": (arms(MEANS), bandit(MEANS), 8, rules.lucb(8), best_mean(3)),
    "causal-thompson": (hidden(), bandit(tuple(hidden().means)), 6, rules.thompson(6), rules.posterior_mean),
    "c-ucb": (through_z(), STATES, 6, highest(rules.c_ucb(6, 2.0), 6), rules.mean_by_states(LAW)),
    "c-ucb-2": (
        through_z(EVEN_LAW),
        through(EVEN_LAW, SUCCESS),
        6,
        highest(rules.c_ucb_2(EVEN_LAW), 6),
        rules.mean_by_states(EVEN_LAW),
    ),
    "c-ts": (through_z(), STATES, 6, rules.c_ts(6), rules.mean_by_states(LAW)),
    "hac-ucb": (through_z(), BOTH, 9, side.hac_ucb(LAW, 9), rules.mean_by_states(LAW)),
    "crm": (parallel(list(Q), EPSILON), PARALLEL, 5, rules.crm(5), best_mean(5)),
    "watching": (parallel(list(Q), EPSILON), PARALLEL, 6, rules.once((0, 0, 0, 0, 6)), best_mean(5)),
    "ucb-plus": (
        matching_world(),
        parallel_game(Q, EPSILON, matching=True, watch=False),
        6,
        highest(rules.ucb_plus(6), 6),
        best_mean(4),
    ),
    **{
        name: (ONE_CAUSE, LINEAR, 6, highest(side.linear_models(6, radius), 6), side.mean_by_tables)
        for name, radius in (("blm-lr", side.rho_lr), ("bglm-ofu", side.rho_ofu))
    },
    "lingape": (through_z(UNLIKE), bandit(through(UNLIKE, SUCCESS).means), 6, *side.lingape(UNLIKE, 6)),
    "corral": (through_z(TWO_LAW), PAIR, 3, side.corral(TWO_LAW, 3, wrong=False), own_plays),
    "corral-as-published-with-error": (through_z(TWO_LAW), PAIR, 3, side.corral(TWO_LAW, 3, wrong=True), own_plays),
    "ucb-plus-as-in-authors-code": (
        matching_world(),
        parallel_game(Q, EPSILON, matching=True, watch=False),
        7,
        highest(rules.ucb_plus(7, 0.1 / 2), 7),
        best_mean(4),
    ),
    "exp3-ix": (parallel([0.3], 0.4), ONE, 4, side.exp3_ix(3, 4, (0.7, 0.3)), best_mean(3)),
    "wu-side-observations": (
        parallel([0.1], 0.4),
        parallel_game((0.1,), 0.4),
        12,
        side.wu_side_observations(12, (0.9, 0.1), 0.3, 0.9),
        best_mean(3),
    ),
    "watch-then-act": (arms(TWO), bandit(TWO), 6, rules.once((3, 3)), best_mean(2)),
    "algorithm-1-rejects": (
        parallel(list(NEVER), EPSILON),
        parallel_game(NEVER, EPSILON),
        12,
        rules.algorithm_1_rejects(12),
        rules.not_rejected,
    ),
    "algorithm-2": (parallel([0.0, 0.5], 0.3), *rules.weighted_game(6, DESIGN, truncated=False)),
    "algorithm-2-as-in-paper": (parallel([0.0, 0.5], 0.3), *rules.weighted_game(6, DESIGN, truncated=True)),
    "algorithm-2-clip-as-in-authors-code": (
        parallel([0.0, 0.5], 0.3),
        *rules.weighted_game(6, DESIGN, truncated=True, beyond=1.0),
    ),
    "algorithm-2-phases": (
        through_z(TWO_LAW),
        through(TWO_LAW, SUCCESS),
        5,
        rules.once((2, 3)),
        rules.mean_by_states(TWO_LAW),
    ),
    "algorithm-1": (parallel(list(Q), EPSILON), PARALLEL, 8, rules.algorithm_1(8), best_mean(5)),
}
PARAMETERS = {
    "track-and-stop": {"delta": 0.9},  # so that it stops within the game, by more than half of the outcomes
    "wu-side-observations": {"alpha": 0.3, "power": 0.9},  # so that all three of its ways are taken
    "successive-elimination": {"delta": 0.9},
    "blm-lr": {"scale": 0.15},
    "bglm-ofu": {"scale": 0.15},
    "algorithm-2": {"eta": DESIGN},
    "algorithm-2-as-in-paper": {"eta": DESIGN},
    "algorithm-2-clip-as-in-authors-code": {"eta": DESIGN},
}


@functools.cache
def exact_regret(name):
    """The expected regret of a game by its outcomes: summed, and of the action kept."""
    _, game, _, rule, keep = GAMES[name]
    return expected(game, rule, keep)


def measured(name, made=None, lanes=LANES):
    """For the summed regret and that of the action kept: exact, found, and the standard error."""
    world, game, horizon, *_ = GAMES[name]
    np.testing.assert_allclose(world.means, game.means, atol=1e-12)
    made = made or replace(learner(name), **PARAMETERS.get(name, {}))
    state = final(world, made, horizon, lanes, np.random.default_rng(20))
    gaps = max(game.means) - np.array(game.means)
    played = state.played if hasattr(state, "played") else state.counts.played
    found = played @ gaps, gaps[made.best(state)]
    exact = exact_regret(name)
    return [(e, f.mean(), f.std() / math.sqrt(lanes)) for e, f in zip(exact, found, strict=True)]


@pytest.mark.parametrize("name", GAMES)
def test_every_outcome_written_out(name):
    for what, (exact, found, error) in zip(("summed", "kept"), measured(name), strict=True):
        assert abs(found - exact) <= 4 * error + 1e-9, (what, exact, found, error)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("ucb", "ucb1"),
        ("kl-ucb", "ucb"),
        ("thompson", "npts"),
        ("top-two", "thompson"),
        ("lucb", "uniform"),
        ("successive-rejects", "sequential-halving"),
        ("c-ts", "c-ucb"),
        ("crm", "thompson"),
        ("corral", "corral-as-published-with-error"),
        ("exp3-ix", "thompson"),
        ("lingape", "lucb"),
        ("track-and-stop", "track-and-stop"),  # with δ = 0.05
        ("wu-side-observations", "wu-side-observations"),  # with α = 2.1
        ("blm-lr", "blm-lr"),  # with the radius of the paper
        ("algorithm-1", "algorithm-1-as-in-paper"),
        ("algorithm-2", "algorithm-2-as-in-paper"),
        ("algorithm-2-clip-as-in-authors-code", "algorithm-2-as-in-paper"),
        ("ucb-plus-as-in-authors-code", "ucb-plus"),
    ],
)
def test_another_learner_is_noticed(name, wrong):
    """The check fails, by 4 standard errors at least, where another learner plays in place of the right one.

    For most a tenth of the lanes shows it.
    """
    for lanes in (LANES // 10, LANES):
        found = measured(name, learner(wrong), lanes)
        if any(abs(mean - exact) > 4 * error + 1e-9 for exact, mean, error in found):
            return
    raise AssertionError(found)


if __name__ == "__main__":
    for one in GAMES:
        for what, (exact, found, error) in zip(("summed regret", "regret"), measured(one, lanes=200_000), strict=True):
            away = abs(found - exact) / error if error > 1e-6 else 0.0
            print(f"{one} | {what} | {GAMES[one][2]} | {found:.4f} ± {error:.4f} | {exact:.4f} | {away:.1f}")  # noqa: T201
