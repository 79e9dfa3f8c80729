"""The pages of results say what the tables say that the commands wrote, and what the models say."""

import csv
import json
from collections import defaultdict

import pytest

from bestdo.causal.identify import identify
from bestdo.experiments import experiment
from support import ROOT

FOLDER = ROOT / "docs" / "results"


def regrets(name):
    """The regrets as lines of a page: one line for each panel and x, one column for each learner."""
    lines = defaultdict(list)
    with (FOLDER / f"{name}.csv").open() as file:
        for row in csv.DictReader(file):
            x = float(row["x"])
            lines[row["panel"], f"{x:g}"].append(f"{float(row['regret']):.4f} ± {float(row['standard_error']):.4f}")
    return ["| " + " | ".join([*filter(None, key), *cells]) + " |" for key, cells in lines.items()]


def truths():
    """For every action of the graphs with hidden causes: its mean, what is seen, and how it can be learned."""
    for panel, world in {s.panel: s.world for s in experiment("hidden").settings}.items():
        graph = world.problem.graph
        for action, mean in zip(world.problem.actions, world.means, strict=True):
            joint = world.model.distribution([*action, "Y"])
            there = joint[tuple(graph.variable(n).code(v) for n, v in action.items())]
            how = identify(graph, action).in_words
            yield f"| {panel.partition(':')[0]} | {action} | {mean:.4f} | {there[1] / there.sum():.4f} | {how} |"


@pytest.mark.parametrize("name", ["suggestions", "hidden"])
def test_the_numbers_are_those_of_the_table(name):
    text = (FOLDER / f"{name}.md").read_text()
    for line in regrets(name):
        assert line in text
    manifest = json.loads((FOLDER / f"{name}.json").read_text())
    assert manifest["sims"] == 10_000
    assert set(manifest["learners"]) == set(experiment(name).learners)
    assert f"bestdo figure {name} --sims 10000" in text


def test_the_truths_are_those_of_the_models():
    text = (FOLDER / "hidden.md").read_text()
    for line in truths():
        assert line in text


def by_key(name, *keys):
    """The rows of a table in groups, each by the values of some columns."""
    groups = defaultdict(list)
    with (FOLDER / f"{name}.csv").open() as file:
        for row in csv.DictReader(file):
            groups[tuple(row[key] for key in keys)].append(row)
    return groups


def test_the_numbers_of_numbers_are_those_of_the_tables():
    text = (FOLDER / "numbers.md").read_text()
    for (panel, x), rows in by_key("numbers", "panel", "x").items():
        cells = [f"{float(row['regret']):.4f} ± {float(row['regret_error']):.4f}" for row in rows]
        assert "| " + " | ".join([panel, f"{float(x):g}", *cells]) + " |" in text
        causal = next(row for row in rows if row["learner"] == "Causal top-two")
        covered, least, kept = (100 * float(causal[key]) for key in ("covered", "least_covered", "kept_covered"))
        assert f"| {panel} | {float(x):g} | {covered:.1f} % (least {least:.1f} %), kept {kept:.1f} %" in text
    for (label,), rows in by_key("modl", "learner").items():
        shares = " | ".join(f"{float(row['good']):.3f}" for row in rows)
        assert any(line.startswith(f"| {label} |") and shares in line for line in text.splitlines())
    for name in ("numbers", "modl"):
        assert json.loads((FOLDER / f"{name}.json").read_text())["command"] in text


def test_the_numbers_of_doubt_are_those_of_the_table():
    text, lines = (FOLDER / "doubt.md").read_text(), defaultdict(list)
    with (FOLDER / "doubt.csv").open() as file:
        for row in csv.DictReader(file):
            lines[row["x"]].append(f"{float(row['regret']):.4f} ± {float(row['regret_error']):.4f}")
    for x, cells in lines.items():
        assert "| " + " | ".join([x, *cells]) + " |" in text
    assert "bestdo figure doubt --sims 80" in text
