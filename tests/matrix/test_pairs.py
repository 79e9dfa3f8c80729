"""The table of what goes with what holds: two features that work together do, and others are refused by its sentence."""

import re

import pytest

from bestdo.bandit import combinations as table
from bestdo.errors import BestdoError
from matrix.pairs import ARGUMENTS, EDITS, KINDS, tried

JOURNEYS = set(KINDS) - {table.UNBOUNDED, table.ALWAYS}
"""Features whose pairs go the whole way in `test_matrix.py`."""
PAIRS = [
    pytest.param(*pair, id=f"{pair[0].name} and {pair[1].name}")
    for pair in table.pairs()
    if not JOURNEYS.issuperset(pair[:2])
]
BELOW = "a learner's start, with a problem made in Python"


@pytest.fixture(scope="module")
def storage(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('pairs')}/pairs.db"


def _pattern(refusal):
    """The sentence of a refusal with anything in the place of names."""
    return ".*".join(map(re.escape, refusal.sentence.split("{}")))


@pytest.mark.parametrize(("one", "other", "refusals"), PAIRS)
def test_a_pair_works_or_is_refused_by_the_table(one, other, refusals, tmp_path, storage):
    if not [refusal for refusal in refusals if refusal.where != BELOW]:
        tried(one, other, tmp_path, storage)
        return
    with pytest.raises(BestdoError) as error:
        tried(one, other, tmp_path, storage)
    assert any(re.search(_pattern(refusal), str(error.value)) for refusal in refusals), str(error.value)


def test_every_feature_has_an_example_and_every_refusal_a_pair():
    assert set(KINDS) | set(ARGUMENTS) | set(EDITS) | {table.OLD_DATA} == set(table.FEATURES)
    found = [refusal for _, _, refusals in table.pairs() for refusal in refusals]
    assert set(found) == set(table.REFUSALS)
