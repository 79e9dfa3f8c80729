"""A study with limits: one answer wherever it is read, kept by export and replay, and told in words where none keeps them."""

import json
from html import unescape

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import beta
from starlette.testclient import TestClient

from bestdo import Actions, Graph, Limit, Problem, do
from bestdo.bandit.answer import Best, near_miss
from bestdo.bandit.estimate import Estimate
from bestdo.bandit.limits import Limits
from bestdo.cli import bestdo as command
from bestdo.errors import ActionError, NotValid
from bestdo.files import toml
from bestdo.files.declarations import Source, Wanted
from bestdo.report.sections.rehearsal import advice
from bestdo.study import Study
from bestdo.study.estimate_history import moved
from bestdo.study.exchange import exported, imported
from bestdo.text import chance
from bestdo.usecases.rehearse import rehearse_study
from bestdo.usecases.simulation import Simulation
from bestdo.web.access import Access
from bestdo.web.app import application
from web_support import EDITOR, HERE, PORT, VIEWER

TEXT = """\
bestdo = 1

[variables.dose]
values = ["none", "some", "much"]

[variables.harm]
values = ["no", "yes"]

[variables.pain]
number = true

[variables.cure]
values = ["no", "yes"]

[graph]
edges = ["dose -> harm", "dose -> cure", "dose -> pain"]
reward = "cure"
success = "yes"

[actions]
list = ["do(dose=none)", "do(dose=some)", "do(dose=much)"]

[[limits]]
variable = "harm"
value = "yes"
at_most = 0.2
never = ["do()"]

[[limits]]
variable = "pain"
at_most = 10
"""
HARM, CURE, PAIN = (0.02, 0.05, 0.6), (0.2, 0.6, 0.95), (4.0, 6.0, 8.0)


def problem_of(text=TEXT):
    return toml.read(Source("a.toml", text), Wanted()).problem


def told(url, rounds=60, learner="causal-top-two", harm=HARM, **options):
    study = Study.create(problem_of(), 100, learner=learner, name="limited", storage=url, **options)
    rng = np.random.default_rng(4)
    for _ in range(rounds):
        (each,) = study.ask()
        dose = ("none", "some", "much").index(each.action["dose"])
        values = {"harm": "yes" if rng.random() < harm[dose] else "no", "pain": f"{rng.normal(PAIN[dose], 2):.2f}"}
        study.tell(each.number, {**values, "cure": "yes" if rng.random() < CURE[dose] else "no"})
    return study


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/a.db"


def test_the_recommendation_keeps_the_limits(url):
    study = told(url)
    found = study.findings()
    assert str(found.best.action) == "do(dose=some)"
    assert found.best.keeps >= 0.9
    assert found.best.within_limits
    assert found.best.about_limits == f"it keeps all limits with probability {chance(found.best.keeps)}"
    assert found.estimates.keeps[0, 2] < 0.5
    assert found.estimates.mean[0].argmax() == 2  # the best without limits


def test_one_answer_on_the_page_on_the_command_line_and_in_json(url, tmp_path):
    study = told(url, rounds=40)
    best = study.best()
    run = CliRunner().invoke(command, ["best", "--storage", url])
    assert run.exit_code == 0, run.output
    assert "within the limit: P(harm = yes) at most 0.2" in run.output
    assert "never allowed: do()" in run.output
    assert "within the limit: the mean of pain at most 10" in run.output
    assert best.about_limits in run.output
    assert "keeps limits" in run.output
    data = json.loads(CliRunner().invoke(command, ["best", "--storage", url, "-f", "json"]).output)
    assert data["keeps_limits"] == best.keeps
    assert data["limits"] == ["P(harm = yes) at most 0.2", "the mean of pain at most 10"]
    assert data["within_limits"] is best.within_limits
    access = Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True)
    with TestClient(application(url, access), base_url=HERE) as client:
        client.headers["Authorization"] = f"Bearer {EDITOR}"
        api = client.get("/api/v1/studies/limited/best")
        page, report = (unescape(client.get(f"/studies/limited{more}").text) for more in ("", "/report"))
    assert api.status_code == 200, api.text
    assert api.json()["keeps_limits"] == best.keeps
    assert [a["keeps_limits"] for a in api.json()["actions"]] == [a["keeps_limits"] for a in data["actions"]]
    for text in (page, report):
        assert best.about_limits[1:] in text
        assert "Keeps limits" in text


def test_none_keeps_the_limits(url):
    study = told(url, rounds=40, harm=(0.5, 0.6, 0.7))
    best = study.best()
    assert not best.within_limits
    assert best.about_limits.startswith("no action keeps all limits with probability 0.9 so far; do(dose=")
    assert best.keeps == study.estimates().keeps.max()


def test_a_near_miss_is_explained():
    lines = [
        Estimate(do(dose=dose), 0.5, 0.1, 0.9, p_best, 5, 5.0, keeps=keeps)
        for dose, p_best, keeps in [("none", 0.25, 0.99), ("some", 0.7, 0.89), ("much", 0.05, 0.2)]
    ]
    limits, near = Limits([Limit("harm", "yes", at_most=0.25)]), near_miss(lines, lines[0], 0.9)
    best = Best(do(dose="none"), 0.5, 0.1, 0.9, 0.25, 5, 5.0, 9, 0.99, limits, near_miss=near)
    assert best.about_limits == (
        "it keeps all limits with probability 0.99; do(dose=some) is likelier to be the best (P(best) 0.70), but keeps "
        "all limits with probability 0.89, below 0.9"
    )
    assert near_miss(lines, lines[1], 0.9) is None  # no action keeps them
    assert near_miss([lines[0], lines[2]], lines[0], 0.9) is None


def test_export_import_and_replay(url, tmp_path):
    study = told(url, rounds=25)
    data = json.loads(json.dumps(exported(study)))
    again = imported(f"sqlite:///{tmp_path}/b.db", data)
    assert again.problem == study.problem
    assert again.best() == study.best()
    np.testing.assert_array_equal(again.estimates().keeps, study.estimates().keeps)
    assert [str(r.action) for r in again.ask(n=5)] == [str(r.action) for r in study.ask(n=5)]
    reopened = Study.open("limited", url)  # from the checkpoint
    assert reopened.best() == study.best()


def test_after_a_repair_limits_rest_on_plays_where_a_cause_is_hidden(url):
    """A hidden cause of dose and harm that the graph does not have: who takes much by himself is never harmed by it."""
    graph = Graph.parse("dose -> harm; dose -> cure", reward="cure")
    limits = (Limit("harm", "1", at_most=0.2),)
    problem = Problem(graph, Actions(graph, [do(), do(dose=0), do(dose=1)]), limits=limits)
    study, rng = (
        Study.create(problem, 400, learner="causal-top-two", name="a", storage=url, alarm=0.2),
        np.random.default_rng(1),
    )
    while not (status := study.status())["repairs"]:
        (each,) = study.ask()
        frail = rng.random() < 0.5
        dose = int(each.action.get("dose", str(int(not frail))))
        harm, cure = dose and frail, rng.random() < (0.9 if dose and not frail else 0.1)
        study.tell(each.number, {n: str(int(v)) for n, v in (("dose", dose), ("harm", harm), ("cure", cure))})
    assert status["repairs"][0]["added"] == ["dose <-> harm"]
    assert (status["learner"], status["alarms"]) == ("causal-top-two", [])
    rows = [row for row in study.rounds() if row["status"] == "told" and row["action"] == "do(dose=1)"]
    harmed = sum(row["values"]["harm"] == "1" for row in rows)
    own = beta(1 + harmed, 1 + len(rows) - harmed).cdf(0.2)
    assert 0 < study.estimates().keeps[0, 2] <= own < 0.01
    assert str(study.best().action) != "do(dose=1)"


def test_amended_rounds_count_anew(url):
    study = told(url, rounds=20, learner="top-two")
    before = study.estimates().keeps
    for row in study.rounds():
        study.amend(row["number"], {**row["values"], "harm": "yes"}, "all were harmed")
    assert (study.estimates().keeps < before).all()


def test_what_is_never_allowed_cannot_be_added(url):
    study = Study.create(problem_of(), 10, learner="top-two", name="a", storage=url)
    with pytest.raises(ActionError, match="is never allowed: it breaks the limit P"):
        study.add_action("do()", "why not")


def test_a_study_with_limits_cannot_stop_because_it_is_sure(url):
    with pytest.raises(NotValid, match="with limits a study cannot stop because it is sure"):
        Study.create(problem_of(), 10, learner="top-two", name="a", storage=url, until_sure=0.95)


def test_what_more_rounds_buy_within_the_limits(url):
    text = TEXT.replace("[variables.pain]\nnumber = true\n\n", "").replace(', "dose -> pain"', "")
    problem = problem_of(text.partition('\n[[limits]]\nvariable = "pain"')[0])
    study = Study.create(problem, 40, learner="causal-top-two", name="a", storage=url)
    found = rehearse_study(study, [20], Simulation(60))
    (row,) = found.rows
    assert 0 <= row["breaks"] <= 0.2
    assert 0 < row["none"] < 1
    assert 0 < row["no_action_keeps"] < 1
    assert "the action kept breaks a limit in" in advice(found.rows)


def test_a_new_study_says_that_rounds_may_break_limits(tmp_path):
    (tmp_path / "a.toml").write_text(TEXT)
    storage = f"sqlite:///{tmp_path}/c.db"
    run = CliRunner().invoke(command, ["new", str(tmp_path / "a.toml"), "--rounds", "30", "--storage", storage])
    assert "A safe answer is not safe exploration" in run.output
    run = CliRunner().invoke(command, ["check", str(tmp_path / "a.toml")])
    assert "A safe answer is not safe exploration" in " ".join(run.output.split())


def test_a_new_study_says_what_rounds_play_where_a_limit_holds_while_exploring(tmp_path):
    always = 'at_most = 0.2\nalways = true\nsafe = ["do(dose=none)"]'
    text = TEXT.replace("at_most = 0.2", always, 1)
    (tmp_path / "a.toml").write_text(text)
    storage = f"sqlite:///{tmp_path}/c.db"
    run = CliRunner().invoke(command, ["new", str(tmp_path / "a.toml"), "--rounds", "30", "--storage", storage])
    said = " ".join(run.output.split())
    assert (
        "rounds play do(dose=none), named as safe, and what keeps P(harm = yes) at most 0.2 with probability 0.9"
        in said
    )
    assert "while exploring, too, beginning with: do(dose=none)" in said
    assert "which actions keep the mean of pain at most" in said  # the other limit holds for the answer alone
    study = Study.open("a", storage)
    (asked,) = study.ask()
    assert asked.action == do(dose="none")
    assert study.problem.limits.always
    again = imported(f"sqlite:///{tmp_path}/b.db", exported(study))
    assert again.problem.limits == study.problem.limits


def test_a_safe_action_that_is_retired_is_no_longer_named_as_safe(tmp_path):
    """It was: "rounds play do(dose=none), do(), named as safe", although do(dose=none) was taken out."""
    always = 'at_most = 0.2\nalways = true\nsafe = ["do(dose=none)", "do(dose=some)"]'
    (tmp_path / "a.toml").write_text(TEXT.replace("at_most = 0.2", always, 1))
    storage = f"sqlite:///{tmp_path}/c.db"
    CliRunner().invoke(command, ["new", str(tmp_path / "a.toml"), "--rounds", "30", "--storage", storage])
    Study.open("a", storage).retire("do(dose=none)", why="too weak")
    run = CliRunner().invoke(command, ["ask", "--storage", storage])
    assert "rounds play do(dose=some), named as safe" in run.output
    run = CliRunner().invoke(command, ["best", "--storage", storage])
    assert "beginning with: do(dose=some)\n" in run.output


def test_how_the_estimates_moved(url):
    assert len(moved(told(url, rounds=5)).mean)


def test_a_study_tells_apart_the_numbers_of_two_limits(tmp_path):
    """Each limit is judged by its own number; both were those of the last limit."""
    text = """
bestdo = 1
[variables.dose]
values = ["low", "high"]
[variables.pain]
number = true
low = 0.0
high = 10.0
[variables.fever]
number = true
low = 30.0
high = 45.0
[variables.well]
[graph]
edges = ["dose -> pain", "dose -> fever", "dose -> well"]
reward = "well"
[actions]
set = ["dose"]
[[limits]]
variable = "pain"
at_most = 5.0
[[limits]]
variable = "fever"
at_most = 40.0
"""
    (tmp_path / "two.toml").write_text(text)
    storage = f"sqlite:///{tmp_path}/two.db"
    own = Study.create(tmp_path / "two.toml", rounds=30, storage=storage, learner="thompson", seed=1)
    for k in range(24):
        asked = own.ask()
        told = {"dose": "low", **asked.action, "well": k % 2, "pain": 2 + k % 3, "fever": 36 + k % 3}
        own.tell(asked.number, told)
    assert own.best().keeps > 0.9
