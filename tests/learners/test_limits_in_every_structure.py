"""What studies say of limits in every structure, and whether a limit that always holds does: `pytest -m campaign -s FILE`.

The numbers are those of docs/results/limits.md. Standard errors are over worlds: studies of one world depend on each other.
"""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest

from learners.limit_structures import BINS, LIMITS, SHAPES, everybody, explored, said_by, world_of

MOMENTS = 10, 20, 50, 100, 200
LEARNERS = "causal-top-two", "top-two", "thompson"
SEED = 40
WATCHED = (
    ("parallel causes", 0),
    ("parallel causes", 200),
    ("mediator", 0),
    ("back door", 200),
    ("contexts, watched", 0),
)


def statements(names, learners, worlds, lanes, seed, moments=MOMENTS):
    """Statements with 0.8 or more: float[S, 6] of structure, world, rounds, probability, truth, and whether recommended."""
    rows = []
    for name in names:
        place = list(SHAPES).index(name)
        for k, learner in ((k, learner) for k in range(worlds) for learner in learners):
            rng = np.random.default_rng([seed, k, place, len(learner)])
            for said in said_by(world := world_of(rng, name, LIMITS[k % len(LIMITS)]), learner, moments, lanes, rng):
                kept = said.kept[:, :, None] == np.arange(said.probability.shape[2])
                sure = said.probability >= BINS[0]
                true = np.broadcast_to(~world.breaks_by_context, sure.shape)
                which = np.full(sure.sum(), 100 * place + k), np.full(sure.sum(), said.rounds)
                rows.append(
                    np.stack([np.full(sure.sum(), place), *which, said.probability[sure], true[sure], kept[sure]])
                )
    return np.concatenate(rows, axis=1).T


def shares(rows):
    """For each bin of probabilities what is said, what is true, its standard error over worlds, and how many there are."""
    found = []
    for low, high in pairwise(BINS):
        some = rows[(rows[:, 3] >= low) & (rows[:, 3] < high)]
        if len(some):
            beside = some[:, 4] - some[:, 3]
            by_world = np.bincount(some[:, 1].astype(int), beside - beside.mean())
            error = np.sqrt((by_world**2).sum()) / len(some)
            found.append((some[:, 3].mean(), some[:, 4].mean(), error, len(some)))
    return found


def write(*words):
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def shown(title, rows):
    """A line with said, true (standard error) and how many, for each bin."""
    write(f"{title:32s}", " | ".join(f"{s:.2f} {t:.2f} ({e:.2f}) {n:5d}" for s, t, e, n in shares(rows)))


@pytest.mark.campaign
def test_what_is_said_with_eight_tenths_or_more_is_true():
    """Five worlds of each structure for each of three learners, four studies of 200 rounds: within 0.05, and 2 sigma."""
    rows = statements(SHAPES, LEARNERS, 5, 4, SEED)
    write()
    for title, some in (("all actions", rows), ("recommended", rows[rows[:, 5] == 1])):
        shown(title, some)
        for moment in MOMENTS:
            shown(f"  after {moment} rounds", some[some[:, 2] == moment])
        for place, name in enumerate(SHAPES):
            shown(f"  {name}", some[some[:, 0] == place])
    for some in (rows, rows[rows[:, 5] == 1]):
        for said, true, error, _ in shares(some):
            assert true >= said - 0.05 - 2 * error


@pytest.mark.campaign
def test_what_is_said_of_everybody_is_true():
    """30 worlds with contexts, four studies each."""
    said, true, world = [], [], []
    for k in range(30):
        rng = np.random.default_rng([SEED, k])
        name = ("contexts", "contexts, hidden causes", "contexts, watched")[k % 3]
        own = world_of(rng, name, LIMITS[k % len(LIMITS)], over="everybody")
        chance, right = everybody(own, "causal-top-two", (50, 200)[k % 2], 4, rng)
        said, true, world = [*said, *chance], [*true, *right], [*world, *[k] * 4]
    rows = np.array([np.zeros(len(said)), world, np.zeros(len(said)), said, true, np.ones(len(said))]).T
    shown("rules over everybody", rows)
    for chance, right, error, _ in shares(rows):
        assert right >= chance - 0.05 - 2 * error


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "old"), WATCHED)
def test_a_limit_that_always_holds_is_broken_in_at_most_the_stated_share_of_studies(name, old):
    """Five worlds with limits of 10 and 30 %, do() named as safe, 125 studies of 120 rounds, old data or none."""
    found = {True: [], False: []}
    for k in range(400):
        limit = (0.1, 0.3)[k % 2]
        worlds = {always: world_of(np.random.default_rng([SEED, k]), name, limit, **how(always)) for always in found}
        breaks = worlds[True].breaks_by_context
        if breaks[:, 0].any() or not breaks.any():
            continue
        for always, world in worlds.items():
            found[always].append(explored(world, "causal-top-two", 120, 25, np.random.default_rng([SEED, k, 1]), old))
        if len(found[True]) == 5:
            break
    for always, studies in found.items():
        each = [[(one.broken > 0).mean(), one.broken.mean(), one.regret.mean(), one.kept.mean()] for one in studies]
        mean, error = np.mean(each, 0), np.std(each, 0) / len(each) ** 0.5
        words = (f"{m:.3f} ({e:.3f})" for m, e in zip(mean, error, strict=True))
        write(name, "old", old, "always" if always else "answer", "| studies, rounds, regret, kept:", *words)
        if always:
            assert mean[0] <= 0.1 + 2 * (0.09 / 125) ** 0.5


def how(always):
    """The fields of a limit that holds while exploring, too, or for the answer alone."""
    return {"always": True, "safe": ["do()"]} if always else {}
