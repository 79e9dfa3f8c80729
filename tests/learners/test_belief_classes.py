"""Every belief is a class by itself: what beliefs share are values and functions."""

import dataclasses
import importlib
import pkgutil

import pytest

from bestdo.learners import beliefs

MODULES = [importlib.import_module(f"{beliefs.__name__}.{m.name}") for m in pkgutil.iter_modules(beliefs.__path__)]
BELIEFS = [
    value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, type) and name.endswith("Belief") and value.__module__ == module.__name__
]


@pytest.mark.parametrize("belief", BELIEFS, ids=lambda belief: belief.__name__)
def test_a_belief_has_no_base_class_but_a_protocol(belief):
    assert all(base is object or base.__name__ in ("Protocol", "Generic") for base in belief.__mro__[1:])


@pytest.mark.parametrize("belief", BELIEFS, ids=lambda belief: belief.__name__)
def test_a_belief_answers_all_that_a_belief_is_asked(belief):
    asked = {"statistic", "shares_all", "counted", "mean", "information_gain", "draw_by_lane", "drawn", "estimates"}
    if not getattr(belief, "_is_protocol", False):
        assert asked <= {*dir(belief), *(field.name for field in dataclasses.fields(belief))}
