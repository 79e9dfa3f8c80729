"""Checks of worlds, statistics and samplers; and worlds with a number as the reward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.sums import added
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.simulate.samplers import tally, tally_of_rows
from bestdo.simulate.world import World
from bestdo.testing.lane_tools import equal, require
from bestdo.testing.learner_checks import ROUNDING

__all__ = ["check_sampler", "check_statistic", "check_world", "measured"]


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


def check_statistic(statistic: Statistic, world: World, lanes: int = 3) -> None:
    """Checks that sums add, in any order of the rounds, and that a missing value makes no more rounds count."""
    rng = np.random.default_rng(0)
    plan = Plan(rng.integers(0, 5, size=(lanes, len(world.problem.actions))))
    rounds = world.rounds(plan, rng)
    whole = statistic.tally(rounds, lanes)
    mixed = rng.permutation(len(rounds.lane))
    require(equal(statistic.tally(rounds.pick(mixed), lanes), whole), "the order of the rounds changes the sums")
    half = len(mixed) // 2
    parts = [statistic.tally(rounds.pick(part), lanes) for part in (mixed[:half], mixed[half:])]
    require(equal(added(parts[0], parts[1]), whole), "the sums of two halves are not the sums of the whole")
    blind = rounds._replace(x=np.where(rng.random(rounds.x.shape) < 0.3, -1, rounds.x))
    less = statistic.tally(blind, lanes)
    require(bool((less.rounds <= whole.rounds).all()), "a missing value makes more rounds count")
    empty = statistic.tally(rounds.pick(mixed[:0]), lanes)
    require(all(not np.any(part) for part in empty), "no rounds must give sums of zero")
    times = rng.integers(0, 4, size=len(mixed))
    repeated = statistic.tally(rounds.pick(np.repeat(np.arange(len(mixed)), times)), lanes)
    same = equal(statistic.tally(rounds._replace(times=times), lanes), repeated)
    require(same, "rounds that occurred several times (rounds.times) do not count as often")


_Sampler = Callable[[World, Statistic, Plan, np.random.Generator], Tally]


def check_sampler(
    world: World,
    statistic: Statistic,
    plan: Plan,
    lanes: int = 20_000,
    sigma: float = 5.0,
    seed: int = 0,
    sampler: _Sampler = tally,
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


def _compare(what: str, one: Floats, two: Floats, sigma: float) -> None:
    """Checks that two samples (float[L, K]) have the same means within sigma standard errors."""
    gap = np.abs(one.mean(axis=0) - two.mean(axis=0))
    error = np.sqrt((one.var(axis=0) + two.var(axis=0)) / len(one))
    far = gap > sigma * error + ROUNDING * (1 + np.abs(two.mean(axis=0)))
    if far.any():
        cell = int(np.argmax(far))
        raise AssertionError(
            f"{what} in cell {cell} is {one[:, cell].mean():.5g} when drawn and {two[:, cell].mean():.5g} from rounds: "
            f"{gap[cell] / max(error[cell], 1e-300):.1f} standard errors apart"
        )


_ENOUGH = 20
"""Rounds of an action in a context from which on their mean is compared: fewer are no sample of a normal mean."""


def check_world(world: World, rounds: int = 20_000, sigma: float = 5.0, seed: int = 0) -> None:
    """Checks that the means of a world are those of its rounds within sigma, and that rounds have the values set.

    Where variables are seen first, the means in each context as well, and how often each occurs. Rounds must not show what is
    hidden.
    """
    for name in ("problem", "rounds", "means"):
        require(hasattr(world, name), f"give a world, as bestdo.world('farm'); {type(world).__name__} has no {name}")
    problem, rng = world.problem, np.random.default_rng(seed)
    played = world.rounds(Plan(np.full((1, len(problem.actions)), rounds)), rng)
    for name in problem.graph.hidden:
        require(
            bool((played.x[:, problem.graph.names.index(name)] == -1).all()), f"rounds show {name}, which is hidden"
        )
    for i, action in enumerate(problem.actions):
        mine = played.action == i
        _check_mean(world, str(action), played.y[mine], world.means[i], sigma)
        for name, value in action.items():
            column = problem.graph.names.index(name)
            code = problem.graph.variable(name).code(value)
            require(bool((played.x[mine, column] == code).all()), f"{action} does not set {name}")
    if problem.first:
        _check_contexts(world, played, sigma)


def _check_mean(world: World, what: str, y: Floats, true: float, sigma: float) -> None:
    """Checks that rewards of rounds (float[R], as learners have them) have a mean within sigma of the true one."""
    graph = world.problem.graph
    mean = graph.in_unit(float(y.mean()))
    worst, best = graph.span
    variance = true * (1 - true) if graph.success is not None else float(y.var()) * (best - worst) ** 2
    error = np.sqrt(max(variance, 1e-12) / len(y))
    require(abs(mean - true) <= sigma * error + ROUNDING, f"{what} has mean {true:.4f}, its rounds {mean:.4f}")


def _check_contexts(world: World, played: Rounds, sigma: float) -> None:
    """Checks the mean of each action in each context, and how often contexts occur."""
    means, chance = world.means_by_context
    context = world.problem.contexts.numbers(played.x)
    for c, share in enumerate(chance):
        observed, error = float((context == c).mean()), np.sqrt(max(share * (1 - share), 1e-12) / len(context))
        require(
            abs(observed - share) <= sigma * error + ROUNDING,
            f"context {c} has chance {share:.4f}, in rounds {observed:.4f}",
        )
        for i, action in enumerate(world.problem.actions):
            mine = (context == c) & (played.action == i)
            if mine.sum() >= _ENOUGH:
                _check_mean(world, f"{action} in context {c}", played.y[mine], means[c, i], sigma)
