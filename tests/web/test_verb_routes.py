"""Every verb of a study has a route, and what is sent has the fields of the verb."""

from dataclasses import MISSING, fields
from importlib import import_module
from pkgutil import iter_modules

import pytest
from pydantic import ValidationError

from bestdo.study import verbs
from bestdo.study.study import VERBS
from bestdo.study.verbs.ask import Ask
from bestdo.study.verbs.corrections import Amend
from bestdo.study.verbs.ends import Close
from bestdo.study.verbs.observe import Observe
from bestdo.study.verbs.tell import Tell
from bestdo.study.verbs.verb import RoundVerb, Verb
from bestdo.web.routes.api_verbs import ROUTED
from bestdo.web.verb_orders import order_of


def every_verb():
    """All verbs that there are."""
    for module in iter_modules(verbs.__path__):
        found = vars(import_module(f"bestdo.study.verbs.{module.name}")).values()
        yield from (each for each in found if isinstance(each, type) and issubclass(each, Verb))


def test_every_verb_has_a_route():
    known = set(every_verb()) - {Verb, RoundVerb}
    assert known == set(VERBS)
    assert set(VERBS) - set(ROUTED) == {Ask, Observe}  # they answer something: their routes are written out


@pytest.mark.parametrize("verb", [*ROUTED, Ask], ids=lambda verb: verb.command)
def test_what_is_sent_has_the_fields_and_defaults_of_the_verb(verb):
    order = order_of(verb).model_fields
    number = ["number"] if issubclass(verb, RoundVerb) else []
    assert [*number, *order] == [field.name for field in fields(verb)]
    for field in fields(verb):
        if field.name in order:
            said = field.default is not MISSING or field.default_factory is not MISSING
            assert order[field.name].is_required() != said
            assert not said or order[field.name].get_default(call_default_factory=True) in (field.default, {})


def test_limits_of_what_is_sent():
    """Lengths and kinds are those of the server; a reason that must be given is not empty."""
    for verb, body, wrong in [
        (Tell, {"values": {"a": "x" * 401}}, "values"),
        (Amend, {"values": {}, "why": ""}, "why"),
        (Ask, {"n": 1001}, "n"),
        (Close, {"why": "x" * 10_001}, "why"),
        (Close, {"who": "x" * 101}, "who"),
        (Close, {"when": "now"}, "when"),
    ]:
        with pytest.raises(ValidationError) as error:
            order_of(verb)(**body)
        assert error.value.errors()[0]["loc"][0] == wrong
    assert order_of(Close)(why="").why == ""
