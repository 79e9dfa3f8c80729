"""The drawing that can be changed: with the mouse, by keyboard alone, together with the text, with undo."""

import json
import re

import pytest
from playwright.sync_api import expect

from bestdo.files import parse
from bestdo.web.graph_form import FormError, GraphForm, Row, drawn_form
from bestdo.web.graph_form_contents import form_of, text_of
from web_support import middle

NAMES = ["rain", "sun", "soil", "seed", "shade", "water", "weeds", "moisture", "warmth", "roots", "leaves", "yield"]
ARROWS = [(0, 7), (5, 7), (1, 8), (4, 8), (2, 9), (7, 9), (3, 10), (8, 10), (6, 10), (9, 11), (10, 11)]


def graph(page):
    """The graph in the text of the page, once it has this shape."""
    return parse(page.locator("#text").input_value().encode(), "text.toml").graph


def arrive(person, **options):
    page = person(expected=["htmx:"], **options)
    page.goto(page.url + "new")
    expect(page.locator("svg.canvas")).to_be_visible()
    return page


def box_of(page, name):
    return page.locator(f"g.variable[aria-label^='{name}:']")


def answered(page):
    """Waits until the page has the answer to what was drawn last.

    The server works out every change, also one that the next follows at once: who waits at the end alone waits for all.
    """
    last = f'"sequence": "{page.locator("#sequence").input_value()}"'
    page.locator(f"#drawing-data[data-drawing*='{last}']").wait_for(state="attached")


def test_twelve_variables_with_the_mouse(person):
    page = arrive(person, viewport={"width": 1400, "height": 1000})
    field = page.locator("svg.canvas").bounding_box()
    for k, name in enumerate(NAMES):
        page.mouse.click(field["x"] + 90 + 180 * (k % 4), field["y"] + 60 + 120 * (k // 4))
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        expect(box_of(page, name)).to_be_visible()
        answered(page)
    for a, b in ARROWS:
        page.mouse.move(*middle(box_of(page, NAMES[a])))
        page.mouse.move(*middle(box_of(page, NAMES[a]).locator(".handle")))
        page.mouse.down()
        page.mouse.move(*middle(box_of(page, NAMES[b])), steps=4)
        page.mouse.up()
        answered(page)
    box_of(page, "yield").click()
    page.click("#chosen >> text=is the reward")
    page.click("#chosen >> .chosen-row:has-text('Good is') >> text=yes")
    box_of(page, "water").click()
    page.click("#chosen >> text=may be set")
    box_of(page, "sun").click()
    page.click("#chosen >> text=is seen first")
    answered(page)
    assert re.search(r'first = \["sun"\]', page.locator("#text").input_value())
    found = graph(page)
    assert sorted(found.names) == sorted(NAMES)
    assert {(a, b) for b in found.names for a in found.parents[b]} == {(NAMES[a], NAMES[b]) for a, b in ARROWS}
    assert (found.reward, found.success) == ("yield", "yes")
    x, y = middle(box_of(page, "rain"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 30, steps=3)
    page.mouse.up()
    answered(page)
    assert "[positions]" in page.locator("#text").input_value()
    page.fill("#study", "drawn")
    page.wait_for_load_state("networkidle")
    page.click("text=Begin the study")
    expect(page.locator("h1")).to_have_text("drawn")


def test_what_is_pressed_or_typed_while_an_answer_comes_is_not_lost(person):
    """An answer drew the panel anew: a button being pressed was gone before it was let go, as was a value half typed."""
    page, held = arrive(person), []
    page.locator("svg.canvas").focus()
    page.keyboard.press("n")
    page.keyboard.type("soil")
    page.keyboard.press("Enter")
    answered(page)
    page.route("**/new/check", lambda route: held.append(route))

    def late(doing):
        """Something is done, and its answer waits until it is let through."""
        with page.expect_request("**/new/check"):
            doing()
        page.wait_for_timeout(20)
        return held.pop()

    request = late(lambda: page.click("#chosen >> text=may be set"))
    page.mouse.move(*middle(page.locator("#chosen >> text=is the reward")))
    page.mouse.down()
    request.continue_()
    answered(page)
    request = late(page.mouse.up)
    expect(page.locator("#chosen >> text=Good is")).to_be_visible()
    value = page.locator("#chosen input")
    value.press_sequentially("wet")
    request.continue_()
    answered(page)
    expect(value).to_have_value("wet")
    expect(value).to_be_focused()
    page.unroute("**/new/check")
    value.press("Enter")
    page.click("#chosen >> .chosen-row:has-text('Good is') >> text=wet")
    answered(page)
    found = graph(page)
    assert (found.reward, found.success, found.variable("soil").values) == ("soil", "wet", ("no", "yes", "wet"))


def test_twelve_variables_by_keyboard_alone(person):
    page = arrive(person, viewport={"width": 1400, "height": 1000})
    page.locator("svg.canvas").focus()
    for name in NAMES:
        page.keyboard.press("n")
        expect(page.locator("input.rename")).to_be_focused()
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        expect(box_of(page, name)).to_be_focused()
        answered(page)

    def go(name):
        for _ in range(60):
            label = page.evaluate("document.activeElement.getAttribute('aria-label') || ''")
            if label.startswith(f"{name}:"):
                return
            page.keyboard.press(
                "Tab" if page.evaluate("document.activeElement.closest('svg.canvas') !== null") else "Shift+Tab"
            )
        raise AssertionError(name)

    for a, b in ARROWS:
        page.locator("svg.canvas").focus()
        go(NAMES[a])
        page.keyboard.press("c")
        page.locator("svg.canvas").focus()
        go(NAMES[b])
        page.keyboard.press("Enter")
        answered(page)
    page.locator("svg.canvas").focus()
    go("yield")
    page.keyboard.press("r")
    page.locator("#chosen >> .chosen-row:has-text('Good is') >> text=yes").press("Enter")
    page.locator("svg.canvas").focus()
    go("water")
    page.keyboard.press("s")
    page.keyboard.press("ArrowRight")
    answered(page)
    assert re.search(r'set = \["water"\]', page.locator("#text").input_value())
    found = graph(page)
    assert {(a, b) for b in found.names for a in found.parents[b]} == {(NAMES[a], NAMES[b]) for a, b in ARROWS}
    page.keyboard.press("Delete")
    expect(page.locator("#text")).not_to_have_value(re.compile("water"))
    page.keyboard.press("Control+z")
    expect(page.locator("#text")).to_have_value(re.compile("water -> moisture"))
    page.keyboard.press("Control+y")
    expect(page.locator("#text")).not_to_have_value(re.compile("water"))


def test_text_and_drawing_follow_each_other(person):
    page = arrive(person)
    page.fill("#text", "dag { a -> b; b -> c }")
    expect(page.locator("g.variable")).to_have_count(3)
    expect(page.locator("g.arrow")).to_have_count(2)
    page.fill("#text", "dag { a -> b; b -> ")
    expect(page.locator("#graph-editor.stale")).to_have_count(1)  # it stays, dimmed
    expect(page.locator("g.variable")).to_have_count(3)
    page.fill("#text", "dag { a -> b; b -> c; c <-> a }")
    expect(page.locator("#graph-editor.stale")).to_have_count(0)
    expect(page.locator("g.arrow.both")).to_have_count(1)
    page.locator("g.arrow.both").focus()
    page.keyboard.press("Delete")
    expect(page.locator("#text")).not_to_have_value(re.compile("<->"))
    box_of(page, "a").dblclick()
    page.locator("input.rename").fill("alpha")
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_have_value(re.compile("alpha -> b"))
    page.click("#graph-editor >> text=Undo")
    expect(page.locator("#text")).to_have_value(re.compile('"a -> b"'))


def test_places_of_dagitty_are_used_and_kept(person):
    page = arrive(person)
    page.fill("#text", 'dag { a [pos="0,0"]; b [pos="1,0"]; c [pos="2,0"]; a -> b; b -> c }')
    expect(page.locator("g.variable")).to_have_count(3)
    across = [middle(box_of(page, name)) for name in "abc"]
    assert across[0][0] < across[1][0] < across[2][0]
    assert max(y for _, y in across) - min(y for _, y in across) < 2


def test_a_drawing_keeps_what_it_does_not_show():
    text = """bestdo = 1
[variables.t]
values = ["cold", "warm"]
cut = [18.0]
unit = "°C"

[variables.y]
values = ["no", "yes"]

[graph]
edges = ["t -> y"]
reward = "y"
success = "yes"

[actions]
set = ["t"]

[costs]
"do(t=cold)" = 2.0
"do(t=warm)" = 2.0
"""
    form, _ = form_of(parse(text.encode(), "a.toml"))
    node = {"settable": True, "hidden": False, "before": False, "x": 1.4, "y": 2}
    nodes = [
        {**node, "name": "heat", "was": "t", "values": []},
        {**node, "name": "y", "was": "y", "values": ["no", "yes", "much"], "settable": False},
    ]
    drawing = {"nodes": nodes, "arrows": [["heat", "->", "y"]], "reward": "y", "success": "much", "aim": ""}
    found = parse(text_of(drawn_form(form, json.loads(json.dumps(drawing))), None).encode(), "b.toml")
    assert found.graph.variable("heat").cut == (18.0,)
    assert found.graph.success == "much"
    assert found.problem.cost == (1.0, 2.0, 2.0)
    assert found.positions == {"heat": (1.0, 2.0), "y": (1.0, 2.0)}


@pytest.mark.parametrize(
    "drawing", [{}, {"nodes": 3}, {"nodes": [{}]}, {"nodes": [], "arrows": [1]}, {"nodes": [["a"]], "arrows": []}]
)
def test_a_drawing_that_is_none_is_refused(drawing):
    from bestdo.errors import BestdoError

    with pytest.raises(BestdoError, match="load the page again"):
        drawn_form(GraphForm((Row("a"),), ()), drawing)
    assert issubclass(FormError, BestdoError)


def test_values_redo_zoom_pan_and_fit(person):
    page = arrive(person)
    page.fill("#text", "dag { a -> b }")
    expect(page.locator("g.variable")).to_have_count(2)
    box_of(page, "a").click()
    page.get_by_label("A further value of a").fill("often")
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_have_value(re.compile(r'values = \["0", "1", "often"\]'))
    page.get_by_label("Remove the value 1").click()
    expect(page.locator("#text")).to_have_value(re.compile(r'values = \["0", "often"\]'))
    page.click("#graph-editor >> text=Undo")
    expect(page.locator("#text")).to_have_value(re.compile(r'values = \["0", "1", "often"\]'))
    page.click("#graph-editor >> text=Redo")
    expect(page.locator("#text")).to_have_value(re.compile(r'values = \["0", "often"\]'))
    box_of(page, "a").click()
    page.click("#chosen >> text=is hidden")
    expect(page.locator("g.variable.is-hidden")).to_have_count(1)
    expect(page.locator("#text")).to_have_value(re.compile("hidden = true"))
    page.click("#graph-editor >> text=Fit")
    wide, (x, y) = box_of(page, "b").bounding_box()["width"], middle(box_of(page, "b"))
    page.click("[data-do=in]")
    assert box_of(page, "b").bounding_box()["width"] > 1.2 * wide
    page.click("#graph-editor >> text=Fit")
    assert box_of(page, "b").bounding_box()["width"] == pytest.approx(wide, rel=0.02)
    field = page.locator("svg.canvas").bounding_box()
    page.mouse.move(field["x"] + 15, field["y"] + 15)
    page.mouse.down()
    page.mouse.move(field["x"] + 55, field["y"] + 45, steps=3)
    page.mouse.up()
    assert middle(box_of(page, "b")) == pytest.approx((x + 40, y + 30), abs=2)


def test_arrows_in_doubt(person):
    """A switch on an arrow makes it doubtful; it is dashed and says its probability, and the text follows, and back."""
    page = arrive(person)
    page.fill("#text", "dag { a -> b; b -> c; a -> c }")
    expect(page.locator("g.arrow")).to_have_count(3)
    arrow = page.locator("g.arrow[aria-label^='a causes c']")
    arrow.focus()
    page.keyboard.press("d")
    expect(page.locator("#text")).to_have_value(re.compile(r'"a \?-> c"'))
    doubtful = page.locator("g.arrow.doubt")
    expect(doubtful).to_have_attribute("aria-label", "a may cause c, in doubt: probability 0.5")
    assert doubtful.locator(".line").evaluate("line => getComputedStyle(line).strokeDasharray") != "none"
    page.get_by_label("Probability of the arrow").fill("30 %")
    page.keyboard.press("Tab")
    expect(page.locator("#text")).to_have_value(re.compile(r'"a \?0.3-> c"'))
    expect(doubtful.locator(".chance")).to_have_text("0.3")
    page.click("#chosen >> text=in doubt, either way")
    expect(page.locator("#text")).to_have_value(re.compile(r'"a \?0.3-\? c"'))
    page.click("#graph-editor >> text=Undo")
    expect(page.locator("#text")).to_have_value(re.compile(r'"a \?0.3-> c"'))
    page.fill("#text", page.locator("#text").input_value().replace('"b -> c"', '"b ?<-> c"'))
    expect(page.locator("g.arrow.doubt.both")).to_have_count(1)
    expect(doubtful).to_have_count(2)
    expect(page.locator("#graph-editor.stale")).to_have_count(0)


@pytest.mark.parametrize("mark", ["?->", "?0.3->", "?-?", "?0.6-?", "?<->", "?0.1<->", "--", "@->", "@-@"])
def test_doubts_of_a_text_are_in_the_form_and_back(mark):
    text = f"""bestdo = 1
[variables]
a = {{ values = ["0", "1"] }}
b = {{ values = ["0", "1"] }}
y = {{ values = ["0", "1"] }}
[graph]
edges = ["a -> y", "b {mark} y", "a -> b"]
reward = "y"
success = "1"
"""
    contents = parse(text.encode(), "a.toml")
    form, faithful = form_of(contents)
    assert ("b", mark, "y") in form.arrows
    again = parse(text_of(form, None).encode(), "b.toml")
    assert again.doubts == contents.doubts
    assert faithful


def test_a_doubt_that_cannot_be_is_named_at_its_arrow():
    rows = tuple(Row(name, "no, yes") for name in "ab")
    for mark in ("?1.3->", "?x->", "=>", "-> c; d ->"):
        with pytest.raises(FormError) as error:
            text_of(GraphForm(rows, (("a", mark, "b"),)), None)
        assert error.value.where["arrow"] == 0
    with pytest.raises(FormError, match="stated already") as error:
        text_of(GraphForm(rows, (("a", "->", "b"), ("a", "?->", "b"))), None)
    assert error.value.where["arrow"] == 1
