"""What a person says about a table: columns of other names, what is missing, what means the same, columns to ignore."""

from dataclasses import asdict

import polars as pl
import pytest

from bestdo import Actions, Graph, Problem
from bestdo.bandit.reading import Reading
from bestdo.causal.number import Number
from bestdo.causal.variable import Variable
from bestdo.data.counting import observed
from bestdo.data.labels import meaning, measured
from bestdo.errors import BestdoError

GRAPH = Graph.parse("X -> Y; W -> Y", reward="Y", success="yes", values={"Y": ("no", "yes"), "W": ("low", "high")})
PROBLEM = Problem(GRAPH, Actions.single(GRAPH))


@pytest.mark.parametrize(
    ("values", "raw", "meant"),
    [
        (("no", "yes"), ["ja", "NEIN", "oui", "Sí", "y", "N", "да"], ["yes", "no", "yes", "yes", "yes", "no", "yes"]),
        (("ja", "nein"), ["yes", True, 0, "no", "0"], ["ja", "ja", "nein", "nein", "nein"]),
        (("low", "high"), ["niedrig", "HOCH", "alto", "mittel", "élevé"], ["low", "high", "high", None, "high"]),
        (("low", "middle", "high"), ["mittel", "medium", "bas"], ["middle", "middle", "low"]),
        (("m", "f"), [0, 1, "no", "false", "yes"], [None] * 5),  # f is female, not false
        (("j", "y", "n"), ["ja", "yes"], [None, None]),  # two values mean yes
        (("n", "s", "e", "w"), ["no", "0", "nein"], [None, None, None]),  # north is not no
        (("tief", "flach"), ["low", "bas"], [None, None]),  # deep, not low: its other value is none of these words
    ],
)
def test_common_words_are_taken_where_one_value_can_be_meant(values, raw, meant):
    variable = Variable("V", values)
    codes = [meaning(variable, r) for r in raw]
    assert [None if code is None else values[code] for code in codes] == meant


def test_what_is_missing_and_what_means_the_same_is_what_a_person_says():
    reading = Reading.of({"missing": ["-", "?", 999], "same": ["gut=yes", "1=low", "1=dry"]})
    assert reading.same == {"gut": "yes", "1": ("low", "dry")}
    assert Reading.of(asdict(reading)) == reading
    level, soil = Variable("V", ("low", "high")), Variable("S", ("dry", "wet", "?"))
    assert [meaning(level, r, reading) for r in ["-", 999.0, "999,0", 1, "1.0", "GUT"]] == [-1, -1, -1, 0, 0, None]
    assert [meaning(soil, r, reading) for r in ["?", "1", "-"]] == [
        2,
        0,
        -1,
    ]  # a value of the variable is never missing
    assert meaning(Variable("V", ("0", "1")), 1, reading) == 1
    assert measured(Variable("N", number=Number()), "999", reading)[0] == -1
    assert measured(Variable("N", ("low", "high"), cut=(5,)), "hoch", reading)[0] == 1


def test_a_table_is_read_as_the_options_say():
    frame = pl.DataFrame(
        {"id": [1, 2, 3, 4], "W": ["?", "lo", "hoch", "low"], "y": ["gut", "no", "-", "yes"], "Y": ["x", "x", "x", "x"]}
    )
    said = {"columns": {"Y": "y"}, "missing": ["?", "-"], "same": {"gut": "yes"}, "ignore": ["id", "Y"]}
    old = observed(frame, PROBLEM, said)
    assert (old.rows, old.without_reward) == (4, 1)
    w, y = GRAPH.names.index("W"), GRAPH.names.index("Y")
    assert sorted(map(tuple, old.x[:, [w, y]].tolist())) == [(-1, 1), (0, 0), (0, 1)]
    assert any("gut as 'yes'" in note for note in old.notes)
    assert not any("left out: 'id'" in note for note in old.notes)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"mising": ["-"]}, "unknown key of how data are read 'mising' .did you mean 'missing'"),
        ({"missing": {"-": 1}}, "'missing' is a list of texts"),
        ({"missing": [None]}, "'missing' is a list of texts"),
        ({"same": ["ja"]}, "'ja' is not of the form TEXT=VALUE"),
        ({"same": {"ja": "jes"}}, "'ja' cannot mean 'jes': unknown value 'jes' .did you mean 'yes'"),
        ({"columns": ["x"]}, "'columns' has a text for each name"),
        ({"columns": {"Z": "x"}}, "unknown variable 'Z'"),
        ({"sheet": 3}, "'sheet' is the name of a sheet"),
        ("-", "is a mapping such as"),
    ],
)
def test_options_that_cannot_be_are_errors(said, words):
    with pytest.raises(BestdoError, match=words):
        observed(pl.DataFrame({"Y": ["yes"]}), PROBLEM, said)


def test_empty_cells_mean_what_a_person_says():
    reading = Reading.of({"same": ["=no"]})
    assert Reading.of(asdict(reading)) == reading
    frame = pl.DataFrame({"W": ["low", "", None, "high"], "Y": ["yes", "", None, "NA"]})
    old = observed(frame, PROBLEM, reading)
    assert old.without_reward == 1  # NA is missing still
    assert "'Y': taken are empty cells as 'no'" in old.notes
    counts = {tuple(row): times for row, times in zip(old.x.tolist(), old.times.tolist(), strict=True)}
    assert sum(times for row, times in counts.items() if row[GRAPH.names.index("Y")] == 0) == 2
    assert sum(times for row, times in counts.items() if row[GRAPH.names.index("W")] == -1) == 2
