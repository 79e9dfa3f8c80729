"""Whether the recommendation depends on a doubtful arrow, by the rounds so far."""

import numpy as np

from bestdo import Doubts, Problem, do
from bestdo.bandit.rounds import Rounds
from bestdo.study.arrow_chances import arrows_of


def watched(problem, rows):
    """Rounds of do() with these values of X, Z and Y, each so many times."""
    x = np.repeat([row[:3] for row in rows], [row[3] for row in rows], axis=0)
    order = [["X", "Z", "Y"].index(n) for n in problem.graph.names]
    lane = np.zeros(len(x), np.int64)
    return Rounds(lane, lane, x[:, order].astype(np.int16), x[:, 2] == 1)


def test_a_direction_matters_where_it_turns_the_answer_and_only_there():
    problem = Problem(Doubts.parse("X -- Z; Z -> Y; X -> Y", reward="Y", success="1"), [do(), do(X=0), do(X=1)])
    # X = 1 goes with Z = 1, and that with success; given Z, it does harm
    turning = [(0, 0, 1, 24), (0, 0, 0, 66), (0, 1, 1, 10), (1, 0, 0, 10), (1, 1, 1, 66), (1, 1, 0, 24)]
    assert all(arrow.matters for arrow in arrows_of(problem, watched(problem, turning)))
    clear = [(0, 0, 1, 5), (0, 0, 0, 40), (0, 1, 0, 40), (1, 0, 1, 40), (1, 1, 1, 40), (1, 1, 0, 5)]
    assert not any(arrow.matters for arrow in arrows_of(problem, watched(problem, clear)))
