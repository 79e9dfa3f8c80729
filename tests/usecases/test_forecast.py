import math

import pytest

from bestdo import do
from bestdo.bandit.estimate import Estimate
from bestdo.usecases.forecast import forecast

KNOWN = Estimate(do(a=1), 0.6, 0.4, 0.8, 0.9, 5, 10.0)


def test_three_times_as_many_rounds_halve_the_interval():
    found = forecast(KNOWN, told=20, left=60)
    assert found.now == pytest.approx(0.2)
    assert found.at_the_end == pytest.approx(0.1)
    assert forecast(KNOWN, told=20, left=0).at_the_end == found.now


def test_before_anything_is_known_nothing_is_said():
    assert forecast(KNOWN, told=0, left=60) is None
    assert forecast(KNOWN._replace(mean=math.nan), told=20, left=60) is None
    assert forecast(KNOWN._replace(seen=0.0), told=20, left=60) is None
