"""Old data from files and frames: the same counts whoever holds them."""

import gzip
import importlib
import shutil
from collections import Counter

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from bestdo import Actions, Graph, Problem, do
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.rounds import Rounds
from bestdo.causal.variable import Variable
from bestdo.data.counting import observed
from bestdo.data.labels import meaning
from bestdo.errors import BestdoError, NotValid, TooLarge
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen
from bestdo.statistics.tables import Tables

GRAPH = Graph.parse(
    "Z -> X; X -> Y; W -> Y; X <-> W",
    reward="Y",
    success="good",
    values={"Z": ("low", "middle", "high"), "W": ("no", "yes"), "Y": ("bad", "good")},
)
PROBLEM = Problem(GRAPH, Actions.single(GRAPH))
ROWS = 700


def data(rows=ROWS, missing=0.1, seed=0):
    """Columns of text, the same in every engine; None where a value is missing; and one column too many."""
    rng = np.random.default_rng(seed)
    found = {}
    for name in GRAPH.observed:
        values = np.array(GRAPH.variable(name).values, object)[rng.integers(0, GRAPH.size(name), rows)]
        found[name] = [None if gone else v for v, gone in zip(values, rng.random(rows) < missing, strict=True)]
    return pl.DataFrame({**found, "remark": ["a, b"] * rows}, dict.fromkeys([*found, "remark"], pl.String))


def by_hand(frame):
    """{codes in the order of graph.names: how often}, of the rows with their reward."""
    found = Counter()
    for row in frame.iter_rows(named=True):
        if row["Y"] is not None:
            known = [row.get(n) for n in GRAPH.names]
            found[
                tuple(-1 if v is None else GRAPH.variable(n).code(v) for n, v in zip(GRAPH.names, known, strict=True))
            ] += 1
    return found


def cells(old):
    return Counter({tuple(map(int, x)): int(n) for x, n in zip(old.x, old.times, strict=True)})


def as_csv(frame, path, separator=",", encoding="utf-8", packed=False):
    text = frame.write_csv(separator=separator).encode(encoding)
    path.write_bytes(gzip.compress(text) if packed else text)
    return str(path)


SOURCES = {
    "csv": lambda f, p: as_csv(f, p / "a.csv"),
    "semicolons": lambda f, p: as_csv(f, p / "a.csv", ";"),
    "byte-order mark": lambda f, p: as_csv(f, p / "a.csv", "\t", "utf-8-sig"),
    "utf-16": lambda f, p: as_csv(f, p / "a.csv", ";", "utf-16"),
    "packed csv": lambda f, p: as_csv(f, p / "a.csv.gz", packed=True),
    "parquet": lambda f, p: f.write_parquet(p / "a.parquet") or p / "a.parquet",
    "folder": lambda f, p: [f[i::2].write_parquet(p / f"{i}.parquet") for i in range(2)] and p,
    "polars": lambda f, p: f,
    "lazy": lambda f, p: f.lazy(),
    "categories": lambda f, p: f.with_columns(pl.col(pl.String).cast(pl.Categorical)),
    "enum": lambda f, p: f.with_columns(pl.col("X").cast(pl.Enum(["1", "0", "2"]))),
    "numbers": lambda f, p: f.with_columns(pl.col("X").cast(pl.Int8), W=pl.col("W") == "yes"),
    "pandas": lambda f, p: f.to_pandas(),
    "pandas categories": lambda f, p: f.to_pandas().astype("category"),
    "pandas numbers": lambda f, p: f.to_pandas().assign(X=lambda d: d.X.astype(float)),
    "pandas objects": lambda f, p: f.to_pandas().assign(W=lambda d: d.W.map({"yes": True, "no": False}).astype(object)),
    "pyarrow": lambda f, p: f.to_arrow(),
    "pyarrow dictionaries": lambda f, p: f.with_columns(pl.col(pl.String).cast(pl.Categorical)).to_arrow(),
    "duckdb": lambda f, p: duckdb.from_arrow(f.to_arrow()),
    "dask": lambda f, p: importlib.import_module("dask.dataframe").from_pandas(f.to_pandas(), npartitions=3),  # 1.5 s
}


@pytest.mark.parametrize("kind", SOURCES)
def test_the_same_rows_give_the_same_counts_and_sums_from_everywhere(kind, tmp_path):
    frame = data()
    source = SOURCES[kind](frame, tmp_path)
    old = observed(source, PROBLEM)
    assert cells(old) == by_hand(frame)
    assert (old.rows, old.without_reward) == (ROWS, frame["Y"].null_count())
    assert old.whole == frame.select("X", "W", "Y").drop_nulls().height
    assert old.fingerprint == observed(frame.sample(fraction=1, shuffle=True, seed=1), PROBLEM).fingerprint
    for statistic in [Seen(PROBLEM)]:  # too many cells: only the sums
        few = observed(source, PROBLEM, statistic=statistic, most=40)
        assert few.fingerprint == old.fingerprint
        assert (few.rows, few.without_reward, few.whole) == (old.rows, old.without_reward, old.whole)
        for mine, theirs in zip(few.sums, statistic.tally(old.rounds(PROBLEM), 1), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert any("'remark'" in note for note in old.notes)


@pytest.mark.campaign
def test_the_same_rows_give_the_same_counts_from_spark(tmp_path):
    if shutil.which("java") is None:
        pytest.skip("PySpark needs Java, which is not installed")
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = data()
        source = spark.createDataFrame(frame.rows(), frame.columns)
        old = observed(source, PROBLEM)
        assert cells(old) == by_hand(frame)
        few = observed(source, PROBLEM, statistic=Seen(PROBLEM), most=40)
        assert few.fingerprint == old.fingerprint == observed(frame, PROBLEM).fingerprint
        with pytest.raises(BestdoError, match="3 rows with a value of 'X' that the graph does not know: '7', '7', '7'"):
            observed(spark.createDataFrame([("7", "bad")] * 3, ["X", "Y"]), PROBLEM)
    finally:
        spark.stop()


def test_rows_add_up_to_the_sums_of_rounds_played_one_by_one():
    frame = data(missing=0)
    rows = np.array(
        [[GRAPH.variable(n).code(v) for n, v in row.items() if n != "remark"] for row in frame.iter_rows(named=True)]
    )
    x = np.full((ROWS, len(GRAPH.names)), -1)
    x[:, [GRAPH.names.index(n) for n in frame.columns[:-1]]] = rows
    action = np.full(ROWS, PROBLEM.actions.index(do()))
    one_by_one = Rounds(np.zeros(ROWS, int), action, x, np.array(frame["Y"] == "good"))
    old = observed(frame, PROBLEM).rounds(PROBLEM)
    for statistic in (Seen(PROBLEM), Played(PROBLEM)):
        for mine, theirs in zip(statistic.tally(old, 1), statistic.tally(one_by_one, 1), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    ("values", "raw", "codes"),
    [
        (("0", "1"), [0, 1, 0.0, 1.0, "0", "1", "1.00", " 1 ", True, False, "TRUE"], [0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1]),
        (("no", "yes"), [0, 1.0, True, "No", "YES", "true", "0"], [0, 1, 1, 0, 1, 1, 0]),
        (("true", "false"), [0, 1, True, False, "False", "yes"], [1, 0, 0, 1, 1, 0]),
        (("1", "2", "2.5"), [1, 2.0, 2.5, "2,5", True, 3, False], [0, 1, 2, 2, 0, None, None]),
        (("1", "1.0"), ["1", "1.0", 1, "01", True], [0, 1, 0, None, None]),
        (("Low", "low", "high"), ["Low", "low", "LOW", "High"], [0, 1, None, 2]),
        (("a", "b"), [None, float("nan"), "", "  ", "NA", 1, "c"], [-1, -1, -1, -1, -1, None, None]),
        (("NA", "EU"), ["NA", "", "EU"], [0, -1, 1]),
        (("no", "yes", "1"), [1, True, "yes", 0], [2, None, 1, 0]),
    ],
)
def test_which_value_is_meant(values, raw, codes):
    assert [meaning(Variable("V", values), r) for r in raw] == codes


def test_values_in_other_forms_are_found_and_said():
    frame = pl.DataFrame({"W": [True, False, None], "Y": ["GOOD", " bad", "good"], "X": [1.0, 0.0, float("nan")]})
    old = observed(frame, PROBLEM)
    assert cells(old) == cells(
        observed(pl.DataFrame({"W": ["yes", "no", ""], "Y": ["good", "bad", "good"], "X": [1, 0, None]}), PROBLEM)
    )
    assert "'W': taken are false as 'no', true as 'yes'" in old.notes
    assert any("GOOD as 'good'" in note for note in old.notes)
    assert any("no column holds 'Z'" in note for note in old.notes)


@pytest.mark.parametrize("numbered", [True, False])
def test_offending_rows_are_counted_and_three_are_shown(numbered, tmp_path):
    frame = data(missing=0).with_columns(
        Z=pl.when(pl.int_range(pl.len()) % 100 == 7).then(pl.lit("hihg")).otherwise("Z"),
        X=pl.when(pl.int_range(pl.len()) == 3).then(pl.lit("2")).otherwise("X"),
    )
    source = as_csv(frame, tmp_path / "log.csv") if numbered else duckdb.from_arrow(frame.to_arrow())
    with pytest.raises(BestdoError) as caught:
        observed(source, PROBLEM)
    said = str(caught.value).splitlines()
    places = [" in row 8", " in row 108", " in row 208"] if numbered else [""] * 3
    shown = ", ".join(f"'hihg'{place}" for place in places)
    assert f"7 rows with a value of 'Z' that the graph does not know: {shown}, …" in said[0]
    assert said[0].endswith("allowed: 'low', 'middle', 'high'")
    assert said[-1].startswith("--missing says what stands for a missing value")
    assert (
        f"1 row with a value of 'X' that the graph does not know: '2'{' in row 4' if numbered else ''}; allowed"
        in said[1]
    )


def test_what_cannot_be_read_is_said_in_words(tmp_path, monkeypatch):
    (tmp_path / "odd.parquet").write_bytes(b"no parquet")
    (tmp_path / "log.xlsx").write_bytes(b"PK")
    (tmp_path / "log.doc").write_bytes(b"text")
    (tmp_path / "ragged.csv").write_text('X,Y\n1,good\n1,good,7,8\n"1')
    for source, words in [
        (tmp_path / "none.csv", "there is no file"),
        (tmp_path / "odd.parquet", "cannot be read"),
        (tmp_path / "ragged.csv", "line 3, column 3: the line has 4 cells, the heading 2; the first too many is '7'"),
        (tmp_path / "log.xlsx", "is damaged"),
        (tmp_path / "log.doc", "CSV .*, Excel .* or Parquet"),
        (7, "int is not a known kind of data frame"),
        (data().drop("Y"), "no column for the reward 'Y' among 'Z', 'X', 'W', 'remark'; --column Y=NAME says"),
        (data().head(0), "no row with its reward"),
        (data().with_columns(Y=pl.lit(None, pl.String)), "no row with its reward"),
    ]:
        with pytest.raises(BestdoError, match=words):
            observed(source, PROBLEM)
    with pytest.raises(TooLarge, match="more than 3 different rows"):
        observed(data(), PROBLEM, most=3)
    with pytest.raises(BestdoError, match="unknown column 'yield'"):
        observed(data(), PROBLEM, reading={"columns": {"X": "yield"}})
    with pytest.raises(BestdoError, match="unknown variable 'V'"):
        observed(data(), PROBLEM, reading={"columns": {"V": "X"}})
    monkeypatch.setitem(__import__("sys").modules, "narwhals", None)
    with pytest.raises(BestdoError, match=r"pip install 'bestdo\[data\]'"):
        observed(data(), PROBLEM)


def test_columns_of_another_name_and_hidden_variables():
    renamed = data().rename({"X": "dose"}).with_columns(pl.lit("0").alias("W<->X"))
    old = observed(renamed, PROBLEM, reading={"columns": {"X": "dose"}})
    assert cells(old) == by_hand(data())
    assert (old.x[:, GRAPH.names.index("W<->X")] == -1).all()
    assert any("'W<->X' is hidden in the graph" in note for note in old.notes)


def test_the_fingerprint_is_of_the_rows_and_nothing_else():
    frame = data()
    first = observed(frame, PROBLEM).fingerprint
    other = Graph.of(GRAPH.variables[::-1][1:], [("Z", "X"), ("X", "Y"), ("W", "Y")], [("X", "W")], "Y", "good")
    assert observed(frame, Problem(other, Actions.single(other))).fingerprint == first
    for changed in (
        pl.concat([frame, frame]),
        frame[1:],
        frame.rename({"X": "W", "W": "X"}).with_columns(X=pl.lit("1"), W=pl.lit("no")),
        frame.with_columns(X=pl.when(pl.int_range(pl.len()) == 5).then(pl.lit(None)).otherwise("X")),
    ):
        assert observed(changed, PROBLEM).fingerprint != first
    swapped = frame.with_columns(X=pl.col("X").sort())  # the same values of each column, in other company
    assert observed(swapped, PROBLEM).fingerprint != first


def test_as_data_and_back():
    for old in (observed(data(), PROBLEM), observed(data(), PROBLEM, statistic=Seen(PROBLEM), most=5)):
        again = OldData.from_data(old.as_data(), GRAPH)
        assert again.as_data() == old.as_data()
        assert cells(again) == cells(old)
    with pytest.raises(NotValid, match="only a learner's sums"):
        again.rounds(PROBLEM)
    with pytest.raises(BestdoError, match="damaged"):
        OldData.from_data({"rows": 3}, GRAPH)


def test_many_variables_and_many_values():
    rng = np.random.default_rng(0)
    variables = [Variable(f"V{i}", ("a", "b", "c")) for i in range(30)]
    variables += [Variable("M", tuple(map(str, range(100)))), Variable("Y")]
    graph = Graph.of(variables, [("V0", "Y"), ("M", "Y")], reward="Y")
    problem = Problem(graph, Actions.single(graph, on=["V0"]))
    codes = np.stack([rng.integers(0, graph.size(n), 300) for n in graph.names], axis=1)
    frame = pl.DataFrame({n: np.array(graph.variable(n).values)[codes[:, i]] for i, n in enumerate(graph.names)})
    for source in (frame, frame.to_pandas(), duckdb.from_arrow(frame.to_arrow())):
        old = observed(source, problem)
        assert cells(old) == Counter(map(tuple, codes.tolist()))
    few = observed(duckdb.from_arrow(frame.to_arrow()), problem, statistic=Tables(problem), most=250)
    np.testing.assert_array_equal(few.sums.weight, Tables(problem).tally(old.rounds(problem), 1).weight)


def test_a_problem_without_do_takes_no_old_rounds():
    problem = Problem(GRAPH, Actions(GRAPH, [do(X=0), do(X=1)]))
    with pytest.raises(NotValid, match=r"does not allow the action do\(\)"):
        observed(pd.DataFrame({"Y": ["good"]}), problem).rounds(problem)


def test_the_hint_for_the_column_of_the_reward_is_for_a_shell():
    graph = Graph.parse('x -> "Solved 1st call?"', reward="Solved 1st call?", success="1")
    with pytest.raises(BestdoError, match=r"--column 'Solved 1st call\?=NAME' says which"):
        observed(pl.DataFrame({"x": ["0"]}), Problem(graph))
