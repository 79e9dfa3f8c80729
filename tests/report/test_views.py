"""What objects show of themselves: one line of text, HTML for notebooks, data frames and figures."""

import builtins
import importlib.util
import shlex
import sys
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

import bestdo
from bestdo import display
from bestdo.bandit.problem import Problem
from bestdo.errors import BestdoError
from bestdo.report.sections.check import words
from bestdo.study import Study
from bestdo.study.exchange import table
from bestdo.usecases.check import check
from bestdo.usecases.compare import compare_problems as compare
from bestdo.usecases.design import design
from bestdo.usecases.estimate import estimate
from bestdo.usecases.rehearse import rehearse_problem
from bestdo.usecases.simulation import Simulation
from farm import FARM, created, happened, played
from support import ROOT

HERE = list(display._VIEWS)
NASTY = "</style><script>alert(1)</script>"
VOID = {"br", "hr", "img", "meta", "rect", "circle", "line", "path", "polyline"}


class Tags(HTMLParser):
    """The tags of a page, which must be closed in the order in which they were opened."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.attributes = [], [], {}
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes |= dict(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """An object of every class that shows itself, by the name of its class."""
    composed = bestdo.compose(ROOT / "examples" / "farm.toml")
    study = created(f"sqlite:///{tmp_path_factory.mktemp('views')}/x.db", "successive-rejects", 24)
    played(study, np.random.default_rng(1), 20)
    seen = Problem(FARM.graph, set=["temperature", "nutrient"], first=["moisture"])
    shop = Study.create(seen, rounds=10, name="seen first", storage=study.storage.url)
    for value in ("dry", "wet", "dry"):
        (asked,) = shop.ask(context={"moisture": value})
        shop.tell(asked.number, happened(asked.action, np.random.default_rng(1)) | {"moisture": value})
    plan = design(composed.problem, rounds=30)
    sheet = study.storage.url.removeprefix("sqlite:///").replace("x.db", "plan.csv")
    lines = plan.sheet().decode().splitlines()
    with open(sheet, "w") as file:
        print(lines[0], "1,do(moisture=wet),set moisture to wet,low,poor,wet,good", *lines[2:], sep="\n", file=file)
    learners = ["successive-rejects", "uniform"]
    made = [
        FARM.graph,
        bestdo.Doubts.parse("shade -> yield; shade ?0.3-> soil; soil ?-? yield", reward="yield"),
        composed.problem,
        FARM,
        composed,
        bestdo.World(composed.problem, composed.model),
        bestdo.optimal_design(composed.problem),
        plan,
        estimate(composed.problem, sheet),
        check(composed.problem, rounds=30),
        compare({"farm": composed}, [10, 20], [*learners, "algorithm-1"], Simulation(4)),
        rehearse_problem(composed.problem, [10, 20], Simulation(4), learners),
        study,
        study.estimates(),
        study.findings(),
        shop.rule(),
    ]
    assert "moisture = dry" in shop._repr_html_()
    return {type(each).__name__: each for each in made}


def test_every_class_in_the_table_is_tried_here(objects):
    assert objects.keys() == set(HERE)


@pytest.mark.parametrize("name", HERE)
def test_every_object_has_one_short_line_and_a_page_for_notebooks(objects, name):
    line = repr(objects[name])
    assert line.startswith(f"{name}(")
    assert "\n" not in line
    assert len(line) < 160
    page = objects[name]._repr_html_()
    tags = Tags(page)
    assert tags.seen[:2] == ["div", "style"]
    assert not {"script", "link", "img", "iframe"} & set(tags.seen)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    "name", [n for n in HERE if n not in ("Contents", "Composed", "Doubts", "Graph", "Problem", "World")]
)
def test_frames_of_pandas_and_polars_hold_the_same(objects, name):
    one, other = objects[name].to_frame("pandas"), objects[name].to_frame("polars")
    assert list(one.columns) == other.columns
    assert one.astype(object).where(one.notna(), None).to_dict("records") == other.to_dicts()
    assert "mean" not in other.columns or other["mean"].dtype == pl.Float64


def test_a_frame_of_a_study_has_the_columns_of_its_export(objects):
    study = objects["Study"]
    frame, export = study.to_frame("polars"), table(study)
    assert frame.columns == list(export[0])
    assert frame["action"].to_list() == [row["action"] for row in export]
    assert frame.schema["number"] == pl.Int64
    assert frame.schema["told_at"] == pl.Datetime("us", "UTC")
    assert frame["worker"].to_list() == [row["worker"] or None for row in export]


def test_a_frame_of_a_study_without_rounds_has_its_columns(tmp_path):
    study = created(f"sqlite:///{tmp_path}/x.db")
    assert study.to_frame().empty
    assert list(study.to_frame().columns)[:4] == ["number", "action", "worker", "status"]
    assert "too early" in study._repr_html_()


def test_frames_of_estimates_name_the_recommended_action_and_leave_out_what_is_not_known(objects):
    frame = objects["Estimates"].to_frame("polars")
    assert frame.filter(pl.col("recommended"))["action"].to_list() == [str(objects["Study"].best().action)]
    assert frame["p_best"].sum() == pytest.approx(1)
    unnamed = objects["Estimates"]._replace(actions=None)
    assert unnamed.to_frame("polars").columns[:3] == ["lane", "action", "mean"]
    assert "lane" in unnamed._repr_html_()
    with pytest.raises(BestdoError, match="do not name their actions"):
        unnamed.plot()


def test_the_library_of_a_frame_is_one_that_is_known_and_installed(objects, monkeypatch):
    with pytest.raises(BestdoError, match='"pandas" or "polars"'):
        objects["Design"].to_frame("arrow")
    installed = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pandas" else installed(name))
    assert isinstance(objects["Design"].to_frame(), pl.DataFrame)
    with pytest.raises(BestdoError, match="needs pandas, which is not installed"):
        objects["Design"].to_frame("pandas")


@pytest.mark.parametrize("name", [n for n in HERE if n not in ("Contents", "Composed", "World", "Outlook", "Rule")])
def test_plots_are_figures_that_nothing_keeps_open(objects, name):
    figure = objects[name].plot()
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def test_without_matplotlib_the_error_says_what_to_install(objects, monkeypatch):
    real = importlib.import_module

    def missing(name, *more):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name=name)
        return real(name, *more)

    monkeypatch.setattr(importlib, "import_module", missing)
    for name in ("Graph", "Estimates", "Design", "Compared", "Study"):
        with pytest.raises(BestdoError, match=r"pip install 'bestdo\[research\]'"):
            objects[name].plot()


def test_the_recommended_action_is_among_the_intervals_that_are_drawn():
    graph = bestdo.Graph.parse("; ".join(f"x{i} -> y" for i in range(40)), reward="y")
    actions = bestdo.Actions.single(graph)
    means = np.linspace(0.9, 0.1, len(actions))[None]
    known = bestdo.bandit.estimate.Estimates(means, means - 0.05, means + 0.05, means * 0 + 1, means * 0 + 1)
    known = known._replace(actions=actions, best=len(actions) - 1)  # as with limits: the best one may break them
    assert f"<code>{actions[-1]}</code>" in known._repr_html_().partition("<tbody>")[2].partition("</tr>")[0]
    assert known.plot().axes[0].get_yticklabels()[0].get_text() == str(actions[-1])
    assert "and 61 more actions" in known._repr_html_()


def test_names_and_values_cannot_leave_their_place():
    graph = bestdo.Graph.of(
        [bestdo.Variable("a & b", ("x", NASTY)), bestdo.Variable("y")], [("a & b", "y")], reward="y", success="1"
    )
    problem = bestdo.Problem(graph, bestdo.Actions.single(graph), limits=())
    outlook = check(problem)
    known = np.full((1, len(problem.actions)), 0.5)
    estimates = bestdo.bandit.estimate.Estimates(known, known, known, known, known, actions=problem.actions, best=0)
    for each in (graph, problem, outlook, estimates):
        page = each._repr_html_()
        assert "<script" not in page
        Tags(page)


def test_a_large_graph_is_drawn_around_its_reward_and_the_rest_is_counted():
    rng = np.random.default_rng(0)
    edges = {(f"v{rng.integers(max(0, i - 20), i)}", f"v{i}") for i in range(1, 300) for _ in range(2)}
    graph = bestdo.Graph.of([bestdo.Variable(f"v{i}") for i in range(300)], sorted(edges), reward="v299")
    problem = bestdo.Problem(graph, bestdo.Actions.single(graph))
    for page in (graph._repr_html_(), problem._repr_html_()):
        assert page.count('class="bd-node') <= 30
        assert "of 300 variables" in page
        assert 'data-name="v299"' in page
    assert "and 591 more" in problem._repr_html_()
    assert problem.plot().axes


def test_a_drawing_has_the_colours_of_the_notebook():
    picture = bestdo.draw(FARM)
    assert repr(picture).startswith("Picture(SVG, ")
    assert picture.startswith("<svg")
    page = picture._repr_html_()
    assert page.count("<style>") == 1
    assert "prefers-color-scheme" not in page
    Tags(page)


def test_nothing_is_imported_before_an_object_is_shown(monkeypatch):
    """A graph can be made and printed where `report` cannot be imported."""
    real = builtins.__import__

    def core_only(name, *more):
        assert not name.startswith("bestdo.report")
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", core_only)
    assert repr(bestdo.Graph.parse("x -> y", reward="y")) == "Graph(2 variables, 1 arrow; wanted: y = 1 likeliest)"


def test_what_old_data_say_is_shown():
    outlook = check(FARM, rounds=30, data=ROOT / "examples" / "farm_log.csv")
    assert "; 400 rows of data: do(" in repr(outlook)
    assert repr(outlook).endswith(" looks best)")
    frame = outlook.to_frame("polars")
    assert frame["mean"].to_list() == [answer.mean for answer in outlook.data.answers]
    shown = display.html(outlook)
    assert "The data: 400 rows" in shown
    assert "95 % interval" in shown
    assert "checks passed" in shown


def test_why_no_theorem_covers_a_problem():
    graph = bestdo.Graph.parse("a -> c; b -> c", reward="c", success="1")
    assert any("No theorem" in line and "how often each value" in line for line in words(check(graph, 30)))
    assert not any("No theorem" in line for line in words(check(graph)))


def test_an_action_to_be_added_can_be_pasted_into_a_shell():
    graph = bestdo.Graph.of(
        [bestdo.Variable("Script v.", ("1.0", "1.1", "2.0")), bestdo.Variable("y")],
        [("Script v.", "y")],
        reward="y",
        success="1",
    )
    (line,) = (line for line in words(check(graph)) if "bestdo add" in line)
    assert shlex.split(line.partition("bestdo add ")[2])[0].rstrip(".") == 'do("Script v."=1.05)'
