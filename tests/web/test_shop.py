"""The web shop's second question by clicking: what is seen first, revenue as a number, a limit on refunds, late results."""

import re

import pytest
from playwright.sync_api import expect

from bestdo.study import Study
from support import ROOT

expect.set_options(timeout=20_000)  # other tests may want the machine at the same time
VISITORS = (("telephone", "home"), ("computer", "abroad"))
REVENUE = ("21,50", "0")


@pytest.mark.slow
def test_the_shop_by_clicking(person, browser_url):
    one, two = (person(name, expected=["htmx:"], viewport={"width": 1400, "height": 1000}) for name in ("one", "two"))
    home = one.url.partition("?")[0]
    one.click("nav >> text=New study")
    one.wait_for_url("**/new")
    one.wait_for_load_state("networkidle")  # scripts listen to what is typed
    one.fill("#text", (ROOT / "examples" / "orders.toml").read_text())
    expect(one.locator("#answer")).to_contain_text("Which action makes revenue largest on average?")
    expect(one.locator("#answer")).to_contain_text("P(refund = yes) at most 0.12 in each context")
    one.fill("#study", "orders")
    one.fill("#rounds_", "6")
    one.wait_for_load_state("networkidle")
    one.click("text=Begin the study")
    expect(one.locator("h1")).to_have_text("orders")
    study = Study.open("orders", browser_url)
    two.goto(f"{home}studies/orders")
    for number, (page, visitor) in enumerate(zip((one, two), VISITORS, strict=True), 1):
        for name, value in zip(study.problem.first, visitor, strict=True):
            page.locator(f"#ask-form input[name='v:{name}'][value={value}] + label").click()
        page.click("text=What should I do next?")
        expect(page.locator(".todo")).to_contain_text(f"Round {number}")
    assert [r["context"] for r in study.status()["open"]] == [
        dict(zip(study.problem.first, visitor, strict=True)) for visitor in VISITORS
    ]
    for page, number in ((two, 2), (one, 1)):  # on the next day, the second first
        form = page.locator("form.record")
        for name, value in (("banner", "none"), ("price", "usual"), ("click", "yes"), ("refund", "no")):
            pick = form.locator(f".fields > fieldset input[name='v:{name}'][value={value}] + label")
            if pick.count():  # what was set is not asked
                pick.click()
        form.locator("input[name='v:revenue']").fill(REVENUE[number - 1])
        page.click("form.record button:text-is('Record')")
        expect(page.locator("#told")).to_contain_text(f"Round {number} is recorded")
    assert [r["values"]["revenue"] for r in study.rounds()] == list(REVENUE)
    expect(one.locator("#best")).to_contain_text(re.compile(r"keep|limit"))
    one.click("text=Report")
    expect(one.locator("#limits-title + p")).to_contain_text("refund")
    expect(one.locator(".report")).to_contain_text("EUR")
