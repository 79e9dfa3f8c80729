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


MINE, ALIKE, BY_SIGHT = "Causal top-two", "Watch, then act", "UCB+"
"""The default, the other learner that knows the graph alone, and the one that counts what is seen as done."""
BEYOND = {"beyond-m": 10_000, "beyond-horizon": 10_000, "beyond-horizon-small-gap": 10_000, "beyond-graphs": 1000}
"""The figures that compare causal top-two with others, and their numbers of simulations."""


def points(name):
    """The regret and its error of each learner, by panel and x."""
    found = defaultdict(dict)
    for (panel, _), group in by_key(name, "panel", "x").items():
        for row in group:
            found[panel, float(row["x"])][row["learner"]] = float(row["regret"]), float(row["standard_error"])
    return found


def with_ratios(x, regret):
    """A line of the page: causal top-two, watch-then-act, the best of all others, and what it has of the regret of these."""
    best = min((who for who in regret if who != MINE), key=lambda who: regret[who][0])
    cells = [f"{x:g}", "{:.4f} ± {:.4f}".format(*regret[MINE])]
    for who, named in ((ALIKE, []), (best, [best])):
        ratio = f"{regret[MINE][0] / regret[who][0]:.2f}" if regret[who][0] >= 0.0005 else "–"
        cells += ["{:.4f} ± {:.4f}".format(*regret[who]), *named, ratio]
    return "| " + " | ".join(cells) + " |"


@pytest.mark.parametrize("name", BEYOND)
def test_who_knows_as_much_as_causal_top_two_stands_beside_it(name):
    learners = experiment(name).learners
    assert {MINE, ALIKE, BY_SIGHT} <= set(learners)
    manifest = json.loads((FOLDER / f"{name}.json").read_text())
    assert list(manifest["learners"]) == list(learners)
    assert manifest["sims"] == BEYOND[name]
    expected = [
        (s.panel, float(s.x), who) for s in experiment(name).settings for who in learners if who not in s.left_out
    ]
    assert [(panel, x, who) for (panel, x), regret in points(name).items() for who in regret] == expected
    assert all(ALIKE in regret for regret in points(name).values())


@pytest.mark.parametrize("name", ["beyond-m", "beyond-horizon", "beyond-horizon-small-gap"])
def test_the_page_has_the_best_of_all_others(name):
    text = (FOLDER / "beyond.md").read_text()
    for (_, x), regret in points(name).items():
        if BY_SIGHT in regret:  # at every m of the page
            assert with_ratios(x, regret) in text


def test_the_front_page_leaves_no_learner_out():
    """The ratios that the README and the explanation state are those of the tables, over every learner there."""
    before = {x: regret for (_, x), regret in points("beyond-m").items()}
    table = {}
    for (_, x), regret in points("beyond-m-in-columns").items():
        others = {who: r for who, (r, _) in {**regret, **before.get(x, {})}.items() if who != MINE}
        if 10 <= x <= 50:
            table[x] = {**others, MINE: regret[MINE][0]}
    papers = [r[MINE] / min(v for who, v in r.items() if who not in (MINE, ALIKE, BY_SIGHT)) for r in table.values()]
    alike = [r[MINE] / r[ALIKE] for r in table.values()]
    lower = [x for x, r in table.items() if r.get(BY_SIGHT, 1) < r[MINE]]
    assert lower == [x for x, r in table.items() if BY_SIGHT in r and x <= max(lower)]
    networks = points("real-networks")
    real = [
        r[MINE][0] / min(v for who, (v, _) in r.items() if who != MINE)
        for (p, _), r in networks.items()
        if p == "all five"
    ]
    assert len(real) == 3
    for page in (ROOT / "README.md", ROOT / "docs" / "explanation" / "why-watching-teaches.md"):
        text = " ".join(page.read_text().split())
        assert (
            f"{min(papers):.2f} to {max(papers):.2f} times that of the best of the paper's and the classical learners"
            in text
        )
        assert f"{min(alike):.2f} to {max(alike):.2f} times that of watch-then-act" in text
        assert f"has less up to m = {max(lower):g}" in text
        assert f"{min(real):.2f} to {max(real):.2f} times that of the best of all six others" in text
