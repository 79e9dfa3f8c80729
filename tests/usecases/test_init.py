"""What is proposed for a graph and a table, what is asked, and the problem that comes of it."""

import io

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from rich.console import Console

from bestdo.bandit.reading import Reading
from bestdo.causal.action import do
from bestdo.data.counting import observed
from bestdo.data.labels import meaning
from bestdo.data.profile import MOST_LABELS, ColumnProfile, profile
from bestdo.errors import BestdoError
from bestdo.files import read
from bestdo.files.toml import write
from bestdo.report.init_report import draft_table, notes
from bestdo.usecases.init import init, settled
from bestdo.usecases.init_columns import left_out, matched, named_variable, split_unit
from bestdo.usecases.init_draft import Wishes, drafted
from bestdo.usecases.init_source import base_of
from bestdo.usecases.init_values import in_order, looks_missing, round_cut, suspects
from support import ROOT

GRAPH = "age -> pressure -> infarct; dose -> pressure; age -> infarct"


def table(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.normal(63, 11, rows).round()
    return pl.DataFrame(
        {
            "id": np.arange(rows),
            "age": age,
            "dose": rng.choice(["none", "half", "full"], rows),
            "pressure": (rng.normal(138, 15, rows) + (age - 63) / 2).round(1),
            "infarct": rng.choice(["no", "yes"], rows, p=[0.8, 0.2]),
        }
    )


def column(numbers=(), name="x", **more):
    values, times = np.unique(np.asarray(numbers, float), return_counts=True)
    return ColumnProfile(name, len(numbers), 0, numbers=values, times=times.astype(float), **more)


def profiled(frame):
    return {c.name: c for c in profile(nw.from_native(frame), "t").columns}


# what columns hold


def test_what_columns_hold():
    found = profiled(
        pl.DataFrame(
            {
                "smoker": ["ja", "Ja", " ja ", "nein", "NA", None],
                "weight": ["80,5", "75", "1e2", "61.5", "", "70"],
                "when": ["2024-01-31", "31.12.2024", "1/2/24", "2024-02-01 12:00", "2024-03-01", None],
                "score": [1.0, 2.0, float("nan"), None, 3.0, 3.0],
                "ok": [True, False, None, True, True, True],
                "code": ["1", "2", "1", "2", "unknown", "1"],
                "empty": [None, "", "n/a", None, "", ""],
            }
        )
    )
    assert {n: c.kind for n, c in found.items()} == {
        "smoker": "labels", "weight": "numbers", "when": "dates", "score": "numbers", "ok": "labels", "code": "labels",
        "empty": "nothing",
    }  # fmt: skip
    assert found["smoker"].labels == {"ja": 3, "nein": 1}
    assert found["smoker"].missing == 2
    assert found["weight"].numbers.tolist() == [61.5, 70, 75, 80.5, 100]
    assert (found["weight"].below(75), found["weight"].quantile(0.5)) == (0.4, 75)
    assert found["score"].times.tolist() == [1, 1, 2]
    assert found["ok"].labels == {"true": 4, "false": 1}


def test_parts_of_a_large_table_add_up(monkeypatch):
    frame = table(1000).with_columns(note=pl.Series([f"text {i}" for i in range(1000)]))
    whole = profiled(frame)
    monkeypatch.setattr("bestdo.data.profile._ROWS_AT_ONCE", 64)
    monkeypatch.setattr("bestdo.data.profile._COLUMNS_AT_ONCE", 2)
    for parts in (profiled(frame), profiled(frame.lazy()), profiled(frame.to_pandas())):
        for name, one in whole.items():
            other = parts[name]
            assert (one.kind, one.labels, one.rows, one.missing) == (
                other.kind,
                other.labels,
                other.rows,
                other.missing,
            )
            assert np.array_equal(one.numbers, other.numbers)
            assert np.array_equal(one.times, other.times)
    assert whole["note"].kind == "texts"
    assert MOST_LABELS < 1000


def test_what_stands_for_a_missing_value():
    frame = pl.DataFrame(
        {"age": [50, 60, 999, 999, 70], "smoker": ["yes", "no", "?", "-", "yes"], "test": list("+-+-+")}
    )
    found = profiled(frame)
    assert suspects(found["age"]) == [999]
    assert found["age"].without(["999"]).numbers.tolist() == [50, 60, 70]
    assert found["age"].without(["999"]).missing == 2
    assert looks_missing(found["smoker"]) == ["-", "?"]
    assert looks_missing(found["test"]) == []
    assert suspects(column([500, 800, 999])) == []  # nothing strange among such numbers
    assert suspects(column([-1, 2, 3])) == [-1]
    assert suspects(column([-1, -2, 3])) == []


# values


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["yes", "no"], "no yes"),
        (["ja", "nein"], "nein ja"),
        (["high", "LOW", "medium"], "LOW medium high"),
        (["10", "9", "2,5"], "2,5 9 10"),
        (["severe", "none", "mild"], "none mild severe"),
        (["north", "East"], "East north"),
    ],
)
def test_labels_in_the_order_that_people_expect(labels, order):
    assert in_order(labels) == tuple(order.split())


@pytest.mark.parametrize(
    ("numbers", "cut"),
    [
        (np.random.default_rng(0).normal(138, 18, 2000).round(), 140),
        (np.random.default_rng(0).normal(25.4, 4, 2000).round(1), 25),
        (np.random.default_rng(0).lognormal(1.3, 0.8, 2000), 4),
        (np.random.default_rng(0).lognormal(10, 1, 2000), 20000),
        (np.random.default_rng(0).normal(-3.1, 1, 2000), -3),
        (np.random.default_rng(0).random(2000) / 1e6, 5e-7),
        ([0] * 70 + [3.7, 8.1, 9.3] * 10, 2),
        ([1] * 30 + [2] * 70, 2),
        ([0.1, 0.2], 0.2),
    ],
)
def test_cuts_are_round_and_split(numbers, cut):
    found = column(numbers)
    assert round_cut(found) == cut
    assert 0 < found.below(cut) < 1


# columns of variables


def test_columns_of_other_names():
    names = ["blood_pressure", "Groesse", "age", "smoker", "temprature", "season", "cholesterol", "bmi"]
    columns = ["Blood pressure (mmHg)", "Größe [cm]", "AGE", "smokerYN", "temperature", "chol", "body mass index"]
    found = {n: (m.column, m.sure) for n, m in matched(names, columns, {}).items()}
    assert found == {
        "blood_pressure": ("Blood pressure (mmHg)", True),
        "Groesse": ("Größe [cm]", True),
        "age": ("AGE", True),
        "smoker": ("smokerYN", False),
        "temprature": ("temperature", False),
        "season": (None, True),
        "cholesterol": ("chol", False),
        "bmi": ("body mass index", False),
    }
    assert matched(["a"], ["A", "a "], {})["a"].column == "a "
    two = matched(["dose"], ["Dose (mg)", "dose_"], {})["dose"]
    assert not two.sure  # which of the two is for a person to say


def test_columns_that_are_no_variables():
    rows = 50
    found = profiled(
        pl.DataFrame(
            {
                "patient": np.arange(rows) * 7,
                "n": np.arange(rows),
                "comment": [f"it was {i}" for i in range(rows)],
                "day": ["2024-01-01"] * rows,
                "weight": np.linspace(50, 90.1, rows),
                "nothing": [None] * rows,
                "site id": [1, 2] * (rows // 2),
                "share": [f"{i},5 %" for i in range(rows)],
                "paid": [f"€ 1.{100 + i},00" for i in range(rows)],
            }
        )
    )
    assert {n: left_out(c) for n, c in found.items()} == {
        "patient": "an identifier",
        "n": "a running number",
        "comment": "different in every row",
        "day": "a date or time",
        "weight": "",
        "nothing": "empty",
        "site id": "an identifier",
        "share": "no number that can be read, such as '0,5 %'",
        "paid": "no number that can be read, such as '€ 1.100,00'",
    }
    assert split_unit("weight [kg]") == ("weight", "kg")
    assert split_unit("(kg)") == ("(kg)", "")
    assert named_variable(column(name='the "new" dose\n(mg)'), ()).name == "the 'new' dose"
    assert named_variable(column(name="dose (mg)"), {"dose"}).name == "dose (mg)"
    assert named_variable(column(name="x" * 300), ()) is None


# a problem


def test_a_problem_from_arrows_and_a_table():
    made = init(GRAPH, table(), reward="infarct", success="NO", set=["Dose"], first=["age"])
    graph, problem = made.graph, made.problem
    assert graph.variable("dose").values == ("full", "half", "none")
    assert graph.variable("pressure").cut == (140.0,)
    assert (graph.reward, graph.success) == ("infarct", "no")
    assert list(problem.actions) == [do(), *(do(dose=v) for v in ("full", "half", "none"))]
    assert problem.first == ("age",)
    assert problem.reading == Reading(ignore=("id",))
    cut = init(GRAPH, table(), reward="infarct", success="no", set=["dose"], cuts={"age": [50, 70]})
    assert cut.graph.variable("age").values == ("low", "medium", "high")
    said = init(GRAPH, table(), reward="infarct", success="no", set=["dose"], values={"dose": ["none", "half", "full"]})
    assert said.graph.variable("dose").values == ("none", "half", "full")


def test_a_number_as_reward():
    made = init(GRAPH, table(), reward="pressure", aim="minimise", set=["dose"], hidden=["age"])
    assert made.graph.variable("pressure").number is not None
    assert made.graph.hidden == ("age",)
    cut = init(GRAPH, table(), reward="pressure", success="low", set=["dose"])
    assert cut.graph.variable("pressure").cut == (140.0,)


def test_values_of_the_graph_stay_and_words_are_understood():
    text = 'bestdo = 1\n[variables.infarct]\nvalues = ["no", "yes"]\n[variables.dose]\nvalues = ["a", "b"]\n'
    text += '[graph]\nedges = ["dose -> infarct"]\n'
    frame = pl.DataFrame({"Dose": ["A", "b", "c"], "infarct": ["ja", "nein", "nein"]})
    with pytest.raises(
        BestdoError, match=r"'Dose' holds 'c' in 1 row, none of its values .* Say --missing c .* --same c=b"
    ):
        init(text, frame, reward="infarct", success="no", set=["dose"])
    made = init(text, frame, reward="infarct", success="nein", set=["dose"], reading={"same": ["c=b"]})
    assert made.graph.success == "no"
    assert made.problem.reading.same == {"c": "b"}
    wider = init(text, frame, reward="infarct", success="no", set=["dose"], values={"dose": "abc"})
    assert wider.graph.variable("dose").values == ("a", "b", "c")


def test_what_means_the_same_is_one_value():
    frame = pl.DataFrame({"sex": ["w", "f", "weiblich", "m"] * 5, "ill": [0, 1] * 10, "children": [0, 1, 2, 3] * 5})
    same = ["weiblich=f", "w=f", "0=no", "1=yes"]
    made = init("sex -> ill; children -> ill", frame, reward="ill", success="no", set=["sex"], reading={"same": same})
    assert made.graph.variable("sex").values == ("f", "m")
    assert made.graph.variable("ill").values == ("no", "yes")
    assert made.graph.variable("children").values == ("0", "1", "2", "3")
    assert observed(frame, made.problem).rows == 20


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "Which variable is the reward.* Say --reward NAME, one of 'age', 'pressure', 'infarct', 'dose'"),
        ({"reward": "infarct"}, "Which value of 'infarct' is good. Say --success VALUE, one of 'no', 'yes'"),
        ({"reward": "pressure"}, "as large or as small as possible. Say --aim, one of 'maximise', 'minimise'"),
        ({"reward": "infarct", "success": "no"}, "Which variables may be set. Say --set NAME,NAME, some of 'age'"),
        ({"reward": "infract"}, "--reward: unknown variable 'infract' .did you mean 'infarct'"),
        ({"reward": "infarct", "success": "maybe", "set": ["dose"]}, "unknown value 'maybe'"),
        ({"reward": "age", "success": "low", "set": ["doze"]}, "--set: unknown variable 'doze'"),
        ({"reading": {"columns": {"age": "agee"}}}, "--column age=agee: unknown column 'agee' .did you mean 'age'"),
        ({"reading": {"ignore": ["idd"]}}, "--ignore: unknown column 'idd'"),
    ],
)
def test_what_is_missing_or_wrong_names_the_option(more, words):
    with pytest.raises(BestdoError, match=words):
        init(GRAPH, table(), **more)


def test_columns_of_other_names_are_asked_about():
    frame = table().rename({"pressure": "press", "age": "Age (years)"})
    with pytest.raises(BestdoError, match=r"did you mean the column 'press'.* Say --column pressure=press"):
        init(GRAPH, frame, reward="infarct", success="no", set=["dose"])
    reading = {"columns": {"pressure": "press"}}
    made = init(GRAPH, frame, reward="infarct", success="no", set=["dose"], reading=reading)
    assert made.problem.reading.columns == {"age": "Age (years)", "pressure": "press"}
    assert made.graph.variable("age").unit == "years"
    none = init(GRAPH, frame, reward="infarct", success="no", set=["dose"], reading={"columns": {"pressure": ""}})
    assert none.graph.variable("pressure").values == ("0", "1")


def test_text_in_a_column_of_numbers_is_asked_about():
    frame = table().with_columns(pressure=pl.Series(["<80", *map(str, range(120, 319))]))
    with pytest.raises(BestdoError, match=r"'pressure' holds '<80' in 1 row, which is no number.* --missing '<80'"):
        init(GRAPH, frame, reward="infarct", success="no", set=["dose"])
    made = init(GRAPH, frame, reward="infarct", success="no", set=["dose"], reading={"missing": "<80"})
    assert made.problem.reading.missing == ("<80",)


def test_a_problem_file_keeps_what_it_says(tmp_path):
    """Costs, tables of all but the reward and how tables are read; with other actions the law follows from the tables."""
    text = """bestdo = 1
[variables]
season = { values = ["low", "high"] }
price = { values = ["regular", "sale"] }
purchase = { values = ["no", "yes"] }
[graph]
edges = ["season -> price", "season -> purchase", "price -> purchase"]
reward = "purchase"
success = "yes"
[actions]
set = ["price"]
[costs]
"do(price=sale)" = 2.0
[tables]
season = [0.5, 0.5]
[tables.price]
given = ["season"]
rows = [{ when = ["low"], p = [0.9, 0.1] }, { when = ["high"], p = [0.5, 0.5] }]
[data]
columns.price = "Preis"
missing = ["x"]
"""
    (tmp_path / "p.toml").write_text(text)
    frame = pl.DataFrame(
        {"Preis": ["sale", "regular", "x"], "season": ["low", "high", "low"], "Purchase": ["no", "yes", "no"]}
    )
    same = init(str(tmp_path / "p.toml"), frame)
    assert same.problem.cost == (1.0, 1.0, 2.0)
    assert same.problem.law is not None
    assert same.problem.reading == Reading({"price": "Preis"}, missing=("x",))
    assert init(str(tmp_path / "p.toml")).problem.reading == Reading({"price": "Preis"}, missing=("x",))
    more = init(str(tmp_path / "p.toml"), frame, set=["price", "season"], at_most=2)
    assert len(more.problem.actions) == 9
    assert more.problem.law is not None
    wider = init(str(tmp_path / "p.toml"), frame, values={"season": ["low", "mid", "high"]})
    assert (wider.problem.law, wider.tables) == (None, {})


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.toml")), ids=lambda file: file.stem)
def test_a_file_of_our_own_loses_nothing(file):
    assert write(init(str(file))) == write(read(file))


def test_names_for_the_two_sides_of_a_cut():
    made = init(GRAPH, table(), reward="infarct", success="no", set=["dose"], values={"age": ["young", "old"]})
    assert (made.graph.variable("age").values, made.graph.variable("age").cut) == (("young", "old"), (65.0,))
    with pytest.raises(
        BestdoError, match=r"'age' holds many numbers: say where the 3 values of 'age' are cut .--cut age="
    ):
        init(GRAPH, table(), reward="infarct", success="no", set=["dose"], values={"age": ["a", "b", "c"]})


def test_without_a_graph():
    made = init(None, table(), reward="infarct", success="no", set=["dose"])
    assert made.graph.names == ("age", "dose", "pressure", "infarct")
    assert not any(made.graph.parents.values())
    with pytest.raises(BestdoError, match="give a graph, or a table of old data, or both"):
        init()
    with pytest.raises(BestdoError, match=r"there is no file of that name, and 'nothing.gml' is no graph"):
        init("nothing.gml")
    with pytest.raises(BestdoError, match=r"the graph 'a -> ; b', column 6: found ';', expected a variable"):
        init("a -> ; b")


def test_a_graph_alone():
    made = init("dag { x [exposure] y [outcome] u [latent] x -> y x <- u -> y }", success="0")
    assert (made.graph.reward, made.graph.success, made.graph.hidden) == ("y", "0", ("u",))
    assert list(made.problem.actions) == [do(), do(x="0"), do(x="1")]
    with pytest.raises(BestdoError, match="Which value of 'y' is good"):
        init("dag { x [exposure] y [outcome] x -> y }")


def test_a_person_is_asked_what_may_be_said_too_but_only_where_something_must_be():
    asked = []

    def ask(question, draft):
        asked.append(question.key)
        return {"reward": ("infarct",), "success": ("no",), "set": ("dose", "age")}.get(
            question.key, question.default or ()
        )

    found = profile(nw.from_native(table()), "t")
    draft = settled(base_of(GRAPH), found, Wishes(), ask)
    assert asked == ["hidden", "reward", "success", "set", "at_most", "cuts"]  # what actions change is not seen first
    assert draft.settable == ("dose", "age")
    asked.clear()
    settled(base_of(GRAPH), found, Wishes("infarct", settable=("dose",)), ask)
    assert asked == ["hidden", "success", "first", "cuts"]
    asked.clear()
    settled(base_of(GRAPH), found, Wishes("infarct", "no", settable=("dose",)), ask)
    assert asked == []


# labels that look like numbers


def _drafted(graph, frame, wishes=None):
    return drafted(base_of(graph), profile(nw.from_native(frame), "t"), wishes or Wishes())


def test_labels_that_are_equal_numbers_stay_apart():
    frame = pl.DataFrame(
        {
            "version": ["8.1", "8.2", "8.10", "8.1"],
            "sku": ["007", "07", "7", "7"],
            "postcode": ["01067", "80331", "01067", "80331"],
            "dose": ["1.0", "2.0", "1.0", "2.0"],
            "sold": ["no", "yes", "yes", "no"],
        }
    )
    draft = _drafted("version -> sold; sku -> sold; postcode -> sold; dose -> sold", frame)
    assert {n: v.variable.values for n, v in draft.values.items()} == {
        "version": ("8.1", "8.10", "8.2"), "sku": ("007", "07", "7"), "postcode": ("01067", "80331"),
        "dose": ("1", "2"), "sold": ("no", "yes"),
    }  # fmt: skip
    assert "'version' holds 8.1 and 8.10: they are different values, unless you say --same 8.10=8.1" in notes(draft)
    version = draft.graph.variable("version")
    assert [meaning(version, text) for text in ("8.10", "8.1", "8.20", "8.100")] == [1, 0, 2, None]
    said = Wishes(reading=Reading.of({"same": ["8.10=8.1"]}))
    assert _drafted("version -> sold", frame, said).graph.variable("version").values == ("8.1", "8.2")


def test_empty_cells_may_be_said_to_mean_no():
    frame = pl.DataFrame({"tapped": ["yes", "", None, "yes"], "kind": ["a", "b", "", "a"], "sold": ["no", "yes"] * 2})
    draft = _drafted("tapped -> sold; kind -> sold", frame)
    assert any("'tapped' is 'yes' or empty" in note and '--same "=no"' in note for note in notes(draft))
    draft = _drafted("tapped -> sold; kind -> sold", frame, Wishes(reading=Reading.of({"same": ["=no"]})))
    assert [draft.graph.variable(n).values for n in ("tapped", "kind")] == [("no", "yes"), ("a", "b")]
    assert (draft.columns["tapped"].labels, draft.columns["kind"].missing) == ({"yes": 2, "no": 2}, 1)


def test_names_with_spaces_and_tables_as_graphs_get_a_hint(tmp_path):
    with pytest.raises(BestdoError, match='a name with spaces is put into double quotes, as in \'"send window"'):
        base_of("Send window -> Complaint")
    (tmp_path / "push.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BestdoError, match=r"bestdo init --data .*push.csv"):
        base_of(str(tmp_path / "push.csv"))


def test_nothing_is_cut_off_in_a_narrow_terminal():
    frame = pl.DataFrame({"subject": ["emoji 🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉", "plain"] * 2, "opened": ["no", "yes"] * 2})
    console = Console(width=34, file=io.StringIO())
    console.print(draft_table(_drafted("subject -> opened", frame)))
    assert "…" not in console.file.getvalue()
