"""The JSON interface: its verbs, its errors, and whatever a program may send."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

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
        "/api/v1/studies", json={"name": "a/~.b", "problem": text, "rounds": 7, "learner": "uniform", "who": "Ada"}
    )
    assert answer.status_code == 201
    assert answer.json()["horizon"] == 7
    at = "/api/v1/studies/a~2F~7E.b"
    before = client.get(f"{at}/version").json()
    asked = client.post(f"{at}/ask", json={"worker": "Ada", "n": 3}).json()["rounds"]
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


COSTS = FARM.read_text().replace("at_most = 1\n", 'at_most = 1\n\n[costs]\n"do(moisture=wet)" = 2.5\n')


def test_every_verb_of_the_command_line(client):
    at = "/api/v1/studies/farm"
    begun = {"name": "farm", "problem": FARM.read_text(), "rounds": 60, "learner": "causal-top-two"}
    assert client.post("/api/v1/studies", json=begun).status_code == 201
    again = client.post("/api/v1/studies", json=begun)
    assert (again.status_code, again.json()["name"]) == (200, "farm")  # the same again changes nothing
    assert client.post("/api/v1/studies", json={**begun, "rounds": 61}).status_code == 409
    table = (ROOT / "examples" / "farm_log.csv").read_text()
    observed = client.post(f"{at}/observe", json={"table": table}).json()
    assert observed["rows"] == len(table.splitlines()) - 1
    assert client.post(f"{at}/observe", json={"table": table}).status_code == 409
    assert client.post(f"{at}/observe", json={"table": "a,b\n1\n"}).status_code == 422
    german = {
        "table": "ernte;moisture\ngut;nass\n-;nass\n",
        "reading": {"columns": {"yield": "ernte"}, "missing": ["-"]},
    }
    assert client.post(f"{at}/observe", json=german).status_code == 422
    german["reading"]["same"] = {"gut": "good", "nass": ["wet"]}
    answer = client.post(f"{at}/observe", json=german)
    assert (answer.status_code, answer.json()["rows"]) == (200, 2)
    extra = client.get(f"{at}/old").json()[1]["fingerprint"]
    assert client.post(f"{at}/unobserve", json={"fingerprint": extra, "why": "a trial"}).status_code == 204
    (old,) = client.get(f"{at}/old").json()
    asked = client.post(f"{at}/ask", json={"worker": "Ada", "n": 5}).json()
    assert asked["fewer"] is None
    first = asked["rounds"][0]["number"]
    no_number, kind = '{"values": {"yield": NaN}}', {"Content-Type": "application/json"}
    answer = client.post(f"{at}/rounds/{first}/tell", content=no_number, headers=kind)
    assert (answer.status_code, "finite number" in answer.text) == (422, True)
    told = [{"number": a["number"], "values": {**a["set"], "yield": "good"}} for a in asked["rounds"]]
    told += [{"number": 99, "values": {"yield": "good"}}, {"number": 1, "values": {"yield": "bad"}}]
    found = client.post(f"{at}/tell", json={"rounds": told}).json()
    assert [(t["trouble"] or {}).get("kind") for t in found] == [None] * 5 + ["missing", "conflict"]
    seen = client.get(f"{at}/rounds/1").json()["told"]["values"]
    assert client.post(f"{at}/rounds/1/amend", json={"values": {"yield": "bad"}, "why": "x"}).status_code == 204
    assert client.get(f"{at}/rounds/1").json()["told"]["values"] == {**seen, "yield": "bad"}  # as bestdo amend does
    whole = {"values": {"yield": "good"}, "why": "x", "whole": True}
    assert client.post(f"{at}/rounds/1/amend", json=whole).status_code == 204
    assert client.get(f"{at}/rounds/1").json()["told"]["values"]["yield"] == "good"
    assert client.post(f"{at}/learner", json={"learner": "top-two", "why": "x"}).status_code == 204
    assert client.post(f"{at}/learner", json={"learner": "os:system", "why": "x"}).status_code == 422
    added = {"action": "do(moisture=wet, nutrient=rich)", "why": "x"}
    assert client.post(f"{at}/actions", json=added).status_code == 204
    assert client.post(f"{at}/recut", json={"variable": "moisture", "cut": [1.5], "why": "x"}).status_code == 422
    assert client.post(f"{at}/extend", json={"budget": 70, "why": "x"}).status_code == 422
    assert client.post(f"{at}/extend", json={"rounds": 70, "why": "x"}).status_code == 204
    assert client.post(f"{at}/unobserve", json={"fingerprint": old["fingerprint"], "why": "x"}).status_code == 204
    for verb in ("close", "reopen", "archive", "unarchive"):
        assert client.post(f"{at}/{verb}", json={"why": "x"}).status_code == 204
    assert client.post(f"{at}/archive", json={}).status_code == 204
    assert client.get("/api/v1/studies", params={"archived": False}).json() == []
    moved = client.get(f"{at}/export").json()
    answer = client.post("/api/v1/studies/import", json={"study": moved, "name": "moved"})
    assert (answer.status_code, answer.json()["told"]) == (201, 5)
    foreign = json.loads(json.dumps(moved).replace("causal-top-two", "os:system"))
    answer = client.post("/api/v1/studies/import", json={"study": foreign, "name": "foreign"})
    assert "unknown learner" in answer.json()["detail"]
    assert client.post("/api/v1/studies/import", json={"study": {"events": 3}}).status_code == 422


def test_budgets_may_be_fractions(client):
    begun = {"name": "dear", "problem": COSTS, "budget": 12.5}
    assert client.post("/api/v1/studies", json={**begun, "rounds": 5}).status_code == 422
    assert client.post("/api/v1/studies", json={"name": "dear", "problem": COSTS, "rounds": 5}).status_code == 422
    assert client.post("/api/v1/studies", json=begun).json()["horizon"] == 12.5
    assert client.post("/api/v1/studies/dear/extend", json={"budget": 20.25, "why": "x"}).status_code == 204


def test_fewer_rounds_than_asked_for_are_explained(client):
    begun = {"name": "few", "problem": FARM.read_text(), "rounds": 60, "at_once": 2}
    client.post("/api/v1/studies", json=begun)
    asked = client.post("/api/v1/studies/few/ask", json={"worker": "Ada", "n": 3}).json()
    assert len(asked["rounds"]) == 2
    assert "as many as this study allows at once" in asked["fewer"]


def test_plans_and_rehearsals(client):
    plan = client.post("/api/v1/plan", json={"problem": FARM.read_text(), "rounds": 14}).json()
    header, *rows = plan["sheet"].lstrip("\ufeff").splitlines()
    assert "yield" in header
    assert len(rows) >= 14
    empty = client.post("/api/v1/estimate", json={"problem": FARM.read_text(), "sheet": plan["sheet"]})
    assert empty.status_code in (200, 422)
    client.post(
        "/api/v1/studies", json={"name": "farm", "problem": FARM.read_text(), "rounds": 7, "learner": "uniform"}
    )
    begun = client.post("/api/v1/studies/farm/rehearse", json={"rounds": [7]})
    assert begun.status_code == 202
    key = begun.json()["key"]
    assert client.get(f"/api/v1/rehearsals/{key}").json()["running"] in (True, False)
    assert client.delete(f"/api/v1/rehearsals/{key}").status_code == 204
    assert client.get("/api/v1/rehearsals/nothing").status_code == 404


def test_errors_are_problem_details(client, outside):
    answer = client.get("/api/v1/studies/nothing")
    assert answer.headers["content-type"] == "application/problem+json"
    found = answer.json()
    assert (found["status"], found["type"], found["title"]) == (404, "urn:bestdo:missing", "Not Found")
    assert "nothing" in found["detail"]
    assert client.post("/api/v1/nowhere").headers["content-type"] == "application/problem+json"
    about = client.get("/api/v1/openapi.json").json()
    assert about["security"] == [{"token": []}, {"cookie": []}]
    assert "application/problem+json" in about["paths"]["/api/v1/check"]["post"]["responses"]["422"]["content"]
    del outside.headers["Authorization"]
    assert outside.get("/api/v1/studies").headers["content-type"] == "application/problem+json"


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
    Study.create(read(FARM).problem, 5, learner="uniform", name="farm", storage=url).ask()
    answer = client.post("/api/v1/studies/farm/rounds/1/tell", json=body)
    assert answer.status_code == code
    assert answer.json()["detail"]


def test_a_learner_is_never_loaded_from_outside(client):
    body = {"name": "x", "problem": FARM.read_text(), "rounds": 7, "learner": "os:system"}
    answer = client.post("/api/v1/studies", json=body)
    assert answer.status_code == 422
    assert "unknown learner" in answer.json()["detail"]


def test_check_is_bestdo_check(client):
    from bestdo.data.compose import compose
    from bestdo.report.check_report import as_data
    from bestdo.usecases.check import check

    for graph_only in (False, True):
        answer = client.post(
            "/api/v1/check", json={"problem": FARM.read_text(), "graph_only": graph_only, "rounds": 3000}
        )
        problem = compose(FARM, graph_only=graph_only).problem
        assert answer.json() == json.loads(json.dumps(as_data(check(problem, rounds=3000))))
        assert len(answer.json()["guarantees"]) == (0 if graph_only else 2)
    assert client.post("/api/v1/check", json={"problem": "dag { a -> b }"}).status_code == 422
    assert (
        client.post("/api/v1/check", json={"problem": "dag { a -> b }", "reward": "b", "success": "1"}).status_code
        == 200
    )


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A page of its own, and its description."""
    url = f"sqlite:///{tmp_path_factory.mktemp('api')}/api.db"
    app = application(url, Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True))
    return url, schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=AUTHORISED)


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
                        Study.create(problem, 1000, learner="uniform", name="farm", storage=url).ask("Ada")
                    case.path_parameters["name"] = "farm"
                response = case.call(headers=AUTHORISED, base_url=HERE)
                assert response.status_code < 500, response.text
                # a grammar is no schema; requests without a token are in test_access.py, and need a host here
                case.validate_response(response, excluded_checks=[positive_data_acceptance, ignored_auth])

            ask()
    return total


@pytest.mark.parametrize("count", [3, pytest.param(120, marks=pytest.mark.campaign)])
def test_whatever_a_program_sends(here, count):
    assert _ask_whatever(here, count) >= 42 * count  # 5,040 in the campaign
