"""Actions that are gone: neither played nor recommended, wherever a study is read; and brought back."""

import json
from html import unescape

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import bestdo
from bestdo import Limit, do
from bestdo.cli import bestdo as command
from bestdo.errors import ActionError, Conflict, Finished, NotValid
from bestdo.learners import LEARNERS
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.usecases.rehearse import rehearse
from bestdo.web.access import Access
from bestdo.web.app import application
from support import ROOT, problem_text
from web_support import EDITOR, HERE, PORT, VIEWER

FARM = str(ROOT / "examples" / "farm.toml")
WET, RICH = "do(moisture=wet)", "do(nutrient=rich)"


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/a.db"


def begun(url, learner=None, rounds=40, name="farm", **more):
    return Study.create(FARM, rounds=rounds, learner=learner, name=name, storage=url, seed=2, **more)


def told(study, most, good=lambda action: action.get("moisture") == "wet"):
    """The actions of so many rounds, of which each is told at once."""
    played = []
    for _ in range(most):
        try:
            (each,) = study.ask("Ann")
        except Finished:
            break
        seen = {"temperature": "low", "nutrient": "poor", "moisture": "dry", **each.action}
        study.tell(each.number, {**seen, "yield": "good" if good(each.action) else "bad"})
        played.append(str(each.action))
    return played


@pytest.mark.parametrize(
    "learner", ["causal-top-two", "top-two", "uniform", "successive-rejects", "algorithm-1", "lucb"]
)
def test_it_is_neither_played_nor_recommended_and_its_rounds_count(url, learner):
    study = begun(url, learner)
    told(study, 20)
    before = study.estimates().played[0]
    index = study.problem.actions.index(do(moisture="wet"))
    study.retire(WET, "the pump broke", who="Ann")
    now = study.findings()
    assert now.estimates.played[0].tolist() == before.tolist()
    assert now.estimates.p_best[0, index] == 0
    assert str(now.best.action) != WET
    after = told(study, 40)
    assert after
    assert WET not in after
    assert str(study.best().action) != WET
    line = study.history()[[e["kind"] for e in study.history()].index("retired")]
    assert (line["action"], line["why"], line["who"]) == (WET, "the pump broke", "Ann")


def test_brought_back_it_is_the_best_again(url):
    study = begun(url, "top-two")
    told(study, 30)
    assert str(study.best().action) == WET
    means = study.estimates().mean.tolist()
    study.retire(WET, "the pump broke")
    assert str(study.best().action) != WET
    study.unretire(WET, "mended")
    assert study.estimates().mean.tolist() == means
    assert str(study.best().action) == WET
    assert study.problem.retired == ()
    assert WET in told(study, 10)


def test_what_is_refused(url):
    study = begun(url)
    with pytest.raises(ActionError, match=r"do\(moisture=wet, nutrient=rich\) is not among the study's actions"):
        study.retire("do(moisture=wet, nutrient=rich)", "gone")
    with pytest.raises(Conflict, match=r"do\(moisture=wet\) is not retired"):
        study.unretire(WET, "mended")
    study.retire(do(moisture="wet"), "gone")
    with pytest.raises(Conflict, match=r"do\(moisture=wet\) is retired already"):
        study.retire(WET, "gone")
    *some, last = [a for a in study.problem.actions if str(a) != WET]
    for action in some:
        study.retire(action, "gone")
    with pytest.raises(Conflict, match="is the only action that may still be played: bestdo close ends the study"):
        study.retire(last, "gone")
    assert study.best().action == last
    assert set(told(study, 3)) <= {str(last)}


def test_a_fixed_design_is_not_torn(url):
    """Algorithm 2 weighs rounds by the design of all actions: the words say so, and nothing has changed."""
    study = begun(url, "algorithm-2")
    before = exported(study)
    with pytest.raises(
        NotValid, match="cannot be retired while algorithm-2 is the learner: it weighs rounds by a design"
    ):
        study.retire(WET, "gone")
    assert exported(study) == before
    study.change_learner("top-two", "to go on")
    study.retire(WET, "gone")
    with pytest.raises(NotValid, match="design"):
        study.change_learner("algorithm-2", "back")


def test_what_is_out_can_be_told_and_is_not_handed_out_again(url):
    study = begun(url, "uniform", at_once=3)
    given = study.ask("Ann", 3)
    out = next(each for each in given if each.action)
    study.retire(out.action, "gone")
    assert "retired since" in study.reason(out.number)
    again = [each.number for each in study.ask("Ann", 2)]
    assert out.number not in again
    study.tell(out.number, {**out.action, "yield": "good"})
    assert study.status()["told"] == 1
    index = study.problem.actions.index(out.action)
    assert study.estimates().played[0, index] == 1


@pytest.mark.parametrize("learner", ["successive-rejects", "sequential-halving", "algorithm-1", "uniform"])
def test_the_rest_of_a_phase_goes_to_others(url, learner):
    """The plan that was made still holds the action: its rounds are played by others, and phases go on."""
    study = begun(url, learner, rounds=60)
    first = told(study, 2)
    action = next(a for a in study.problem.actions if str(a) not in first and a)
    study.retire(action, "gone")
    after = told(study, 60)
    assert str(action) not in after
    assert len(after) > 30


def test_a_lease_that_ends_does_not_bring_it_back(url):
    study = begun(url, "successive-rejects", lease=0)
    (each,) = study.ask("Ann")
    study.retire(each.action, "gone")
    after = told(study, 30)
    assert str(each.action) not in after
    assert after


def test_export_import_and_opening_again(url, tmp_path):
    study = begun(url, "successive-rejects")
    told(study, 15)
    study.retire(RICH, "gone")
    told(study, 3)
    again = imported(f"sqlite:///{tmp_path}/b.db", json.loads(json.dumps(exported(study))))
    opened = Study.open("farm", url)
    for other in (again, opened):
        assert other.problem == study.problem
        assert other.best() == study.best()
        assert other.status()["cautions"] == study.status()["cautions"]
    assert [str(r.action) for r in again.ask(n=5)] == [str(r.action) for r in opened.ask(n=5)]


CONTEXT = problem_text(
    {"ward": ["east", "west"], "drug": ["A", "B", "C"], "harm": ["no", "yes"], "cure": ["no", "yes"]},
    "ward -> cure; drug -> cure; drug -> harm",
    'reward = "cure"; success = "yes"',
    ["drug"],
    """\
[problem]
first = ["ward"]
""",
)


@pytest.mark.parametrize("more", ["", '[[limits]]\nvariable = "harm"\nvalue = "yes"\nat_most = 0.3\n'])
@pytest.mark.parametrize("goal", ["find", "earn"])
def test_it_is_retired_in_all_contexts(url, tmp_path, more, goal):
    (tmp_path / "ward.toml").write_text(CONTEXT + more)
    study = Study.create(str(tmp_path / "ward.toml"), rounds=40, name="ward", storage=url, goal=goal)

    def played(n):
        actions = []
        for k in range(n):
            (each,) = study.ask("Ann", context={"ward": "east" if k % 2 else "west"})
            drug = each.action.get("drug", "A")
            study.tell(each.number, {"drug": drug, "harm": "no", "cure": "yes" if drug == "B" else "no"})
            actions.append(str(each.action))
        return actions

    assert "do(drug=B)" in played(16)
    study.retire("do(drug=B)", "withdrawn from the market")
    assert "do(drug=B)" not in {str(one.action) for one in study.rule().contexts}
    assert "do(drug=B)" not in played(14)
    assert "do(drug=B)" not in {str(one.action) for one in study.rule().contexts}
    assert str(study.best().action) != "do(drug=B)"


def test_with_costs_doubts_and_limits(url):
    doubts = bestdo.Doubts.parse("x -> y; z ?-> y; x -> w", reward="y", success="1")
    limits = [Limit("w", "1", at_most=0.6)]
    cost = {"default": 2.0, "do()": 1.0, "do(x=1)": 3.0}
    problem = bestdo.Problem(doubts, set=["x", "z"], cost=cost, limits=limits, goal="earn")
    study = Study.create(problem, budget=60, name="all", storage=url)
    study.retire("do()", "nobody may only watch")
    study.retire("do(x=1)", "gone")
    played = []
    while True:
        try:
            (each,) = study.ask("Ann")
        except Finished:
            break
        study.tell(each.number, {"x": "0", "z": "0", "w": "0", "y": "1", **each.action})
        played.append(str(each.action))
    assert not {"do()", "do(x=1)"} & set(played)
    assert study.status()["used"] <= 60
    assert len(played) >= 25


def test_a_rehearsal_of_the_rest_neither_plays_nor_keeps_it(url):
    """The regret is that against the best of the actions that are left: with one left there is none."""
    study = begun(url, "causal-top-two")
    told(study, 10)
    for action in list(study.problem.actions)[:-1]:
        study.retire(action, "gone")
    table = rehearse(study, rounds=[5], worlds=40, progress=False).rows
    assert all(row["regret"] == pytest.approx(0) for row in table)


def test_the_command_line_says_it(url):
    run = CliRunner()
    begun(url, "top-two")
    study = Study.open("farm", url)
    told(study, 8)
    (out,) = study.ask("Bo")
    done = run.invoke(command, ["retire", str(out.action), "--why", "gone", "--storage", url])
    assert done.exit_code == 0, done.output
    assert f"{out.action} is retired: its rounds count" in done.stderr
    assert f"round {out.number} of {out.action} is out with Bo: tell it if it was played, or withdraw it" in done.stderr
    said = f"Retired, neither played nor recommended any more: {out.action}. Its rounds count."
    assert said in run.invoke(command, ["status", "--storage", url]).output
    best = run.invoke(command, ["best", "--storage", url]).output
    assert said in best
    assert f"retired: {out.action}, because gone" in run.invoke(command, ["history", "--storage", url]).output
    rows = json.loads(run.invoke(command, ["best", "-f", "json", "--storage", url]).output)["actions"]
    assert [row["action"] for row in rows if row.get("retired")] == [str(out.action)]
    back = run.invoke(command, ["retire", str(out.action), "--undo", "--why", "mended", "--storage", url])
    assert f"{out.action} may be played again" in back.stderr


def test_the_page_and_rest(url):
    study = begun(url)
    told(study, 8)
    access = Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True)
    with TestClient(application(url, access), base_url=HERE, follow_redirects=False) as client:
        client.headers["Authorization"] = f"Bearer {EDITOR}"
        settings = unescape(client.get("/studies/farm/settings").text)
        assert "An action that is gone" in settings
        assert "A retired action that is back" not in settings
        form = {"verb": "retire", "action": WET, "why": "the pump broke"}
        assert client.post("/studies/farm/settings", data=form).status_code == 303
        assert client.post("/studies/farm/settings", data=form).status_code == 409
        settings = unescape(client.get("/studies/farm/settings").text)
        assert "A retired action that is back" in settings
        page, report = (unescape(client.get(f"/studies/farm{more}").text) for more in ("", "/report"))
        assert f"Retired, neither played nor recommended any more: {WET}. Its rounds count." in page
        assert ">retired</span>" in report
        best = client.get("/api/v1/studies/farm/best").json()
        assert [row["action"] for row in best["actions"] if row.get("retired")] == [WET]
        at = "/api/v1/studies/farm"
        assert client.post(f"{at}/retire", json={"action": RICH, "why": "gone"}).status_code == 204
        assert client.post(f"{at}/retire", json={"action": RICH, "why": "gone"}).status_code == 409
        assert client.post(f"{at}/retire", json={"action": "do(sun=1)", "why": "gone"}).status_code == 422
        assert client.post(f"{at}/unretire", json={"action": WET, "why": "mended"}).status_code == 204
    assert [str(action) for action in Study.open("farm", url).problem.retired] == [RICH]


def test_a_file_can_name_retired_actions(url, tmp_path):
    text = (ROOT / "examples" / "farm.toml").read_text()
    (tmp_path / "farm.toml").write_text(text.replace("[actions]", f'[actions]\nretired = ["{WET}"]'))
    study = Study.create(str(tmp_path / "farm.toml"), rounds=20, name="farm", storage=url)
    assert [str(action) for action in study.problem.retired] == [WET]
    assert WET not in told(study, 20)
    (tmp_path / "farm.toml").write_text(text.replace("[actions]", '[actions]\nretired = ["do(sun=1)"]'))
    with pytest.raises(bestdo.errors.FileError, match=r"do\(sun=1\) is not among the actions, and cannot be retired"):
        bestdo.compose(str(tmp_path / "farm.toml"))


@pytest.mark.campaign
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_goes_on_in_a_study(url, learner):
    try:
        study = begun(url, learner)
        told(study, 12)
        study.retire(WET, "gone")
    except NotValid:
        return
    assert WET not in told(study, 40)
    assert str(study.best().action) != WET
