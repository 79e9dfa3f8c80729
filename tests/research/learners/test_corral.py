"""Corral beside a scalar program that follows the code of Bilodeau, Wang & Roy line by line, on their second setting.

The program is apart from the library and took 60 runs; its numbers are RUN here. The exact check is in test_exact_play.py.
"""

import math

import numpy as np
import pytest

from bestdo import learner
from bestdo.research.worlds.earning_worlds import contradicting_context
from bestdo.simulate import final

RUN = {"corral": (78.82, 0.88), "corral-as-published-with-error": (93.73, 0.23)}
"""Summed regret after 500 rounds and its standard error, with its p̄ mended and as it is."""


def summed(name, lanes=60):
    world, made = contradicting_context(), learner(name)
    state = final(world, made, 500, lanes, np.random.default_rng(3))
    lost = made.estimates(state).played @ (world.means.max() - world.means)
    return lost.mean(), lost.std() / math.sqrt(lanes)


@pytest.mark.parametrize("name", RUN)
def test_it_loses_what_the_program_loses(name):
    """Within 4 combined standard errors. Each of the two in place of the other is 15 away."""
    found, error = summed(name)
    other, its = RUN[name]
    assert abs(found - other) < 4 * math.hypot(error, its)
    away = [wrong for wrong, (value, s) in RUN.items() if abs(found - value) > 4 * math.hypot(error, s)]
    assert away == [wrong for wrong in RUN if wrong != name]


def test_with_the_error_c_ucb_hardly_ever_chooses():
    world = contradicting_context()
    for name, share in (("corral-as-published-with-error", 0.01), ("corral", 0.5)):
        made = learner(name)
        state = final(world, made, 200, 20, np.random.default_rng(0))
        assert state.states.weight.sum(axis=1).mean() / 200 == pytest.approx(share, abs=0.1)
