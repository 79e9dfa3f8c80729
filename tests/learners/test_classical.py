"""What the classical learners are known to do."""

import numpy as np
import pytest

from bestdo.learners.sequential_halving import SequentialHalving
from bestdo.learners.successive_elimination import SuccessiveElimination
from bestdo.learners.successive_rejects import SuccessiveRejects
from bestdo.learners.top_two import TopTwo
from bestdo.simulate import arms, as_bandit, confounded, final, play


def test_the_schedule_of_successive_rejects_is_the_published_one():
    # K = 4, T = 100: log-bar = 1/2 + 1/2 + 1/3 + 1/4 = 19/12; n_k = ceil(96 / (19/12 (5 - k))) = 16, 21, 31
    assert SuccessiveRejects.schedule(4, 100) == [(16, 3), (5, 2), (10, 1)]
    for actions, horizon in ((7, 60), (101, 400), (101, 4000), (3, 10)):
        plan = SuccessiveRejects.schedule(actions, horizon)
        alive, spent = actions, 0
        for plays, keep in plan:
            spent += plays * alive
            alive = keep
        assert alive == 1
        assert spent <= horizon


def test_sequential_halving_halves_and_spends_what_there_is():
    assert [keep for _, keep in SequentialHalving.schedule(8, 240)] == [4, 2, 1]
    assert [plays for plays, _ in SequentialHalving.schedule(8, 240)] == [10, 20, 40]
    for actions, horizon in ((101, 400), (7, 20), (5, 7), (16, 1000)):
        alive, spent = actions, 0
        for plays, keep in SequentialHalving.schedule(actions, horizon):
            spent += plays * alive
            alive = keep
        assert alive == 1
        assert horizon - actions < spent <= horizon


def test_successive_elimination_drops_what_is_worse_and_keeps_the_best():
    world = arms([0.9, 0.1, 0.1])
    state = final(world, SuccessiveElimination(), 300, 200, np.random.default_rng(0))
    assert state.alive[:, 0].mean() >= 0.95  # delta = 0.05
    assert state.alive[:, 1:].mean() < 0.05
    assert state.counts.played.sum(axis=1).mean() < 300  # it stops when one is left


def test_top_two_plays_the_two_best_about_equally_often():
    world = arms([0.8, 0.7, 0.1, 0.1, 0.1])
    state = final(world, TopTwo(), 600, 100, np.random.default_rng(0))
    share = state.played.mean(axis=0) / 600
    assert share[0] == pytest.approx(0.5, abs=0.1)
    assert share[1] > 5 * share[2:].max()


def test_a_causal_problem_as_a_classical_bandit_has_the_same_means_and_nothing_to_see():
    world = confounded([0.1, 0.4], [0.3, 0.7])
    plain = as_bandit(world)
    assert plain.means == pytest.approx(world.means)
    assert len(plain.problem.actions) == len(world.problem.actions)
    ours, theirs = (play(w, SuccessiveRejects(), 60, 4000, seed=0) for w in (world, plain))
    error = np.hypot(ours.std(), theirs.std()) / np.sqrt(4000)
    assert abs(ours.mean() - theirs.mean()) < 4 * error  # 4 sigma
