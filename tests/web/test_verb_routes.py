"""Every verb of a study has a route, and what is sent has the fields of the verb."""

from dataclasses import fields
from importlib import import_module
from pkgutil import iter_modules

import pytest

from bestdo.study import verbs
from bestdo.study.verbs.verb import RoundVerb, Verb
from bestdo.web.routes.api_verbs import VERBS

BY_HAND = {"Ask": {"worker", "n", "context", "key"}, "Observe": {"table", "reading", "force", "who"}}
"""Verbs that answer something: their routes are written out."""


def every_verb():
    """All verbs that there are."""
    for module in iter_modules(verbs.__path__):
        found = vars(import_module(f"bestdo.study.verbs.{module.name}")).values()
        yield from (each for each in found if isinstance(each, type) and issubclass(each, Verb))


def test_every_verb_has_a_route():
    known = {each.__name__ for each in every_verb()} - {"Verb", "RoundVerb"}
    assert known == {route.verb.__name__ for route in VERBS} | set(BY_HAND)


@pytest.mark.parametrize("route", VERBS, ids=lambda route: route.name)
def test_what_is_sent_has_the_fields_of_the_verb(route):
    own = {field.name for field in fields(route.verb)}
    number = {"number"} if issubclass(route.verb, RoundVerb) else set()
    assert set(route.order.model_fields) | number == own
