"""Numbers far outside what was told before are questioned, once, and nothing is lost."""

import itertools

import numpy as np
import polars as pl
import pytest

from bestdo import Graph, Number, Problem, Variable
from bestdo.errors import Conflict
from bestdo.study import Study, Unusual
from bestdo.study.exchange import exported, imported

PHOTO = Variable("photo", ("old", "new"))
SHOP = Problem(
    Graph.of(
        [PHOTO, Variable("revenue", number=Number(), unit="euro")],
        [("photo", "revenue")],
        reward="revenue",
        aim="maximise",
    ),
    set=["photo"],
)
TICKETS = Problem(
    Graph.of(
        [PHOTO, Variable("hours", number=Number(low=0)), Variable("tickets", number=Number.count(exposure="hours"))],
        [("photo", "tickets")],
        reward="tickets",
        aim="minimise",
    ),
    set=["photo"],
)
NAMES = (f"far {number}" for number in itertools.count())  # a database of tests keeps its studies
USUAL = [290, 250, 300, 260, 240, 280, 275, 255, 265, 270]


def begun(problem, url):
    return Study.create(problem, 40, learner="top-two", name=next(NAMES), storage=url)


@pytest.fixture
def shop(url):
    study = begun(SHOP, url)
    for revenue in USUAL:
        study.tell(study.ask()[0], {"revenue": revenue})
    return study


def test_a_far_number_is_refused_until_it_is_confirmed(shop, url):
    (asked,) = shop.ask()
    before = exported(shop)
    words = r"'revenue' is 12,000 euro, 40 times the largest so far \(300 euro\); if it is right, say that you are sure"
    for _ in range(2):
        with pytest.raises(Unusual, match=words):
            shop.tell(asked, {"revenue": 12_000}, key="till")
    assert exported(shop) == before
    shop.tell(asked, {"revenue": 12_000}, key="till", sure=True)
    assert shop.estimates().played.sum() == len(USUAL) + 1  # it counts
    assert shop.rounds()[-1]["values"]["revenue"] == "12000"
    shop.tell(asked, {"revenue": "12000,0"}, key="till")  # the same again, for which nobody is asked
    with pytest.raises(Conflict):
        shop.tell(asked, {"revenue": 12_001})
    copy = imported(url, exported(shop), next(NAMES))  # nor for what was confirmed before
    assert copy.rounds() == shop.rounds()


def test_a_correction_is_questioned_for_what_it_changes(shop):
    with pytest.raises(Unusual, match="40 times the largest"):
        shop.amend(1, {"revenue": 12_000}, "misread")
    shop.amend(1, {"revenue": 12_000}, "misread", sure=True)
    shop.amend(1, {"revenue": "12000,0"}, "a comma")  # the same number
    shop.amend(2, {"revenue": 2.4}, "once wrong", sure=True)
    shop.amend(2, {"revenue": 240}, "right again")
    assert [row["values"]["revenue"] for row in shop.rounds()[:2]] == ["12000,0", "240"]


def test_a_round_that_counts_for_nothing_is_not_questioned_and_compares_nothing(shop):
    (asked,) = shop.ask()
    action = dict(asked.action.items())
    other = "old" if action.get("photo") == "new" else "new"
    if action:
        shop.tell(asked, {"photo": other, "revenue": 12_000}, happened=True)
        with pytest.raises(Unusual):
            shop.tell(shop.ask()[0], {"revenue": 12_000})


def test_counts_are_compared_per_unit_of_their_exposure(url):
    study = begun(TICKETS, url)
    rng = np.random.default_rng(0)
    for _ in range(12):
        hours = rng.uniform(1, 3)
        study.tell(study.ask()[0], {"hours": f"{hours:.2f}", "tickets": str(20 + rng.integers(5))})
    with pytest.raises(Unusual, match="'tickets' per 'hours' is "):
        study.tell(study.ask()[0], {"hours": "2", "tickets": "4000"})
    with pytest.raises(Unusual, match="'hours' is 100, "):
        study.tell(study.ask()[0], {"hours": "100", "tickets": "1200"})
    study.tell(study.ask()[0], {"hours": "8", "tickets": "100"})


def test_all_zeros_and_few_rounds_ask_nothing(url):
    study = begun(SHOP, url)
    for revenue in [*[0] * 12, 1e6, 3, 1e-6, *[0] * 5, 1e5]:
        study.tell(study.ask()[0], {"revenue": revenue})


def test_old_data_warn_with_file_and_line(tmp_path):
    rng = np.random.default_rng(1)
    rows = [f"{'old' if row % 2 else 'new'},{revenue:.2f}" for row, revenue in enumerate(rng.normal(270, 15, 60))]
    rows[16], rows[30] = "new,12000", 'old,"2,7"'
    file = tmp_path / "old.csv"
    file.write_text("photo,revenue\n" + "\n".join(rows))
    notes = begun(SHOP, f"sqlite:///{tmp_path}/old.db").observe(file).notes
    assert any(f"{file}, row 17: 'revenue' is 12,000 euro, " in note and "is it right?" in note for note in notes)
    assert any(f"{file}, row 31: 'revenue' is 2.7 euro, " in note for note in notes)
    assert len(notes) == 2
    file.write_text("photo,revenue\n" + "\n".join(rows[31:]))
    assert begun(SHOP, f"sqlite:///{tmp_path}/clean.db").observe(file).notes == ()


def test_what_old_data_showed_is_not_far(url):
    """An order of 3,000 euro is no slip where old rows have one of 2,800, and one of 30,000 is."""
    study = begun(SHOP, url)
    study.observe(pl.DataFrame({"photo": ["old", "new"] * 6, "revenue": [*USUAL, 2_800, 310]}))
    for revenue in USUAL:
        study.tell(study.ask()[0], {"revenue": revenue})
    (asked,) = study.ask()
    with pytest.raises(Unusual, match=r"30,000 euro, 10.7 times the largest so far \(2,800 euro\)"):
        study.tell(asked, {"revenue": 30_000})
    study.tell(asked, {"revenue": 3_000})
    assert study.rounds()[-1]["values"]["revenue"] == "3000"
