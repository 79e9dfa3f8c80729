"""Checks of all that simulations and studies rely on in a learner."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import numpy as np

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner, next_plan, traits, with_old
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.sums import added
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.errors import BestdoError, NotValid
from bestdo.learners.older_learners import current, is_older
from bestdo.simulate.paper_worlds import arms, confounded, parallel
from bestdo.simulate.samplers import tally
from bestdo.simulate.world import World
from bestdo.testing.ask_checks import check_counts, check_lanes_of_plans, check_order_of_plans, spread_states
from bestdo.testing.lane_tools import BrokenContract, equal, failure, one_lane, relabelled, require

__all__ = ["ROUNDING", "check_learner"]

ROUNDING = 1e-9
"""The rounding error allowed in a mean or an interval."""
_EQUAL_MEANS = 1e-6
"""Means that differ by less may be ties to a learner, as they are to Algorithm 2."""
_OVERSPENT = 1e-6
"""The rounding error allowed in the sum of costs."""
_OLD_ROUNDS = 40
"""The number of old rounds that a learner is told."""
_FUNCTIONS = {
    "statistic": ("problem", "horizon"),
    "start": ("problem", "horizon", "lanes", "rng"),
    "ask": ("state", "request", "rng"),
    "tell": ("state", "plan", "tally"),
    "best": ("state",),
    "estimates": ("state",),
}
"""The arguments of each function of a learner."""


def check_learner(
    learner: Learner[Any],
    world: World | None = None,
    horizon: float = 60,
    lanes: int = 5,
    *,
    plans_in_any_order: bool = True,
) -> None:
    """Checks all that simulations and studies rely on, on a small world (the paper's, unless one is given).

    learner: an object. world, horizon and lanes: what it is tried on; without a world it is the first of four that the
    learner does not refuse by NotValid: parallel causes, a cause of several others, whose law is a table of all states,
    arms without a law, and a single cause. plans_in_any_order: whether its plans, too,
    and not the recommendation alone, must not depend on the order in which actions are listed. Raises BrokenContract, an
    AssertionError, which says what is wrong (and where the learner fails, in which file and line); it returns nothing
    where all is well.

    >>> import bestdo
    >>> bestdo.check_learner(bestdo.learners.UCB(alpha=1.0))
    """
    try:
        _check_functions(learner)
        _check_all(current(learner), world, horizon, lanes, plans_in_any_order)
    except (BestdoError, AssertionError):
        raise
    except Exception as error:
        raise BrokenContract(failure(learner, error)) from error


def _check_all(
    learner: Learner[Any], world: World | None, horizon: float, lanes: int, plans_in_any_order: bool
) -> None:
    """All checks of what the functions return, one after the other."""
    for name in () if world is None else ("problem", "rounds"):
        require(hasattr(world, name), f"give a world, as bestdo.world('farm'); {type(world).__name__} has no {name}")
    world = world or _suitable_world(learner, horizon, lanes)
    states, plans, tallies = _play(learner, world, horizon, lanes)
    for block, state in enumerate(states):
        _check_answers(learner, world.problem, state, lanes, f"after {block} blocks")
    _check_pure(learner, states, plans, tallies)
    played = np.asarray(learner.estimates(states[-1]).played)
    planned = np.sum([plan.counts for plan in plans], axis=0)
    require(equal(played, planned.astype(float)), "estimates.played is not how often each action was played")
    _check_lanes(learner, states, plans, tallies)
    for block in spread_states(len(plans)):
        check_lanes_of_plans(learner, states[block], plans[0].counts.shape, f"after {block} blocks")
    _check_partial(learner, world, states[0], plans[0], horizon)
    _check_relabelling(learner, world, plans, horizon, plans_in_any_order)
    _check_old(learner, world, horizon, lanes)
    if traits(learner).any_time:
        _check_any_time(learner, world, horizon, lanes)
    again = _play(learner, world, horizon, lanes)[0][-1]
    require(equal(learner.best(again), learner.best(states[-1])), "the same seed gives another recommendation")


def _check_functions(learner: Any) -> None:
    """Checks that an object is a learner and that its functions take the arguments that they are called with."""
    require(not isinstance(learner, str), f"give a learner, as bestdo.learner({learner!r}), not its name")
    if isinstance(learner, type):
        require(False, f"give a learner, {learner.__name__}(), not its class")
    older = {"ask": ("state", "rng")} if is_older(type(learner)) else {}
    for name, arguments in (_FUNCTIONS | older).items():
        function = getattr(learner, name, None)
        require(callable(function), f"the learner has no function {name}")
        assert function is not None
        try:
            takes = inspect.signature(function)
            takes.bind(*arguments)
        except TypeError:
            require(
                False,
                f"{name} takes {takes}, and is called as {name}({', '.join(arguments)}); a function that is taken from "
                "elsewhere is written as staticmethod(…)",
            )
        except ValueError:  # a compiled function that says nothing of its arguments
            continue


def _suitable_world(learner: Learner[Any], horizon: float, lanes: int) -> World:
    """The first of a few small worlds on which the learner starts."""
    refused = []
    several = parallel([0.0, 0.1, 0.5, 0.4]), confounded([0.1, 0.4, 0.4], [0.3, 0.7, 0.7]), arms([0.2, 0.5, 0.9])
    for world in (*several, parallel([0.3])):
        try:
            learner.start(world.problem, horizon, lanes, np.random.default_rng(7))
        except NotValid as error:
            refused.append(str(error))
        else:
            return world
    why = "; ".join(dict.fromkeys(refused))
    raise BrokenContract(f"the learner refuses all worlds of this check: give one that suits it as `world` ({why})")


def _check_any_time(learner: Learner[Any], world: World, horizon: float, lanes: int) -> None:
    """Checks a learner that can be asked while results are still to come: by whatever order these come back in."""
    rng, actions = np.random.default_rng(8), len(world.problem.actions)
    statistic = learner.statistic(world.problem, horizon)
    first = learner.start(world.problem, horizon, lanes, rng)
    before, out, flight = copy.deepcopy(first), np.zeros((lanes, actions), np.int64), []
    for _ in range(4):
        plan = next_plan(learner, first, Request(out=out), rng)
        require(plan is not None, f"with {out.sum(axis=1).max()} of {horizon:g} rounds in flight it asks for no more")
        assert plan is not None
        flight.append((plan, tally(world, statistic, plan, rng)))
        out = out + plan.counts
    require(equal(before, first), "ask with rounds in flight changes the state: it must be pure")
    ends = []
    for order in (flight, flight[::-1]):
        state = first
        for plan, sums in order:
            state = learner.tell(state, plan, sums)
        ends.append(learner.estimates(state))
    require(equal(ends[0], ends[1]), "results in another order give other estimates")


def _play(learner: Learner[Any], world: World, horizon: float, lanes: int) -> tuple[list[Any], list[Plan], list[Tally]]:
    """Plays all rounds: the states (one more than blocks), the plans and the tallies; checks each plan."""
    rng = np.random.default_rng(7)
    statistic = learner.statistic(world.problem, horizon)
    states = [learner.start(world.problem, horizon, lanes, rng)]
    plans: list[Plan] = []
    tallies: list[Tally] = []
    while True:
        before = copy.deepcopy(states[-1])
        plan = learner.ask(states[-1], Request(), rng)
        require(equal(before, states[-1]), "ask changes the state: it must be pure")
        if plan is None:
            break
        require(hasattr(plan, "counts"), f"ask gives {type(plan).__name__}, not a Plan or None")
        check_counts(plan.counts, lanes, len(world.problem.actions), len(plans))
        plans.append(plan)
        _check_spent(world.problem, plans, horizon)
        tallies.append(tally(world, statistic, plan, rng))
        states.append(learner.tell(states[-1], plan, tallies[-1]))
    require(bool(plans), "the learner never asks for a round")
    return states, plans, tallies


def _check_spent(problem: Problem, plans: list[Plan], horizon: float) -> None:
    """Checks that the plans use no more than the horizon: rounds, or costs where the problem has them."""
    spent = np.sum([problem.price(np.asarray(p.counts)) for p in plans], axis=0)
    planned = problem.unit.words(problem.unit.planned, np.max(spent))
    require(bool((spent <= horizon + _OVERSPENT).all()), f"{planned}, with a horizon of {horizon:g}")
    require(
        len(plans) <= horizon / problem.prices.min() + _OVERSPENT,
        "the learner asks for more blocks than there are rounds",
    )


def _check_answers(learner: Learner[Any], problem: Problem, state: Any, lanes: int, when: str) -> None:
    """Checks the shapes and ranges of the recommendation and the estimates."""
    best, actions = learner.best(state), len(problem.actions)
    whole = isinstance(best, np.ndarray) and np.issubdtype(best.dtype, np.integer)
    require(whole, f"{when}: best gives {type(best).__name__}, not an array of whole numbers, one for each lane")
    require(best.shape == (lanes,), f"{when}: best has shape {best.shape}, not (lanes,)")
    require(bool(((best >= 0) & (best < actions)).all()), f"{when}: best is no action")
    estimates = learner.estimates(state)
    require(
        isinstance(estimates, Estimates),
        f"{when}: estimates gives {type(estimates).__name__}, not Estimates; "
        "bestdo.learners.wilson_estimates(state) makes them",
    )
    p_best = estimates.p_best  # worked out at each look
    for name, part in [*((name, getattr(estimates, name)) for name in estimates._fields[:5]), ("p_best", p_best)]:
        require(part.shape == (lanes, actions), f"{when}: estimates.{name} has shape {part.shape}")
    require(
        bool(np.allclose(p_best.sum(axis=1), 1)),
        f"{when}: the probabilities of being best do not add up to 1",
    )
    known = ~np.isnan(estimates.mean)
    require(
        not (np.isnan(estimates.low) | np.isnan(estimates.high)).any(),
        f"{when}: an interval is NaN; give 0 to 1 where nothing is known, or infinite ends where there are no bounds",
    )
    inside = (estimates.low <= estimates.mean + ROUNDING) & (estimates.mean <= estimates.high + ROUNDING)
    require(
        bool(inside[known & (~np.array(estimates.bounded) | ((estimates.mean >= 0) & (estimates.mean <= 1)))].all()),
        f"{when}: a mean lies outside its interval",
    )
    require(bool((estimates.played >= 0).all() and (estimates.seen >= 0).all()), f"{when}: negative numbers of rounds")
    require(
        bool(problem.contenders[best].all()), f"{when}: best is an action that cannot be the best (problem.contenders)"
    )
    require(
        not p_best[:, ~problem.contenders].any(),
        f"{when}: an action that cannot be the best has a share of p_best; say estimates._replace(contenders=…)",
    )
    open_ = problem.contenders & (known if estimates.dropped is None else known & ~estimates.dropped)
    top = np.where(open_, estimates.mean, -np.inf).max(axis=1)
    kept = np.where(open_, estimates.mean, -np.inf)[np.arange(lanes), best]
    require(
        bool((~open_.any(axis=1) | (kept >= top - _EQUAL_MEANS)).all()),
        f"{when}: best is not the action with the highest of the means that estimates gives, of those not dropped",
    )


def _check_pure(learner: Learner[Any], states: list[Any], plans: list[Plan], tallies: list[Tally]) -> None:
    """Checks that `tell` changes none of its arguments and gives the same state again."""
    for state, plan, sums in zip(states, plans, tallies, strict=False):
        before = copy.deepcopy((state, plan, sums))
        one, two = learner.tell(state, plan, sums), learner.tell(state, plan, sums)
        require(equal(before, (state, plan, sums)), "tell changes what it is given: it must be pure")
        require(equal(one, two), "tell gives two states for the same arguments: it must be deterministic")


def _check_lanes(learner: Learner[Any], states: list[Any], plans: list[Plan], tallies: list[Tally]) -> None:
    """Checks that each lane alone gives the same recommendation and estimates as among the others."""
    lanes = len(plans[0].counts)
    best, among = learner.best(states[-1]), _numbers(learner, states[-1])
    for lane in range(lanes):
        state = one_lane(states[0], lane, lanes)
        for plan, sums in zip(plans, tallies, strict=True):
            state = learner.tell(state, one_lane(plan, lane, lanes), one_lane(sums, lane, lanes))
        require(
            int(learner.best(state)[0]) == int(best[lane]),
            f"lane {lane} alone gives another recommendation than among {lanes} lanes",
        )
        for name, alone in _numbers(learner, state).items():
            same = equal(alone[0], among[name][lane])
            require(same, f"lane {lane} alone gives other estimates ({name}) than among {lanes} lanes")


def _numbers(learner: Learner[Any], state: Any) -> dict[str, Any]:
    """The numbers of the estimates, each by its name."""
    estimates = learner.estimates(state)
    return {name: getattr(estimates, name) for name in (*estimates._fields[:5], "p_best")}


def _check_partial(learner: Learner[Any], world: World, state: Any, plan: Plan, horizon: float) -> None:
    """Checks that the learner answers after a part of its first block: nothing in one half of the lanes."""
    part = Plan((plan.counts + 1) // 2)
    part.counts[: len(part.counts) // 2] = 0
    statistic = learner.statistic(world.problem, horizon)
    sums = tally(world, statistic, part, np.random.default_rng(1))
    after = learner.tell(state, part, sums)
    _check_answers(learner, world.problem, after, len(plan.counts), "after a part of a block")


def _check_relabelling(
    learner: Learner[Any], world: World, plans: list[Plan], horizon: float, with_plans: bool
) -> None:
    """Checks that another order of the actions gives the same plans and the same recommendation from the same rounds."""
    cycle = np.random.default_rng(3).permutation(len(world.problem.actions))
    order = np.empty_like(cycle)
    order[cycle] = np.roll(cycle, 1)  # every action moves, where there are two
    problem = relabelled(world.problem, order)
    lanes = len(plans[0].counts)
    state = learner.start(world.problem, horizon, lanes, np.random.default_rng(7))
    other = learner.start(problem, horizon, lanes, np.random.default_rng(7))
    mine, theirs = learner.statistic(world.problem, horizon), learner.statistic(problem, horizon)
    place = np.argsort(order)  # old index -> new index
    for block, plan in enumerate(plans):
        if with_plans and block in spread_states(len(plans)):
            check_order_of_plans(learner, state, other, order, lanes, f"after {block} blocks")
        rounds = world.rounds(plan, np.random.default_rng(11))
        state = learner.tell(state, plan, mine.tally(rounds, lanes))
        moved = Plan(plan.counts[:, order])
        other = learner.tell(other, moved, theirs.tally(rounds._replace(action=place[rounds.action]), lanes))
    same = equal(order[learner.best(other)], learner.best(state))
    require(same, "another order of the actions gives another recommendation: only their names may matter")


def _check_old(learner: Learner[Any], world: World, horizon: float, lanes: int) -> None:
    """Checks that old rounds of do() add knowledge and use up no horizon, or are refused by NotValid."""
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
        state = learner.tell(start, nothing, added(sums[0], sums[1]))
    except NotValid:
        return
    parts = learner.tell(learner.tell(start, nothing, sums[0]), nothing, sums[1])
    _check_answers(learner, problem, state, lanes, "after old rounds")
    known, apart, before = learner.estimates(state), learner.estimates(parts), learner.estimates(start)
    require(equal(tuple(known)[:5], tuple(apart)[:5]), "old rounds told in two parts give other estimates than at once")
    require(not known.played.any(), "old rounds count as played: they were only watched")
    require(
        bool((known.seen.sum(axis=1) > before.seen.sum(axis=1)).all()),
        "old rounds do not add to what is known; if they are not valid for this learner, tell must raise NotValid",
    )
    plans: list[Plan] = []
    while (plan := learner.ask(state, Request(), rng)) is not None:
        plans.append(plan)
        _check_spent(problem, plans, horizon)
        state = learner.tell(state, plan, tally(world, statistic, plan, rng))
    require(bool(plans), "old rounds use up the horizon: no round is asked for after them")
    _check_answers(learner, problem, state, lanes, "after old rounds and all new ones")
    planned = np.sum([plan.counts for plan in plans], axis=0).astype(float)
    require(
        equal(learner.estimates(state).played, planned), "after old rounds, estimates.played is not what was played"
    )
