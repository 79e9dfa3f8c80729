"""Numbers on which two or three causes act together: how far means are off, and how often intervals hold."""

import functools
import itertools
import math

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Problem, Variable
from bestdo.bandit.rounds import Plan
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.learners.beliefs import families as members
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.simulate import World

KINDS = (
    "none",
    "additive",
    "one pair",
    "all pairs",
    "three and additive",
    "three alone",
    "every cell",
    "zeros, one pair",
)
SIZES = {(3, 2, 3, 2): 400, (2, 2, 2, 2, 2, 2): 200, (3, 4, 3): 100}


def means_of(kind, sizes, rng):
    """The mean of each cell, in spreads of one round."""
    codes = np.indices(sizes)
    main = sum(rng.normal(0, 0.5, s)[c] for s, c in zip(sizes, codes, strict=True))
    pairs = list(itertools.combinations(range(len(sizes)), 2))

    def together(some, sd):
        return rng.normal(0, sd, [sizes[i] for i in some])[tuple(codes[i] for i in some)]

    if kind == "none":
        return np.zeros(sizes)
    if kind in ("one pair", "zeros, one pair"):
        return main + together(pairs[rng.integers(len(pairs))], 0.7)
    if kind == "all pairs":
        return main + sum(together(pair, 0.35) for pair in pairs)
    if kind in ("three and additive", "three alone"):
        return together(rng.permutation(len(sizes))[:3], 0.6) + (main if kind == "three and additive" else 0)
    return main if kind == "additive" else rng.normal(0, 0.6, sizes)


def world_of(kind, sizes, seed):
    """A world in which all variables are causes of a number, and two can be set at once."""
    rng = np.random.default_rng([seed, len(sizes), KINDS.index(kind)])
    names = [f"X{i}" for i in range(len(sizes))]
    variables = [Variable(n, tuple(map(str, range(s)))) for n, s in zip(names, sizes, strict=True)]
    reward, arrows = Variable("Y", number=Number()), [(n, "Y") for n in names]
    graph = Graph.of([*variables, reward], arrows, reward="Y", aim="maximise")
    mean = means_of(kind, sizes, rng)
    zeros = kind.startswith("zeros")
    if zeros:
        mean = 1 + 0.3 * (mean - mean.mean()) / max(mean.std(), 0.1)
        mean = np.maximum(mean, 0.2)
    outcome = Outcome(mean, 1.5 * mean if zeros else np.ones(sizes), "zeros" if zeros else "normal")
    tables = {n: rng.dirichlet(np.full(s, 4.0)) for n, s in zip(names, sizes, strict=True)}
    return World(Problem(graph, Actions.up_to(graph, 2)), Model(graph, tables, {"Y": outcome}))


def judged(kind, sizes, rounds, worlds):
    """The root mean square error of all means, the shares of intervals that hold, of all and of the best, and the regret."""
    found = []
    for seed in range(worlds):
        world = world_of(kind, sizes, seed)
        belief = FamilyBelief(world.problem)
        plan = np.zeros((1, len(world.problem.actions)), np.int64)
        plan[0, 0] = rounds  # watched, nothing set
        watched = world.rounds(Plan(plan), np.random.default_rng(seed))
        got = belief.estimates(belief.statistic.tally(watched, 1), plan.astype(float))
        scale = float(np.std(watched.y))
        holds = (got.low[0] <= world.means) & (world.means <= got.high[0])
        best = got.mean[0].argmax()
        off, lost = np.mean((got.mean[0] - world.means) ** 2) / scale**2, world.means.max() - world.means[best]
        found.append((off, holds.mean(), holds[best], lost / scale))
    off, holds, kept, lost = np.mean(found, axis=0)
    return math.sqrt(off), holds, kept, lost


@functools.cache
def both(kind, sizes, rounds, worlds):
    """The same without interactions among the members, and with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(members, "_MOST_PAIRED", 0)
        without = judged(kind, sizes, rounds, worlds)
    return without, judged(kind, sizes, rounds, worlds)


def test_intervals_hold_where_two_causes_interact():
    """12 worlds; without interactions among the members 0.85 hold and the means are off by 1.4 times as much."""
    (off, holds, *_), (now, hold, *_) = both("one pair", (3, 2, 3, 2), 400, 12)
    assert holds < 0.9 < 0.92 < hold
    assert now < 0.85 * off


@pytest.mark.campaign
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_interactions_help_or_do_no_harm(kind, sizes):
    """60 worlds each; printed with -s: error, intervals that hold, those of the best action, regret, without and with."""
    (off, holds, *_), (now, hold, *_) = found = both(kind, sizes, SIZES[sizes], 60)
    rows = (" ".join(f"{x:.3f}" for x in part) for part in found)
    print(f"\n| {kind} | {' × '.join(map(str, sizes))}, {SIZES[sizes]} | {' | '.join(rows)} |")  # noqa: T201
    assert now < 1.03 * off
    assert hold > min(holds, 0.95) - 0.01
