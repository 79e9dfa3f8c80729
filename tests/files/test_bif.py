"""BIF: our reader against pgmpy's, and the 24 networks that its wheel brings along."""

import importlib.resources
import warnings
from functools import partial

import numpy as np
import pytest

from bestdo.errors import FileError, GraphError
from bestdo.files import read, write
from support import fails_at

NETWORKS = sorted(
    (
        p
        for p in (importlib.resources.files("pgmpy") / "utils" / "example_models").iterdir()
        if p.name.endswith(".bif.gz")
    ),
    key=lambda p: p.name,
)
COMPARED = ["asia", "cancer", "child", "earthquake", "sachs", "survey"]
COMPARED += [pytest.param(name, marks=pytest.mark.campaign) for name in ("alarm", "insurance", "win95pts")]


@pytest.fixture
def reading(reading_as):
    return partial(reading_as, "a.bif")


def test_there_are_24_networks():
    assert len(NETWORKS) == 24


@pytest.mark.parametrize("path", NETWORKS, ids=lambda p: p.name)
def test_every_network_is_read_and_written_back(path, tmp_path):
    contents = read(path)
    assert contents.problem is None
    assert contents.graph.reward is None
    assert len(contents.graph.names) >= 5
    for table in contents.model.tables.values():
        np.testing.assert_allclose(table.sum(axis=-1), 1, atol=1e-9)
    write(contents, tmp_path / "again.bif")
    assert read(tmp_path / "again.bif") == contents


@pytest.mark.parametrize("name", COMPARED)
def test_tables_agree_with_pgmpy(name, tmp_path):
    import gzip

    path = next(p for p in NETWORKS if p.name == f"{name}.bif.gz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.readwrite import BIFReader

        (tmp_path / "a.bif").write_bytes(gzip.decompress(path.read_bytes()))
        theirs = BIFReader(str(tmp_path / "a.bif")).get_model()
    ours = read(path)
    assert set(ours.graph.names) == set(theirs.nodes)
    for name_, table in ours.model.tables.items():
        cpd = theirs.get_cpds(name_)
        axes = (*ours.graph.parents[name_], name_)
        assert set(axes) == set(cpd.variables)
        order = [np.array([cpd.state_names[n].index(v) for v in ours.graph.variable(n).values]) for n in axes]
        expected = np.transpose(cpd.values, [cpd.variables.index(n) for n in axes])[np.ix_(*order)]
        np.testing.assert_allclose(table, expected / expected.sum(axis=-1, keepdims=True), rtol=0, atol=1e-12)
    again = read(theirs)
    assert set(again.graph.names) == set(ours.graph.names)
    assert again.graph.parents.keys() == ours.graph.parents.keys()


START = """network test { property "made by hand"; }
variable a { type discrete [ 2 ] { <5, >=7.5 }; }
variable b { type discrete [3] { x, "y z", w/v };
  property hidden = true;
  property description = "What, it is";
  property unit = t/ha; }
"""
ROOT_A = "probability ( a ) { table 0.25, 0.75; }\n"


def test_all_of_the_syntax(reading):
    text = (
        START
        + ROOT_A
        + """// a comment (with; marks)
    probability ( b | a ) { /* one
      more */
      (<5) 0.1, 0.2, 0.7;
      default 0.3 0.3 0.4;
    }"""
    )
    contents = reading(text)
    b = contents.graph.variable("b")
    assert b.values == ("x", "y z", "w/v")
    assert (b.hidden, b.description, b.unit) == (True, "What, it is", "t/ha")
    np.testing.assert_array_equal(contents.model.tables["a"], [0.25, 0.75])
    np.testing.assert_array_equal(contents.model.tables["b"], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])


def test_quoted_values_comments_in_rows_and_old_punctuation(reading):
    text = START + ROOT_A + 'probability ( b a ) { ("<5") 0.1 0.2 /* so */ 0.7; ( >=7.5 ) .3, .3 .4 ; }'
    np.testing.assert_array_equal(reading(text).model.tables["b"], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])


def test_a_whole_table_has_the_variable_slowest_and_the_last_parent_fastest(reading):
    text = """network dog { }
    variable light { type discrete[2] { on off }; }
    variable family { type discrete[2] { out in }; }
    variable bowel { type discrete[2] { yes no }; }
    probability ( family ) { table 0.15 0.85; }
    probability ( bowel ) { table 0.01 0.99; }
    probability ( light | bowel family ) { table 0.99 0.97 0.9 0.3 0.01 0.03 0.1 0.7; }"""
    table = reading(text).model.tables["light"]
    assert table[0, 1].tolist() == [0.97, 0.03]
    assert table[1, 0].tolist() == [0.9, 0.1]


def test_success_must_be_said(reading):
    text = START + ROOT_A + "probability ( b | a ) { default 0.3 0.3 0.4; }"
    with pytest.raises(GraphError, match=r"which value of the reward 'a' is success, '<5' or '>=7.5'"):
        reading(text, reward="a")
    assert reading(text, reward="a", success="<5").graph.success == "<5"
    with pytest.raises(GraphError, match="'b' is hidden"):
        reading(text, reward="b", success="x")


def test_a_table_of_34_parents_in_3_kB_is_refused(reading):
    names = [f"v{i}" for i in range(35)]
    text = "".join(f"variable {n} {{ type discrete [ 2 ] {{ no, yes }}; }}\n" for n in names)
    text += f"probability ( v0 | {', '.join(names[1:])} ) {{ default 0.5, 0.5; }}"
    assert len(text) < 3000
    with pytest.raises(
        FileError, match=r"a\.bif:36:15: the table of 'v0' with 34 parents would hold 34,359,738,368 numbers"
    ):
        reading(text)
    with pytest.raises(FileError, match=r"'v0' has 0 rows; one is needed for each of the 8,388,608 states"):
        reading(
            text.replace("| " + ", ".join(names[1:]), "| " + ", ".join(names[1:24])).replace("default 0.5, 0.5;", "")
        )
    with pytest.raises(FileError, match=r"8,388,608 numbers of the tables so far come from 'default'"):
        reading(text.replace("| " + ", ".join(names[1:]), "| " + ", ".join(names[1:23])))


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("netwrk x { }", 1, 1, "found 'netwrk', expected 'network'"),
        ("network x { ", 1, 11, "never closed"),
        ("network x { }", 1, 1, "declares no variable"),
        ("network x { }\nvariable a { }", 2, 10, "variable 'a' has no type"),
        ("network x { }\nvariable a { type continuous; }", 2, 19, "found 'continuous', expected 'discrete'"),
        ("network x { }\nvariable a { type discrete [ 3 ] { x, y }; }", 2, 30, "'3' values are announced, but 2"),
        ("network x { }\nvariable a { type discrete [ 2 ] { x, x }; }", 2, 10, "lists the value 'x' twice"),
        ("network x { }\nvariable a`b { type discrete [ 2 ] { x, y }; }", 2, 10, "holds the character '`'"),
        (START + "variable a { type discrete [ 1 ] { x }; }", 7, 10, "variable 'a' is declared twice"),
        (START + ROOT_A, 3, 10, "variable 'b' has no table"),
        (START + ROOT_A + ROOT_A, 8, 15, "has a table already"),
        (START + "probability ( c ) { }", 7, 15, "unknown variable 'c'"),
        (START + "probability ( ) { }", 7, 17, "expected a variable before ')'"),
        (START + "probability ( a | b, b ) { }", 7, 15, "listed twice"),
        (START + "probability ( a | a ) { }", 7, 15, "listed twice"),
        (START + "probability ( a ) { table 0.5, 0.4; }", 7, 21, "sums to 0.9"),
        (START + "probability ( a ) { table nan, 0.4; }", 7, 21, "sums to nan"),
        (START + "probability ( a ) { table -0.5, 1.5; }", 7, 21, "-0.5, 1.5"),
        (START + "probability ( a ) { table 1e308, 1e308; }", 7, 21, "sums to inf"),
        (START + "probability ( a ) { table 1; }", 7, 27, "found 1 numbers, expected 2"),
        (START + "probability ( a ) { table 0.5, half; }", 7, 32, "'half' is not a number"),
        (START + "probability ( a ) { table 0.5, 0_5; }", 7, 32, "'0_5' is not a number"),
        (START + "probability ( a ) { tabel 0.5, 0.5; }", 7, 21, "expected 'table'"),
        (START + "probability ( a ) { table 0.5, 0.5; table 1, 0; }", 7, 37, "has a row already"),
        (START + "probability ( b | a ) {\n(<5) 1 0 0;\n(<5) 1 0 0; }", 9, 1, "has a row already"),
        (START + "probability ( b | a ) {\n(<5) 1 0 0;\n(>5) 1 0 0; }", 9, 1, "unknown value '>5'"),
        (START + "probability ( b | a ) {\n(<5, <5) 1 0 0; }", 8, 1, "2 values, expected one for each of"),
        (START + "probability ( b | a ) {\n(<5) 1 0; }", 8, 1, "found 2 numbers, expected 3"),
        (START + "probability ( b | a ) {\n(<5) 1, 0, O; }", 8, 12, "'O' is not a number"),
        (START + 'probability ( b | a ) {\n("<5") 1, 0, O; }', 8, 14, "'O' is not a number"),
        (START + "probability ( b | a ) {\n(<5) 1, 0, 0; (>=7.5) 1 1 0; }", 8, 15, "given a=>=7.5 is 1, 1, 0"),
        (START + "probability ( b | a ) {\n(<5) 1, 0, 0; }", 7, 15, "has 1 rows; one is needed for each of the 2"),
        (START + "probability ( a ) { table 0.5", 7, 30, "found the end of the text"),
        (
            START + "probability ( a | b ) { default 0.5 0.5; }\nprobability ( b | a ) { default 1 0 0; }",
            8,
            19,
            "form a cycle",
        ),
    ],
)  # fmt: skip
def test_errors_have_their_place(reading, text, line, column, message):
    fails_at(reading, text, line, column, message)
