"""The JSON interface: its verbs, its errors, and whatever a program may send."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from bestdo import read
from bestdo.study import Study
from bestdo.study.storage import Storage
from bestdo.study.study import names
from bestdo.web.access import Access
from bestdo.web.app import application
from support import ROOT
from web_support import EDITOR, HERE, PORT, VIEWER

FARM = ROOT / "examples" / "farm.toml"
AUTHORISED = {"Authorization": f"Bearer {EDITOR}", "Host": f"127.0.0.1:{PORT}"}


def test_a_studys_life(client):
    text = FARM.read_text()
    answer = client.post(
        "/api/studies", json={"name": "a/~.b", "problem": text, "rounds": 7, "learner": "uniform", "who": "Ada"}
    )
    assert answer.status_code == 201
    assert answer.json()["horizon"] == 7
    at = "/api/studies/a~2F~7E.b"
    before = client.get(f"{at}/version").json()
    asked = client.post(f"{at}/ask", json={"worker": "Ada", "n": 3}).json()
    assert [a["number"] for a in asked] == [1, 2, 3]
    assert client.get(f"{at}/version").json() != before
    seen = {**asked[0]["set"], "yield": "good"}
    for _ in range(2):
        assert client.post(f"{at}/rounds/1/tell", json={"values": seen, "who": "Ada"}).status_code == 204
    answer = client.post(f"{at}/rounds/1/tell", json={"values": {**seen, "yield": "bad"}})
    assert (answer.status_code, answer.json()["kind"]) == (409, "conflict")
    assert client.post(f"{at}/rounds/1/amend", json={"values": {**seen, "yield": "bad"}, "why": "x"}).status_code == 204
    assert client.post(f"{at}/rounds/2/withdraw", json={"why": "hail", "lost": False}).status_code == 204
    assert client.post(f"{at}/notes", json={"text": "dry", "round": 1}).status_code == 204
    best = client.get(f"{at}/best").json()
    assert len(best["actions"]) == 7
    rounds = client.get(f"{at}/rounds").json()
    assert [r["status"] for r in rounds] == ["told", "unplayed", "open"]
    assert rounds[0]["told"]["values"]["yield"] == "bad"
    log = client.get(f"{at}/history").json()
    assert [e["kind"] for e in log if e["kind"] != "planned"][-4:] == ["told", "amended", "withdrawn", "noted"]
    assert all(e["who"] for e in log)
    assert client.get(f"{at}/history", params={"after": len(log) - 1}).json() == log[-1:]
    assert client.get(f"{at}/export").json()["name"] == "a/~.b"
    assert client.post(f"{at}/extend", json={"rounds": 9, "why": "more"}).status_code == 204
    assert client.post(f"{at}/close", json={}).status_code == 204
    answer = client.post(f"{at}/ask", json={"worker": "Bo"})
    assert (answer.status_code, answer.json()["kind"]) == (409, "finished")
    assert client.delete(at).status_code == 204
    assert client.get(at).status_code == 404


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"values": {"yield": "purple"}}, 422),
        ({"values": {"yield": 1}}, 422),
        ({"values": {"yield": "good"}, "extra": 1}, 422),
        ({"values": {"yield": "good", "moisture": "x\x00"}}, 422),
        ({}, 422),
        ([], 422),
    ],
)
def test_what_cannot_be_told(client, url, body, code):
    Study.create(url, "farm", read(FARM).problem, "uniform", 5).ask()
    answer = client.post("/api/studies/farm/rounds/1/tell", json=body)
    assert answer.status_code == code
    assert answer.json()["error"]


def test_a_learner_is_never_loaded_from_outside(client):
    body = {"name": "x", "problem": FARM.read_text(), "rounds": 7, "learner": "os:system"}
    answer = client.post("/api/studies", json=body)
    assert answer.status_code == 422
    assert "unknown learner" in answer.json()["error"]


def test_check_is_bestdo_check(client):
    from bestdo.report.check_report import as_data
    from bestdo.usecases.check import check
    from bestdo.usecases.compose import compose

    for graph_only in (False, True):
        answer = client.post("/api/check", json={"problem": FARM.read_text(), "graph_only": graph_only, "rounds": 3000})
        problem = compose(FARM, graph_only=graph_only).problem
        assert answer.json() == json.loads(json.dumps(as_data(check(problem, rounds=3000))))
        assert len(answer.json()["guarantees"]) == (0 if graph_only else 2)
    assert client.post("/api/check", json={"problem": "dag { a -> b }"}).status_code == 422
    assert (
        client.post("/api/check", json={"problem": "dag { a -> b }", "reward": "b", "success": "1"}).status_code == 200
    )


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A page of its own, and its description."""
    url = f"sqlite:///{tmp_path_factory.mktemp('api')}/api.db"
    app = application(url, Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True))
    return url, schemathesis.openapi.from_asgi("/api/openapi.json", app, headers=AUTHORISED)


def _ask_whatever(here, count):
    """What the document allows, and what it does not, for each operation; half of the cases meet a study that is there."""
    url, schema = here
    problem = read(FARM).problem
    total = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        wrong = len(operation.body) or len(operation.query) or "{number}" in operation.path  # any text may be a name
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE) if wrong else (GenerationMode.POSITIVE,):

            @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
            @given(case=operation.as_strategy(generation_mode=mode))
            def ask(case):
                nonlocal total
                total += 1
                if len(str((case.path_parameters or {}).get("name", ""))) % 2:
                    if "farm" not in names(Storage(url)):
                        Study.create(url, "farm", problem, "uniform", 1000).ask("Ada")
                    case.path_parameters["name"] = "farm"
                response = case.call(headers=AUTHORISED, base_url=HERE)
                assert response.status_code < 500, response.text
                case.validate_response(response, excluded_checks=[positive_data_acceptance])  # a grammar is no schema

            ask()
    return total


@pytest.mark.parametrize("count", [6, pytest.param(200, marks=pytest.mark.campaign)])
def test_whatever_a_program_sends(here, count):
    assert _ask_whatever(here, count) >= 24 * count
