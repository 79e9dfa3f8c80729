"""A program does not care where its study is: the same steps on a database and over HTTP have the same results."""

import polars
import pytest
from click.testing import CliRunner

from bestdo import Graph, Problem
from bestdo.cli import bestdo
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
    study.undo(3, "too early")
    with pytest.raises(Conflict, match="nothing to take back"):
        study.undo(3)
    study.withdraw(4, "hail", lost=False)
    study.note("dry year", 1)
    study.add_action("do(moisture=wet, nutrient=rich)", "both")
    study.extend(70, "more land")
    study.change_learner("top-two", "simpler")
    found = study.findings()
    shown += [repr(found.best), found.problem.graph.wanted]
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
    here = Study.create(FARM, 60, name="a farm/1", storage=f"sqlite:///{tmp_path}/a.db")
    there = Study.create(FARM, 60, name="a farm/1", storage=f"{address}/?token={EDITOR}")
    assert played(there) == played(here)
    assert there.problem.actions == here.problem.actions
    assert Study.open(storage=f"{address}/?token={EDITOR}").status()["closed"]
    assert "a farm/1" in repr(there)
    there.delete()
    with pytest.raises(BestdoError, match="a farm/1"):
        there.status()


def test_errors_are_those_of_a_database(server):
    address, _ = server
    there = f"{address}/?token={EDITOR}"
    study = Study.create(FARM, 9, name="few", at_once=1, storage=there)
    with pytest.raises(Conflict):
        Study.create(FARM, 10, name="few", storage=there)
    assert Study.create(FARM, 10, name="few", storage=there, load_if_exists=True).status() == study.status()
    assert study.ask("Ada", 3).fewer
    with pytest.raises(Waiting):
        study.ask("Bo")
    with pytest.raises(BestdoError, match="no round 77"):
        study.tell(77, {"yield": "good"})
    with pytest.raises(BestdoError, match="'yield'"):
        study.tell(1, {"yield": float("nan")})  # not seen, as in a database
    with pytest.raises(BestdoError, match="token"):
        Study.open("few", f"{address}/?token=not-the-right-token")
    with pytest.raises(StorageError, match="does not answer"):
        Study.open("few", f"http://127.0.0.1:9/?token={EDITOR}")
    for odd in ("http://", "http://127.0.0.1:port", "https:///x"):
        with pytest.raises(BestdoError, match="not the address of a server"):
            Study.open("few", odd)


def test_the_token_is_in_the_address_or_set(server, monkeypatch):
    address, _ = server
    monkeypatch.delenv("BESTDO_TOKEN", raising=False)
    with pytest.raises(BestdoError, match="BESTDO_TOKEN"):
        Study.open("few", address)
    monkeypatch.setenv("BESTDO_TOKEN", EDITOR)
    assert Study.open("few", address).name == "few"


def test_the_command_line_over_http(server):
    """`bestdo ask --storage ADDRESS`: the commands of a round work on a server, too."""
    address, _ = server
    there = ["--storage", f"{address}/?token={EDITOR}", "--study", "shell"]
    Study.create(FARM, 9, name="shell", storage=there[1])
    run = CliRunner().invoke
    assert "round 1" in run(bestdo, ["ask", *there], catch_exceptions=False).output
    assert run(bestdo, ["tell", "1", "yield=good", *there], catch_exceptions=False).exit_code == 0
    for verb in ("best", "status", "history"):
        assert run(bestdo, [verb, *there], catch_exceptions=False).exit_code == 0
    assert "shell" in run(bestdo, ["studies", *there[:2]], catch_exceptions=False).output
    with pytest.raises(BestdoError, match="where the database is"):
        run(bestdo, ["backup", "copy.db", *there[:2]], catch_exceptions=False)


def test_contexts_over_http(server, tmp_path):
    """What is seen first is sent with the question, one for all rounds or one for each."""
    address, _ = server
    rules = []
    for storage in (f"sqlite:///{tmp_path}/c.db", f"{address}/?token={EDITOR}"):
        graph = Graph.parse("device -> click; banner -> click", reward="click", success="1")
        study = Study.create(Problem(graph, set=["banner"], first=["device"]), 40, name="shop", storage=storage)
        (asked,) = study.ask("Ada", context={"device": "1"})
        assert asked.context == {"device": "1"}
        study.tell(asked.number, {"click": "1", "banner": "0", **asked.action})
        both = study.ask("Bo", context=[{"device": "0"}, {}])
        assert [dict(a.context) for a in both] == [{"device": "0"}, {}]
        with pytest.raises(BestdoError, match="device"):
            study.ask("Cy", context={"device": "7"})
        assert study.best().left == 37
        with pytest.raises(BestdoError, match="context"):
            study.ask("Cy", context="mobile")
        one, again = (study.ask("Cy", context={"device": "0"}, key="visit 9") for _ in range(2))
        assert one.number == again.number == 4
        table = study.ask("Di", context=polars.DataFrame({"Device": [1, None]}))
        assert [dict(a.context) for a in table] == [{"device": "1"}, {}]
        rules.append(study.rule())
    here, there = rules
    assert str(here) == str(there)
    assert here.as_data() == there.as_data()
    assert there.action({}) == here.action({})


def test_what_is_earned_is_the_same_over_http(server, tmp_path):
    """By Python, and by JSON alone with a goal that the problem does not say."""
    import json
    import urllib.request

    address, _ = server
    found = []
    for storage in (f"sqlite:///{tmp_path}/e.db", f"{address}/?token={EDITOR}"):
        study = Study.create(FARM, 20, goal="earn", name="earns", storage=storage)
        for k, asked in enumerate(study.ask("Ada", 4)):
            study.tell(asked.number, {"yield": "good" if k else "bad"})
        assert (study.status()["goal"], study.status()["learner"]) == ("earn", "causal-thompson")
        found.append(study.best().earned)
        assert study.status()["earned"] == pytest.approx(found[-1].as_data())
    assert found[0].as_data() == pytest.approx(found[1].as_data())
    assert found[0].in_words == found[1].in_words
    body = json.dumps({"name": "by json", "problem": FARM.read_text(), "rounds": 9, "goal": "earn"}).encode()
    heading = {"Content-Type": "application/json", "Authorization": f"Bearer {EDITOR}"}
    with urllib.request.urlopen(urllib.request.Request(f"{address}/api/v1/studies", body, heading)) as answer:
        begun = json.load(answer)
    assert (begun["goal"], begun["learner"]) == ("earn", "causal-thompson")


def test_old_data_of_any_kind_over_http(server, tmp_path):
    """A frame and files of other kinds are sent as CSV; the rows that are counted are the same."""
    address, _ = server
    frame = polars.read_csv(ROOT / "examples" / "farm_log.csv")
    frame.write_parquet(tmp_path / "log.parquet")
    (tmp_path / "latin.csv").write_bytes(
        "\n".join(["yield;moisture;größe", "good;wet;1", "bad;dry;2"]).encode("latin-1")
    )
    for source in (frame, frame.to_pandas(), tmp_path / "log.parquet", str(tmp_path / "latin.csv")):
        found = []
        for storage in (f"sqlite:///{tmp_path}/o.db", f"{address}/?token={EDITOR}"):
            study = Study.create(FARM, 20, name="old", storage=storage)
            old = study.observe(source, who="Ada")
            found.append((old.fingerprint, old.rows, old.whole, study.old_data()[0].rows, len(study.answered(old))))
            assert study.history()[-1]["who"] == "Ada"
            study.unobserve(old.fingerprint[:6])
            assert study.old_data() == []
            study.delete()
        assert found[0] == found[1]


def test_a_table_that_is_too_long_for_a_server_is_refused_before_it_is_sent(server, monkeypatch):
    address, _ = server
    study = Study.create(FARM, 20, name="long", storage=f"{address}/?token={EDITOR}")
    monkeypatch.setattr("bestdo.data.sent_table.MOST_BYTES", 2**20)
    with pytest.raises(BestdoError, match=r"more than 1 MB, .* where the database is"):
        study.observe(polars.DataFrame({"yield": ["good"] * 300_000}))
