"""The form of a problem: it holds numbers, cuts, grids, worth, aims and limits, and keeps what was typed."""

import re

import pytest

from bestdo.files import Contents, parse
from bestdo.files.toml import write
from bestdo.web.graph_form import FormError, GraphForm, read_form
from bestdo.web.graph_form_contents import form_of, text_of
from bestdo.web.workers.graph_orders import built, checked
from support import ROOT

NUMBERS = """bestdo = 1
[variables]
water = { values = ["little", "much"] }
dose = { values = { from = 0, to = 1, steps = 5 }, unit = "kg" }
temp = { values = ["cold", "mild", "warm"], cut = [10, 18.5], unit = "°C" }
pests = { values = ["no", "yes"] }
runoff = { number = true, spread = 2.5 }
loss = { number = true, low = 0, high = 50, unit = "t/ha" }
[graph]
edges = ["water -> loss", "dose -> loss", "dose -> pests", "temp -> loss", "dose -> runoff"]
reward = "loss"
aim = "minimise"
[actions]
set = ["water", "dose"]
[problem]
sure = 0.95
[[limits]]
variable = "pests"
value = "yes"
at_most = 0.1
[[limits]]
variable = "runoff"
at_least = -1.5
"""
TAILS = (
    NUMBERS
    + """
[[limits]]
variable = "runoff"
above = 3.25
at_most = 0.05
[[limits]]
variable = "runoff"
below = -7.0
at_least = 0.01
"""
)
WORTH = """bestdo = 1
[variables]
dose = { values = ["0", "1"] }
pain = { values = ["NO", "MILD", "SEVERE"] }
[graph]
edges = ["dose -> pain"]
reward = "pain"
worth = { NO = 0, MILD = 1, SEVERE = 4.5 }
aim = "minimise"
[actions]
set = ["dose"]
"""


def fields_of(form):
    """The fields that a browser would send for a form."""
    sent = {"rows": str(len(form.rows)), "arrows": str(len(form.arrows)), "limits": str(len(form.limits))}
    sent |= {"reward": form.reward, "success": form.success, "at_most": str(form.at_most), "wanted": form.wanted}
    sent |= {"aim": form.aim, "sure": form.sure, "worths": str(len(form.worth))}
    for i, row in enumerate(form.rows):
        data = {**vars(row), "was": row.name}
        sent |= {f"{key}-{i}": value for key, value in data.items() if isinstance(value, str)}
        sent |= {f"{key}-{i}": "on" for key in ("settable", "hidden") if data[key]}
    for i, (a, mark, b) in enumerate(form.arrows):
        sent |= {f"from-{i}": a, f"mark-{i}": mark, f"to-{i}": b}
    for i, (value, number) in enumerate(form.worth):
        sent |= {f"worth-of-{i}": value, f"worth-{i}": number}
    for i, x in enumerate(form.limits):
        sent |= {f"limit-of-{i}": x.variable, f"limit-value-{i}": x.value, f"limit-side-{i}": x.side}
        sent |= {f"limit-beside-{i}": x.beside}
        sent |= {f"limit-bound-{i}": x.bound, f"limit-safe-{i}": x.safe, f"limit-over-{i}": x.over}
    return sent


SAFE = NUMBERS.replace("at_most = 0.1", 'at_most = 0.1\nalways = true\nsafe = ["do()", "do(dose=0)"]')
EXAMPLES = [(ROOT / "examples" / name).read_text() for name in ("farm.toml", "harvest.toml", "psa.toml")]


@pytest.mark.parametrize("text", [NUMBERS, SAFE, TAILS, WORTH, *EXAMPLES])
def test_text_and_form_are_two_views_of_one_thing(text):
    """From text to form, through the browser, and back to text: the same problem."""
    contents = parse(text.encode(), "x.toml")
    form, faithful = form_of(contents)
    assert faithful
    again = read_form(fields_of(form))
    assert again == form
    assert GraphForm.of_data(again.as_data()) == form
    written = parse(text_of(again, contents).encode(), "x.toml")
    assert written.problem == contents.problem
    assert written.model == contents.model  # tables, means and spreads


def test_a_grid_is_shown_as_a_grid_and_cuts_as_cuts():
    rows = {row.name: row for row in form_of(parse(NUMBERS.encode(), "x.toml"))[0].rows}
    assert (rows["dose"].kind, rows["dose"].first, rows["dose"].last, rows["dose"].steps) == ("grid", "0", "1", "5")
    assert (rows["temp"].kind, rows["temp"].cut) == ("cut", "10; 18.5")
    assert (rows["loss"].kind, rows["loss"].low, rows["loss"].high) == ("number", "0", "50")
    assert not rows["loss"].settable


def test_what_a_limit_never_allows_stays_text():
    text = NUMBERS.replace("at_most = 0.1", 'at_most = 0.1\nnever = ["do(dose=1)"]')
    assert not form_of(parse(text.encode(), "x.toml"))[1]


@pytest.mark.parametrize("cuts", ["10; 18,5", "10 18.5", "10, 18,5", "10;18,5 "])
def test_cuts_as_people_write_them(cuts):
    sent = fields_of(form_of(parse(NUMBERS.encode(), "x.toml"))[0])
    form = read_form({**sent, "cut-2": cuts})
    assert parse(text_of(form, None).encode(), "x.toml").graph.variable("temp").cut == (10, 18.5)


WRONG = [
    ({"aim": ""}, "should 'loss' be as large or as small as possible?", "row"),
    ({"low-5": "some"}, "low of loss is 'some'; it must be a number", "row"),
    ({"low-5": "60"}, "low must be below high", "row"),
    ({"high-5": "inf"}, "must be a number", "row"),
    ({"cut-2": "18; 10"}, "each must be above the one before", "row"),
    ({"cut-2": "18"}, "has 3 values and 1 cut;", "row"),
    ({"cut-2": ""}, "where is 'temp' cut", "row"),
    ({"steps-1": "many"}, "how many values has the grid of 'dose'?", "row"),
    ({"steps-1": "9" * 5000}, "how many values has the grid of 'dose'?", "row"),
    ({"last-1": "0"}, "a grid goes from a number to a larger one", "row"),
    ({"limit-bound-0": ""}, "Give a number", "limit"),
    ({"limit-bound-0": "1.5"}, "it always is 0 to 1", "limit"),
    ({"limit-safe-0": "do(dose=7)"}, "do(dose=7) is named as safe in the limit on 'pests'", "limit"),
    ({"limit-safe-0": "nothing"}, "nothing", "limit"),
    ({"limit-value-0": ""}, "which value of 'pests' is limited?", "limit"),
    ({"limit-of-0": "loss"}, "the limit is on the reward", "limit"),
    ({"limit-of-0": "water", "limit-value-0": "much"}, "which do(water=little) sets", "limit"),
    ({"cost-0": "a lot"}, "it must be a number", "row"),
    ({"sure": "200"}, "less than 100 per cent", None),
]


@pytest.mark.parametrize(("typed", "message", "place"), WRONG)
def test_an_error_stands_at_its_place_and_keeps_what_was_typed(typed, message, place):
    sent = {**fields_of(form_of(parse(NUMBERS.encode(), "x.toml"))[0]), **typed}
    form = read_form(sent)
    with pytest.raises(FormError, match=re.escape(message)) as error:
        text_of(form, None)
    assert {key for key, value in error.value.where.items() if value is not None} == ({place} if place else set())
    answer = built({"draft": form.as_data(), "text": NUMBERS})
    assert message in answer["error"]["message"]
    assert fields_of(GraphForm.of_data(answer["draft"])) == sent


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({"limit-beside-2": ""}, "above which number must 'runoff' not be too often? Give it"),
        ({"limit-beside-2": "much"}, "it must be a number"),
        ({"limit-bound-2": "1"}, "which every action keeps"),
        (
            {"limit-beside-3": "3.25", "limit-value-3": "above", "limit-side-3": "at_most"},
            "two limits on the same side",
        ),
    ],
)
def test_a_limit_on_a_tail_that_cannot_be(typed, message):
    form = read_form({**fields_of(form_of(parse(TAILS.encode(), "x.toml"))[0]), **typed})
    with pytest.raises(FormError, match=re.escape(message)) as error:
        text_of(form, None)
    assert error.value.where["limit"] is not None


def test_a_tail_can_be_chosen_for_a_number_alone():
    sent = fields_of(form_of(parse(TAILS.encode(), "x.toml"))[0])
    form = read_form({**sent, "limit-value-2": "", "limit-beside-0": "7"})
    limits = parse(text_of(form, None).encode(), "x.toml").problem.limits
    assert [str(limit) for limit in limits] == [
        "P(pests = yes) at most 0.1",
        "the mean of runoff at least -1.5",
        "the mean of runoff at most 0.05",
        "P(runoff < -7) at least 0.01",
    ]


def test_the_worth_of_every_value_is_asked_for():
    sent = fields_of(form_of(parse(WORTH.encode(), "x.toml"))[0])
    with pytest.raises(FormError, match="what is 'pain' = 'MILD' worth"):
        text_of(read_form({**sent, "worth-1": ""}), None)
    with pytest.raises(FormError, match="as large or as small"):
        text_of(read_form({**sent, "aim": ""}), None)
    form = read_form({**sent, "worth-1": "1,5"})
    assert parse(text_of(form, None).encode(), "x.toml").graph.worth == (("NO", 0.0), ("MILD", 1.5), ("SEVERE", 4.5))


def test_text_without_an_aim_asks_for_it_with_the_form():
    answer = checked({"text": NUMBERS.replace('aim = "minimise"', "")})
    assert "as large or as small as possible" in answer["error"]["message"]
    assert (answer["error"]["row"], answer["draft"]["aim"], answer["draft"]["reward"]) == (5, "", "loss")
    chosen = {**answer["draft"], "aim": "maximise"}
    graph = parse(built({"draft": chosen, "text": ""})["text"].encode(), "x.toml").graph
    assert graph.aim == "maximise"


def test_means_that_the_text_gives_are_kept():
    text = NUMBERS.partition("[[limits]]")[0].replace("sure = 0.95", "").replace("[problem]", "")
    text = text.replace("runoff = { number = true, spread = 2.5 }\n", "").replace(', "dose -> runoff"', "")
    graph = parse(text.encode(), "x.toml").graph
    from bestdo.causal.model import Model
    from bestdo.causal.outcome import Outcome

    tables = {n: [1 / graph.size(n)] * graph.size(n) for n in ("water", "dose", "temp")}
    tables["pests"] = [[0.9, 0.1]] * 5
    model = Model(graph, tables, {"loss": Outcome(20.0, 3.0, "beta")})
    old = Contents(graph, parse(text.encode(), "x.toml").problem, model)
    kept = parse(text_of(form_of(old)[0], old).encode(), "x.toml").model
    assert kept is not None
    assert kept.numbers == model.numbers
    assert write(old) == write(Contents(graph, old.problem, kept))


def test_the_goal_is_in_the_form_and_back():
    text = NUMBERS.replace("[problem]", '[problem]\ngoal = "earn"')
    form, faithful = form_of(parse(text.encode(), "x.toml"))
    assert (form.goal, faithful) == ("earn", True)
    assert parse(text_of(form, None).encode(), "x.toml").problem.goal == "earn"
    assert read_form({"goal": "earn"}).goal == "earn"
    assert read_form({"goal": "lose"}).goal == "find"
