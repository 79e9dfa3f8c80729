"""What can go wrong with a problem as it is stated is said: numbers in ranges between, and tables that are too large."""

import numpy as np
import pytest

import bestdo
from bestdo.bandit.rounds import Rounds
from bestdo.learners.causal_top_two import believed
from bestdo.learners.cautions import cautions, not_shared
from bestdo.learners.unfolding import unfolded
from bestdo.report import check_report, study_report
from bestdo.report.sections import check

MOULD = """bestdo = 1
[variables.melt]
values = ["low", "middle", "high"]
[variables.pressure]
values = ["low", "high"]
[variables.viscosity]
values = ["thin", "medium", "thick"]
cut = [10.0, 20.0]
[variables.quality]
number = true
[graph]
edges = ["melt -> viscosity", "viscosity -> quality", "pressure -> quality"{more}]
reward = "quality"
aim = "maximise"
[actions]
set = ["melt", "pressure"]
at_most = 2
"""


def mould(more=""):
    return MOULD.replace("{more}", f', "{more}"' if more else "")


def problem_of(text, tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(text)
    return bestdo.read(path).problem


def test_a_number_in_ranges_between_a_setting_and_the_reward_is_named(tmp_path):
    problem = problem_of(mould(), tmp_path)
    (found,) = cautions(problem).cut
    assert (found.variable, found.ranges, found.settings, found.arrows) == (
        *("viscosity", 3, ("melt",)),
        (("melt", "quality"),),
    )
    (said,) = cautions(problem).in_words()
    assert said == (
        "viscosity is a number in 3 ranges between melt and quality. Inside a range melt still acts, which the graph denies: "
        "intervals can be too narrow, and the answer wrong. Add melt -> quality, or cut it into more ranges."
    )
    outlook = bestdo.check(problem)
    assert said in check.words(outlook)
    (data,) = check_report.as_data(outlook)["cut_mediators"]
    assert data == {
        "variable": "viscosity",
        "ranges": 3,
        "settings": ["melt"],
        "arrows_past": ["melt -> quality"],
    }


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda text: mould("melt -> quality"), False),  # the arrow past it is there
        (lambda text: mould("melt ?-> quality"), True),  # in doubt it may be believed away
        (lambda text: text.replace("cut = [10.0, 20.0]\n", ""), False),
        (
            lambda text: text.replace('set = ["melt", "pressure"]', 'set = ["pressure"]'),
            False,
        ),  # nothing set acts on it
        (lambda text: text.replace('"viscosity -> quality", ', ""), False),  # it does not lead to the reward
    ],
)
def test_only_where_there_is_one(change, named, tmp_path):
    assert bool(cautions(problem_of(change(mould()), tmp_path)).cut) == named


MANY = 401
"""The number of causes that is too many."""


def causes(count, **more):
    arrows = "; ".join(f"X{i} -> sales" for i in range(count))
    return bestdo.Problem(bestdo.Graph.parse(arrows, reward="sales", success="1"), **more)


def test_sharing_stops_with_more_causes_than_a_regression_is_solved_for():
    assert not_shared(causes(MANY - 2)) is None
    problem = causes(MANY)
    assert not believed(problem).shares_all
    said = (
        f"Sharing stops: sales has {MANY} causes, too many to learn together. A round teaches about its own option, "
        "and about options that set more where it shows their values."
    )
    assert cautions(problem).in_words() == [said]
    assert cautions(problem).in_words("ucb") == []  # it never shares
    outlook = bestdo.check(problem)
    assert said in check.words(outlook)
    assert check_report.as_data(outlook)["sharing"] == {"by_tables": False, "why_not": said}
    assert check_report.as_data(bestdo.check(causes(3)))["sharing"] == {"by_tables": True, "why_not": None}


def test_nine_causes_share():
    assert not_shared(causes(9)) is None
    assert believed(causes(9)).shares_all


def test_hidden_causes_are_another_matter():
    graph = bestdo.Graph.parse("X -> Y; X <-> Y", reward="Y", success="1")
    assert not_shared(bestdo.Problem(graph)) is None


def test_contexts_and_settings_can_be_too_many():
    variables = tuple(bestdo.Variable(f"X{i}", tuple(map(str, range(140)))) for i in range(3))
    graph = bestdo.Graph(
        (*variables, bestdo.Variable("sales")), {"sales": tuple(v.name for v in variables)}, "sales", "1"
    )
    problem = bestdo.Problem(graph, set={"X0": ["0", "1"]}, first=["X2"])
    assert not believed(unfolded(problem)).shares_all
    (said,) = cautions(problem).in_words()
    assert said.startswith("Sharing stops: sales has 3 causes, too many to learn together.")


@pytest.mark.parametrize(
    ("played", "taught"),
    [
        (bestdo.do(), lambda a, x: all(x[n] == v for n, v in a.items())),  # whatever it shows
        (bestdo.do(X0=0), lambda a, x: a.get("X0") == "0" and all(x[n] == v for n, v in a.items())),
    ],
)
def test_what_a_round_still_teaches(played, taught):
    problem = causes(MANY, set=["X0", "X1", "X2"], at_most=2)
    x = np.zeros((1, MANY + 1), int)
    x[0, 2] = 1
    one = Rounds(np.zeros(1, int), np.array([problem.actions.index(played)]), x, np.zeros(1, bool))
    counted = believed(problem).statistic.tally(one, 1).weight[0]
    shown = {n: str(v) for n, v in zip(problem.graph.names, x[0], strict=True)}
    assert [a for a, n in zip(problem.actions, counted, strict=True) if n] == [
        a for a in problem.actions if taught(a, shown)
    ]


def test_status_and_new_say_it(tmp_path, capsys):
    study = bestdo.Study.create(problem_of(mould(), tmp_path), 40, name="m", storage=f"sqlite:///{tmp_path}/s.db")
    (said,) = study.status()["cautions"]
    assert "Inside a range melt still acts" in said
    study_report.show_status(study.status())
    study_report.show_new(study.status(), study.problem, "")
    assert capsys.readouterr().out.count(said) == 2
    many = bestdo.Study.create(causes(MANY, set=["X0"]), 40, name="n", storage=f"sqlite:///{tmp_path}/s.db")
    assert many.status()["cautions"][0].startswith(f"Sharing stops: sales has {MANY} causes")
