from dataclasses import replace

import polars as pl
import pytest

from bestdo.errors import BestdoError
from bestdo.experiments import FIGURES, LARGE, experiment, run
from bestdo.experiments import descriptions as figure_descriptions
from bestdo.learners import LEARNERS, descriptions, title
from bestdo.report.figure import draw
from bestdo.report.figure_style import looks_of
from bestdo.research.figures.costs import with_budget_needed
from bestdo.research.figures.rate import worst_gap
from support import ROOT

SHORTENED = {"shop": 3000}  # six slots of single visitors: more than results come late
"""The most rounds of a figure whose rounds are played in slots; of all others 150."""


@pytest.mark.parametrize("name", FIGURES | LARGE)
def test_every_figure_runs_and_is_drawn(tmp_path, name):
    whole = experiment(name)
    assert whole.name == name
    some = [whole.settings[0], whole.settings[-1]]
    for label in whole.learners:  # a setting of each learner, where these differ
        some += [s for s in whole.settings if all(label in one.left_out for one in some) and label not in s.left_out][
            :1
        ]
    few = replace(whole, settings=tuple(replace(s, horizon=min(s.horizon, SHORTENED.get(name, 150))) for s in some))
    table = run(few, 4, 0, tmp_path)
    assert set(table["learner"]) == ({whole.judged} if whole.judged else set(whole.learners))
    horizon = set() if len({s.horizon for s in whole.settings if s.x == whole.settings[0].x}) > 1 else {"horizon"}
    assert {"experiment", "x", *horizon, "learner", "sims", whole.y, whole.y_error} <= set(table.columns)
    for path in draw(tmp_path, name):
        assert path.stat().st_size > 5000


def test_the_list_of_figures_says_what_each_shows():
    assert list(figure_descriptions()) == list(FIGURES | LARGE)
    assert all(len(text) > 20 for text in figure_descriptions().values())
    with pytest.raises(BestdoError, match=r"unknown figure 'regret-vs-n' .did you mean 'regret-vs-m'"):
        experiment("regret-vs-n")


def test_every_figure_is_in_the_documentation():
    text = (ROOT / "docs" / "reference" / "figures.md").read_text()
    for name in FIGURES | LARGE:
        assert f"`{name}`" in text


def test_every_learner_has_a_full_name():
    for name in LEARNERS:
        assert title(name) != name


def test_every_learner_has_a_line_and_is_in_the_documentation():
    text = (ROOT / "docs" / "reference" / "figures.md").read_text()
    for name, line in descriptions().items():
        assert len(line) > 15
        assert "\n" not in line
        assert f"`{name}`" in text


def test_every_learner_has_a_look_of_its_own():
    names = [*map(title, LEARNERS), *(f"mine {i}" for i in range(30))]
    assert len(set(looks_of(names).values())) == len(names)
    for whole in map(experiment, FIGURES | LARGE):  # where each learner has a line, not even a colour is shared
        colours = [colour for colour, _ in looks_of([] if whole.judged else list(whole.learners)).values()]
        assert len(set(colours)) == len(colours)


def test_the_panels_are_the_papers():
    a, b, c = (experiment(n) for n in ("regret-vs-m", "regret-vs-horizon-small-gap", "regret-vs-horizon"))
    assert {s.horizon for s in a.settings} == {400}
    assert [s.x for s in a.settings] == list(range(2, 51, 2))
    for e in (a, b, c):
        for s in e.settings:
            assert len(s.world.problem.actions) == 101
            assert s.world.means.max() == pytest.approx(0.5 + s.given["epsilon"])
            assert ("Successive Rejects" in s.left_out) == (s.horizon <= 101)
    for s in b.settings:
        assert s.given["epsilon"] ** 2 * 8 * s.horizon == pytest.approx(50)
    assert {145, 345, 545, 945} <= {s.horizon for s in b.settings}
    assert {60, 110, 210, 310, 410} <= {s.horizon for s in c.settings}


def test_the_rate_keeps_the_worst_gap():
    row = {"panel": "", "x": 2, "learner": "A", "horizon": 100, "m": 4, "standard_error": 0.01}
    rows = [{**row, "regret": r, "epsilon": e} for r, e in ((0.1, 1), (0.3, 2), (0.2, 3))]
    (worst,) = worst_gap(rows)
    assert (worst["epsilon"], worst["scaled_regret"], worst["scaled_error"]) == (
        2,
        pytest.approx(1.5),
        pytest.approx(0.05),
    )


def test_the_rate_tries_the_largest_gap_everywhere():
    whole = experiment("rate")
    gaps = {}
    for s in whole.settings:
        gaps.setdefault((s.panel, s.x), []).append(s.given["epsilon"])
    assert len(gaps) == 12
    for tried in gaps.values():
        assert tried == sorted(set(tried))
        assert tried[-1] == 0.5
    assert whole.title.endswith("whatever N / m")


def test_the_summary_and_what_it_is_of_are_both_kept(tmp_path):
    whole = experiment("rate")
    table = run(replace(whole, settings=whole.settings[:3]), 4, 0, tmp_path)
    simulated = pl.read_csv(tmp_path / "rate-simulated.csv")
    assert (len(table), len(simulated)) == (4, 12)


def test_the_budget_for_a_regret_lies_between_two_budgets():
    rows = [
        {"panel": "p", "learner": learner, "x": x, "regret": regret}
        for learner, regrets in {"a": (0.2, 0.1, 0.0), "b": (0.04, 0.03, 0.02), "c": (0.3, 0.2, 0.1)}.items()
        for x, regret in zip((100, 200, 400), regrets, strict=True)
    ]
    needed = {row["learner"]: row["budget_for_0.05"] for row in with_budget_needed(rows)}
    assert needed["a"] == pytest.approx(200 * 2**0.5)
    assert needed["b"] == 100
    assert needed["c"] is None
