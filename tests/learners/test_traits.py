"""Traits say what a learner can do, and only what it has functions for."""

import pytest

from bestdo.bandit.learner import traits
from bestdo.learners import LEARNERS, learner
from bestdo.learners.until_sure import UntilSure

FUNCTIONS = {
    "reasons": ("reason",),
    "stops": ("certainty",),
    "knows_old": ("with_old",),
    "in_studies": ("in_study",),
    "in_contexts": ("in_contexts",),
    "chooses": ("means", "draws"),
    "believes": ("shares_all", "counted"),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_has_the_functions_that_its_traits_stand_for_and_no_others(name):
    for made in (learner(name), UntilSure(learner(name))):
        said = traits(made)
        for trait, functions in FUNCTIONS.items():
            assert {hasattr(made, function) for function in functions} == {getattr(said, trait)}, (name, trait)


def test_entries_say_who_chooses_by_context():
    assert {name for name in LEARNERS if traits(learner(name)).chooses} == {
        n for n, e in LEARNERS.items() if e.contexts
    }
