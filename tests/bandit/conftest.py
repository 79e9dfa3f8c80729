"""The farm of the examples, which several tests of problems start from."""

import pytest

import bestdo


@pytest.fixture
def farm():
    """The problem of the farm."""
    return bestdo.compose("examples/farm.toml").problem
