"""A program does not care where its study is: the same steps on a database and over HTTP have the same results."""

import pytest

from bestdo import client, compose
from bestdo.errors import BestdoError, Conflict, Finished, StorageError, Waiting
from bestdo.study import Study
from support import ROOT
from web_support import EDITOR, start

FARM = ROOT / "examples" / "farm.toml"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('client')}/page.db"
    running = start(url)
    yield running.address, url
    running.stop()


def played(study):
    """A short life of a study; all that it showed on the way."""
    shown = []
    asked = study.ask("Ada", 4)
    shown.append([(a.number, str(a.action), a.reason) for a in asked])
    for a in asked[:3]:
        study.tell(a.number, {**dict(a.action.items()), "yield": "good", "moisture": a.action.get("moisture", "dry")})
    with pytest.raises(Conflict, match="was told already"):
        study.tell(1, {"yield": "bad"})
    study.amend(2, {"yield": "bad"}, "typing error")
    study.withdraw(4, "hail", lost=False)
    study.note("dry year", 1)
    study.add_action("do(moisture=wet, nutrient=rich)", "both")
    study.extend(70, "more land")
    study.change_learner("top-two", "simpler")
    found = study.findings()
    shown += [repr(found.best), found.problem.graph.goal]
    shown.append(
        [[round(float(x), 9) for x in getattr(found.estimates, k)[0]] for k in ("mean", "low", "high", "seen")]
    )
    rows = study.rounds()
    shown.append([(r["number"], r["action"], r["status"], r.get("values")) for r in rows])
    shown.append([e["kind"] for e in study.history()])
    assert study.rounds(1, 2) == rows[1:3]
    study.close("done")
    with pytest.raises(Finished):
        study.ask("Bo")
    status = study.status()
    shown.append([status[k] for k in ("learner", "horizon", "used", "told", "closed")])
    return shown


def test_the_same_life_here_and_there(server, tmp_path):
    address, _ = server
    here = Study.create(f"sqlite:///{tmp_path}/a.db", "farm", compose(FARM).problem, "causal-top-two", 60)
    there = client.Study.create(
        FARM, address=address, name="a farm/1", rounds=60, token=EDITOR, learner="causal-top-two"
    )
    assert played(there) == played(here)
    assert there.problem.actions == here.problem.actions
    assert client.Study.open(address, "a farm/1", EDITOR).status()["closed"]
    assert "a farm/1" in [s["name"] for s in client.studies(address, EDITOR)]
    assert "a farm/1" in repr(there)
    there.delete()
    with pytest.raises(BestdoError, match="a farm/1"):
        there.status()


def test_errors_are_those_of_a_database(server):
    address, _ = server
    study = client.Study.create(FARM, address=address, name="few", rounds=9, at_once=1, token=EDITOR)
    assert client.Study.create(FARM, address=address, name="few", rounds=9, token=EDITOR).status() == study.status()
    assert study.ask("Ada", 3).fewer
    with pytest.raises(Waiting):
        study.ask("Bo")
    with pytest.raises(BestdoError, match="no round 77"):
        study.tell(77, {"yield": "good"})
    with pytest.raises(BestdoError, match="no JSON"):
        study.tell(1, {"yield": float("nan")})
    with pytest.raises(BestdoError, match="token"):
        client.Study(address, "few", "not-the-right-token").status()
    with pytest.raises(StorageError, match="does not answer"):
        client.Study("http://127.0.0.1:9", "few", EDITOR).status()
    for odd in ("127.0.0.1:8321", "ftp://here", ""):
        with pytest.raises(BestdoError, match="not the address of a server"):
            client.Study(odd, "few", EDITOR)
    with pytest.raises(BestdoError, match="cannot be read"):
        client.Study.create("nothing.toml", address=address, name="x", rounds=3, token=EDITOR)


def test_the_token_is_said_or_set(server, monkeypatch):
    address, _ = server
    monkeypatch.delenv("BESTDO_TOKEN", raising=False)
    with pytest.raises(BestdoError, match="BESTDO_TOKEN"):
        client.Study(address, "few")
    monkeypatch.setenv("BESTDO_TOKEN", EDITOR)
    client.studies(address)
