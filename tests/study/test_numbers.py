"""Studies with numbers: told as measured, kept raw, cut where they are used; recut; out of bounds; there and back."""

import json
from pathlib import Path

import numpy as np
import pytest

import bestdo
from bestdo.errors import BestdoError, Conflict, Deviates, GraphError, NotValid
from bestdo.learners.registry import LEARNERS
from bestdo.study import Study
from bestdo.study.blocks import fold_log
from bestdo.study.exchange import exported, imported, table

HARVEST = Path(__file__).parents[2] / "examples" / "harvest.toml"


def made(url):
    return Study.create(bestdo.compose(HARVEST).problem, 40, learner="top-two", name="harvest", storage=url)


@pytest.fixture
def study(tmp_path):
    return made(f"sqlite:///{tmp_path}/harvest.db")


def play(study, rounds, seed=0):
    model = bestdo.read(HARVEST).model
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        (asked,) = study.ask()
        actions = bestdo.Actions(model.graph, [asked.action])
        x = model.sample(actions, np.zeros(1, int), rng)
        harvest = model.draw_numbers(x, rng)["harvest"][0]
        moisture = rng.uniform(18, 30) if x[0, 2] else rng.uniform(5, 18)
        study.tell(asked.number, {"harvest": f"{harvest:.3f}".replace(".", ","), "moisture": f"{moisture:.2f}"})


def test_numbers_are_kept_as_they_were_told(study):
    (asked,) = study.ask()
    study.tell(asked.number, {"harvest": " 7,25 ", "moisture": 18})
    (told,) = study.rounds()
    assert (told["values"]["harvest"], told["values"]["moisture"]) == ("7,25", "18")
    study.tell(asked.number, {"harvest": "7.25", "moisture": "18.0"})  # the same again
    with pytest.raises(Conflict):
        study.tell(asked.number, {"harvest": "7.26", "moisture": 18})
    found = study.findings()
    index = found.problem.actions.index(asked.action)
    assert found.estimates.played[0, index] == 1
    assert study.progress().rounds[0].y.tolist() == [7.25 / 14]
    assert study.progress().rounds[0].x[0, 2] == 1


@pytest.mark.parametrize(
    ("harvest", "message"),
    [
        ("nan", "must be a number"),
        ("inf", "must be a number"),
        ("-Infinity", "must be a number"),
        ("much", "must be a number"),
        ("", "must be a number"),
        (float("nan"), "must be a finite number"),
        (True, "must be a number"),
        ("1e999", "must be a finite number"),
        ("0." + "3" * 10**6, "at most 400"),
    ],
)
def test_what_is_no_number_changes_nothing(study, harvest, message):
    (asked,) = study.ask()
    before = exported(study)
    with pytest.raises(GraphError, match=message) as caught:
        study.tell(asked.number, {"harvest": harvest})
    assert "harvest" in str(caught.value)
    assert len(str(caught.value)) < 300
    assert exported(study) == before


def test_out_of_bounds(study):
    (asked,) = study.ask()
    with pytest.raises(Deviates, match="at least 0 and at most 14; if that is what happened"):
        study.tell(asked.number, {"harvest": "14.5"})
    study.tell(asked.number, {"harvest": "14.5"}, happened=True)
    (told,) = study.rounds()
    assert (told["deviated"], told["values"]["harvest"]) == (True, "14.5")
    assert not study.estimates().played.any()


def test_the_reward_is_asked_for_in_its_unit(study):
    (asked,) = study.ask()
    with pytest.raises(BestdoError, match="a number in t/ha from 0 to 14"):
        study.tell(asked.number, {"moisture": 3})


def test_a_number_for_what_was_set(study):
    problem = study.problem
    study.add_action("do(moisture=wet)", "irrigation")
    study.change_learner("uniform", "all of them")
    for _ in range(len(problem.actions) + 1):
        (asked,) = study.ask()
        if asked.action == bestdo.do(moisture="wet"):
            with pytest.raises(Deviates, match="'moisture' was set to 'wet', but '17' is told"):
                study.tell(asked.number, {"harvest": 3, "moisture": 17})
        study.tell(asked.number, {"harvest": 3, "moisture": 25})


def test_recut(url):
    study = made(url)
    play(study, 12)
    before, estimates = study.progress(), study.estimates()
    plan = study.ask()[0].action
    assert study.problem.law is not None
    study.recut("moisture", 22, "the probe was moved")
    assert study.problem.graph.variable("moisture").cut == (22.0,)
    assert study.problem.law is None  # how often it is wet was known for the other cut
    told = np.array([float(r["values"]["moisture"]) for r in study.rounds() if r["status"] == "told"])
    after = study.progress()
    assert np.array_equal(after.rounds[0].x[:, 2], told >= 22)
    assert np.array_equal(after.rounds[0].y, before.rounds[0].y)
    assert study.ask()[0].action == plan  # what is out stays out
    again = imported(url, exported(study), "copy")
    assert again.problem == study.problem
    assert np.array_equal(again.estimates().mean, study.estimates().mean, equal_nan=True)
    with study.journal.changing("") as (log, book):
        assert repr(fold_log(log, book)) == repr(book.state)
    with pytest.raises(Conflict, match="already"):
        study.recut("moisture", "22,0")
    study.recut("moisture", 18)
    assert study.problem.law is not None
    assert np.array_equal(study.estimates().mean, estimates.mean, equal_nan=True)
    for wrong, message in (
        (("sowing", 3), "has no cuts"),
        (("moisture", [1, 2]), "it needs 1"),
        (("rain", 3), "unknown"),
    ):
        with pytest.raises(GraphError, match=message):
            study.recut(*wrong)


def test_old_data_are_cut_again(study, tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("fertiliser,sowing,moisture,harvest\n60,early,19.5,6.5\n60,late,25,7\n30,late,3,4\n")
    study.observe(str(path))
    assert sorted(study.progress().old.x[:, 2].tolist()) == [0, 1, 1]
    study.recut("moisture", 20)
    assert sorted(study.progress().old.x[:, 2].tolist()) == [0, 0, 1]
    assert np.allclose(np.sort(study.progress().old.y) * 14, [4, 6.5, 7])


def test_an_action_between_two_values_of_a_grid(study):
    play(study, 6)
    study.add_action("do(fertiliser=75)", "between 60 and 90")
    assert study.problem.graph.variable("fertiliser").values[-1] == "75"
    assert study.problem.law is not None
    assert np.isclose(study.problem.law.table.sum(axis=tuple(range(1, study.problem.law.table.ndim))), 1).all()
    play_on = study.ask()[0]
    study.tell(play_on.number, {"harvest": "6"})
    with pytest.raises(BestdoError, match="must be a number"):
        study.add_action("do(fertiliser=some)", "no number")
    with pytest.raises(NotValid, match="has values from 0 to 120, and 750 is outside"):
        study.add_action("do(fertiliser=750)", "a slip of the decimal point")
    with pytest.raises(Conflict, match=r"has the value '75\.0' already, written as '75'"):
        study.add_action("do(fertiliser=75.0)", "twice")
    with pytest.raises(BestdoError, match="unknown value"):
        study.add_action("do(sowing=may)", "no grid")


def test_the_table_has_the_numbers(study):
    play(study, 3)
    rows = table(study)
    told = [each["values"]["harvest"] for each in study.rounds()]
    assert all("," in each for each in told)
    assert [row["harvest"] for row in rows] == [float(each.replace(",", ".")) for each in told]
    assert json.loads(json.dumps(exported(study)))["events"]


SMALL = b"""bestdo = 1
[variables.dose]
values = ["low", "high"]
[variables.heat]
values = ["cold", "hot"]
cut = [18]
[variables.pain]
number = true
low = -5
high = 5
[graph]
edges = ["dose -> pain", "heat -> pain"]
reward = "pain"
aim = "minimise"
[actions]
set = ["dose", "heat"]
[tables]
dose = [0.5, 0.5]
heat = [0.5, 0.5]
"""


@pytest.mark.parametrize("learner", sorted(LEARNERS))
def test_every_learner_goes_on_from_its_checkpoint(learner, tmp_path):
    url = f"sqlite:///{tmp_path}/pain.db"
    try:
        study = Study.create(
            bestdo.compose(SMALL, name="pain.toml").problem, 30, learner=learner, name="pain", storage=url
        )
    except NotValid as error:
        assert str(error)  # noqa: PT017
        return
    rng = np.random.default_rng(1)
    for _ in range(6):
        (asked,) = study.ask()
        told = {"pain": f"{rng.uniform(-5, 5):.2f}".replace(".", ","), "heat": f"{rng.uniform(0, 40):.1f}"}
        study.tell(asked.number, {n: v for n, v in told.items() if n not in asked.action})
    again, copy = Study.open("pain", url), imported(url, exported(study), "copy")
    for other in (again, copy):
        for one, two in zip(study.estimates()[:5], other.estimates()[:5], strict=True):
            assert np.allclose(one, two, equal_nan=True, rtol=1e-9)
        assert other.best().action == study.best().action
    found = study.best()
    assert np.isnan(found.mean) or -5 <= found.mean <= 5


def test_a_cut_that_contradicts_what_was_set_is_refused(tmp_path):
    text = HARVEST.read_text().replace('set = ["fertiliser", "sowing"]', 'set = ["moisture"]')
    study = Study.create(
        bestdo.compose(text.encode()).problem, 12, learner="uniform", name="wet", storage=f"sqlite:///{tmp_path}/wet.db"
    )
    for _ in range(6):
        (asked,) = study.ask()
        study.tell(
            asked.number, {"moisture": {"dry": "12", "wet": "20"}.get(asked.action.get("moisture"), "15"), "harvest": 5}
        )
    with pytest.raises(Conflict, match=r"a round of do\(moisture=wet\) was told '20'"):
        study.recut("moisture", 25)
    study.recut("moisture", 16)
    assert imported(f"sqlite:///{tmp_path}/other.db", exported(study)).best() == study.best()


def test_values_of_a_grid_are_told_as_people_write_numbers(study):
    (asked,) = study.ask()
    while "fertiliser" not in asked.action or asked.action["fertiliser"] == "0":
        study.withdraw(asked.number, "another one", lost=False)
        (asked,) = study.ask()
    dose = asked.action["fertiliser"]
    study.tell(asked.number, {"harvest": 5, "fertiliser": f"{dose},0"})
    assert study.rounds()[-1]["values"]["fertiliser"] == dose
    with pytest.raises(GraphError, match="unknown value '7,5'"):
        study.amend(asked.number, {"harvest": 5, "fertiliser": "7,5"}, "no such dose")


def test_negative_numbers_are_no_formulas_in_a_table(tmp_path):
    text = HARVEST.read_text().replace("from = 0, to = 120", "from = -60, to = 60").split("[tables]")[0]
    study = Study.create(
        bestdo.compose(text.encode()).problem,
        12,
        learner="uniform",
        name="cold",
        storage=f"sqlite:///{tmp_path}/cold.db",
    )
    (asked,) = study.ask()
    study.tell(asked.number, {"harvest": 5, "fertiliser": "-30,0", "moisture": "-2,5"}, happened=True)
    (row,) = table(study)
    assert (row["fertiliser"], row["moisture"]) == ("-30", "-2.5")
