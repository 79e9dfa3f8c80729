"""The neutral request changes nothing, and others leave out what they do not allow."""

import numpy as np

from bestdo.bandit.request import Request, everything, within

VALUES = np.array([[0.1, 0.5, 0.3], [0.4, 0.2, 0.9]])
SOME = np.array([[True, False, True], [False, True, True]])


def test_the_neutral_request_copies_nothing():
    request = Request()
    assert request.open
    assert not request.limited
    assert not request.out.any()
    assert request.masked(VALUES) is VALUES
    assert request.of_allowed(VALUES) is VALUES
    assert within(request.race(), VALUES) is VALUES


def test_what_is_not_allowed_or_not_asked_about_is_left_out():
    first = np.array([[True, True, False], [True, True, True]])
    request = Request(SOME, (first,), doubt=lambda: SOME)
    assert not request.open
    assert request.limited
    assert request.masked(VALUES).tolist() == [[0.1, -np.inf, -np.inf], [-np.inf, 0.2, 0.9]]
    assert request.of_allowed(VALUES).tolist() == [[0.1, 0, 0.3], [0, 0.2, 0.9]]
    assert within(SOME, VALUES[[1]], np.array([1])).tolist() == [[-np.inf, 0.2, 0.9]]


def test_rounds_that_are_out_can_be_forgotten():
    request = Request(SOME, out=np.ones((2, 3), np.int64))
    assert not request.nothing_out().out.any()
    assert request.nothing_out().allowed is SOME
    assert request.race is everything
