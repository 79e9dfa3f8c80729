"""Numbers on which two or three causes act together: how far means are off, and how often intervals hold."""

import functools
import itertools
import math

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Problem, Variable, do
from bestdo.bandit.estimate import in_unit
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


def training(two_values=False):
    """Injury and exercise interact; exercises at home and pain, of which visits and age are causes too, add to them."""
    sizes = {"age": 3, "injury": 3, "exercise": 3, "visits": 3, "home": 2, "pain": 2}
    variables = [Variable(n, tuple(map(str, range(s)))) for n, s in sizes.items()]
    causes = {"home": ("age", "visits"), "pain": ("exercise", "visits", "injury", "age")}
    causes["score"] = ("exercise", "home", "injury", "pain")
    arrows = [(p, n) for n, parents in causes.items() for p in parents]
    reward = Variable("score") if two_values else Variable("score", number=Number(-20, 60))
    graph = Graph.of([*variables, reward], arrows, reward="score", aim=None if two_values else "maximise")
    age, visits = np.indices((3, 3))
    home = 0.45 + 0.15 * visits + 0.1 * (age == 2)
    exercise, visits, injury, age = np.indices((3, 3, 3, 3))
    pain = 0.05 + 0.04 * visits + (exercise == 0) * (0.1 + 0.12 * (age == 2) + 0.1 * (injury == 2))
    exercise, at_home, injury, hurts = np.indices((3, 2, 3, 2))
    shoulder = (injury == 1) * np.array([-3, 5, 0])[exercise]
    mean = np.array([16, 11, 12])[exercise] + shoulder + 6.0 * at_home - 8.0 * hurts
    tables = {n: np.full(s, 1 / s) for n, s in sizes.items()}
    tables |= {n: np.stack([1 - p, p], axis=-1) for n, p in (("home", home), ("pain", pain))}
    if two_values:
        chance = 1 / (1 + np.exp(-(mean - 14) / 5))
        tables["score"] = np.stack([1 - chance, chance], axis=-1)
    roots = itertools.product(*(range(sizes[n]) for n in ("age", "injury", "exercise", "visits")))
    actions = Actions(graph, [do(), *(do(age=a, injury=i, exercise=e, visits=v) for a, i, e, v in roots)])
    outcomes = None if two_values else {"score": Outcome(mean, np.full(mean.shape, 7.0), "beta")}
    return World(Problem(graph, actions), Model(graph, tables, outcomes))


def in_contexts(world, logs, rounds=400):
    """The root mean square error of all means, and how many intervals hold of all, and of the best of each age and injury."""
    off, every, kept = [], [], []
    for seed in range(logs):
        belief = FamilyBelief(world.problem)
        plan = np.zeros((1, len(world.problem.actions)), np.int64)
        plan[0, 0] = rounds
        watched = world.rounds(Plan(plan), np.random.default_rng(seed))
        found = belief.estimates(belief.statistic.tally(watched, 1), plan.astype(float))
        mean, low, high = (x[0, 1:].reshape(9, 9) for x in in_unit(found, world.problem.actions))
        truth = world.means[1:].reshape(9, 9)
        holds = (low <= truth) & (truth <= high)
        off.append((mean - truth) ** 2)
        every.append(holds.mean())
        kept.append(holds[np.arange(9), mean.argmax(axis=1)].mean())
    return math.sqrt(np.mean(off)), np.mean(every), np.mean(kept)


@pytest.mark.campaign
@pytest.mark.parametrize("two_values", [False, True])
def test_a_study_with_one_interaction(two_values):
    """32 logs of 400 rows; printed with -s: error, intervals that hold, those of the best action, without and with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(members, "_MOST_PAIRED", 0)
        without = in_contexts(training(two_values), 32)
    found = in_contexts(training(two_values), 32)
    print(f"\n{two_values}: {without} {found}")  # noqa: T201
    if two_values:
        assert found == without
    else:
        assert without[2] < 0.85
        assert found[2] > 0.93
        assert found[0] < 0.9 * without[0]
