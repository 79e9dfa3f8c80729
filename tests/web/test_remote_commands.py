"""Every command on a study gives the same on a database and on a server; or is refused in words that say what to do."""

import inspect
import json

import polars
import pytest
from click.testing import CliRunner

import bestdo
from bestdo.cli import bestdo as command_line
from bestdo.errors import BestdoError, Conflict, Finished, StorageError, Waiting
from bestdo.study import Study
from bestdo.study.exchange import exported
from support import ROOT
from web_support import EDITOR, start

EXAMPLES = ROOT / "examples"
FARM, HARVEST, LOG = (str(EXAMPLES / name) for name in ("farm.toml", "harvest.toml", "farm_log.csv"))
CODES = {Conflict: 2, Waiting: 3, Finished: 3, StorageError: 4}


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    running = start(f"sqlite:///{tmp_path_factory.mktemp('commands')}/page.db")
    yield f"{running.address}/?token={EDITOR}"
    running.stop()


def said(storage, *arguments):
    """What a command prints, what it says or its error, and its exit code."""
    try:
        done = CliRunner().invoke(command_line, [*arguments, "--storage", storage], catch_exceptions=False)
    except BestdoError as error:
        return "", str(error).replace(LOG, "table"), CODES.get(type(error), 1)
    printed = json.loads(done.stdout) if "json" in arguments and not done.exit_code else done.stdout
    return printed, done.stderr, done.exit_code


LIFE = [
    ("new", FARM, "--rounds", "40", "--name", "farm", "--seed", "3"),
    ("ask", "--worker", "Ann", "-n", "3", "--study", "farm"),
    ("ask", "--worker", "Ann", "--study", "farm"),
    ("tell", "1", "yield=good", "moisture=dry", "--happened", "--who", "Ann", "--study", "farm"),
    ("tell", "1", "yield=bad", "--study", "farm"),
    ("tell", "77", "yield=bad", "--study", "farm"),
    ("tell", "2", "yield=good", "--key", "k", "--study", "farm"),
    ("amend", "2", "yield=bad", "--why", "misread", "--study", "farm"),
    ("undo", "2", "--study", "farm"),
    ("tell", "2", "yield=", "--study", "farm"),
    ("tell", "2", "yield=good", "temperature=NA", "--study", "farm"),
    ("withdraw", "3", "--why", "hail", "--never-played", "--study", "farm"),
    ("withdraw", "3", "--why", "hail", "--study", "farm"),
    ("note", "a dry spring", "--study", "farm"),
    ("note", "hail", "--round", "3", "--who", "Ann", "--study", "farm"),
    ("observe", LOG, "--study", "farm"),
    ("observe", LOG, "--study", "farm"),
    ("observe", LOG, "--force", "-f", "json", "--who", "Ann", "--study", "farm"),
    ("observe", LOG, "--column", "yield=nothing", "--study", "farm"),
    ("observe", "nowhere.csv", "--study", "farm"),
    ("observe", "--undo", "zzz", "--study", "farm"),
    ("observe", "--study", "farm"),
    ("extend", "--rounds", "60", "--why", "a better year", "--study", "farm"),
    ("extend", "--rounds", "50", "--why", "a worse one", "--study", "farm"),
    ("extend", "--budget", "50", "--why", "money", "--study", "farm"),
    ("learner", "thompson", "--why", "to compare", "--study", "farm"),
    ("learner", "nobody", "--why", "to compare", "--study", "farm"),
    ("learner", "causal-top-two", "--why", "back", "--study", "farm"),
    ("add", "do(temperature=high, moisture=wet)", "--why", "a new pump", "--study", "farm"),
    ("add", "do(temperature=high, moisture=wet)", "--why", "a new pump", "--study", "farm"),
    ("retire", "do(temperature=high, moisture=wet)", "--why", "the pump broke", "--who", "Ann", "--study", "farm"),
    ("retire", "do(temperature=high, moisture=wet)", "--why", "twice", "--study", "farm"),
    ("retire", "do(moisture=damp)", "--why", "nonsense", "--study", "farm"),
    ("retire", "do()", "--why", "nobody may watch", "--study", "farm"),
    ("retire", "do()", "--undo", "--why", "again", "--study", "farm"),
    ("retire", "do()", "--undo", "--why", "twice", "--study", "farm"),
    ("best", "--study", "farm"),
    ("best", "-f", "json", "--study", "farm"),
    ("status", "--study", "farm"),
    ("status", "-f", "json", "--study", "farm"),
    ("close", "--why", "winter", "--study", "farm"),
    ("ask", "--study", "farm"),
    ("close", "--undo", "--study", "farm"),
    ("close", "--undo", "--study", "farm"),
    ("archive", "--study", "farm"),
    ("archive", "--undo", "--why", "spring", "--study", "farm"),
    ("export", "--rule", "rule.json", "--study", "farm"),
    ("recut", "moisture", "20", "--study", "farm"),
    ("new", HARVEST, "--rounds", "40", "--name", "harvest"),
    ("ask", "--study", "harvest"),
    ("recut", "moisture", "20", "--why", "a new probe", "--study", "harvest"),
    ("recut", "moisture", "twenty", "--study", "harvest"),
    ("recut", "moisture", "22,5", "--study", "harvest"),
    ("delete", "--yes", "--study", "harvest"),
]


def test_the_life_of_a_study_by_commands(there, tmp_path, monkeypatch):
    """All that is printed, and every error, is the same here and there."""
    monkeypatch.chdir(tmp_path)
    here = f"sqlite:///{tmp_path}/here.db"
    for command in LIFE:
        one, other = said(here, *command), said(there, *command)
        assert one == other, command
    rehearse = "rehearse", "--study", "farm", "--worlds", "20", "--rounds", "5", "--workers", "1", "-f", "json"
    assert said(here, *rehearse, "-o", "one")[0] == said(there, *rehearse, "-o", "other")[0]
    kinds = [[e["kind"] for e in Study.open("farm", storage).history()] for storage in (here, there)]
    assert kinds[0] == kinds[1]


def test_files_that_commands_write(there, tmp_path, monkeypatch):
    """A picture, a table and the whole log of a study on a server."""
    monkeypatch.chdir(tmp_path)
    assert said(there, "new", FARM, "--rounds", "20", "--name", "written")[-1] == 0
    study = Study.open("written", there)
    for asked in study.ask("Ann", 3):
        study.tell(asked, {"yield": "good"}, happened=True)
    for command in (
        ("best", "--picture", "moved.svg"),
        ("export", "-o", "rounds.csv"),
        ("export", "-o", "rounds.json"),
    ):
        found = said(there, *command, "--study", "written")
        assert found[-1] == 0, found
    assert (tmp_path / "moved.svg").stat().st_size > 1_000
    assert (tmp_path / "rounds.csv").read_text().count("good") == 3
    assert said(f"sqlite:///{tmp_path}/copy.db", "import", "rounds.json")[-1] == 0
    assert said(there, "import", "rounds.json", "--name", "read again") == ("", "imported 'read again'\n", 0)
    assert said(there, "import", "rounds.json")[1:] == (
        "there is a study 'written' already: import it under another name (--name NAME)",
        2,
    )
    assert said(there, "studies", "-f", "json")[0][-1]["name"] == "read again"
    assert exported(Study.open("read again", there))["events"] == exported(study)["events"]
    copy = Study.open("written", f"sqlite:///{tmp_path}/copy.db")
    assert repr(copy.best()) == repr(study.best())
    assert "polyline" in study._repr_html_()  # how the estimates moved
    assert study.to_frame().equals(copy.to_frame())
    assert len(study.plot().axes) == len(copy.plot().axes) == 2
    assert json.loads((tmp_path / "rounds.json").read_text())["name"] == "written"
    assert "told round 3 by the JSON interface" in said(there, "history", "--study", "written")[0]


def test_contexts_by_commands(there, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    polars.DataFrame({"device": ["1", "0", "1"]}).write_csv("visits.csv")
    graph = bestdo.Graph.parse("device -> sale; photo -> sale", reward="sale", success="1")
    problem = bestdo.Problem(graph, set=["photo"], first=["device"])
    here = f"sqlite:///{tmp_path}/here.db"
    for storage in (here, there):
        Study.create(problem, rounds=40, name="shop", storage=storage)
    for command in [
        ("ask", "--seen", "device=1", "--worker", "Ann"),
        ("ask", "--seen", "device=1", "-n", "2", "--key", "v1"),
        ("ask", "--seen", "device=1", "-n", "2", "--key", "v1"),
        ("ask", "--contexts", "visits.csv"),
        ("ask", "--seen", "device=phone"),
        ("ask",),
        ("tell", "1", "sale=1"),
        ("best",),
        ("best", "-f", "json"),
        ("export", "--rule", "rule.py"),
    ]:
        one, other = (said(storage, *command, "--study", "shop") for storage in (here, there))
        assert one == other, command


@pytest.mark.parametrize("command", [("backup", "copy.db"), ("restore", "copy.db", "--yes")])
def test_what_is_done_where_the_database_is(there, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "copy.db").write_text("")
    found = said(there, *command)
    assert found[1:] == ("this is done where the database is, not over a server's address: say its --storage", 4)


def test_a_remote_study_has_all_names_and_signatures_of_a_study(there, tmp_path):
    """Nothing is left out, and nothing is called in another way."""
    study = Study.create(FARM, 9, name="names", storage=there)
    here = Study.create(FARM, 9, name="names", storage=f"sqlite:///{tmp_path}/here.db")
    assert isinstance(study, Study)
    assert {n for n in dir(study) if not n.startswith("_")} == {n for n in dir(here) if not n.startswith("_")}
    for name in (n for n in dir(Study) if not n.startswith("_") and callable(getattr(Study, n))):
        own, usual = (inspect.signature(getattr(type(each), name)).parameters.values() for each in (study, here))
        kinds = [[(p.kind, p.default, p.name) for p in list(each)[1:]] for each in (own, usual)]
        assert kinds[0] == kinds[1], name
