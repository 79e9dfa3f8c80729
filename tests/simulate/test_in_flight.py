"""Rounds in flight: how many there are, and that nothing else changes."""

import numpy as np
import pytest

import bestdo
from bestdo.errors import BestdoError
from bestdo.simulate import parallel
from bestdo.simulate.driver import final, rounds_in_flight
from support import SINGLE

WORLD = parallel([0.1, 0.5, 0.4])


@pytest.mark.parametrize(("at_once", "delay", "flight"), [(None, 0, 1), (4, 0, 4), (None, 3, 4), (4, 10, 4), (8, 3, 4)])
def test_how_many_are_in_flight(at_once, delay, flight):
    assert rounds_in_flight(at_once, delay) == flight


def test_nonsense_is_refused():
    for at_once, delay in ((0, 0), (None, -1)):
        with pytest.raises(BestdoError, match="is a whole number of at least"):
            bestdo.play(WORLD, "ucb", 10, 2, seed=0, at_once=at_once, delay=delay)


STOP_EARLY = (
    "successive-elimination",
    "successive-rejects",
    "sequential-halving",
    "lucb",
    "track-and-stop",
    "sris",
    "sris-v1",
    "propagating-inference-as-published-with-error",  # rounds down
)


@pytest.mark.parametrize("learner", [name for name in SINGLE if not name.startswith("algorithm-2")])
@pytest.mark.parametrize("flight", [2, 7, 40])
def test_the_horizon_is_used_up_and_no_result_is_lost(learner, flight):
    made = bestdo.learner(learner)
    played = made.estimates(final(WORLD, made, 30, 3, np.random.default_rng(1), flight)).played.sum(axis=1)
    assert (played <= 30).all()
    if learner not in STOP_EARLY:
        assert (played == 30).all()


def test_with_all_rounds_in_flight_nothing_can_be_learned_from_results():
    """Thompson sampling with all rounds out draws from its prior alone: every action is as likely as every other."""
    state = final(WORLD, bestdo.learner("thompson"), 60, 200, np.random.default_rng(2), 60)
    share = state.played.sum(axis=0) / state.played.sum()
    sigma = np.sqrt(share.mean() * (1 - share.mean()) / state.played.sum())
    assert np.abs(share - 1 / share.size).max() < 4 * sigma  # 4 sigma
