"""The list of studies: search, order, pages, duplicate, put away and bring back, compare, import and export."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from bestdo import read
from bestdo.bandit.problem import Problem
from bestdo.report.problem_differences import differences
from bestdo.study import Study
from bestdo.study.exchange import exported
from bestdo.study.overview import overview
from bestdo.study.storage import Storage
from bestdo.web import study_snapshot
from bestdo.web.study_cache import to_slug
from support import ROOT

FARM = read(ROOT / "examples" / "farm.toml").problem
CARD = re.compile(r'study-card">\s*<h2><a href="[^"]*">([^<]*)<')
ALERT = re.compile(r'class="problem" role="alert">([^<]*)')


def made(url, name, **more):
    return Study.create(FARM, 20, **{"learner": "uniform", "name": name, "storage": url, "seed": 1, **more})


def cards(client, address="/"):
    return CARD.findall(client.get(address).text)


def test_search_and_order(client, url):
    for name in ("north field", "South field", "barn"):
        made(url, name)
    Study.open("north field", url).note("rain")
    assert cards(client) == ["north field", "barn", "South field"]
    assert cards(client, "/?sort=new") == ["barn", "South field", "north field"]
    assert cards(client, "/?sort=name") == ["barn", "north field", "South field"]
    assert cards(client, "/?q=FIELD%20south") == ["South field"]
    assert "No study has “cellar” in its name" in client.get("/?q=cellar").text
    assert cards(client, "/?sort=odd&page=x&show=y") == ["north field", "barn", "South field"]


def test_only_one_page_is_opened(client, url, monkeypatch):
    """Hundreds of studies: those of other pages are not read."""
    for k in range(30):
        made(url, f"field {k:02}")
    opened = []
    real = study_snapshot.take_snapshot
    monkeypatch.setattr(study_snapshot, "take_snapshot", lambda study: opened.append(study.name) or real(study))
    assert cards(client, "/?sort=name") == [f"field {k:02}" for k in range(24)]
    assert len(opened) == 24
    assert cards(client, "/?sort=name&page=2") == cards(client, "/?sort=name&page=99")
    assert "Page 2 of 2, 30 studies" in client.get("/?page=2").text


def test_a_duplicate_has_the_same_problem_and_settings(client, url):
    settings = {"until_sure": 0.9, "alarm": 0.01, "at_once": 3, "lease": 2.0, "seed": 7, "parameters": {}}
    first = made(url, "farm", **settings)
    first.tell(first.ask("Ada")[0].number, {"yield": "good"})
    first.extend(33, "more", who="Ada")
    assert 'value="farm (2)"' in client.get("/").text
    answer = client.post("/studies/farm/duplicate", data={"name": "farm (2)"})
    assert answer.headers["location"] == f"/studies/{to_slug('farm (2)')}"
    second = Study.open("farm (2)", url)
    assert second.problem == first.problem
    unplayed = {"used": 0, "told": 0, "about_alarm": "", "alarm": {}}
    assert second.status() == {**first.status(), "name": "farm (2)", **unplayed}
    created = [exported(study)["events"][0] for study in (first, second)]
    old, new = (json.loads(event["body"]) for event in created)
    assert new == {**old, "horizon": 33}
    again = client.post("/studies/farm/duplicate", data={"name": "farm (2)"})
    assert again.status_code == 409
    assert "there is a study" in ALERT.search(again.text)[1]
    assert client.post("/studies/farm/duplicate", data={"name": ""}).status_code == 422


def test_put_away_and_brought_back(client, url):
    made(url, "a&b")
    answer = client.post("/studies/a&b/settings", data={"verb": "archive"})
    shown = client.get(answer.headers["location"]).text
    assert "a&amp;b is put away." in shown
    assert cards(client) == []
    assert cards(client, "/?show=away") == ["a&amp;b"]
    client.post("/studies/a&b/settings", data={"verb": "unarchive"})
    assert cards(client) == ["a&amp;b"]
    assert "is put away." not in client.get("/?gone=a%26b").text


def test_two_are_compared(client, url):
    made(url, "one")
    two = Study.create(Problem(FARM.graph, list(FARM.actions)[:3]), 9, learner="thompson", name="two", storage=url)
    two.tell(two.ask("Ada")[0].number, {"yield": "good"})
    text = client.get("/compare?study=one&study=two").text
    assert "Their problems differ" in text
    assert "Actions in the first alone: " in text
    for words in (FARM.graph.wanted, "uniform", "thompson", "1 of 9, 1 told", "Nothing is known yet", "so far"):
        assert words in text
    made(url, "three")
    assert "Their problems are the same" in client.get("/compare?study=one&study=three").text
    assert "3 are chosen" in client.get("/compare?study=one&study=two&study=three").text
    assert client.get("/compare?study=nothing").status_code == 200


def test_differences_in_words():
    lung = read(ROOT / "examples" / "psa.toml").problem
    assert differences(FARM, FARM) == []
    found = " ".join(differences(FARM, lung))
    for words in ("Variables in the first alone: ", "Arrows in the second alone: ", "Wanted is ", "Actions in"):
        assert words in found


def test_what_is_exported_is_imported(client, url):
    first = made(url, "farm")
    first.tell(first.ask("Ada")[0].number, {"yield": "good"})
    data = client.get("/studies/farm/export.json").content
    again = client.post("/import", files={"file": ("farm.json", data)}, data={"name": ""})
    assert again.status_code == 409
    answer = client.post("/import", files={"file": ("farm.json", data)}, data={"name": "moved"})
    assert answer.headers["location"] == "/studies/moved"
    assert Study.open("moved", url).rounds() == first.rounds()
    assert [line.name for line in overview(Storage(url))] == ["farm", "moved"]


NO_STUDIES = {
    b"": "choose the file",
    b"\xff\xfe{": "is not a study",
    b"[" * 100_000: "is not a study",
    b"[1]": "not a study written by bestdo export",
    b'{"bestdo study": 1, "name": "x"}': "not whole",
    b'{"bestdo study": 1, "name": "x", "events": [{"learner": "os:system"}]}': "os:system",
}


def test_what_is_no_study_is_refused_in_words(client, url):
    for data, words in NO_STUDIES.items():
        files = {"file": ("x.json", data)} if data else None
        answer = client.post("/import", files=files, data={"name": "kept name"})
        assert answer.status_code == 422
        assert words in ALERT.search(answer.text)[1]
        assert 'value="kept name"' in answer.text
    assert overview(Storage(url)) == []


def test_a_time_that_is_none_is_not_imported(client, url):
    """The list shows when a study was changed: a text that is no time would break it for everybody."""
    data = exported(made(url, "farm"))
    data["events"][0]["at"] = "yesterday"
    answer = client.post("/import", files={"file": ("x.json", json.dumps(data).encode())}, data={"name": "moved"})
    assert answer.status_code == 422
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_list_and_its_comparison_for_everybody(person, browser_url, scheme):
    """Search while typing, ticks, the opened menu on a telephone; axe finds nothing; every control has 44 pixels."""
    for name in (f"north {scheme}", f"south {scheme}"):
        made(browser_url, name)
    page = person(color_scheme=scheme, viewport={"width": 390, "height": 844})
    page.fill("#q", f"south {scheme}")
    expect(page.locator(".study-card")).to_have_count(1)
    page.fill("#q", scheme)
    expect(page.locator(".study-card")).to_have_count(2)
    page.click(".more summary >> nth=0")
    assert page.evaluate(SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert violations(page) == []
    for box in page.locator(".tick input").all():
        box.check()
    page.click("text=Compare the two")
    expect(page.locator("#differ-title")).to_have_text("Their problems are the same")
    assert page.locator(".beside").evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert violations(page) == []


SMALL = """() => [...document.querySelectorAll('button, summary, select, input, a.button')]
  .filter((e) => e.checkVisibility() && e.type !== "hidden" && !e.closest("details.me"))
  .map((e) => ["checkbox", "radio"].includes(e.type) ? e.closest("label") : e)
  .filter((e) => e.getBoundingClientRect().height < 44).map((e) => e.outerHTML)"""


def violations(page):
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(v["id"], v["nodes"][0]["html"]) for v in found]
