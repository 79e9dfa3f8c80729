"""The horizon: its words in rounds and in money, and the door at which it is made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bestdo.bandit.horizon import MONEY, ROUNDS, UNITS, Horizon
from bestdo.errors import BestdoError


@pytest.fixture
def priced(farm):
    return replace(farm, cost=[1, *(2.5,) * (len(farm.actions) - 1)])


def test_the_words_of_rounds():
    horizon = Horizon(1000, ROUNDS)
    assert str(horizon) == "1,000 rounds"
    assert str(Horizon(1, ROUNDS)) == "1 round"
    assert horizon.words("more round") == "1,000 more rounds"
    assert horizon.used(7) == "7 of 1,000 rounds used"
    assert horizon.used(1001) == "1000 of 1,000 rounds used, and 1 more told late"
    assert horizon.used_in_full(7) == "7 of 1000 (rounds) used"
    assert horizon.spent(7, 6) == "7 of 1,000 rounds used, 6 told"
    assert horizon.spent_in_table(7, 6) == "7 of 1000, 6 told"
    assert horizon.handed_out == "all 1000 rounds are"
    assert horizon.taken(7) == "7 rounds of the horizon"
    assert ROUNDS.left(1) == "1 round"
    assert ROUNDS.bill_of(12) == ""


def test_the_words_of_money():
    horizon = Horizon(200.0, MONEY)
    assert str(horizon) == horizon.words("more round") == "a budget of 200"
    assert horizon.used(7.5) == "7.5 of a budget of 200 used"
    assert horizon.used_in_full(7.5) == "7.5 of 200 (cost) used"
    assert horizon.spent(7.5, 1) == "7.5 of a budget of 200 spent, 1 round told"
    assert horizon.spent_in_table(7.5, 1) == "7.5 of 200 of the budget, 1 told"
    assert horizon.handed_out == "the whole budget of 200 is"
    assert horizon.taken(7.5) == MONEY.left(7.5) == "7.5 of the budget"
    assert MONEY.bill_of(12.5) == ", which cost 12.5"


def test_a_unit_is_known_by_its_name_in_logs_and_json():
    assert UNITS == {"rounds": ROUNDS, "cost": MONEY}
    assert Horizon.of_status({"horizon": 60, "unit": "rounds"}) == Horizon(60, ROUNDS)
    assert [str(Horizon.of_number(n)) for n in (60, 60.0)] == ["60 rounds", "a budget of 60"]


def test_a_problem_makes_a_horizon_of_its_unit(farm, priced):
    assert farm.horizon(60) == Horizon(60, ROUNDS)
    assert isinstance(farm.horizon(60).amount, int)
    assert priced.horizon(budget=100) == Horizon(100, MONEY)
    assert (farm.unit.argument, priced.unit.argument) == ("rounds", "budget")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "say rounds=60: the actions have no costs, so the horizon is a number of rounds"),
        ({"rounds": 60, "budget": 3}, "say rounds=60: the actions have no costs"),
        ({"rounds": 0}, "at least 1, not 0"),
    ],
)
def test_a_wrong_horizon_in_rounds(farm, said, words):
    with pytest.raises(BestdoError, match=words):
        farm.horizon(**said)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"rounds": 60}, r"say budget=100: the actions have costs \(1 to 2.5 a round\), so the horizon is their sum"),
        ({"rounds": 60, "budget": 3}, "say budget=100"),
        ({"budget": 0.5}, "a budget of 0.5 pays for no round: the cheapest action costs 1"),
    ],
)
def test_a_wrong_horizon_in_money(priced, said, words):
    with pytest.raises(BestdoError, match=words):
        priced.horizon(**said)


def test_a_horizon_of_nothing_where_rounds_were_played_before(farm, priced):
    assert farm.horizon(0, least=0).amount == 0
    assert priced.horizon(budget=0, least=0).amount == 0
