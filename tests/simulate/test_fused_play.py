"""Simulations by compiled loops end in the same states, with the same random numbers, as those block by block."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bestdo.bandit.learner import Learner
from bestdo.learners.algorithm_1 import ParallelBandit
from bestdo.learners.algorithm_2 import GeneralAlgorithm
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.game import game_of
from bestdo.learners.sequential_halving import SequentialHalving
from bestdo.learners.successive_rejects import SuccessiveRejects
from bestdo.simulate import World, chain, paper_parallel, parallel
from bestdo.simulate.driver import final
from bestdo.simulate.fused_play import fused_final, kept_by_loop
from bestdo.simulate.play import outcomes

SEEN = CausalTopTwo(law=False, seen=True)
WORLDS = {
    "the paper's": paper_parallel(20, 5, 0.3),
    "unequal": parallel([0.3, 0.05, 0.5, 0.9, *[0.5] * 9, *[0.02] * 3], 0.2),
    "all rare": paper_parallel(7, 7, 0.3),
    "two": parallel([0.3, 0.6], 0.2),
}


CLASSICAL = (
    ParallelBandit(),
    GeneralAlgorithm(),
    GeneralAlgorithm(truncation="clip"),
    SuccessiveRejects(),
    SequentialHalving(),
)


def without_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the driver play block by block."""
    monkeypatch.setattr(sys.modules["bestdo.simulate.driver"], "fused", lambda *_: None)
    monkeypatch.setattr(sys.modules["bestdo.simulate.play"], "kept_by_loop", lambda *_: None)


def leaves(state: Any) -> list[Any]:
    """All arrays and numbers of a state."""
    if isinstance(state, tuple):
        return [leaf for part in state for leaf in leaves(part)]
    return [state] if isinstance(state, np.ndarray | float | int) else []


@pytest.mark.parametrize("lanes", [1, 40])
@pytest.mark.parametrize("learner", [CausalTopTwo(law=False), SEEN, CausalTopTwo(seen=True, pairs=3)])
@pytest.mark.parametrize("world", WORLDS)
def test_top_two_is_the_same_to_the_last_bit(
    world: str, learner: CausalTopTwo, lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _same(WORLDS[world], learner, 90, lanes, monkeypatch)


def test_top_two_with_actions_that_cannot_be_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    world = WORLDS["unequal"]
    some = World(replace(world.problem, all_compete=False), world.model)
    assert not some.problem.contenders.all()
    _same(some, SEEN, 60, 20, monkeypatch)


def _same(world: World, learner: Learner[Any], rounds: int, lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    fused = fused_final(world, learner, rounds, lanes, one, None)
    if fused is None:
        assert isinstance(learner, CausalTopTwo)
        assert not learner.seen, "there is a loop for this learner"
        return  # by tables of a few causes: not by this loop
    without_loops(monkeypatch)
    plain = final(world, learner, rounds, lanes, other)
    assert one.bit_generator.state == other.bit_generator.state
    for ours, theirs in zip(leaves(fused), leaves(plain), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(learner.best(fused), learner.best(plain))


@pytest.mark.parametrize(("rounds", "lanes"), [(2, 5), (7, 40), (60, 1), (151, 300), (700, 30), (1300, 5)])
@pytest.mark.parametrize(
    "learner",
    [
        ParallelBandit(),
        GeneralAlgorithm(),
        GeneralAlgorithm(truncation="clip"),
        SuccessiveRejects(),
        SequentialHalving(),
    ],
)
@pytest.mark.parametrize("world", WORLDS)
def test_classical_learners_keep_the_same_actions(
    world: str, learner: Learner[Any], rounds: int, lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = WORLDS[world]
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    by_loop = kept_by_loop(made, game_of(learner, made.problem), rounds, lanes, one)
    assert by_loop is not None, "there is a loop for this learner"
    without_loops(monkeypatch)
    state = final(made, learner, rounds, lanes, other)
    np.testing.assert_array_equal(by_loop, learner.best(state))
    assert one.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize("rounds", [20, 60])
@pytest.mark.parametrize("learner", CLASSICAL)
def test_a_loop_leaves_what_it_was_made_from(learner: Learner[Any], rounds: int) -> None:
    world = paper_parallel(20, 5, 0.3)  # with 41 actions: 20 rounds are too few for phases
    first, one_lane, second = (
        kept_by_loop(world, game_of(learner, world.problem), rounds, lanes, np.random.default_rng(3))
        for lanes in (50, 1, 50)
    )
    assert first is not None
    assert one_lane is not None
    assert second is not None
    np.testing.assert_array_equal(first, second)


def test_classical_learners_with_actions_that_cannot_be_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    world = WORLDS["unequal"]
    some = World(replace(world.problem, all_compete=False), world.model)
    for learner in (ParallelBandit(), GeneralAlgorithm(), SuccessiveRejects()):
        played = [outcomes(some, learner, 90, 50, np.random.default_rng(2)).regret]
        with monkeypatch.context() as patch:
            without_loops(patch)
            played.append(outcomes(some, learner, 90, 50, np.random.default_rng(2)).regret)
        np.testing.assert_array_equal(*played)


def test_summed_regret_and_progress_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[list[tuple[int, int]]] = [[], []]

    def played(which: int) -> Any:
        return outcomes(
            WORLDS["the paper's"],
            SEEN,
            30,
            20,
            np.random.default_rng(1),
            progress=lambda done, all_: told[which].append((done, all_)),
            summed_at=np.array([10.0, 20.0]),
        )

    fused = played(0)
    without_loops(monkeypatch)
    for ours, theirs in zip(fused, played(1), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert told[0] == told[1] != []


def test_other_worlds_and_learners_have_no_loop() -> None:
    rng, start = np.random.default_rng(0), np.random.default_rng(0).bit_generator.state
    assert fused_final(chain(3), SEEN, 10, 2, rng, None) is None
    assert fused_final(WORLDS["two"], replace(SEEN, block=2), 10, 2, rng, None) is None
    assert fused_final(WORLDS["two"], replace(SEEN, check=0.1), 10, 2, rng, None) is None
    assert kept_by_loop(WORLDS["two"], game_of(ParallelBandit.as_in_paper(), WORLDS["two"].problem), 10, 2, rng) is None
    assert (
        kept_by_loop(WORLDS["two"], game_of(GeneralAlgorithm.as_in_authors_code(), WORLDS["two"].problem), 10, 2, rng)
        is None
    )
    assert kept_by_loop(WORLDS["two"], game_of(GeneralAlgorithm(watched=5), WORLDS["two"].problem), 10, 2, rng) is None
    assert rng.bit_generator.state == start
