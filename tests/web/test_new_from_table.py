"""A new study from an uploaded table: its columns say which values there are."""

import base64
import html
import io
import re

import polars as pl
import pytest

from bestdo.files import parse
from bestdo.web.workers.graph_orders import built
from bestdo.web.workers.table_orders import started
from support import ROOT

CLINIC = (ROOT / "examples" / "clinic.csv").read_bytes()
DAGITTY = (ROOT / "examples" / "clinic.txt").read_text(encoding="utf-8")


def sent(client, text="", name="clinic.csv", data=CLINIC):
    answer = client.post("/new/check", data={"via": "file", "text": text}, files={"file": (name, data)})
    assert answer.status_code == 200, answer.text
    return answer.text


def text_on(page):
    return html.unescape(re.search(r"<textarea(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>\n?(.*?)</textarea>", page, re.S)[1])


def test_a_table_alone_gives_its_variables(client):
    page = sent(client)
    contents = parse(text_on(page).encode(), "text.toml")
    assert contents.graph.names == ("Age", "Dose", "Smokes", "Systolic BP", "Infarction")
    assert contents.graph.variable("Dose").values == ("0", "2.5", "5")
    assert contents.reading.columns["Age"] == "Age (years)"
    assert "There are no arrows yet" in html.unescape(page)


def test_a_graph_and_a_table(client):
    page = sent(client, DAGITTY)
    assert "which value of 'infarction' is success? Choose it" in html.unescape(page)
    contents = parse(text_on(page).encode(), "text.toml")
    assert contents.graph.variable("systolic BP").cut == (130.0,)
    assert contents.reading.columns["smoker"] == "Smokes"
    assert contents.positions["age"] == (0.1, 0.2)


def test_what_is_chosen_in_the_forms_keeps_how_the_table_is_read():
    order = {"text": DAGITTY, "name": "clinic.csv", "data": base64.b64encode(CLINIC).decode(), "rounds": 40}
    answer = started({**order, "graph_only": False})
    draft = {**answer["draft"], "success": "nein"}
    made = built({"text": answer["text"], "draft": draft, "rounds": 40})
    assert made["error"] is None
    problem = parse(made["problem"].encode(), "text.toml").problem
    assert problem.reading.columns["smoker"] == "Smokes"
    assert [str(a) for a in problem.actions] == ["do()", "do(dose=0)", "do(dose=2.5)", "do(dose=5)"]


@pytest.mark.parametrize("kind", ["parquet", "xlsx"])
def test_other_tables(client, kind):
    buffer = io.BytesIO()
    frame = pl.DataFrame({"price": ["low", "high"] * 20, "sale": ["no", "yes"] * 20})
    getattr(frame, {"parquet": "write_parquet", "xlsx": "write_excel"}[kind])(buffer)
    contents = parse(text_on(sent(client, name=f"shop.{kind}", data=buffer.getvalue())).encode(), "text.toml")
    assert contents.graph.variable("price").values == ("low", "high")


@pytest.mark.parametrize(
    ("text", "data", "words"),
    [
        ("", b"a;b\n1;2;3\n", "clinic.csv"),
        ("", b"", "clinic.csv"),
        ("/etc/passwd", CLINIC, "'/etc/passwd' is no graph"),
        ("a -> ", CLINIC, "expected a variable"),
    ],
)
def test_what_is_wrong_is_said(client, text, data, words):
    page = sent(client, text, data=data)
    assert words in html.unescape(page)
    assert text_on(page) == text
