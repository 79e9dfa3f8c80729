"""The page where nothing is known of the graph: six variables, 3.8 million possible graphs, none of them listed."""

import pytest
from playwright.sync_api import expect

from bestdo.study import Study

expect.set_options(timeout=20_000)  # other tests may want the machine at the same time
NAMES = ["rain", "soil", "shade", "seed", "moisture", "yield"]
TEXT = "\n".join(
    [
        "bestdo = 1",
        "[variables]",
        *(f"{name} = {{}}" for name in NAMES),
        "[graph]",
        'order = "unknown"',
        'reward = "yield"',
        "[actions]",
        'set = ["shade", "seed"]',
    ]
)


@pytest.mark.slow
def test_a_study_of_an_unknown_graph_by_clicking(person, browser_url):
    page = person("Ann", expected=["htmx:"], viewport={"width": 1400, "height": 1000})
    page.click("nav >> text=New study")
    page.wait_for_url("**/new")
    page.wait_for_load_state("networkidle")
    page.fill("#text", TEXT)
    expect(page.locator("#answer")).to_contain_text("3,781,503 graphs are possible")
    page.fill("#study", "unknown")
    page.fill("#rounds_", "30")
    page.wait_for_load_state("networkidle")
    page.click("text=Begin the study")
    expect(page.locator("h1")).to_have_text("unknown")
    expect(page.locator(".bd-arrow.bd-doubt .bd-line")).to_have_count(15)
    table = page.locator("h3:text-is('Arrows in doubt') + div")
    expect(table.locator("tbody tr")).to_have_count(30)
    study = Study.open("unknown", browser_url)
    page.click("text=What should I do next?")
    expect(page.locator(".todo")).to_contain_text("Round 1")
    action = study.status()["open"][0]["action"]
    form = page.locator("form.record")
    for name in (n for n in NAMES if n not in action):
        form.locator(f".fields > fieldset input[name='v:{name}'][value='1'] + label").click()
    page.click("text='Record only'")
    expect(page.locator("#told")).to_contain_text("Round 1 is recorded")
    expect(table).to_contain_text("1 told")
    expect(table.locator("tbody tr").first).to_contain_text(f"{study.arrows()[0].now:.2f}")
