"""Every learner with rewards that are numbers, with and without bounds: it plays, or refuses in words."""

import numpy as np
import pytest

from bestdo.bandit.estimate import in_unit, of_each
from bestdo.causal.number import Number
from bestdo.errors import NotValid
from bestdo.learners import LEARNERS, learner
from bestdo.simulate import final, parallel
from bestdo.testing import measured

NUMBERS = {
    "bounds": Number(-5, 20),
    "spread": Number(spread=2.0),
    "nothing": Number(),
}
NEEDS_BOUNDS = ("algorithm-2-as-in-paper", "algorithm-2-as-in-authors-code", "track-and-stop")
NEEDS_SPREAD = ("ucb", "lucb", "c-ucb", "successive-elimination")


def refused(name, kind):
    return (name in NEEDS_BOUNDS and kind != "bounds") or (name in NEEDS_SPREAD and kind == "nothing")


@pytest.mark.parametrize("aim", ["maximise", "minimise"])
@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_plays_numbers_or_says_what_is_missing(name, kind, aim):
    world = measured(parallel([0.0, 0.3, 0.5]), NUMBERS[kind], aim=aim)
    made, lanes = learner(name), 4
    if refused(name, kind):
        with pytest.raises(NotValid, match=r"needs bounds of the reward .*say low and high"):
            made.start(world.problem, 60, lanes, np.random.default_rng(0))
        return
    state = final(world, made, 60, lanes, np.random.default_rng(0))
    found = made.estimates(state)
    mean, low, high = in_unit(found, world.problem.actions)
    known = ~np.isnan(mean) & (found.seen >= 5)
    assert known.any(axis=1).all()
    distance = np.abs(mean - world.means)[known]
    assert distance.max() < (10 if kind == "bounds" else 1.6)  # 0.4 of the range of its rewards
    assert (low <= high).all()
    assert np.allclose(found.p_best.sum(axis=1), 1)
    listed = of_each(found, world.problem.actions)
    best = listed[int(made.best(state)[0])]
    open_ = [e for e in listed if e.known and e.contender and not e.dropped]
    assert best.mean == (min if aim == "minimise" else max)(e.mean for e in open_)
