"""The last part of *New study*: how long and how; what was typed survives; what cannot begin; leaving a check."""

import html
import json
import re
import threading
import time

import pytest
from playwright.sync_api import expect

from bestdo.study import Study
from bestdo.study.exchange import exported
from bestdo.usecases.known_learners import descriptions
from bestdo.web.workers.sandbox_client import Sandbox, Superseded
from support import ROOT

FARM = (ROOT / "examples" / "farm.toml").read_text()
ALERT = re.compile(r'class="problem[^"]*" role="alert">([^<]*)')
SAID = {"until_sure": "97,5", "at_once": "3", "lease": "2", "alarm": "1", "seed": "11", "wait": "yes"}
BEGUN = {"text": FARM, "rounds_": "30", "study": "farm", "learner": "uniform", "via": "create"}
LARGE = "dag {\n" + "".join(f"v{k} -> v{k + 1}\nv{k} -> v{k + 7}\n" for k in range(33)) + "v39 [outcome]\nv38 -> v39\n}"


def test_a_study_begins_with_the_settings_of_the_command_line(client, url):
    assert client.post("/new/create", data={**BEGUN, **SAID}).status_code == 303
    found = json.loads(exported(Study.open("farm", url))["events"][0]["body"])
    wanted = {"until_sure": 0.975, "at_once": 3, "lease": 2 * 86_400, "alarm": 0.01, "seed": 11, "wait": True}
    assert {name: found[name] for name in wanted} == wanted
    assert client.post("/new/create", data={**BEGUN, "study": "usual"}).status_code == 303
    found = json.loads(exported(Study.open("usual", url))["events"][0]["body"])
    usual = {"until_sure": None, "at_once": None, "lease": 7 * 86_400, "alarm": 0.05, "seed": 0, "wait": False}
    assert {name: found[name] for name in usual} == usual


def test_a_wrong_setting_is_named_and_everything_typed_survives(client, url):
    for name, odd in [("until_sure", "100"), ("at_once", "0"), ("lease", "nan"), ("alarm", "x"), ("seed", "-1")]:
        answer = client.post("/new/create", data={**BEGUN, **SAID, name: odd})
        assert answer.status_code == 422, name
        assert ALERT.search(answer.text), name
        for key, value in {**SAID, "study": "farm", "rounds_": "30", name: odd}.items():
            assert re.search(rf'name="{key}"[^>]*value="{value}"', answer.text), (name, key)
        assert '<details id="more-settings" open>' in answer.text


def test_what_was_typed_survives_a_text_that_is_wrong(client):
    """The part of the page that shows it is away as long as the text is wrong; its fields are sent along."""
    wrong = client.post("/new/check", data={**BEGUN, **SAID, "via": "text", "text": "dag { a -> "}).text
    assert "begin-title" not in wrong
    sent = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', wrong))
    again = client.post("/new/check", data={**sent, "via": "text", "text": FARM}).text
    for key, value in {**SAID, "study": "farm", "rounds_": "30"}.items():
        assert re.search(rf'name="{key}"[^>]*value="{value}"', again), key
    assert "<option selected>uniform</option>" in again


def test_each_learner_has_a_sentence(client):
    text = html.unescape(client.post("/new/check", data={"via": "text", "text": FARM}).text)
    for name, words in descriptions().items():
        assert f"<dt>{name}</dt><dd>{words}</dd>" in text


def test_nothing_to_set_cannot_begin(client, url):
    text = FARM.replace('set = ["temperature", "nutrient", "moisture"]', "set = []")
    shown = client.post("/new/check", data={"via": "text", "text": text}).text
    assert re.search(r'value="create" disabled aria-describedby="cannot-begin"', shown)
    answer = client.post("/new/create", data={**BEGUN, "text": text})
    assert answer.status_code == 422
    assert "no variable may be set" in ALERT.search(answer.text)[1]


def test_a_check_that_runs_can_be_left():
    sandbox, found = Sandbox(seconds=30), []
    order = {"verb": "check", "text": FARM, "rounds": 40}

    def run():
        try:
            found.append(sandbox.run(order, "Ada"))
        except Superseded as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while not sandbox._running:
        time.sleep(0.01)
    sandbox.leave("Bo")
    sandbox.leave("Ada")
    thread.join(20)
    sandbox.close()
    assert isinstance(found[0], Superseded)


def test_a_long_check_shows_that_it_runs_and_can_be_cancelled(person):
    page = person(expected=("htmx:afterRequest", "htmx:sendAbort"))
    page.goto(page.url + "new")
    held = []
    page.route("**/new/check", lambda route: held.append(route))
    page.fill("#text", FARM)
    expect(page.locator(".checking")).to_be_visible()
    with page.expect_request("**/new/leave"):
        page.click("text=Cancel")
    expect(page.locator(".checking")).to_be_hidden()
    page.unroute("**/new/check")
    page.fill("#text", FARM + "\n")
    expect(page.locator("#begin-title")).to_be_visible(timeout=20_000)
    page.select_option("#learner", "ucb")
    expect(page.locator("#learner-about")).to_contain_text("UCB: ")


@pytest.mark.parametrize("wide", [1440, 390])
def test_forty_variables(person, wide):
    page = person(viewport={"width": wide, "height": 844})
    page.goto(page.url + "new")
    page.fill("#text", LARGE)
    expect(page.locator("#success")).to_be_visible(timeout=20_000)
    page.select_option("#success", index=1)
    expect(page.locator("#begin-title")).to_be_visible(timeout=20_000)
    size = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert size[0] <= wide
    assert size[1] < 12 * 844
    if wide == 1440:
        page.mouse.wheel(0, 600)
        page.wait_for_timeout(100)
        assert page.locator(".canvas").bounding_box()["y"] >= 0
