"""Contract tests for learners, worlds, statistics and samplers; shipped, so that others can test their own.

    from bestdo.testing import check_learner
    check_learner(MyLearner())

Each raises an AssertionError that says in words what is wrong.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import Learner, Ties, with_old
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, do
from bestdo.errors import NotValid
from bestdo.simulate.paper_worlds import parallel
from bestdo.simulate.samplers import tally, tally_of_rows
from bestdo.simulate.world import World

__all__ = ["check_learner", "check_sampler", "check_statistic", "check_world", "one_lane", "relabelled"]


def check_learner(learner: Learner[Any], world: World | None = None, horizon: float = 60, lanes: int = 5) -> None:
    """Everything that simulations and studies rely on, on a small world (the paper's, unless one is given)."""
    world = world or parallel([0.0, 0.1, 0.5, 0.4])
    _say(not isinstance(learner, type), f"give a learner, {learner}(), not its class")
    for name in ("statistic", "start", "ask", "tell", "best", "estimates"):
        _say(callable(getattr(learner, name, None)), f"the learner has no function {name}")
    states, plans, tallies = _played(learner, world, horizon, lanes)
    actions = len(world.problem.actions)
    for block, plan in enumerate(plans):
        counts = plan.counts
        shape = f"block {block}: the plan has shape {counts.shape}, not (lanes, actions)"
        _say(counts.shape == (lanes, actions), shape)
        _say(np.issubdtype(counts.dtype, np.integer), f"block {block}: the plan holds {counts.dtype}: no whole numbers")
        _say(bool((counts >= 0).all()), f"block {block}: the plan has negative counts")
    for block, state in enumerate(states):
        _check_answers(learner, state, lanes, actions, f"after {block} blocks")
    _check_pure(learner, states, plans, tallies)
    played = np.asarray(learner.estimates(states[-1]).played)
    counted = np.sum([plan.counts for plan in plans], axis=0)
    _say(_same(played, counted.astype(float)), "estimates.played is not how often each action was played")
    _check_lanes(learner, states, plans, tallies)
    _check_partial(learner, world, states[0], plans[0], horizon)
    _check_relabelling(learner, world, horizon, lanes)
    _check_old(learner, world, horizon, lanes)
    again = _played(learner, world, horizon, lanes)[0][-1]
    _say(_same(learner.best(again), learner.best(states[-1])), "the same seed gives another recommendation")


def _say(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def _played(
    learner: Learner[Any], world: World, horizon: float, lanes: int
) -> tuple[list[Any], list[Plan], list[Tally]]:
    rng = np.random.default_rng(7)
    statistic = learner.statistic(world.problem, horizon)
    states = [learner.start(world.problem, horizon, lanes, rng)]
    plans: list[Plan] = []
    tallies: list[Tally] = []
    while True:
        before = copy.deepcopy(states[-1])
        plan = learner.ask(states[-1], rng)
        _say(_same(before, states[-1]), "ask changes the state: it must be pure")
        if plan is None:
            break
        _say(hasattr(plan, "counts"), f"ask gives {type(plan).__name__}, not a Plan or None")
        empty = not np.any(plan.counts)
        _say(not empty, f"block {len(plans)}: an empty plan; answer None when all lanes have finished")
        plans.append(plan)
        _check_spent(world.problem, plans, horizon)
        tallies.append(tally(world, statistic, plan, rng))
        states.append(learner.tell(states[-1], plan, tallies[-1]))
    _say(bool(plans), "the learner never asks for a round")
    return states, plans, tallies


def _check_spent(problem: Problem, plans: list[Plan], horizon: float) -> None:
    """Never more than the horizon: rounds, or money where the problem has costs."""
    spent = np.sum([problem.price(np.asarray(p.counts)) for p in plans], axis=0)
    unit = "rounds were planned" if problem.cost is None else "was to be spent"
    _say(bool((spent <= horizon + 1e-6).all()), f"{np.max(spent):g} {unit}, with a horizon of {horizon:g}")
    _say(len(plans) <= horizon / problem.prices.min() + 1e-6, "the learner asks for more blocks than there are rounds")


def _check_answers(learner: Learner[Any], state: Any, lanes: int, actions: int, when: str) -> None:
    best = learner.best(state)
    whole = isinstance(best, np.ndarray) and np.issubdtype(best.dtype, np.integer)
    _say(whole, f"{when}: best gives {type(best).__name__}, not an array of whole numbers, one for each lane")
    _say(best.shape == (lanes,), f"{when}: best has shape {best.shape}, not (lanes,)")
    _say(bool(((best >= 0) & (best < actions)).all()), f"{when}: best is no action")
    found = learner.estimates(state)
    for name in (*found._fields[:5], "p_best"):
        shape = getattr(found, name).shape
        _say(shape == (lanes, actions), f"{when}: estimates.{name} has shape {shape}")
    _say(bool(np.allclose(found.p_best.sum(axis=1), 1)), f"{when}: the probabilities of being best do not add up to 1")
    known = ~np.isnan(found.mean)
    _say(not np.isnan(found.low + found.high).any(), f"{when}: an interval is NaN; say 0 to 1 where nothing is known")
    inside = (found.low <= found.mean + 1e-9) & (found.mean <= found.high + 1e-9)
    _say(bool(inside[known & (found.mean >= 0) & (found.mean <= 1)].all()), f"{when}: a mean lies outside its interval")
    _say(bool((found.played >= 0).all() and (found.seen >= 0).all()), f"{when}: negative numbers of rounds")


def _check_pure(learner: Learner[Any], states: list[Any], plans: list[Plan], tallies: list[Tally]) -> None:
    for state, plan, sums in zip(states, plans, tallies, strict=False):
        before = copy.deepcopy((state, plan, sums))
        one, two = learner.tell(state, plan, sums), learner.tell(state, plan, sums)
        _say(_same(before, (state, plan, sums)), "tell changes what it is given: it must be pure")
        _say(_same(one, two), "tell gives two answers to the same question: it must be deterministic")


def _check_lanes(learner: Learner[Any], states: list[Any], plans: list[Plan], tallies: list[Tally]) -> None:
    lanes = len(plans[0].counts)
    for lane in range(lanes):
        state = one_lane(states[0], lane, lanes)
        for plan, sums in zip(plans, tallies, strict=True):
            state = learner.tell(state, one_lane(plan, lane, lanes), one_lane(sums, lane, lanes))
        _say(
            int(learner.best(state)[0]) == int(learner.best(states[-1])[lane]),
            f"lane {lane} alone gives another recommendation than among {lanes} lanes",
        )
        alone, among = learner.estimates(state), learner.estimates(states[-1])
        for name in (*alone._fields[:5], "p_best"):
            same = _same(getattr(alone, name)[0], getattr(among, name)[lane])
            _say(same, f"lane {lane} alone gives other estimates ({name}) than among {lanes} lanes")


def _check_partial(learner: Learner[Any], world: World, state: Any, plan: Plan, horizon: float) -> None:
    part = Plan(plan.counts // 2)
    statistic = learner.statistic(world.problem, horizon)
    sums = tally(world, statistic, part, np.random.default_rng(1))
    lanes, actions = plan.counts.shape
    _check_answers(learner, learner.tell(state, part, sums), lanes, actions, "after a part of a block")


def _check_relabelling(learner: Learner[Any], world: World, horizon: float, lanes: int) -> None:
    """The same rounds under other numbers of the actions: the same recommendation."""
    order = np.random.default_rng(3).permutation(len(world.problem.actions))
    problem = relabelled(world.problem, order)
    plans = _played(learner, world, horizon, lanes)[1]
    state = learner.start(world.problem, horizon, lanes, np.random.default_rng(7))
    other = learner.start(problem, horizon, lanes, np.random.default_rng(7))
    mine, theirs = learner.statistic(world.problem, horizon), learner.statistic(problem, horizon)
    place = np.argsort(order)  # old number -> new number
    for plan in plans:
        rounds = world.rounds(plan, np.random.default_rng(11))
        state = learner.tell(state, plan, mine.tally(rounds, lanes))
        moved = Plan(plan.counts[:, order])
        other = learner.tell(other, moved, theirs.tally(rounds._replace(action=place[rounds.action]), lanes))
    same = _same(order[learner.best(other)], learner.best(state))
    _say(same, "another order of the actions gives another recommendation: only their names may matter")


def _check_old(learner: Learner[Any], world: World, horizon: float, lanes: int) -> None:
    """Old rounds of do() add to what is known, and use up nothing; or they are refused in words."""
    problem, rng, old = world.problem, np.random.default_rng(5), 40
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
    _check_answers(learner, state, lanes, len(problem.actions), "after old rounds")
    known, apart, before = learner.estimates(state), learner.estimates(parts), learner.estimates(start)
    _say(_same(tuple(known)[:5], tuple(apart)[:5]), "old rounds told in two lots give other estimates than in one")
    _say(not known.played.any(), "old rounds count as played: they were only watched")
    _say(bool((known.seen.sum(axis=1) > before.seen.sum(axis=1)).all()), "old rounds do not add to what is known")
    plans: list[Plan] = []
    while (plan := learner.ask(state, rng)) is not None:
        plans.append(plan)
        _check_spent(problem, plans, horizon)
        state = learner.tell(state, plan, tally(world, statistic, plan, rng))
    _say(bool(plans), "old rounds use up the horizon: no round is asked for after them")
    _check_answers(learner, state, lanes, len(problem.actions), "after old rounds and all new ones")
    counted = np.sum([plan.counts for plan in plans], axis=0).astype(float)
    _say(_same(learner.estimates(state).played, counted), "after old rounds, estimates.played is not what was played")


def relabelled(problem: Problem, order: NDArray[np.integer]) -> Problem:
    """The same problem with its actions in another order."""
    actions = Actions(problem.graph, [problem.actions[int(i)] for i in order])
    law = None if problem.law is None else problem.law.with_actions(actions)
    cost = tuple(problem.cost[int(i)] for i in order) if problem.cost else None
    return replace(problem, actions=actions, law=law, cost=cost)


def one_lane(value: Any, lane: int, lanes: int) -> Any:
    """A state, plan or tally with only one of its lanes."""
    if isinstance(value, np.ndarray):
        return value[lane : lane + 1] if value.ndim and len(value) == lanes else value
    if isinstance(value, Ties):
        made = copy.copy(value)
        made.key = value.key[lane : lane + 1]
        return made
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(one_lane(part, lane, lanes) for part in value))
    if is_dataclass(value) and not isinstance(value, type | Problem):
        held = copy.copy(value)
        for each in fields(value):
            object.__setattr__(held, each.name, one_lane(getattr(value, each.name), lane, lanes))
        return held
    return value


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if np.issubdtype(a.dtype, np.floating):
            return a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=1e-12, equal_nan=True))
        return a.shape == b.shape and bool((a == b).all())
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Ties):
        return _same(a.key, b.key)
    if is_dataclass(a) and not isinstance(a, type | Problem):
        return type(a) is type(b) and all(_same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(_same(v, b[k]) for k, v in a.items())
    return isinstance(a, Problem) or bool(a == b)


def check_statistic(statistic: Statistic, world: World, lanes: int = 3) -> None:
    """Sums add, in any order of the rounds, and a missing value never counts for more than a seen one."""
    rng = np.random.default_rng(0)
    plan = Plan(rng.integers(0, 5, size=(lanes, len(world.problem.actions))))
    rounds = world.rounds(plan, rng)
    whole = statistic.tally(rounds, lanes)
    mixed = rng.permutation(len(rounds.lane))
    _say(_same(statistic.tally(rounds.pick(mixed), lanes), whole), "the order of the rounds changes the sums")
    half = len(mixed) // 2
    parts = [statistic.tally(rounds.pick(part), lanes) for part in (mixed[:half], mixed[half:])]
    _say(_same(parts[0].plus(parts[1]), whole), "the sums of two halves are not the sums of the whole")
    blind = rounds._replace(x=np.where(rng.random(rounds.x.shape) < 0.3, -1, rounds.x))
    less = statistic.tally(blind, lanes)
    _say(bool((less.rounds <= whole.rounds).all()), "a missing value makes more rounds count")
    empty = statistic.tally(rounds.pick(mixed[:0]), lanes)
    _say(all(not np.any(part) for part in empty), "no rounds must give sums of zero")
    times = rng.integers(0, 4, size=len(mixed))
    repeated = statistic.tally(rounds.pick(np.repeat(np.arange(len(mixed)), times)), lanes)
    same = _same(statistic.tally(rounds._replace(times=times), lanes), repeated)
    _say(same, "rounds that occurred several times (rounds.times) do not count as often")


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
    """The sums that are drawn have the law of the sums of rounds: means, variances and covariances within sigma.

    `plan` has one lane, which is played `lanes` times by each path. The default of 5 sigma allows for the thousand or
    so numbers that are compared: by chance one of them exceeds it in about one in two thousand seeds.
    """
    many = Plan(np.repeat(plan.counts, lanes, axis=0))
    drawn = sampler(world, statistic, many, np.random.default_rng(seed))
    rows = tally_of_rows(world, statistic, many, np.random.default_rng(seed + 1))
    for name, one, two in zip(drawn._fields, drawn, rows, strict=True):
        _compare(f"the mean of {name}", one, two, sigma)
        _compare(f"the square of {name}", one**2, two**2, sigma)
        _compare(f"{name} times its neighbour", one * np.roll(one, 1, axis=1), two * np.roll(two, 1, axis=1), sigma)
        total = one.sum(axis=1, keepdims=True), two.sum(axis=1, keepdims=True)
        _compare(f"{name} times the sum of all", one * total[0], two * total[1], sigma)
    _compare("weight times reward", drawn.weight * drawn.reward, rows.weight * rows.reward, sigma)


def _compare(what: str, one: NDArray[np.float64], two: NDArray[np.float64], sigma: float) -> None:
    gap = np.abs(one.mean(axis=0) - two.mean(axis=0))
    error = np.sqrt((one.var(axis=0) + two.var(axis=0)) / len(one))
    far = gap > sigma * error + 1e-9 * (1 + np.abs(two.mean(axis=0)))
    if far.any():
        cell = int(np.argmax(far))
        raise AssertionError(
            f"{what} in cell {cell} is {one[:, cell].mean():.5g} when drawn and {two[:, cell].mean():.5g} from rounds: "
            f"{gap[cell] / max(error[cell], 1e-300):.1f} standard errors apart"
        )


def check_world(world: World, rounds: int = 20_000, sigma: float = 5.0, seed: int = 0) -> None:
    """The means that a world knows are those of its rounds, and what is set is set."""
    rng = np.random.default_rng(seed)
    actions = len(world.problem.actions)
    played = world.rounds(Plan(np.full((1, actions), rounds)), rng)
    for i, action in enumerate(world.problem.actions):
        mine = played.action == i
        mean, true = played.y[mine].mean(), world.means[i]
        error = np.sqrt(max(true * (1 - true), 1e-12) / rounds)
        _say(abs(mean - true) <= sigma * error + 1e-9, f"{action} has mean {true:.4f}, its rounds {mean:.4f}")
        for name, value in action.items():
            column = world.problem.graph.names.index(name)
            code = world.problem.graph.variable(name).code(value)
            _say(bool((played.x[mine, column] == code).all()), f"{action} does not set {name}")
