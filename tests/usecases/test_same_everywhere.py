"""What is rehearsed can be begun, on the command line and on the page, with the same learner and the same numbers."""

import json
import re
import time
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from bestdo.cli import bestdo
from bestdo.errors import BestdoError
from bestdo.usecases.known_learners import names, names_by_title
from bestdo.web.access import Access
from bestdo.web.app import application
from support import ROOT
from web_support import EDITOR, HERE, PORT, VIEWER

QUICK = {("farm", False), ("farm", True), ("harvest", False), ("psa", True)}  # the others are in the campaign
EXAMPLES = [
    pytest.param(
        file,
        graph_only,
        id=f"{file.name}-{'graph only' if graph_only else 'tables known'}",
        marks=[] if (file.stem, graph_only) in QUICK else pytest.mark.campaign,
    )
    for file in sorted((ROOT / "examples").glob("*.toml"))
    for graph_only in (False, True)
]
OTHERS = {
    "graph alone": "dag { a [exposure] b [exposure] y [outcome=1] a -> b -> y; a -> y }",
    "a hidden cause": "dag { a [exposure] b [exposure] y [outcome=1] a -> b -> y; a <-> y }",
    "tables but the reward's": """bestdo = 1
[variables]
z = {}
x = {}
y = {}
[graph]
edges = ["z -> x -> y"]
reward = "y"
[actions]
set = ["z", "x"]
[tables]
z = [0.9, 0.1]
[tables.x]
given = ["z"]
rows = [{ when = ["0"], p = [0.9, 0.1] }, { when = ["1"], p = [0.2, 0.8] }]
""",
}
ROUNDS = 40


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('page')}/page.db"
    access = Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True)
    with TestClient(application(url, access), base_url=HERE, follow_redirects=False) as client:
        client.headers["Authorization"] = f"Bearer {EDITOR}"
        yield client


def unit_of(file):
    """The option for the horizon of the problem in a file."""
    return "--budget" if "[costs]" in file.read_text() else "--rounds"


def accepted_by_rehearse(file, folder, graph_only):
    """The learners that play, and the reasons of the others."""
    learners = [part for name in names() for part in ("--learner", name)]
    arguments = ["rehearse", str(file), unit_of(file), str(ROUNDS), "--worlds", "2", "-f", "json", "-o", str(folder)]
    done = CliRunner().invoke(bestdo, [*arguments, *learners, *["--graph-only"] * graph_only], catch_exceptions=False)
    data, name_of = json.loads(done.stdout), names_by_title()
    played = {name_of[row["learner"]] for row in data["rows"]}
    refused = {name_of[refusal["learner"]]: refusal["reason"] for refusal in data["left_out"]}
    assert played.isdisjoint(refused)
    return played, refused


def refusal_of_new(file, url, name, learner, graph_only):
    """Why `bestdo new` does not begin a study with this learner; nothing where it does."""
    arguments = ["new", str(file), unit_of(file), str(ROUNDS), "--learner", learner, "--name", name, "--storage", url]
    done = CliRunner().invoke(bestdo, [*arguments, *["--graph-only"] * graph_only])
    if isinstance(done.exception, BestdoError):
        return str(done.exception)
    assert done.exit_code == 0, done.output
    return ""


def refusal_of_page(client, text, name, learner, graph_only):
    """Why the page does not begin a study with this learner; nothing where it does."""
    fields = {"text": text, "via": "create", "faithful": "no", "rounds_": str(ROUNDS), "study": name}
    fields |= {"learner": learner} | ({"graph_only": "yes"} if graph_only else {})
    answer = client.post("/new/create", data=fields)
    if answer.status_code == 303:
        return ""
    assert answer.status_code == 422
    return re.search(r'<p class="problem" role="alert">(.*?)</p>', answer.text, re.S)[1]


def refusal_of_json(client, text, name, learner, graph_only):
    """Why the JSON interface does not begin a study with this learner; nothing where it does."""
    horizon = "budget" if "[costs]" in text else "rounds"
    order = {"name": name, "problem": text, horizon: ROUNDS, "learner": learner, "graph_only": graph_only}
    answer = client.post("/api/v1/studies", json=order)
    assert answer.status_code in (201, 422)
    return "" if answer.status_code == 201 else answer.json()["detail"]


def same(reason, other):
    return " ".join(unescape(reason).split()) == " ".join(other.split())


@pytest.fixture
def no_picture(monkeypatch):
    """Pictures with all learners are drawn of `OTHERS`: that takes longer than all the rest."""
    monkeypatch.setattr("bestdo.report.figure.draw", lambda folder, name: (Path(folder) / f"{name}.svg",))


@pytest.mark.usefixtures("no_picture")
@pytest.mark.parametrize(("file", "graph_only"), EXAMPLES)
def test_the_same_learners_are_accepted(page, tmp_path, file, graph_only):
    text, url = file.read_text(), f"sqlite:///{tmp_path}/new.db"
    played, refused = accepted_by_rehearse(file, tmp_path, graph_only)
    assert played | set(refused) == set(names())
    offered = page.post("/new/check", data={"text": text, "via": "text"}).text
    for learner in names():
        study = f"{file.name} {learner} {graph_only}"
        reasons = {
            "new": refusal_of_new(file, url, study, learner, graph_only),
            "page": refusal_of_page(page, text, study, learner, graph_only),
            "json": refusal_of_json(page, text, f"{study} json", learner, graph_only),
        }
        assert f"<option>{learner}</option>" in offered
        for where, reason in reasons.items():
            assert same(reason, refused.get(learner, "")), f"{learner}: {where}"
    if file.name == "farm.toml":
        assert ("algorithm-2" in played) is not graph_only


@pytest.mark.parametrize("source", OTHERS)
def test_what_is_rehearsed_of_other_files_can_be_begun(tmp_path, source):
    file = tmp_path / ("graph.toml" if OTHERS[source].startswith("bestdo") else "graph.dagitty")
    file.write_text(OTHERS[source])
    _, refused = accepted_by_rehearse(file, tmp_path, False)
    for learner in names():
        reason = refusal_of_new(file, f"sqlite:///{tmp_path}/new.db", learner, learner, False)
        assert same(reason, refused.get(learner, "")), learner


def test_a_rehearsal_on_the_page_is_the_one_of_the_command_line(page, tmp_path):
    text = (ROOT / "examples" / "farm.toml").read_text()
    fields = {"text": text, "via": "text", "rounds_": "8"}
    answer = page.post("/rehearsals", data=fields, headers={"HX-Request": "true"})
    watch = re.search(r'hx-get="(/rehearsals/[^"]+)"', answer.text)[1]
    until = time.monotonic() + 240
    while "Playing the experiment" in answer.text:
        assert time.monotonic() < until
        time.sleep(0.2)
        answer = page.get(watch, headers={"HX-Request": "true"})
    arguments = ["rehearse", str(ROOT / "examples" / "farm.toml"), "--rounds", "2,4,8,16", "--worlds", "1000"]
    done = CliRunner().invoke(bestdo, [*arguments, "-f", "json", "-o", str(tmp_path)], catch_exceptions=False)
    data = json.loads(done.stdout)
    rows = re.findall(
        r'<tr>(?:<td>[^<]*</td>)?<th scope="row">(.*?)</th><td class="n">(.*?)</td>.*?<td class="n">(.*?) ± (.*?)</td>',
        answer.text,
    )
    assert rows == [
        (r["learner"], f"{r['horizon']}", f"{r['regret']:.3f}", f"{2 * r['standard_error']:.3f}") for r in data["rows"]
    ]
    assert data["advice"] in answer.text
    for refusal in data["left_out"]:
        assert refusal["reason"][:40] in answer.text
