"""The pages in this process: every verb, what is uploaded and its limits, and what is escaped."""

import gzip
import html
import io
import re
import subprocess
import sys
import time

import pytest
import xlsxwriter

from bestdo import read
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.errors import BestdoError
from bestdo.files import parse
from bestdo.study import Study
from bestdo.study.estimate_history import moved
from bestdo.web.study_cache import from_slug, to_slug
from bestdo.web.workers.sandbox_client import Sandbox
from support import ROOT, problem_text

FARM = ROOT / "examples" / "farm.toml"


@pytest.fixture
def farm(url):
    return Study.create(read(FARM).problem, 20, learner="uniform", name="farm", storage=url, seed=1)


@pytest.mark.parametrize("name", ["farm", "a/b", "~", "~2F", "..", ".", "ünïcode ✓", "100%", "a?b#c", "~7E/~"])
def test_names_in_addresses(name):
    from urllib.parse import unquote

    slug = to_slug(name)
    assert "/" not in slug
    assert slug not in (".", "..")
    assert from_slug(unquote(slug)) == name


def test_what_people_write_is_escaped(client, url):
    nasty = "<script>alert('3')</script> & 'x'"
    graph = Graph.of([Variable(nasty, ("'><b>", "1")), Variable("b")], [(nasty, "b")], [(nasty, "b")], "b", "1")
    study = Study.create(
        Problem(graph, Actions.single(graph)), 5, learner="uniform", name="<script>alert(1)</script>", storage=url
    )
    study.ask("<img src=x onerror=alert(1)>")
    study.note("</li><script>alert(2)</script>", who='"><b>')
    at = f"/studies/{to_slug(study.name)}"
    for path in ("/", at, *(f"{at}/{page}" for page in ("log", "report", "rounds/1", "settings", "old"))):
        text = client.get(path).text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "&lt;script&gt;" in text


def test_the_settings_are_the_verbs_of_a_study(client, farm):
    at = "/studies/farm/settings"
    assert client.post(at, data={"verb": "extend", "horizon": "30", "why": "more"}).status_code == 303
    assert farm.status()["horizon"] == 30
    assert client.post(at, data={"verb": "extend", "horizon": "many", "why": "more"}).status_code == 422
    assert client.post(at, data={"verb": "learner", "learner": "top-two", "why": "x"}).status_code == 303
    assert farm.status()["learner"] == "top-two"
    assert client.post(at, data={"verb": "learner", "learner": "os:system", "why": "x"}).status_code == 422
    action = "do(moisture=wet, nutrient=rich)"
    assert client.post(at, data={"verb": "add", "action": action, "why": "x"}).status_code == 303
    assert client.post(at, data={"verb": "add", "action": action, "why": "x"}).status_code == 409
    for verb in ("close", "reopen", "archive", "unarchive"):
        assert client.post(at, data={"verb": verb, "why": "x"}).status_code == 303
    assert client.post(at, data={"verb": "reopen", "why": "x"}).status_code == 409
    assert client.post(at, data={"verb": "dance"}).status_code == 422
    assert client.post(at, data={"verb": "delete", "name": "other"}).status_code == 422
    assert client.post(at, data={"verb": "delete", "name": "farm"}).status_code == 303
    assert client.get("/studies/farm").status_code == 404


def test_the_settings_list_the_learners_that_the_study_would_take(client, farm):
    from bestdo.usecases.known_learners import descriptions

    text = html.unescape(client.get("/studies/farm/settings").text)
    listed = re.findall(r"<option(?: selected)?>([^<]*)</option>", text)
    assert "<option selected>uniform</option>" in text
    for name, about in descriptions().items():  # c-ucb needs tables, which the study of the farm does not know
        try:
            farm.change_learner(name, "x")
        except BestdoError:
            assert name not in listed
        else:
            assert name in listed
            assert f"<dt>{name}</dt><dd>{about}</dd>" in text
    assert "c-ucb" not in listed
    assert "(to earn)" in text


@pytest.mark.parametrize("number", ["²", "9" * 30, "9" * 5000])
def test_a_number_that_is_none_is_refused(client, farm, number):
    assert client.post("/plan", data={"text": FARM.read_text(), "rounds_": number}).status_code == 422
    at = f"/studies/farm/rounds/{number}"
    assert client.get(at).status_code == 422
    assert client.post(at, data={"yield": "good"}).status_code == 422
    assert client.get(f"/studies/farm?told={number}").status_code in (200, 422)


def test_exports_are_those_of_the_command_line(client, farm):
    from bestdo.report.study_report import as_csv
    from bestdo.study.exchange import exported, table

    farm.tell(farm.ask("Ada")[0].number, {"yield": "good"})
    assert client.get("/studies/farm/export.json").json() == exported(farm)
    assert client.get("/studies/farm/export.csv").content == as_csv(table(farm))
    assert client.get("/studies/farm/export.parquet").content[:4] == b"PAR1"
    assert client.get("/studies/farm/export.xlsx").status_code == 404
    assert read_text(client.get("/studies/farm/problem.toml").text) == farm.problem


def read_text(text):
    from bestdo.files import parse

    return parse(text.encode(), "x.toml").problem


def test_old_data_are_dropped_and_taken_back(client, farm):
    file = ("old.csv", (ROOT / "examples" / "farm_log.csv").read_bytes())
    answer = client.post("/studies/farm/observe", files={"file": file})
    assert answer.status_code == 200
    assert "400 rows taken in" in answer.text
    assert "What these data answer by themselves" in answer.text
    assert client.post("/studies/farm/observe", files={"file": file}).status_code == 409
    (old,) = farm.old_data()
    assert [e["who"] for e in farm.history() if e["kind"] == "observed"] == ["somebody"]
    assert client.post("/studies/farm/unobserve", data={"fingerprint": old.fingerprint}).status_code == 303
    assert farm.old_data() == []
    answer = client.post("/studies/farm/observe", files={"file": ("x.csv", b"yield\npurple\n")})
    assert answer.status_code == 422
    assert "purple" in answer.text
    assert client.post("/studies/farm/observe", files={"file": ("x.parquet", b"PAR1nonsense")}).status_code == 422


def test_a_workbook_is_dropped_with_what_is_said_about_it(client, farm):
    made = io.BytesIO()
    with xlsxwriter.Workbook(made) as workbook:
        for name, rows in {
            "2023": [["x"], [1]],
            "2024": [["id", "ernte", "moisture"], [1, "Gut", "?"], [2, "bad", "wet"]],
        }.items():
            sheet = workbook.add_worksheet(name)
            for i, row in enumerate(rows):
                sheet.write_row(i, 0, row)
    file = ("old.xlsx", made.getvalue())
    answer = client.post("/studies/farm/observe", files={"file": file})
    assert answer.status_code == 422
    assert "old.xlsx&#39; has 2 sheets with data" in answer.text
    said = {"sheet": "2024", "missing": "-, ?", "same": "gut=good", "columns": "yield=ernte", "ignore": "id"}
    answer = client.post("/studies/farm/observe", files={"file": file}, data=said)
    assert (answer.status_code, "2 rows taken in" in answer.text) == (200, True)
    assert client.post("/studies/farm/observe", files={"file": file}, data={"columns": "yield"}).status_code == 422
    bomb = ("x.xlsx", b"PK\x03\x04nonsense")
    assert "is damaged" in client.post("/studies/farm/observe", files={"file": bomb}).text


def test_rows_of_a_policy_are_plays_and_errors_keep_what_was_typed(client, farm):
    rows = "moisture,yield,p\n" + "wet,good,0.5\ndry,bad,0.5\n" * 3
    said = {"missing": "-", "probability": "q<", "chosen": "moisture"}
    answer = client.post("/studies/farm/observe", files={"file": ("log.csv", rows.encode())}, data=said)
    assert answer.status_code == 422
    assert "no column &#39;q&lt;&#39; holds the probability" in answer.text
    for name, typed in {"missing": "-", "probability": "q&lt;", "chosen": "moisture"}.items():
        assert re.search(rf'name="{name}" maxlength="\d+" value="{typed}"', answer.text)
    assert farm.old_data() == []
    answer = client.post(
        "/studies/farm/observe", files={"file": ("log.csv", rows.encode())}, data={"chosen": "moisture"}
    )
    assert (answer.status_code, 'value="moisture"' in answer.text) == (422, True)
    said["probability"] = "p"
    answer = client.post("/studies/farm/observe", files={"file": ("log.csv", rows.encode())}, data=said)
    assert (answer.status_code, "6 rows taken in" in answer.text) == (200, True)
    (old,) = farm.old_data()
    assert (old.chosen, old.probability.tolist()) == (("moisture",), [0.5, 0.5])
    assert 'name="probability"' in client.get("/studies/farm").text


def test_the_rest_of_a_study_is_rehearsed(client, farm):
    farm.tell(farm.ask("Ada")[0].number, {"yield": "good"})
    answer = client.post("/studies/farm/rehearse", headers={"HX-Request": "true"})
    watch = re.search(r'hx-get="(/rehearsals/[^"]+)"', answer.text)[1]
    until = time.monotonic() + 120
    while "Playing the experiment" in answer.text:
        assert time.monotonic() < until
        time.sleep(0.2)
        answer = client.get(watch, headers={"HX-Request": "true"})
    assert "How often the best action is kept" in answer.text


def test_errors_stand_beside_their_line(client):
    wrong = {"dag {\n a -> b\n b -> a }": 3, "bestdo = 1\n[variables.a]\nvalues = 3\n": 3, "nonsense": 1, "dag {": 1}
    for text, line in wrong.items():
        answer = client.post("/new/check", data={"text": text, "via": "text"}, headers={"HX-Request": "true"})
        assert answer.status_code == 200
        assert f'data-line="{line}"' in answer.text


def test_a_packed_file_is_read(client):
    file = ("farm.toml.gz", gzip.compress(FARM.read_bytes()))
    answer = client.post("/new/check", data={"via": "file"}, files={"file": file})
    assert "3. How long, and how" in answer.text
    bomb = ("bomb.toml.gz", gzip.compress(b"#" * 80 * 2**20))
    answer = client.post("/new/check", data={"via": "file"}, files={"file": bomb})
    assert "64 MB" in answer.text


def test_an_order_that_takes_too_long_is_given_up(sandbox):
    assert sandbox.run({"verb": "check", "text": FARM.read_text()})["error"] is None
    hasty = Sandbox(seconds=0.05)
    with pytest.raises(BestdoError, match="more than 0 seconds"):
        hasty.run({"verb": "check", "text": FARM.read_text()})
    hasty.close()


def test_the_sandbox_has_little_memory():
    words = "from bestdo.web.workers.sandbox_worker import limit; limit(); bytearray(3 * 2**30)"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=False)
    assert "MemoryError" in done.stderr


def test_the_sandbox_survives_its_child(sandbox):
    sandbox.run({"verb": "check", "text": "dag {a->b}"})
    for each in sandbox._free:
        if each._process is not None:
            each._process.kill()
            each._process.wait()
    assert sandbox.run({"verb": "check", "text": "dag {a->b}"})["error"] is None


@pytest.mark.parametrize("learner", ["uniform", "algorithm-1", "top-two", "sequential-halving", "ucb"])
def test_the_movement_ends_where_the_study_stands(url, learner):
    study = Study.create(read(FARM).problem, 40, learner=learner, name=learner, storage=url, seed=2)
    study.observe(ROOT / "examples" / "farm_log.csv")
    for k in range(33):
        asked = study.ask("Ada")[0]
        study.tell(asked.number, {**asked.action, "yield": "good" if k % 3 else "bad"})
    study.withdraw(5, "lost")
    study.amend(7, {"yield": "bad"}, "misread")
    for points in (3, 60):
        found = moved(study, points)
        assert found.told[-1] == 32
        assert found.mean[-1] == pytest.approx(study.estimates().mean[0], nan_ok=True)


def test_the_graph_alone_can_be_wanted_on_the_page(client, url):
    """Ticked where tables are given; it stays ticked, and a study begun with it knows nothing but the graph."""
    fields = {"text": FARM.read_text(), "via": "text", "rounds_": "3000"}
    known = client.post("/new/check", data=fields).text
    assert 'name="graph_only" value="yes" hx-post' in known
    assert "Theorem 3" in known
    alone = client.post("/new/check", data={**fields, "graph_only": "yes"}).text
    assert 'name="graph_only" value="yes" checked' in alone
    assert "Theorem 3" not in alone
    assert 'name="graph_only"' not in client.post("/new/check", data={"text": "dag { a -> b [outcome=1] }"}).text
    for name, more in (("known", {}), ("alone", {"graph_only": "yes"})):
        sent = {**fields, "rounds_": "40", "study": name, "faithful": "no", **more}
        assert client.post("/new/create", data=sent).status_code == 303
        assert (Study.open(name, url).problem.law is None) == bool(more)


def test_a_reward_of_three_values(client, url):
    """Marked in the form, told with buttons, kept as it was told; in text and form alike one value is success."""
    text = "bestdo = 1\n[variables]\ndose = {}\npain = { values = ['NO', 'MILD', 'SEVERE'] }\n"
    text += "[graph]\nedges = ['dose -> pain']\nreward = 'pain'\nsuccess = 'NO'\n"
    answer = client.post("/new/check", data={"text": text, "via": "text"}).text
    assert "Which action makes <strong>pain = NO</strong> likeliest?" in answer
    assert "<option selected>NO</option><option>MILD</option><option>SEVERE</option>" in answer
    sent = {"text": text, "via": "text", "rounds_": "5", "study": "pain", "faithful": "no"}
    assert client.post("/new/create", data=sent).status_code == 303
    assert client.post("/api/v1/studies/pain/ask", json={"worker": "Ada"}).status_code == 200
    told = client.post("/api/v1/studies/pain/rounds/1/tell", json={"values": {"pain": "MILD"}})
    assert told.status_code == 204
    page = client.get("/studies/pain/rounds/1").text
    assert all(f'value="{value}" required' in page for value in ("NO", "MILD", "SEVERE"))
    study = Study.open("pain", url)
    assert study.rounds()[0]["values"]["pain"] == "MILD"
    assert study.estimates().mean.max() < 1


@pytest.mark.parametrize("packed", [False, True])
def test_an_outcome_alone_asks_which_value_is_success(client, url, packed):
    """The forms come with the question beside the reward, and the study begins when it is answered, with that value."""
    text = "dag { X [exposure] Z Infarction [outcome] X -> Infarction }"
    sent = {"text": text, "via": "text"}
    answer = client.post("/new/check", data=sent).text
    if packed:
        file = ("a.txt.gz", gzip.compress(text.encode()))
        answer = client.post("/new/check", data={"via": "file"}, files={"file": file}).text
    assert "which value of &#39;Infarction&#39; is success? Choose it below the table" in answer
    assert '<option value="">choose</option><option>0</option><option>1</option>' in answer
    assert "Begin the study" not in answer
    fields = dict(re.findall(r'<input [^>]*?name="([\w-]+)"[^>]*? value="([^"]*)"', answer))
    assert ("settable-0" in answer, fields["rows"]) == (True, "3")
    forms = {
        **{k: v for k, v in fields.items() if k.split("-")[0] in ("name", "values", "was", "rows", "arrows")},
        **{"from-0": "X", "mark-0": "->", "to-0": "Infarction", "reward": "Infarction", "settable-0": "on"},
    }
    again = client.post("/new/check", data={**forms, "text": text, "via": "forms"}).text
    assert "is success? Choose it below the table" in again
    chosen = {**forms, "text": text, "success": "0"}
    assert (
        "<strong>Infarction = 0</strong> likeliest?" in client.post("/new/check", data={**chosen, "via": "forms"}).text
    )
    begun = {**chosen, "faithful": "yes", "study": "heart", "rounds_": "9"}
    assert client.post("/new/create", data={**begun, "success": ""}).status_code == 422
    assert client.post("/new/create", data=begun).status_code == 303
    graph = Study.open("heart", url).problem.graph
    assert (graph.reward, graph.success) == ("Infarction", "0")


def test_the_json_interface_asks_which_value_is_success(client):
    body = {"name": "heart", "problem": "dag { X [exposure] Y [outcome] X -> Y }", "rounds": 9}
    answer = client.post("/api/v1/studies", json=body)
    assert answer.status_code == 422
    assert "which value of the reward 'Y' is success, '0' or '1'" in answer.json()["detail"]
    assert client.post("/api/v1/studies", json={**body, "success": "0"}).status_code == 201


def test_a_reward_whose_values_are_worth_numbers(client, url):
    text = "bestdo = 1\n[variables]\ndose = {}\npain = { values = ['NO', 'MILD', 'SEVERE'] }\n"
    text += "[graph]\nedges = ['dose -> pain']\nreward = 'pain'\nworth = { NO = 0, MILD = -1, SEVERE = -4 }\n"
    answer = client.post("/new/check", data={"text": text, "via": "text"}).text
    assert "Which action makes the worth of pain largest on average?" in answer
    assert "The text says more than these forms can hold" not in answer
    assert re.search(r'name="worth-of-2" value="SEVERE"><input id="worth-2" [^>]* value="-4"', answer)
    sent = {"text": text, "via": "text", "rounds_": "5", "study": "pain", "faithful": "no"}
    assert client.post("/new/create", data=sent).status_code == 303
    for number, pain in ((1, "MILD"), (2, "SEVERE")):
        assert client.post("/api/v1/studies/pain/ask", json={"worker": "Ada"}).status_code == 200
        told = client.post(f"/api/v1/studies/pain/rounds/{number}/tell", json={"values": {"pain": pain}})
        assert told.status_code == 204
    best = client.get("/api/v1/studies/pain/best").json()
    assert all(-4 <= one["low"] <= one["high"] <= 0 for one in best["actions"])
    page = client.get("/studies/pain").text
    assert "Mean worth of pain" in page
    assert "<span>-4</span><span>-2</span><span>0</span>" in page
    assert "largest on average?" in client.get("/studies/pain/report").text
    assert ">-4</text>" in client.get("/studies/pain/moves.svg").text
    assert client.get("/studies/pain/moves.json").json()["span"] == [-4.0, 0.0]
    assert client.post("/api/v1/check", json={"problem": text}).json()["worth"] == {"NO": 0, "MILD": -1, "SEVERE": -4}


LOSS = problem_text(
    {
        "water": ["little", "much"],
        "temp": 'values = ["cold", "warm"], cut = [18.0], unit = "°C"',
        "loss": 'number = true, low = 0, unit = "t/ha"',
    },
    "water -> loss; temp -> loss",
    'reward = "loss"; aim = "minimise"',
    ["water"],
)


@pytest.fixture
def losses(client):
    """A study of a number to minimise, of which one round was told."""
    assert client.post("/api/v1/studies", json={"name": "loss", "problem": LOSS, "rounds": 9}).status_code == 201
    client.post("/api/v1/studies/loss/ask", json={"worker": "Ada"})
    told = client.post("/api/v1/studies/loss/rounds/1/tell", json={"values": {"loss": 3.5, "temp": "17,5"}})
    assert told.status_code == 204


def test_the_aim_of_a_number_is_asked_for(client):
    text = LOSS.replace('aim = "minimise"', "")
    answer = client.post("/new/check", data={"text": text, "via": "text"}).text
    assert "should &#39;loss&#39; be as large or as small as possible? Choose it below the table" in answer
    assert '<option value="maximise">as large as possible</option>' in answer
    assert "Begin the study" not in answer
    asked = client.post("/api/v1/studies", json={"name": "x", "problem": text, "rounds": 9})
    assert asked.status_code == 422
    assert "as large or as small" in asked.json()["detail"]
    begun = {"name": "x", "problem": text, "rounds": 9, "aim": "maximise"}
    assert client.post("/api/v1/studies", json={**begun, "aim": "best"}).status_code == 422
    assert client.post("/api/v1/studies", json=begun).status_code == 201


def test_a_number_is_shown_in_its_unit(client, losses):
    page = client.get("/studies/loss").text
    assert "Mean loss, t/ha" in page
    assert "smaller is better" in page
    assert "reward, t/ha: as small as possible" in page  # the drawing of the graph
    for path in ("", "/report", "/moves.svg", "/moves.json"):
        text = client.get(f"/studies/loss{path}").text
        assert not re.search(r"[>\s±:\[,-](inf|nan|Infinity|NaN)\b", text), path
    assert "not known yet" in page  # one round of a number without a largest one does not tell how sure it is
    assert "not known yet" in client.get("/").text or "Nothing is known yet" in client.get("/").text
    best = client.get("/api/v1/studies/loss/best").json()
    assert {one["low"] for one in best["actions"]} == {None}
    assert "loss smallest on average" in client.get("/studies/loss/report").text
    assert ",17.5,3.5," in client.get("/studies/loss/export.csv").text
    assert "17,5" in client.get("/studies/loss/export.json").text  # as it was told


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({"v:loss": "-1"}, "&#39;loss&#39; is -1; by the problem it is at least 0"),
        ({"v:loss": "ten"}, "&#39;loss&#39; is &#39;ten&#39;; it must be a number"),
        ({"v:loss": "1e999"}, "must be a finite number"),
        (
            {"v:loss": "1", "v:temp": "warmish"},
            "&#39;temp&#39; is &#39;warmish&#39; (did you mean &#39;warm&#39;?); it must be cold or warm, or a number",
        ),
        ({"v:loss": ""}, "the reward &#39;loss&#39; must be told"),
    ],
)
def test_what_was_typed_survives_an_error(client, losses, typed, message):
    client.post("/api/v1/studies/loss/ask", json={"worker": "somebody"})
    answer = client.post("/studies/loss/rounds/2", data={"v:temp": "19,25", **typed})
    assert answer.status_code == 422
    assert message in answer.text
    assert f'value="{typed.get("v:temp", "19,25")}" inputmode="decimal"' in answer.text
    assert f'value="{typed["v:loss"]}" inputmode="decimal"' in answer.text
    checked = client.post("/studies/loss/rounds/2/check", data={"v:temp": "19,25", **typed})
    assert message in checked.text
    for text in (answer.text, checked.text):
        assert ("Yes, this is what happened" in text) == (typed["v:loss"] == "-1")
    assert client.post("/studies/loss/rounds/2", data={"v:temp": "19,25", "v:loss": "4,5"}).status_code == 303
    assert client.get("/api/v1/studies/loss/rounds").json()[1]["told"]["values"]["loss"] == "4,5"


def test_a_number_outside_its_bounds_is_kept_if_it_happened(client, losses, url):
    client.post("/api/v1/studies/loss/ask", json={"worker": "somebody"})
    typed = {"v:loss": "-1", "happened": "yes"}
    checked = client.post("/studies/loss/rounds/2/check", data=typed).text
    assert "Will be recorded" in checked
    assert 'name="happened" value="yes" checked' in checked  # or it would be lost before it is sent
    assert client.post("/studies/loss/rounds/2", data=typed).status_code == 303
    assert Study.open("loss", url).rounds()[1]["deviated"]
    assert "differently" in client.get("/studies/loss").text


def test_programs_send_numbers_as_numbers(client, losses):
    client.post("/api/v1/studies/loss/ask", json={"worker": "Ada"})
    at = "/api/v1/studies/loss/rounds/2/tell"
    for wrong in (True, None, [1], -0.5, "x"):
        assert client.post(at, json={"values": {"loss": wrong}}).status_code == 422
    assert client.post(at, content=b'{"values": {"loss": Infinity}}').status_code in (400, 422)
    assert client.post(at, json={"values": {"loss": 7}}).status_code == 204
    assert client.get("/api/v1/studies/loss/rounds").json()[1]["told"]["values"] == {"water": "little", "loss": "7"}


def test_worth_and_aim_are_said_to_the_json_interface(client):
    body = {"problem": "dag { X [exposure] Y [outcome] X -> Y }", "worth": {"0": 1.5, "1": -2}, "aim": "minimise"}
    assert client.post("/api/v1/check", json=body).json()["worth"] == {"0": 1.5, "1": -2}
    assert client.post("/api/v1/check", json={**body, "worth": {"0": "much", "1": 0}}).status_code == 422
    assert client.post("/api/v1/check", json={**body, "success": "1"}).status_code == 422


def test_a_plan_of_a_number(client):
    """Its sheet is filled in with decimal commas, and says the best action in the unit."""
    text = LOSS.replace("low = 0", "low = 0, high = 50") + "[tables]\nwater = [0.5, 0.5]\ntemp = [0.5, 0.5]\n"
    sheet = client.post("/plan", data={"text": text, "rounds_": "8", "via": "sheet", "separator": "semicolon"}).text
    head, *lines = sheet.strip().splitlines()
    columns = head.lstrip("\ufeff").split(";")
    filled = [head]
    for k, each in enumerate(lines):
        row = dict(zip(columns, each.split(";"), strict=True))
        much = row["water"] == "much" or (not row["water"] and k % 2)
        row |= {"water": "much" if much else "little", "temp": "17,5", "loss": f"{4 if much else 9},{k}"}
        filled.append(";".join(row[column] for column in columns))
    file = ("filled.csv", "\n".join(filled).encode())
    answer = client.post("/plan/estimate", data={"text": text, "rounds_": "8"}, files={"sheet": file})
    assert answer.status_code == 200, re.findall(r'class="problem"[^>]*>([^<]*)', answer.text)
    assert re.search(
        r"Keep <strong>do\(water=much\)</strong> <span class=\"figure\">\d+(\.\d+)? t/ha</span>", answer.text
    )


def test_a_cut_is_changed_on_the_page(client, losses, url):
    at = "/studies/loss/settings"
    assert "temp (below 18: cold; from 18: warm)" in client.get(at).text
    wrong = client.post(at, data={"verb": "recut", "variable": "temp", "cut": "18; 20", "why": "x"})
    assert wrong.status_code == 422
    assert "2 values and 2 cuts" in wrong.text
    assert client.post(at, data={"verb": "recut", "variable": "temp", "cut": "17,25", "why": "x"}).status_code == 303
    assert Study.open("loss", url).problem.graph.variable("temp").cut == (17.25,)
    assert "17,5" in client.get("/studies/loss").text  # as it was told


def test_old_data_of_a_number(client, losses):
    """Read as they were measured; answers are in the unit, the smallest first."""
    rows = [f"{'much' if k % 2 else 'little'};{15 + k % 7},5;{(4 if k % 2 else 9) + k % 3},25" for k in range(60)]
    file = ("old.csv", "\n".join(["water;temp;loss", *rows]).encode())
    answer = client.post("/studies/loss/observe", files={"file": file})
    assert answer.status_code == 200, re.findall(r'class="problem"[^>]*>([^<]*)', answer.text)
    assert "60 rows taken in" in answer.text
    assert "Mean loss, t/ha" in answer.text
    order = re.findall(r"<code>(do\(water=\w+\))</code></th><td class=\"n\">(\d+\.\d+)", answer.text)
    assert [action for action, _ in order] == ["do(water=much)", "do(water=little)"]
    assert [float(mean) for _, mean in order] == pytest.approx([5.25, 10.25], abs=0.1)


def test_the_psa_example_begins_from_its_forms(client, url):
    """A number to minimise, cuts and a limit, by the fields of the page alone: the same problem as from the file."""
    text = (ROOT / "examples" / "psa.toml").read_text()
    page = client.post("/new/check", data={"text": text, "via": "text"}).text
    fields = {}
    for tag in re.findall(
        r"<(?:input|select)[^>]*>(?:<option.*?</select>)?", page[page.index("variables-title") :], re.S
    ):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r' value="([^"]*)"', tag)
        if name and tag.startswith("<select"):
            chosen = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', tag)
            fields[name[1]] = "" if chosen is None else chosen[2] if chosen[1] is None else chosen[1]
        elif name and (" checked" in tag or not re.search(r'type="(checkbox|radio)"', tag)):
            fields[name[1]] = value[1] if value else "on"
    fields = {name: html.unescape(value) for name, value in fields.items()}
    sent = {**fields, "text": text, "faithful": "yes", "study": "psa", "rounds_": "20", "graph_only": "yes"}
    answer = client.post("/new/create", data=sent)
    assert answer.status_code == 303, re.findall(r'class="problem"[^>]*>([^<]*)', answer.text)
    problem, file = Study.open("psa", url).problem, read(ROOT / "examples" / "psa.toml").problem
    assert (problem.graph, problem.limits, problem.sure) == (file.graph, file.limits, file.sure)
    assert list(problem.actions) == list(file.actions)


def test_pictures_of_a_study_use_the_positions_of_its_file(client, url):
    text = b'dag { X [exposure,pos="0,0"] Y [outcome,pos="2,1"] Z [pos="0,2"] X -> Y Z -> Y }'
    problem = parse(text, "text", success="1").problem
    study = Study.create(problem, 5, learner="uniform", name="placed", storage=url)
    assert Study.open("placed", url).problem.positions == {"X": (0, 0), "Y": (2, 1), "Z": (0, 2)}
    for page in ("", "/report"):
        assert "3 variables, placed by hand." in client.get(f"/studies/{study.name}{page}").text
    placed = text.decode().replace("outcome,", "outcome=1,").replace("Z [", "Z [adjusted,")
    answer = client.post("/new/check", data={"text": placed, "via": "text"}).text
    assert "3 variables, placed by hand." in answer
    assert "The mark adjusted (Z) is not used" in answer
