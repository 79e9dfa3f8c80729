"""The page of a study in this process: what is recommended and when, money, actions and rounds to be found, contexts."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from bestdo import read
from bestdo.files import parse
from bestdo.study import Study
from bestdo.web.workers.data_orders import movement
from support import ROOT

FARM = ROOT / "examples" / "farm.toml"
SHOP = b"""bestdo = 1
[variables]
device = { values = ["mobile", "desktop"] }
ads = { values = ["off", "on"] }
sale = { values = ["no", "yes"] }
[graph]
edges = ["device -> sale", "ads -> sale"]
reward = "sale"
success = "yes"
[actions]
set = ["ads"]
"""
MANY = b"""bestdo = 1
[variables]
%s
crop = { values = ["bad", "good"] }
[graph]
edges = [%s]
reward = "crop"
success = "good"
[actions]
set = [%s]
""" % (
    b"\n".join(b'v%d = { values = ["no", "yes"] }' % i for i in range(20)),
    b", ".join(b'"v%d -> crop"' % i for i in range(3)),
    b", ".join(b'"v%d"' % i for i in range(20)),
)


@pytest.fixture
def farm(url):
    return Study.create(read(FARM).problem, 20, learner="uniform", name="farm", storage=url, seed=1)


@pytest.mark.parametrize("learner", ["uniform", "causal-top-two"])
def test_nothing_is_recommended_before_anything_is_known(client, url, learner):
    """Shown to fail: an action was marked as the best, with the mean of the prior, and a closed study said "Keep do()"."""
    farm = Study.create(read(FARM).problem, 20, learner=learner, name="farm", storage=url, seed=1)
    assert "Nothing is known yet" in client.get("/").text
    page = client.get("/studies/farm").text
    assert "so nothing is recommended" in client.get("/studies/farm/report").text
    assert "Nothing is known yet" in page
    assert '<tr class="best' not in page
    farm.close("too early")
    page = client.get("/studies/farm").text
    assert "Nothing is known, so nothing is recommended" in page
    assert "Keep " not in re.sub("Keep it", "", page).replace(">Keep<", "")


def test_so_far_until_the_study_is_over(client, farm):
    farm.tell(farm.ask("Ada")[0].number, {"yield": "good"})
    assert "Best so far" in client.get("/studies/farm").text
    assert "So far" in client.get("/studies/farm/report").text
    farm.close("enough")
    page = client.get("/studies/farm").text
    assert "so far" not in page
    assert "The answer" in page
    assert "So far" not in client.get("/studies/farm/report").text


def test_the_report_says_what_old_data_count_as(client, farm, url):
    """Shown to fail: the report of every study with old data was an internal error."""
    farm.observe(ROOT / "examples" / "farm_log.csv")
    assert "400 rows of old data count as watching." in client.get("/studies/farm/report").text
    shop = Study.create(parse(SHOP, "shop.toml").problem, 20, name="shop", storage=url)
    rows = {"device": ["mobile", "desktop"] * 4, "ads": ["off", "on"] * 4, "sale": ["no", "yes"] * 4, "p": [0.5] * 8}
    shop.observe(pd.DataFrame(rows), reading={"probability": "p"})
    assert "8 rows of old data count as plays." in client.get("/studies/shop/report").text


def test_money_is_called_money(client, url):
    """Shown to fail: 57.5 of a budget were "57 rounds left"."""
    problem = parse(SHOP + b'[costs]\n"do(ads=on)" = 2.5\n', "x.toml").problem
    study = Study.create(problem, budget=60, learner="causal-top-two", name="shop", storage=url)
    while "on" not in str((asked := study.ask("Ada")[0]).action):
        study.tell(asked.number, {"sale": "no"})
    study.tell(asked.number, {"sale": "yes"})
    page, left = client.get("/studies/shop").text, 60 - study.status()["used"]
    assert f"{60 - left:g} of a budget of 60 spent" in page
    assert f"{left:g} of the budget left" in page
    assert "rounds left" not in page
    assert ">Costs</th>" in page
    asked = study.ask("somebody")[0]
    assert (
        f"Costs {2.5 if 'on' in str(asked.action) else 1:g}." in client.get(f"/studies/shop?round={asked.number}").text
    )


def test_actions_are_found_sorted_and_all_shown(client, url):
    study = Study.create(parse(MANY, "x.toml").problem, 50, learner="uniform", name="many", storage=url, seed=2)
    study.tell(study.ask("Ada")[0].number, {"crop": "good"})

    def rows(query):
        return re.findall(r'<th scope="row"><code>(.*?)</code>', client.get(f"/studies/many{query}").text)

    assert len(rows("")) == 12
    assert "12 of 41 actions are shown; 29 actions are left out" in client.get("/studies/many").text
    assert len(rows("?whole=yes")) == 41
    assert rows("?find=V7+yes") == ["do(v7=yes)"]
    assert rows("/actions?find=v7&sort=name") == ["do(v7=no)", "do(v7=yes)"]
    assert rows("/actions?sort=name&whole=yes") == sorted(map(str, study.problem.actions))
    live = client.get("/studies/many/live?seen=0&now=ask&find=v7&sort=name").text  # others write: the search stays
    assert re.findall(r'<th scope="row"><code>(.*?)</code>', live) == ["do(v7=no)", "do(v7=yes)"]
    assert "8 of 41, 33 are left out" in client.get("/studies/many").text


def test_the_chart_always_has_the_recommended_action(farm, url, monkeypatch):
    """Shown to fail: it had the actions with the best means, and of those that keep the limits perhaps none."""
    farm.tell(farm.ask("Ada")[0].number, {"yield": "good"})
    kept = farm.problem.actions[5]
    monkeypatch.setattr(Study, "best", lambda self: SimpleNamespace(action=kept))
    lines = movement({"study": "farm", "url": url, "most": 1})["lines"]
    assert [action for action, _ in lines] == [str(kept)]


def test_every_round_can_be_found(client, farm):
    for number in range(1, 9):
        (asked,) = farm.ask(("Ada", "Bo")[number % 2])
        farm.tell(asked.number, {"yield": "good" if number == 3 else "bad"}, who="Ada")
    farm.withdraw(5, "hail")

    def found(query):
        text = client.get(f"/studies/farm/rounds{query}").text
        return [int(n) for n in re.findall(r'id="round-(\d+)">', text)]

    assert found("") == [8, 7, 6, 5, 4, 3, 2, 1]
    assert found("?find=yield=good") == [3]
    assert found("?find=bo+bad&status=told") == [7, 1]
    assert found("?status=lost") == [5]
    assert found("?find=nobody&page=9") == []
    assert found("?page=²") == found("")
    assert 'href="/studies/farm/rounds/3"' in client.get("/studies/farm/rounds?find=3").text
    heading = re.findall(r'<th scope="col"[^>]*>(?!<span)(.*?)</th>', client.get("/studies/farm/rounds").text)
    assert heading == ["Round", "Action", "temperature", "nutrient", "moisture", "yield", "With", "Status"]


def test_what_is_seen_first_is_asked_first_and_the_answer_is_a_rule(client, url):
    text = SHOP.replace(b"bestdo = 1", b'bestdo = 1\n[problem]\nfirst = ["device"]')
    study = Study.create(parse(text, "x.toml").problem, 90, learner="causal-top-two", name="shop", storage=url, seed=1)
    page = client.get("/studies/shop").text
    assert "What do you see?" in page
    assert page.count('name="v:device"') == 3  # two values, and not known
    answer = client.post("/studies/shop/ask", data={"v:device": "mobile"})
    assert answer.status_code == 303
    assert study.status()["open"][0]["context"] == {"device": "mobile"}
    page = client.get(answer.headers["location"]).text
    assert "Seen first" in page
    assert 'name="v:device"' not in page  # need not be told again
    assert client.post("/studies/shop/rounds/1", data={"v:sale": "no"}).status_code == 303
    assert client.post("/studies/shop/ask", data={"v:device": ""}).status_code == 303  # not known
    assert study.status()["open"][0].get("context", {}) == {}
    assert client.post("/studies/shop/ask", data={"v:device": "fridge"}).status_code == 422
    for k in range(40):
        device = ("mobile", "desktop")[k % 2]
        (asked,) = study.ask("Ada", context={"device": device})
        study.tell(asked.number, {"sale": "yes" if ("on" in str(asked.action)) == (device == "mobile") else "no"})
    for path in ("", "/report"):
        page = re.sub(r"<[^>]*>|\s+", " ", client.get(f"/studies/shop{path}").text)
        page = re.sub(r"\s+", " ", page)
        for line in study.rule().lines:
            when = " ".join(f"{n} {v[0]}" for n, v in line.when.items()) or "all others"
            assert f"{when} → {line.action}" in page
        assert "on average with this rule" in page


def test_a_bad_outcome_is_never_green(client, farm):
    farm.tell(farm.ask("Ada")[0].number, {"yield": "bad"})
    (asked,) = farm.ask("Ada")
    page = client.get(f"/studies/farm?round={asked.number}&told=1").text
    assert 'class="seen of-reward bad"' in page
    assert re.search(r'<label class="bad" for="[^"]*">bad</label>', page)
    assert re.search(r'<label class="good" for="[^"]*">good</label>', page)
    style = (ROOT / "src" / "bestdo" / "web" / "static" / "style.css").read_text()
    for rule in re.findall(r"[^{}]*(?:\.bad\b|\.done\b|\.fine\b)[^{}]*\{[^}]*\}", style):
        assert "--green" not in rule
        assert "--mint" not in rule


def test_many_results_after_the_last_question_show_the_last_rounds_alone(client, url):
    """The page held all rounds of a study whose last hundred events were results."""
    study = Study.create(ROOT / "examples" / "farm.toml", 400, name="many", storage=url, learner="uniform")
    for asked in study.ask("Ada", 300):
        study.tell(asked.number, {"yield": "good", **asked.action})
    page = client.get("/studies/many").text
    assert "do(" in page
    assert page.count("<td>told") + page.count(">told<") < 60
    assert len(page) < 100_000


def test_a_study_that_earns_says_what_it_earned(client, url):
    study = Study.create(read(FARM).problem, 20, learner="uniform", goal="earn", name="farm", storage=url, seed=1)
    for asked in study.ask("Ada", 4):
        study.tell(asked, {"yield": "good"})
    for path in ("/studies/farm", "/studies/farm/report"):
        assert "Earned so far: 4 of 4 rounds had yield = good, 100 %." in client.get(path).text
    found = client.post("/new/check", data={"via": "text", "text": FARM.read_text()}).text
    assert 'value="find" selected' in found
