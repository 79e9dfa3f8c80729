"""The whole story by clicking: a study that is drawn, a limit, a variable seen first, two people at once, undo, report."""

import pytest
from playwright.sync_api import expect

from bestdo.study import Study
from web_support import middle

expect.set_options(timeout=20_000)
PLACES = {"device": (120, 70), "banner": (360, 70), "sale": (160, 230), "complaint": (440, 230)}
ARROWS = [("device", "sale"), ("banner", "sale"), ("banner", "complaint")]
ROUNDS = 8


def box_of(page, name):
    return page.locator(f"g.variable[aria-label^='{name}:']")


def draw(page):
    """Draws the variables and arrows with the mouse, and says what each variable is."""
    field = page.locator("svg.canvas").bounding_box()
    for name, (x, y) in PLACES.items():
        page.mouse.click(field["x"] + x, field["y"] + y)
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        expect(box_of(page, name)).to_be_visible()
    for a, b in ARROWS:
        page.mouse.move(*middle(box_of(page, a)))
        page.mouse.move(*middle(box_of(page, a).locator(".handle")))
        page.mouse.down()
        page.mouse.move(*middle(box_of(page, b)), steps=4)
        page.mouse.up()
    for name, what in (("device", "is seen first"), ("banner", "may be set"), ("sale", "is the reward")):
        box_of(page, name).click()
        page.click(f"#chosen >> text={what}")
    page.click("#chosen >> .chosen-row:has-text('Good is') >> text=yes")


def ask(page, device):
    """Says what is seen first, and asks for a round."""
    page.locator(f"#ask-form input[name='v:device'][value={device}] + label").click()
    page.click("text=What should I do next?")
    expect(page.locator(".todo")).to_contain_text("Round")


def fill(page, sale):
    """Chooses what was seen, and does not send it yet."""
    form = page.locator("form.record")
    for name, value in (("complaint", "no"), ("banner", "no"), ("sale", sale)):
        pick = form.locator(f".fields > fieldset input[name='v:{name}'][value={value}] + label")
        if pick.count():  # what was set is not asked
            pick.click()


@pytest.mark.slow
def test_two_people_from_a_drawing_to_a_rule(person, browser_url):
    ada, bo = (person(name, expected=["htmx:"], viewport={"width": 1400, "height": 1000}) for name in ("Ada", "Bo"))
    home = ada.url
    ada.click("nav >> text=New study")
    draw(ada)
    expect(ada.locator("#begin-title")).to_be_visible()
    ada.click("text=Add a limit")
    ada.select_option("#limit-of-0", "complaint")
    ada.select_option("#limit-value-0", "yes")
    ada.fill("#limit-bound-0", "0.6")
    ada.press("#limit-bound-0", "Tab")
    ada.fill("#study", "shop")
    ada.fill("#rounds_", str(ROUNDS))
    ada.wait_for_load_state("networkidle")
    ada.click("text=Begin the study")
    expect(ada.locator("h1")).to_have_text("shop")
    study = Study.open("shop", browser_url)
    problem = study.problem
    assert problem.first == ("device",)
    assert [str(limit) for limit in problem.limits] == ["P(complaint = yes) at most 0.6"]
    assert len(problem.positions) == 4
    bo.goto(f"{home}studies/shop")
    expect(bo.locator("#best")).to_contain_text("Nothing is known yet")

    ask(ada, "no")
    ask(bo, "yes")
    expect(ada.locator("#in-hand li")).to_have_count(2)
    for page in (ada, bo):
        fill(page, "yes")
    sent = [page.locator("form.record button:text-is('Record')") for page in (ada, bo)]
    for button in sent:  # both at once: nobody waits for the other's answer
        button.click(no_wait_after=True)
    for number, page in enumerate((ada, bo), 1):
        expect(page.locator("#told")).to_contain_text(f"Round {number} is recorded")
    assert [(r["worker"], r["status"]) for r in study.rounds()] == [("Ada", "told"), ("Bo", "told")]

    bo.click("#told >> text=Undo")
    expect(bo.locator("#told")).to_contain_text("Round 2 is out again")
    assert bo.locator("input[name='v:sale'][value=yes]").is_checked()
    expect(ada.locator("#in-hand")).to_contain_text("Round 2")  # Ada sees it
    expect(ada.locator("#told")).to_be_visible()  # and hers stays until her next action
    fill(bo, "no")
    bo.click("form.record button:text-is('Record')")
    expect(bo.locator("#told")).to_contain_text("sale no")
    ada.click("#told >> text=Correct it")
    ada.locator("input[name='v:sale'][value=no] + label").click()
    ada.fill("#why", "read the wrong line")
    ada.click("button:text-is('Correct it')")
    expect(ada.locator("#told")).to_contain_text("sale no")

    for k in range(2, ROUNDS):
        page = (ada, bo)[k % 2]
        ask(page, "no" if k % 4 < 2 else "yes")
        fill(page, "yes" if k % 3 else "no")
        page.click("form.record button:text-is('Record')")
        expect(page.locator("#told")).to_contain_text(f"Round {k + 1} is recorded")
    expect(ada.locator("#best-title")).to_have_text("The answer")  # it is over: nothing is "so far"
    rule = study.rule()
    expect(ada.locator("#best")).to_contain_text(str(rule.single if rule.is_single else rule.lines[0].action))
    ada.click("text=Report")
    expect(ada.locator(".report")).to_contain_text("by Ada, Bo")
    expect(ada.locator("#limits-title + p")).to_contain_text("complaint")
    log = [(e["kind"], e["who"]) for e in study.history() if e["kind"] in ("undone", "amended")]
    assert log == [("undone", "Bo"), ("amended", "Ada")]
    assert [r["status"] for r in study.rounds()] == ["told"] * ROUNDS
