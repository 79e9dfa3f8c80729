"""Whatever a form holds, the server answers in words: never with an error of its own."""

from urllib.parse import quote

import pytest

from bestdo import read
from bestdo.errors import BestdoError
from bestdo.study import Study
from support import ROOT
from web_support import HERE

FARM = (ROOT / "examples" / "farm.toml").read_text()
ODD = [
    "",
    "abc",
    "nan",
    "-inf",
    "1e308",
    "1e-320",
    "-1",
    "0",
    "9" * 400,
    "²",
    "٣",
    "½",
    "1_0",
    "\x00",
    "\ud800",
    "<b>",
    "0x1",
]
FORMS = {
    "/new/check": {"text": FARM, "rounds_": "40", "via": "text", "graph_only": "", "rows": "3", "add": ""},
    "/new/check?via=forms": {
        "rows": "2",
        "arrows": "1",
        "rounds_": "40",
        "at_most": "1",
        "add": "variable",
        "limits": "1",
    },
    "/new/create": {"text": FARM, "rounds_": "40", "study": "odd", "learner": "", "faithful": "", "rows": "3"},
    "/plan": {"text": FARM, "rounds_": "60", "separator": "comma", "via": "text"},
    "/rehearsals": {"text": "a -> b", "rounds_": "40", "graph_only": "", "via": "text"},
    "/studies/farm/settings": {"verb": "extend", "horizon": "x", "why": "x"},
    "/studies/farm/settings?1": {"verb": "add", "action": "do(moisture=wet)", "cost": "", "why": "x"},
    "/studies/farm/settings?2": {"verb": "recut", "variable": "moisture", "cut": "1", "why": "x"},
    "/studies/farm/settings?4": {"verb": "retire", "action": "do(moisture=wet)", "why": "x"},
    "/studies/farm/settings?3": {"verb": "learner", "learner": "ucb", "why": "x"},
    "/studies/farm/rounds/1": {"v:yield": "good", "happened": "", "then": ""},
    "/studies/farm/rounds/1/check": {"v:moisture": "wet", "happened": ""},
    "/studies/farm/rounds/1/amend": {"v:yield": "good", "why": "x", "happened": ""},
    "/studies/farm/rounds/1/withdraw": {"why": "x", "lost": "no"},
    "/studies/farm/note": {"text": "x"},
    "/studies/farm/unobserve": {"fingerprint": "x", "why": ""},
    "/me": {"who": "Ann", "back": "/"},
    "/enter": {"token": "x"},
}
ADDRESSES = ["/studies/{}", "/studies/farm/rounds/{}", "/studies/farm?round={}", "/studies/farm?told={}"]
ADDRESSES += ["/studies/farm/log?before={}", "/studies/farm/live?seen={}", "/studies/farm/export.{}", "/plan?study={}"]
ADDRESSES += ["/?q={}&sort={}&show={}&page={}&gone={}", "/compare?study={}&study=farm"]
ADDRESSES += ["/rehearsals/{}", "/api/v1/studies/{}", "/api/v1/studies/farm/rounds?after={}&most={}"]


@pytest.fixture
def farm(url):
    study = Study.create(read(ROOT / "examples" / "farm.toml").problem, 20, learner="uniform", name="farm", storage=url)
    study.ask("Ada")
    return study


def sent(form):
    """A form as a browser would send it, with what it cannot send left out."""
    return {name: value.encode("utf-8", "replace").decode() for name, value in form.items()}


def try_forms(client, address, of=1):
    """Posts the form with each field made odd in turn: every value, or one of so many."""
    form = FORMS[address]
    for k, field in enumerate(form):
        for odd in ODD[k % of :: of]:
            answer = client.post(address, data=sent({**form, field: odd}), headers={"Origin": HERE})
            assert answer.status_code < 500, (field, odd)


@pytest.mark.parametrize("address", FORMS)
def test_forms(client, farm, address):
    try_forms(client, address, 8)


@pytest.mark.campaign
@pytest.mark.parametrize("address", FORMS)
def test_forms_with_all_that_is_odd(client, farm, address):
    try_forms(client, address)


@pytest.mark.parametrize("odd", ["nan", "inf", "1e308"])
def test_horizons_that_are_none(client, farm, odd):
    form = {"verb": "extend", "horizon": odd, "why": "x"}
    assert client.post("/studies/farm/settings", data=form, headers={"Origin": HERE}).status_code == 422


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses(client, farm, address):
    for odd in ODD:
        found = address.replace("{}", quote(odd.encode("utf-8", "replace")))
        assert client.get(found).status_code < 500, odd


def test_beginning_while_the_check_is_refused_keeps_what_was_typed(client, monkeypatch):
    """It was an error of the server when the sandbox had no time for the last check."""

    def busy(*_, **__):
        raise BestdoError("many people are checking graphs at once; try again in a moment")

    monkeypatch.setattr("bestdo.web.routes.new_study.understood", busy)
    form = {"text": FARM, "rounds_": "40", "study": "odd"}
    answer = client.post("/new/create", data=form, headers={"Origin": HERE})
    assert answer.status_code == 422
    assert "try again in a moment" in answer.text
    assert "[variables.temperature]" in answer.text
