"""Contract tests for learners, worlds, statistics and samplers, also for those of other packages.

    from bestdo.simulate import parallel
    from bestdo.testing import check_learner, measured
    check_learner(MyLearner())
    check_learner(MyLearner(), measured(parallel([0.0, 0.1, 0.5])))  # with a number as the reward

Each raises an AssertionError that says what is wrong.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import Learner, Ties, any_time, ask_beside, with_old
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.errors import BestdoError, NotValid
from bestdo.simulate.paper_worlds import parallel
from bestdo.simulate.samplers import tally, tally_of_rows
from bestdo.simulate.world import World

__all__ = ["check_learner", "check_sampler", "check_statistic", "check_world", "measured", "one_lane", "relabelled"]

_SAME = 1e-12
"""Numbers that differ by less than this are the same: sums may be added in another order."""
_ROUNDING = 1e-9
"""What rounding errors may add to a mean or an interval."""
_EQUAL_MEANS = 1e-6
"""Means that differ by less may be ties to a learner, as they are to Algorithm 2."""
_OVERSPENT = 1e-6
"""What rounding errors may add to the sum of costs."""
_OLD_ROUNDS = 40
"""How many old rounds a learner is told."""


class BrokenContract(BestdoError, AssertionError):
    """A learner does not do what simulations and studies rely on."""


def check_learner(learner: Learner[Any], world: World | None = None, horizon: float = 60, lanes: int = 5) -> None:
    """Checks all that simulations and studies rely on, on a small world (the paper's, unless one is given).

    learner: an object. world, horizon and lanes: what it is tried on. Raises BrokenContract, an AssertionError, which says
    what is wrong; it returns nothing where all is well.

    >>> import bestdo
    >>> bestdo.check_learner(bestdo.learners.UCB(alpha=1.0))
    """
    world = world or parallel([0.0, 0.1, 0.5, 0.4])
    _require(not isinstance(learner, type), f"give a learner, {learner}(), not its class")
    for name in ("statistic", "start", "ask", "tell", "best", "estimates"):
        _require(callable(getattr(learner, name, None)), f"the learner has no function {name}")
    states, plans, tallies = _play(learner, world, horizon, lanes)
    actions = len(world.problem.actions)
    for block, plan in enumerate(plans):
        counts = plan.counts
        shape = f"block {block}: the plan has shape {counts.shape}, not (lanes, actions)"
        _require(counts.shape == (lanes, actions), shape)
        _require(
            np.issubdtype(counts.dtype, np.integer), f"block {block}: the plan holds {counts.dtype}: no whole numbers"
        )
        _require(bool((counts >= 0).all()), f"block {block}: the plan has negative counts")
    for block, state in enumerate(states):
        _check_answers(learner, world.problem, state, lanes, f"after {block} blocks")
    _check_pure(learner, states, plans, tallies)
    played = np.asarray(learner.estimates(states[-1]).played)
    planned = np.sum([plan.counts for plan in plans], axis=0)
    _require(_equal(played, planned.astype(float)), "estimates.played is not how often each action was played")
    _check_lanes(learner, states, plans, tallies)
    _check_partial(learner, world, states[0], plans[0], horizon)
    _check_relabelling(learner, world, horizon, lanes)
    _check_old(learner, world, horizon, lanes)
    if any_time(learner):
        _check_any_time(learner, world, horizon, lanes)
    again = _play(learner, world, horizon, lanes)[0][-1]
    _require(_equal(learner.best(again), learner.best(states[-1])), "the same seed gives another recommendation")


def _check_any_time(learner: Learner[Any], world: World, horizon: float, lanes: int) -> None:
    """Checks a learner that can be asked while results are still to come: by whatever order these come back in."""
    rng, actions = np.random.default_rng(8), len(world.problem.actions)
    statistic = learner.statistic(world.problem, horizon)
    first = learner.start(world.problem, horizon, lanes, rng)
    before, out, flight = copy.deepcopy(first), np.zeros((lanes, actions), np.int64), []
    for _ in range(4):
        plan = ask_beside(learner, first, out, rng)
        _require(plan is not None, f"with {out.sum(axis=1).max()} of {horizon:g} rounds in flight it asks for no more")
        assert plan is not None
        flight.append((plan, tally(world, statistic, plan, rng)))
        out = out + plan.counts
    _require(_equal(before, first), "beside changes the state: it must be pure")
    ends = []
    for order in (flight, flight[::-1]):
        state = first
        for plan, sums in order:
            state = learner.tell(state, plan, sums)
        ends.append(learner.estimates(state))
    _require(_equal(ends[0], ends[1]), "results in another order give other estimates")


def _require(holds: bool, otherwise: str) -> None:
    """Raises BrokenContract with the message unless the condition holds."""
    if not holds:
        raise BrokenContract(otherwise)


def _play(learner: Learner[Any], world: World, horizon: float, lanes: int) -> tuple[list[Any], list[Plan], list[Tally]]:
    """Plays all rounds: the states (one more than blocks), the plans and the tallies; checks each plan."""
    rng = np.random.default_rng(7)
    statistic = learner.statistic(world.problem, horizon)
    states = [learner.start(world.problem, horizon, lanes, rng)]
    plans: list[Plan] = []
    tallies: list[Tally] = []
    while True:
        before = copy.deepcopy(states[-1])
        plan = learner.ask(states[-1], rng)
        _require(_equal(before, states[-1]), "ask changes the state: it must be pure")
        if plan is None:
            break
        _require(hasattr(plan, "counts"), f"ask gives {type(plan).__name__}, not a Plan or None")
        empty = not np.any(plan.counts)
        _require(not empty, f"block {len(plans)}: an empty plan; answer None when all lanes have finished")
        plans.append(plan)
        _check_spent(world.problem, plans, horizon)
        tallies.append(tally(world, statistic, plan, rng))
        states.append(learner.tell(states[-1], plan, tallies[-1]))
    _require(bool(plans), "the learner never asks for a round")
    return states, plans, tallies


def _check_spent(problem: Problem, plans: list[Plan], horizon: float) -> None:
    """Checks that the plans use no more than the horizon: rounds, or costs where the problem has them."""
    spent = np.sum([problem.price(np.asarray(p.counts)) for p in plans], axis=0)
    unit = "rounds were planned" if problem.cost is None else "was to be spent"
    _require(bool((spent <= horizon + _OVERSPENT).all()), f"{np.max(spent):g} {unit}, with a horizon of {horizon:g}")
    _require(
        len(plans) <= horizon / problem.prices.min() + _OVERSPENT,
        "the learner asks for more blocks than there are rounds",
    )


def _check_answers(learner: Learner[Any], problem: Problem, state: Any, lanes: int, when: str) -> None:
    """Checks the shapes and ranges of the recommendation and the estimates."""
    best, actions = learner.best(state), len(problem.actions)
    whole = isinstance(best, np.ndarray) and np.issubdtype(best.dtype, np.integer)
    _require(whole, f"{when}: best gives {type(best).__name__}, not an array of whole numbers, one for each lane")
    _require(best.shape == (lanes,), f"{when}: best has shape {best.shape}, not (lanes,)")
    _require(bool(((best >= 0) & (best < actions)).all()), f"{when}: best is no action")
    found = learner.estimates(state)
    for name in (*found._fields[:5], "p_best"):
        shape = getattr(found, name).shape
        _require(shape == (lanes, actions), f"{when}: estimates.{name} has shape {shape}")
    _require(
        bool(np.allclose(found.p_best.sum(axis=1), 1)), f"{when}: the probabilities of being best do not add up to 1"
    )
    known = ~np.isnan(found.mean)
    _require(
        not (np.isnan(found.low) | np.isnan(found.high)).any(),
        f"{when}: an interval is NaN; give 0 to 1 where nothing is known, or infinite ends where there are no bounds",
    )
    inside = (found.low <= found.mean + _ROUNDING) & (found.mean <= found.high + _ROUNDING)
    _require(
        bool(inside[known & (~np.array(found.bounded) | ((found.mean >= 0) & (found.mean <= 1)))].all()),
        f"{when}: a mean lies outside its interval",
    )
    _require(bool((found.played >= 0).all() and (found.seen >= 0).all()), f"{when}: negative numbers of rounds")
    _require(
        bool(problem.contenders[best].all()), f"{when}: best is an action that cannot be the best (problem.contenders)"
    )
    _require(
        not found.p_best[:, ~problem.contenders].any(),
        f"{when}: an action that cannot be the best has a share of p_best; say estimates._replace(contenders=…)",
    )
    open_ = problem.contenders & (known if found.dropped is None else known & ~found.dropped)
    top = np.where(open_, found.mean, -np.inf).max(axis=1)
    kept = np.where(open_, found.mean, -np.inf)[np.arange(lanes), best]
    _require(
        bool((~open_.any(axis=1) | (kept >= top - _EQUAL_MEANS)).all()),
        f"{when}: best is not the action with the highest of the means that estimates gives, of those not dropped",
    )


def _check_pure(learner: Learner[Any], states: list[Any], plans: list[Plan], tallies: list[Tally]) -> None:
    """Checks that `tell` changes none of its arguments and gives the same state again."""
    for state, plan, sums in zip(states, plans, tallies, strict=False):
        before = copy.deepcopy((state, plan, sums))
        one, two = learner.tell(state, plan, sums), learner.tell(state, plan, sums)
        _require(_equal(before, (state, plan, sums)), "tell changes what it is given: it must be pure")
        _require(_equal(one, two), "tell gives two states for the same arguments: it must be deterministic")


def _check_lanes(learner: Learner[Any], states: list[Any], plans: list[Plan], tallies: list[Tally]) -> None:
    """Checks that each lane alone gives the same recommendation and estimates as among the others."""
    lanes = len(plans[0].counts)
    for lane in range(lanes):
        state = one_lane(states[0], lane, lanes)
        for plan, sums in zip(plans, tallies, strict=True):
            state = learner.tell(state, one_lane(plan, lane, lanes), one_lane(sums, lane, lanes))
        _require(
            int(learner.best(state)[0]) == int(learner.best(states[-1])[lane]),
            f"lane {lane} alone gives another recommendation than among {lanes} lanes",
        )
        alone, among = learner.estimates(state), learner.estimates(states[-1])
        for name in (*alone._fields[:5], "p_best"):
            same = _equal(getattr(alone, name)[0], getattr(among, name)[lane])
            _require(same, f"lane {lane} alone gives other estimates ({name}) than among {lanes} lanes")


def _check_partial(learner: Learner[Any], world: World, state: Any, plan: Plan, horizon: float) -> None:
    """Checks that the learner answers after half of its first block."""
    part = Plan(plan.counts // 2)
    statistic = learner.statistic(world.problem, horizon)
    sums = tally(world, statistic, part, np.random.default_rng(1))
    told = learner.tell(state, part, sums)
    _check_answers(learner, world.problem, told, len(plan.counts), "after a part of a block")


def _check_relabelling(learner: Learner[Any], world: World, horizon: float, lanes: int) -> None:
    """Checks that another order of the actions gives the same recommendation from the same rounds."""
    order = np.random.default_rng(3).permutation(len(world.problem.actions))
    problem = relabelled(world.problem, order)
    plans = _play(learner, world, horizon, lanes)[1]
    state = learner.start(world.problem, horizon, lanes, np.random.default_rng(7))
    other = learner.start(problem, horizon, lanes, np.random.default_rng(7))
    mine, theirs = learner.statistic(world.problem, horizon), learner.statistic(problem, horizon)
    place = np.argsort(order)  # old index -> new index
    for plan in plans:
        rounds = world.rounds(plan, np.random.default_rng(11))
        state = learner.tell(state, plan, mine.tally(rounds, lanes))
        moved = Plan(plan.counts[:, order])
        other = learner.tell(other, moved, theirs.tally(rounds._replace(action=place[rounds.action]), lanes))
    same = _equal(order[learner.best(other)], learner.best(state))
    _require(same, "another order of the actions gives another recommendation: only their names may matter")


def _check_old(learner: Learner[Any], world: World, horizon: float, lanes: int) -> None:
    """Checks that old rounds of do() add to what is known and use up no horizon, or are refused by NotValid."""
    problem, rng, old = world.problem, np.random.default_rng(5), _OLD_ROUNDS
    if do() not in problem.actions:
        return
    watching = np.arange(len(problem.actions)) == problem.actions.index(do())
    halves = [world.rounds(Plan(np.tile(old // 2 * watching, (lanes, 1))), rng) for _ in range(2)]
    learner = with_old(learner, old)
    statistic, nothing = learner.statistic(problem, horizon), Plan(np.zeros((lanes, len(problem.actions)), np.int64))
    sums = [statistic.tally(half, lanes) for half in halves]
    start = learner.start(problem, horizon, lanes, np.random.default_rng(7))
    try:
        state = learner.tell(start, nothing, sums[0].plus(sums[1]))
    except NotValid:
        return
    parts = learner.tell(learner.tell(start, nothing, sums[0]), nothing, sums[1])
    _check_answers(learner, problem, state, lanes, "after old rounds")
    known, apart, before = learner.estimates(state), learner.estimates(parts), learner.estimates(start)
    _require(
        _equal(tuple(known)[:5], tuple(apart)[:5]), "old rounds told in two parts give other estimates than at once"
    )
    _require(not known.played.any(), "old rounds count as played: they were only watched")
    _require(bool((known.seen.sum(axis=1) > before.seen.sum(axis=1)).all()), "old rounds do not add to what is known")
    plans: list[Plan] = []
    while (plan := learner.ask(state, rng)) is not None:
        plans.append(plan)
        _check_spent(problem, plans, horizon)
        state = learner.tell(state, plan, tally(world, statistic, plan, rng))
    _require(bool(plans), "old rounds use up the horizon: no round is asked for after them")
    _check_answers(learner, problem, state, lanes, "after old rounds and all new ones")
    planned = np.sum([plan.counts for plan in plans], axis=0).astype(float)
    _require(
        _equal(learner.estimates(state).played, planned), "after old rounds, estimates.played is not what was played"
    )


def measured(
    world: World, number: Number | None = None, shape: str = "normal", aim: str = "maximise", noise: float = 0.1
) -> World:
    """The world with a number as its reward, which is the better on average, the likelier success was in its row.

    `shape` is "beta" where it has bounds. Its means fill the second and third quarters of its bounds, or -1 to 1 where it
    has none; `noise` is its standard deviation as a share of the bounds, or of 4.
    """
    number = number or Number()
    problem, reward = world.problem, str(world.problem.graph.reward)
    low, high = number.bounds or (-2.0, 2.0)
    chance = world.model.tables[reward][..., problem.graph.success_code]
    mean = low + (high - low) * (0.25 + 0.5 * (chance if aim == "maximise" else 1 - chance))
    known, true = (
        Graph(
            tuple(Variable(reward, number=number) if v.name == reward else v for v in graph.variables),
            dict(graph.parents),
            reward,
            aim=aim,
        )
        for graph in (problem.graph, world.model.graph)
    )
    shape = shape if number.bounds is None else "beta"
    outcome = Outcome(mean, np.full(mean.shape, noise * (high - low)), shape)
    model = Model(true, {n: t for n, t in world.model.tables.items() if n != reward}, {reward: outcome})
    actions = Actions(known, problem.actions)
    law = None if problem.law is None else problem.law.with_actions(actions)
    return World(replace(problem, graph=known, actions=actions, law=law), model, world.mistaken)


def relabelled(problem: Problem, order: NDArray[np.integer]) -> Problem:
    """The problem with its actions in another order."""
    actions = Actions(problem.graph, [problem.actions[int(i)] for i in order])
    law = None if problem.law is None else problem.law.with_actions(actions)
    cost = tuple(problem.cost[int(i)] for i in order) if problem.cost else None
    return replace(problem, actions=actions, law=law, cost=cost)


def one_lane(value: Any, lane: int, lanes: int) -> Any:
    """A state, plan or tally with one of its lanes only."""
    if isinstance(value, np.ndarray):
        return value[lane : lane + 1] if value.ndim and len(value) == lanes else value
    if isinstance(value, Ties):
        ties = copy.copy(value)
        ties.key = value.key[lane : lane + 1]
        return ties
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(one_lane(part, lane, lanes) for part in value))
    if is_dataclass(value) and not isinstance(value, type | Problem):
        alone = copy.copy(value)
        for each in fields(value):
            object.__setattr__(alone, each.name, one_lane(getattr(value, each.name), lane, lanes))
        return alone
    return value


def _equal(a: Any, b: Any) -> bool:
    """Whether two states, plans, tallies or parts of them hold the same numbers, up to rounding."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if np.issubdtype(a.dtype, np.floating):
            return a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=_SAME, equal_nan=True))
        return a.shape == b.shape and bool((a == b).all())
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Ties):
        return _equal(a.key, b.key)
    if is_dataclass(a) and not isinstance(a, type | Problem):
        return type(a) is type(b) and all(_equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(_equal(v, b[k]) for k, v in a.items())
    return isinstance(a, Problem) or bool(a == b)


def check_statistic(statistic: Statistic, world: World, lanes: int = 3) -> None:
    """Checks that sums add, in any order of the rounds, and that a missing value makes no more rounds count."""
    rng = np.random.default_rng(0)
    plan = Plan(rng.integers(0, 5, size=(lanes, len(world.problem.actions))))
    rounds = world.rounds(plan, rng)
    whole = statistic.tally(rounds, lanes)
    mixed = rng.permutation(len(rounds.lane))
    _require(_equal(statistic.tally(rounds.pick(mixed), lanes), whole), "the order of the rounds changes the sums")
    half = len(mixed) // 2
    parts = [statistic.tally(rounds.pick(part), lanes) for part in (mixed[:half], mixed[half:])]
    _require(_equal(parts[0].plus(parts[1]), whole), "the sums of two halves are not the sums of the whole")
    blind = rounds._replace(x=np.where(rng.random(rounds.x.shape) < 0.3, -1, rounds.x))
    less = statistic.tally(blind, lanes)
    _require(bool((less.rounds <= whole.rounds).all()), "a missing value makes more rounds count")
    empty = statistic.tally(rounds.pick(mixed[:0]), lanes)
    _require(all(not np.any(part) for part in empty), "no rounds must give sums of zero")
    times = rng.integers(0, 4, size=len(mixed))
    repeated = statistic.tally(rounds.pick(np.repeat(np.arange(len(mixed)), times)), lanes)
    same = _equal(statistic.tally(rounds._replace(times=times), lanes), repeated)
    _require(same, "rounds that occurred several times (rounds.times) do not count as often")


Sampler = Callable[[World, Statistic, Plan, np.random.Generator], Tally]


def check_sampler(
    world: World,
    statistic: Statistic,
    plan: Plan,
    lanes: int = 20_000,
    sigma: float = 5.0,
    seed: int = 0,
    sampler: Sampler = tally,
) -> None:
    """Checks that sums drawn directly have the law of sums over rounds: means, variances, covariances within sigma.

    `plan` has one lane, which is played `lanes` times by each path. The default of 5 sigma allows for the thousand or
    so numbers that are compared: by chance one of them exceeds it in about one in two thousand seeds.
    """
    many = Plan(np.repeat(plan.counts, lanes, axis=0))
    drawn = sampler(world, statistic, many, np.random.default_rng(seed))
    rows = tally_of_rows(world, statistic, many, np.random.default_rng(seed + 1))
    for name, one, two in zip(drawn._fields[:5], drawn[:5], rows[:5], strict=True):
        _compare(f"the mean of {name}", one, two, sigma)
        _compare(f"the square of {name}", one**2, two**2, sigma)
        _compare(f"{name} times its neighbour", one * np.roll(one, 1, axis=1), two * np.roll(two, 1, axis=1), sigma)
        total = one.sum(axis=1, keepdims=True), two.sum(axis=1, keepdims=True)
        _compare(f"{name} times the sum of all", one * total[0], two * total[1], sigma)
    _compare("weight times reward", drawn.weight * drawn.reward, rows.weight * rows.reward, sigma)


def _compare(what: str, one: NDArray[np.float64], two: NDArray[np.float64], sigma: float) -> None:
    """Checks that two samples (float[L, K]) have the same means within sigma standard errors."""
    gap = np.abs(one.mean(axis=0) - two.mean(axis=0))
    error = np.sqrt((one.var(axis=0) + two.var(axis=0)) / len(one))
    far = gap > sigma * error + _ROUNDING * (1 + np.abs(two.mean(axis=0)))
    if far.any():
        cell = int(np.argmax(far))
        raise AssertionError(
            f"{what} in cell {cell} is {one[:, cell].mean():.5g} when drawn and {two[:, cell].mean():.5g} from rounds: "
            f"{gap[cell] / max(error[cell], 1e-300):.1f} standard errors apart"
        )


def check_world(world: World, rounds: int = 20_000, sigma: float = 5.0, seed: int = 0) -> None:
    """Checks that the means of a world are those of its rounds within sigma, and that rounds have the values set."""
    rng = np.random.default_rng(seed)
    actions = len(world.problem.actions)
    played = world.rounds(Plan(np.full((1, actions), rounds)), rng)
    for i, action in enumerate(world.problem.actions):
        mine = played.action == i
        mean, true = world.problem.graph.in_unit(float(played.y[mine].mean())), world.means[i]
        worst, best = world.problem.graph.span
        variance = float(played.y[mine].var()) * (best - worst) ** 2
        if world.problem.graph.success is not None:
            variance = true * (1 - true)
        error = np.sqrt(max(variance, 1e-12) / rounds)
        _require(abs(mean - true) <= sigma * error + _ROUNDING, f"{action} has mean {true:.4f}, its rounds {mean:.4f}")
        for name, value in action.items():
            column = world.problem.graph.names.index(name)
            code = world.problem.graph.variable(name).code(value)
            _require(bool((played.x[mine, column] == code).all()), f"{action} does not set {name}")
