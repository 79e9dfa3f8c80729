"""Numbers, cuts, grids, aim and outcomes in files of our own format: there and back, and errors with their place."""

import re
from pathlib import Path

import numpy as np
import pytest

import bestdo
from bestdo.causal.number import Number, grid_labels
from bestdo.errors import FileError, GraphError, NoAim, NoAimInFile
from bestdo.files import parse
from bestdo.files.declarations import Source, Wanted
from bestdo.files.toml import read, write

HARVEST = Path(__file__).parents[2] / "examples" / "harvest.toml"
SMALL = """bestdo = 1
[variables.dose]
values = { from = 0, to = 1, steps = 5 }
[variables.heat]
values = ["cold", "mild", "hot"]
cut = [10, 18.5]
[variables.pain]
number = true
low = 0
[graph]
edges = ["dose -> pain", "heat -> pain"]
reward = "pain"
aim = "minimise"
"""


def small(*changes):
    text = SMALL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse(text.encode(), "pain.toml")


def test_numbers_cuts_and_grids_are_read():
    graph = small().graph
    assert graph.variable("dose").values == ("0", "0.25", "0.5", "0.75", "1")
    assert graph.variable("heat").cut == (10.0, 18.5)
    assert (graph.number, graph.aim, graph.success) == (Number(low=0.0), "minimise", None)


@pytest.mark.parametrize(
    ("grid", "labels"),
    [
        ((0, 10, 5), "0 2.5 5 7.5 10"),
        ((0.1, 0.4, 4), "0.1 0.2 0.3 0.4"),
        ((-1, 1, 3), "-1 0 1"),
        ((0, 1, 4), "0 0.333333333333 0.666666666667 1"),
        ((1e6, 3e6, 3), "1000000 2000000 3000000"),
        ((5, 5.000001, 2), "5 5.000001"),
    ],
)
def test_labels_of_a_grid(grid, labels):
    assert grid_labels(*grid) == tuple(labels.split())


@pytest.mark.parametrize(
    "grid", [(1, 1, 3), (2, 1, 3), (0, 1, 1), (0, 1, 10**6), (0, float("inf"), 3), (1, 1 + 1e-15, 9)]
)
def test_wrong_grids(grid):
    with pytest.raises(GraphError):
        grid_labels(*grid)


def test_there_and_back():
    contents = bestdo.read(HARVEST)
    text = write(contents)
    again = read(Source("written", text), Wanted())
    assert again == contents
    assert again.model.numbers == contents.model.numbers
    assert write(again) == text
    assert np.allclose(again.model.means(again.problem.actions), contents.model.means(contents.problem.actions))
    assert contents.model.numbers["harvest"].mean[3, 1] == 7.8
    problem = small().problem or small()
    assert read(Source("", write(problem)), Wanted()) == problem


def test_outcomes_in_any_order_of_the_parents():
    text = HARVEST.read_text(encoding="utf-8")
    swapped = re.sub(r'when = \["(\d+)", "(\w+)"\]', r'when = ["\2", "\1"]', text)
    swapped = swapped.replace('given = ["fertiliser", "moisture"]', 'given = ["moisture", "fertiliser"]')
    assert parse(swapped.encode(), "a.toml") == bestdo.read(HARVEST)


def test_learners_do_not_know_the_outcome():
    composed = bestdo.compose(HARVEST)
    assert composed.model.numbers
    assert "harvest" not in composed.tables
    assert "numbers" not in write(bestdo.read(HARVEST).__class__(composed.problem.graph, composed.problem))
    kept = read(Source("", write(type(composed.contents)(composed.problem.graph, composed.problem))), Wanted())
    assert kept.problem == composed.problem


@pytest.mark.parametrize(
    ("old", "new", "message", "line", "column"),
    [
        ('aim = "minimise"', "", "as large or as small", 12, 1),
        ('aim = "minimise"', 'aim = "more"', "unknown aim 'more'", 13, 1),
        ('aim = "minimise"', 'success = "a number"', "an aim, and no success", 12, 1),
        ('aim = "minimise"', "worth = { a = 1 }", "an aim, and no worth", 12, 1),
        ("cut = [10, 18.5]", "cut = [18.5, 10]", "each must be above", 6, 1),
        ("cut = [10, 18.5]", "cut = [10]", "it needs 2", 6, 1),
        ("cut = [10, 18.5]", "cut = [10, nan]", "must be a finite number", 6, 1),
        ("cut = [10, 18.5]", 'cut = [10, "a"]', "must be a number", 6, 13),
        ("number = true", "number = 1", "true or false", 8, 1),
        ("number = true", "", "say number = true", 9, 1),
        ("number = true", 'number = true\nvalues = ["a"]', "has no values", 9, 1),
        ("low = 0", "low = 2\nhigh = 1", "low must be below high", 9, 1),
        ("low = 0", "low = inf", "must be a number", 9, 1),
        ("low = 0", 'low = "a"', "must be a number", 9, 1),
        ("low = 0", "spread = 0", "above 0", 9, 1),
        ("steps = 5", "steps = 1", "2 to 1,000 steps", 3, 1),
        ("steps = 5", "steps = 2.5", "whole number", 3, 30),
        (", steps = 5", "", "needs 'steps'", 3, 1),
        ("to = 1", "to = -1", "to a larger one", 3, 1),
        ('reward = "pain"', 'reward = "heat"', "is no number, and the aim", 12, 1),
    ],
)
def test_errors_have_a_place(old, new, message, line, column):
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        small((old, new))
    assert (caught.value.file, caught.value.line, caught.value.column) == ("pain.toml", line, column)


def test_the_aim_is_asked_for():
    with pytest.raises(NoAimInFile):
        small(('aim = "minimise"', ""))
    text = SMALL.replace('aim = "minimise"', "").encode()
    assert parse(text, "pain.toml", aim="maximise").graph.aim == "maximise"
    assert parse(SMALL.encode(), "pain.toml", aim="maximise").graph.aim == "maximise"
    with pytest.raises(NoAim):
        parse(SMALL.replace('reward = "pain"\naim = "minimise"', "").encode(), "pain.toml", reward="pain")
    with pytest.raises(GraphError, match="aim is 'minimise', but"):
        parse(SMALL.replace('reward = "pain"\naim = "minimise"', "").encode(), "pain.toml", aim="minimise")


def test_a_number_that_causes_the_reward_needs_cuts():
    with pytest.raises(FileError, match="'pain' is a number and a cause of the reward 'heat'"):
        small(
            ('"heat -> pain"', '"pain -> heat"'),
            ('reward = "pain"\naim = "minimise"', 'reward = "heat"\nsuccess = "hot"'),
        )


def test_a_worth_and_an_aim_of_a_person_go_before_the_file():
    text = b'bestdo = 1\n[variables]\nX = {}\nY = { values = ["a", "b"] }\n[graph]\nedges = ["X -> Y"]\nreward = "Y"\n'
    with pytest.raises(FileError, match="which value"):
        parse(text, "y.toml")
    worth = {"a": 1, "b": 3}
    graph = parse(text, "y.toml", worth=worth, aim="minimise").graph
    assert (dict(graph.worth), graph.aim) == (worth, "minimise")
    assert parse(text + b"success = 'a'\n", "y.toml", worth=worth).graph.worth == (("a", 1.0), ("b", 3.0))
    with pytest.raises(GraphError, match="both a success"):
        parse(text, "y.toml", success="a", worth=worth)
    with pytest.raises(GraphError, match="is no number, and the aim"):
        parse(text, "y.toml", success="a", aim="minimise")


def test_networkx_attributes():
    graph = small().graph
    assert bestdo.Graph.from_networkx(graph.to_networkx()) == graph
    bare = graph.to_networkx()
    del bare.graph["aim"]
    with pytest.raises(NoAim):
        bestdo.read(bare)
    assert bestdo.read(bare, aim="minimise").graph == graph


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mean = 7.8", "mean = 17.8", "a mean lies between 0 and 14"),
        ("spread = 1.5", "spread = -1", "a spread is above 0"),
        ("mean = 7.8, ", "", "the mean of 'harvest' is missing"),
        ('shape = "beta"', 'shape = "bell"', "unknown shape 'bell'"),
        ('shape = "beta"', "", "only the shape 'beta'"),
        ('["90", "wet"]', '["90", "dry"]', "has a row already"),
        ("[numbers.harvest]", "[numbers.moisture]", "is not a number"),
        ("[numbers.harvest]", "[tables.harvest]", "belong under [numbers]"),
        ("[numbers.harvest]", "[numbers.harvests]", "unknown variable"),
    ],
)
def test_wrong_outcomes(old, new, message):
    text = HARVEST.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        parse(text.replace(old, new).encode(), "harvest.toml")
    assert caught.value.line > 38
