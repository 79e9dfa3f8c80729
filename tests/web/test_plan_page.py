"""The page of fixed plans: files that are chosen, what stays, words without jargon."""

import csv
import gzip
import io
import re

import xlsxwriter
from playwright.sync_api import expect

from support import ROOT, problem_text

FILE = ROOT / "examples" / "farm.toml"
FARM = FILE.read_text()
ALERT = re.compile(r'class="problem" role="alert">([^<]*)')
USUAL = {"temperature": "high", "nutrient": "rich", "moisture": "dry"}


def filled(sheet):
    """The sheet as an Excel file, with everything seen filled in."""
    rows = list(csv.DictReader(io.StringIO(sheet.lstrip("\ufeff"))))
    made = io.BytesIO()
    with xlsxwriter.Workbook(made) as book:
        book.add_worksheet("about").write(0, 0, "nothing here")
        page = book.add_worksheet("field")
        page.write_row(0, 0, rows[0])
        for k, row in enumerate(rows, 1):
            seen = {name: row[name] or value for name, value in USUAL.items()}
            page.write_row(k, 0, {**row, **seen, "yield": "good" if seen["moisture"] == "wet" else "bad"}.values())
    return made.getvalue()


def test_a_file_is_read_whichever_button_is_pressed(client):
    for data in (FARM.encode(), gzip.compress(FARM.encode())):
        answer = client.post("/plan", data={"rounds_": "14", "via": "plan"}, files={"file": ("farm.toml", data)})
        assert answer.status_code == 200
        assert "plan-title" in answer.text
        assert "[variables.temperature]" in answer.text
    refused = client.post("/plan", data={"rounds_": "14"}, files={"file": ("sheet.csv", b"a,b\n1,2\n")})
    assert refused.status_code == 422
    assert "is a table, not a problem" in ALERT.search(refused.text)[1]


def test_the_plan_stays_and_what_was_typed_too(client):
    """It was away after an error, and after the sheet was brought back."""
    plan = client.post("/plan", data={"text": FARM, "rounds_": "14"}).text
    hidden = dict(re.findall(r'<input type="hidden" name="(planned\w*)" value="([^"]*)">', plan))
    assert hidden["planned_rounds"] == "14"
    kept = {"planned": FARM, "planned_rounds": "14", "separator": "semicolon", "sheet_name": "field"}
    wrong = client.post("/plan", data={**kept, "text": "dag { a -> ", "rounds_": "15"})
    assert wrong.status_code == 422
    assert ALERT.search(wrong.text)
    assert "plan-title" in wrong.text
    assert "before the text or the number of rounds was changed" in wrong.text
    assert 'value="15"' in wrong.text
    sheet = client.post("/plan", data={"text": FARM, "rounds_": "14", "via": "sheet"}).text
    sent = {**kept, "text": FARM, "rounds_": "14"}
    answer = client.post("/plan/estimate", data=sent, files={"sheet": ("f.xlsx", filled(sheet))})
    assert answer.status_code == 200, ALERT.findall(answer.text)
    assert "Keep <strong>do(moisture=wet)</strong>" in answer.text
    assert "plan-title" in answer.text
    assert "before the text" not in answer.text
    assert 'name="sheet_name" maxlength="200" value="field"' in answer.text


def test_a_plan_in_plain_words(client):
    text = client.post("/plan", data={"text": FARM, "rounds_": "60"}).text
    assert "at least as well as if it alone had been played 21 times" in text
    assert "No plan that is fixed beforehand does better: that is proven." in text
    for jargon in ("bandit", "arms", "optimal design"):
        assert jargon not in text


def test_a_chosen_file_is_planned_at_once(person):
    page = person(viewport={"width": 390, "height": 844})
    page.goto(page.url + "plan")
    page.set_input_files("input[name=file]", FILE)
    expect(page.locator("#plan-title")).to_be_visible(timeout=20_000)
    expect(page.locator("#text")).to_have_value(FARM)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_page_says_whether_the_action_keeps_all_limits(client):
    """It said so of every action, whatever the limits were."""
    limited = problem_text(
        {"dose": ["0", "1"], "cure": ["0", "1"], "harm": ["0", "1"]},
        "dose -> cure; dose -> harm",
        'reward = "cure"; success = "1"',
        ["dose"],
        """\
[tables]
dose = [0.5, 0.5]
[tables.harm]
given = ["dose"]
rows = [{ when = ["0"], p = [0.5, 0.5] }, { when = ["1"], p = [0.5, 0.5] }]
[[limits]]
variable = "harm"
value = "1"
at_most = 0.01
""",
    )
    sheet = client.post("/plan", data={"text": limited, "rounds_": "14", "via": "sheet"}).text
    first, *rows = csv.DictReader(io.StringIO(sheet.lstrip("\ufeff")))
    made = io.StringIO()
    writer = csv.DictWriter(made, list(first))
    writer.writeheader()
    writer.writerows({**row, "dose": row["dose"] or "1", "cure": "1", "harm": "1"} for row in [first, *rows])
    files = {"sheet": ("plan.csv", made.getvalue().encode())}
    page = client.post("/plan/estimate", data={"text": limited, "rounds_": "14"}, files=files).text
    assert 'class="best nearest"' in page
    assert '<p class="problem">No action keeps all limits with probability 0.9 so far; ' in page
