"""The gallery's shade by clicking: dashed arrows, how their probabilities move, a recommendation that depends on neither."""

import pytest
from playwright.sync_api import expect

from bestdo.study import Study
from support import ROOT

expect.set_options(timeout=20_000)  # other tests may want the machine at the same time
BEDS = 10


@pytest.mark.slow
def test_shade_by_clicking(person, browser_url):
    page = person("Ann", expected=["htmx:"], viewport={"width": 1400, "height": 1000})
    page.click("nav >> text=New study")
    page.wait_for_url("**/new")
    page.wait_for_load_state("networkidle")  # scripts listen to what is typed
    page.fill("#text", (ROOT / "examples" / "shade.toml").read_text())
    expect(page.locator("#answer")).to_contain_text("The answer depends on none of the doubtful arrows")
    page.fill("#study", "shade")
    page.fill("#rounds_", "60")
    page.wait_for_load_state("networkidle")
    page.click("text=Begin the study")
    expect(page.locator("h1")).to_have_text("shade")
    lines = page.locator(".bd-arrow.bd-doubt .bd-line")
    expect(lines).to_have_count(2)
    assert lines.first.evaluate("line => getComputedStyle(line).strokeDasharray") != "none"
    table = page.locator("h3:text-is('Arrows in doubt') + div")
    expect(table.locator("tbody tr")).to_have_count(2)
    study = Study.open("shade", browser_url)
    page.click("text=What should I do next?")
    for number in range(1, BEDS + 1):
        expect(page.locator(".todo")).to_contain_text(f"Round {number}")
        action = study.status()["open"][0]["action"]
        moist = "net" in action and "daily" in action  # no chance, so that ten rounds are enough for any seed
        form = page.locator("form.record")
        for name, value in (
            ("moisture", "25" if moist else "12"),
            ("yield", "good" if moist else "poor"),
        ):
            pick = form.locator(f".fields > fieldset input[name='v:{name}'][value='{value}'] + label")
            pick.click() if pick.count() else form.locator(f"input[name='v:{name}']").fill(value)
        page.click(f"text='{'Record, and give me the next' if number < BEDS else 'Record only'}'")
        expect(page.locator("#told")).to_contain_text(f"Round {number} is recorded")
    expect(table).to_contain_text(f"{BEDS} told")
    arrows = study.arrows()
    for row, arrow in enumerate(arrows):
        assert arrow.now != pytest.approx(0.5, abs=1e-3)  # it moved
        expect(table.locator("tbody tr").nth(row)).to_contain_text(f"{arrow.now:.2f}")
    assert not any(arrow.matters for arrow in arrows)
    expect(page.locator("body")).to_contain_text("the same action is the best whether each of them is there or not")
    expect(page.locator("#best")).to_contain_text(str(study.best().action))
