"""Where the belief in families ends and that in columns begins: regret of both, and of counts, on either side."""

import time
from functools import lru_cache, partial
from zlib import crc32

import numpy as np
import pytest

from bestdo.learners import causal_top_two
from bestdo.learners.beliefs import column_belief, family_belief
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.research.figures import world_builders as builders
from bestdo.simulate import final
from bestdo.simulate.random_rows import additive, first_parent, first_parents
from bestdo.statistics.seen import Seen

REWARDS = {
    "2 matter, rare": (partial(first_parents, base=0.5, number=2), builders.RARE, builders.FIRST),
    "1 matters, never seen": (partial(first_parent, base=0.8, effect=1.5), builders.NEVER, builders.FIRST),
    "additive": (partial(additive, base=0.5),),
}


@lru_cache
def families(problem, horizon=None):
    return family_belief.FamilyBelief(problem)


@lru_cache
def columns(problem, horizon=None):
    return column_belief.ColumnBelief(problem)


@lru_cache
def counts(problem, horizon=None):
    return CountBelief(problem, Seen(problem), problem.rounds(horizon))


def regret(number, name, times, believed, lanes, monkeypatch):
    """Mean regret and its standard error after so many rounds for each action; prints them and the time of a round."""
    monkeypatch.setattr(family_belief, "MOST_WORK", 2**20)
    monkeypatch.setattr(causal_top_two, "believed", believed)
    rng = np.random.default_rng([1, number, crc32(name.encode())])
    worlds, who = builders.parallel_causes(number, *REWARDS[name]).worlds(lanes, rng), CausalTopTwo(law=False)
    rounds, start = times * len(worlds.problem.actions), time.process_time()
    best = who.best(final(worlds, who, rounds, lanes, rng))
    each = 1e6 * (time.process_time() - start) / lanes / rounds
    found = worlds.means.max(axis=1) - worlds.means[np.arange(lanes), best]
    mean, error = found.mean(), found.std() / np.sqrt(lanes)
    print(f"{number} {name} {times} K {believed.__name__} {mean:.4f} ± {error:.4f}, {each:.0f} µs")  # noqa: T201
    return mean, error


def test_beliefs_are_exchanged(monkeypatch):
    """Ten lanes of three causes: all beliefs are asked, and say different things."""
    found = [regret(3, "additive", 2, believed, 10, monkeypatch) for believed in (families, columns, counts)]
    assert len(set(found)) == 3


@pytest.mark.campaign
@pytest.mark.parametrize(("number", "lanes"), [(6, 400), (8, 300)])
def test_up_to_eight_causes_families_are_not_worse_than_counts(number, lanes, monkeypatch):
    """The sum over three classes and two horizons; 2 sigma. docs/explanation/learners.md has the numbers."""
    sums = []
    for believed, many in ((families, lanes), (counts, 600)):
        found = [regret(number, name, t, believed, many, monkeypatch) for name in REWARDS for t in (2, 10)]
        sums.append((sum(mean for mean, _ in found), np.hypot.reduce([error for _, error in found])))
    (ours, error), (theirs, other) = sums
    assert ours < theirs + 2 * np.hypot(error, other)


@pytest.mark.campaign
@pytest.mark.parametrize(("number", "lanes"), [(10, 300), (16, 150)])
def test_with_more_causes_columns_are_not_worse_than_counts(number, lanes, monkeypatch):
    """In each class and at each horizon; 2 sigma. docs/explanation/learners.md has the numbers."""
    for name in REWARDS:
        for t in (2, 10):
            (ours, error), (theirs, other) = (
                regret(number, name, t, believed, many, monkeypatch)
                for believed, many in ((columns, lanes), (counts, 600))
            )
            assert ours < theirs + 2 * np.hypot(error, other), name


@pytest.mark.campaign
def test_with_ten_causes_columns_are_not_worse_than_families(monkeypatch):
    """The sum over three classes and two horizons; 2 sigma. A round in families takes five times as long there."""
    sums = []
    for believed in (columns, families):
        found = [regret(10, name, t, believed, 150, monkeypatch) for name in REWARDS for t in (2, 10)]
        sums.append((sum(mean for mean, _ in found), np.hypot.reduce([error for _, error in found])))
    (ours, error), (theirs, other) = sums
    assert ours < theirs + 2 * np.hypot(error, other)
