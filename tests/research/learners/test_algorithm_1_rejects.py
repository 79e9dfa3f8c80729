"""Algorithm 1 with Successive Rejects: what it plays, and that it is better than both of its parents."""

import numpy as np
import pytest

from bestdo import do
from bestdo.bandit.request import Request
from bestdo.learners import learner
from bestdo.learners.successive_rejects import SuccessiveRejects
from bestdo.simulate import paper_parallel, parallel, play
from bestdo.simulate.samplers import tally

LANES = 2000


def plans(world, horizon, lanes=5):
    made, rng = learner("algorithm-1-rejects"), np.random.default_rng(0)
    state = made.start(world.problem, horizon, lanes, rng)
    while (plan := made.ask(state, Request(), rng)) is not None:
        yield plan.counts, state
        state = made.tell(state, plan, tally(world, made.statistic(world.problem, horizon), plan, rng))


@pytest.mark.parametrize("horizon", [61, 200])
def test_half_is_watched_and_the_rest_follows_the_schedule_of_successive_rejects(horizon):
    world = parallel([0.0] * 6 + [0.5] * 6)  # six actions never happen
    watching = world.problem.actions.index(do())
    played = list(plans(world, horizon))
    first = played[0][0]
    assert (first[:, watching] == horizon // 2).all()
    assert first.sum() == 5 * (horizon // 2)
    schedule = SuccessiveRejects.schedule(6, horizon - horizon // 2)
    for (counts, state), (plays, _) in zip(played[1:-1], schedule, strict=False):
        assert np.array_equal(counts, (state.rare & ~state.out) * plays)
    assert [int((state.rare & ~state.out).sum(axis=1)[0]) for _, state in played[1:]] == [
        6,
        *(keep for _, keep in schedule[:-1]),
    ]
    assert (sum(counts for counts, _ in played).sum(axis=1) == horizon).all()  # nothing is left over


def test_it_is_better_than_algorithm_1_and_than_successive_rejects():
    # 4 sigma each, and by far; it fails when the best action is rejected instead of the worst
    world = paper_parallel(20, 10, 0.3)
    mine, one, rejects = (
        play(world, name, 160, LANES, seed=0) for name in ("algorithm-1-rejects", "algorithm-1", "successive-rejects")
    )
    for other in (one, rejects):
        assert other.mean() - mine.mean() > 4 * np.sqrt((other.var() + mine.var()) / LANES)
