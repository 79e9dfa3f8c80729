"""Old data and sheets of problems with numbers: read as measured, kept raw, cut where they are used."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bestdo
from bestdo.bandit.old_rounds import OldData
from bestdo.data.counting import observed
from bestdo.data.plan_sheet import read_sheet, sheet
from bestdo.errors import BestdoError

HARVEST = Path(__file__).parents[2] / "examples" / "harvest.toml"
ROWS = [("30", "early", 17.9, 5.25), ("30", "late", 18.0, 7.5), ("90", "late", 30.5, 7.5), ("90", "late", 30.5, 7.5)]
NAMES = ["fertiliser", "sowing", "moisture", "harvest"]


@pytest.fixture(scope="module")
def problem():
    return bestdo.read(HARVEST).problem


def comma(value):
    return str(value).replace(".", ",") if isinstance(value, float) else value


def sources(tmp_path):
    columns = [list(column) for column in zip(*ROWS, strict=True)]
    by_name = dict(zip(NAMES, columns, strict=True))
    (tmp_path / "point.csv").write_text("\n".join([",".join(NAMES), *(",".join(map(str, r)) for r in ROWS)]))
    (tmp_path / "comma.csv").write_text("\n".join([";".join(NAMES), *(";".join(map(comma, r)) for r in ROWS)]))
    pl.DataFrame(by_name).write_parquet(tmp_path / "rows.parquet")
    return [
        str(tmp_path / "point.csv"),
        str(tmp_path / "comma.csv"),
        str(tmp_path / "rows.parquet"),
        pd.DataFrame(by_name),
        pl.DataFrame(by_name),
        pl.DataFrame({n: [comma(v) for v in column] for n, column in by_name.items()}),
    ]


def test_numbers_are_read_as_they_were_measured(problem, tmp_path):
    found = [observed(source, problem) for source in sources(tmp_path)]
    assert len({each.fingerprint for each in found}) == 1
    for each in found:
        assert (each.rows, each.whole, len(each.times)) == (4, 4, 3)
        order = np.lexsort([each.numbers["harvest"], each.numbers["moisture"]])
        assert each.numbers["harvest"][order].tolist() == [5.25, 7.5, 7.5]
        assert each.numbers["moisture"][order].tolist() == [17.9, 18.0, 30.5]
        assert each.x[order, 2].tolist() == [0, 1, 1]  # 18 is wet
        assert each.times[order].tolist() == [1, 1, 2]
        assert np.allclose(each.rewards(problem.graph)[order], np.array([5.25, 7.5, 7.5]) / 14)


def test_there_and_back_and_cut_again(problem, tmp_path):
    found = observed(sources(tmp_path)[0], problem)
    again = OldData.from_data(found.as_data(), problem.graph)
    assert np.array_equal(again.x, found.x)
    assert all(np.array_equal(again.numbers[n], found.numbers[n]) for n in ("harvest", "moisture"))
    text = HARVEST.read_text(encoding="utf-8").replace("cut = [18.0]", "cut = [20.0]")
    other = bestdo.compose(text.encode(), name="harvest.toml").problem
    recut = OldData.from_data(found.as_data(), other.graph)
    assert sorted(recut.x[:, 2].tolist()) == [0, 0, 1]
    assert observed(sources(tmp_path)[0], other).fingerprint == found.fingerprint


def test_values_in_words_and_missing_ones(problem):
    frame = pl.DataFrame({"moisture": ["dry", "WET", "", "25,5"], "harvest": ["1", "2", "3", None]})
    found = observed(frame, problem)
    assert found.without_reward == 1
    assert found.x[np.argsort(found.numbers["harvest"]), 2].tolist() == [0, 1, -1]
    assert np.isnan(found.numbers["moisture"]).all()


@pytest.mark.parametrize(
    ("harvest", "moisture", "message"),
    [
        ("much", "1", "must be a number"),
        ("inf", "1", "must be a number"),
        ("14.1", "1", "at most 14"),
        ("-1", "1", "at least 0"),
        ("1", "damp", "must be a number"),
        ("0." + "1" * 10**6, "1", "characters"),
    ],
)
def test_what_is_no_number_is_said(problem, harvest, moisture, message):
    frame = pl.DataFrame({"moisture": ["2", moisture], "harvest": ["3", harvest]})
    with pytest.raises(BestdoError, match=f"1 row cannot be taken: .*{message}"):
        observed(frame, problem)


def test_a_sheet_with_numbers(problem, tmp_path):
    plays = np.array([0, 1, 2, 3])
    lines = sheet(problem, plays).decode("utf-8-sig").splitlines()
    assert lines[0].endswith("fertiliser,sowing,moisture,harvest")
    filled = [lines[0].replace(",", ";"), *(line.replace(",", ";") for line in lines[1:])]
    filled[1] += "12,5" if filled[1].endswith(";;") else ""
    told = [("17,5", "6,25"), ("dry", "7"), ("", "8.5"), ("", "")]
    rows = [line.rsplit(";", 2)[0] + f";{m};{h}" for line, (m, h) in zip(filled[1:], told, strict=True)]
    path = tmp_path / "plan.csv"
    path.write_text("\n".join([filled[0], *rows]))
    read = read_sheet(problem, path)
    assert np.allclose(read.rounds.y * 14, [6.25, 7, 8.5])
    assert read.rounds.x[:, 2].tolist() == [0, 0, -1]
    path.write_text("\n".join([filled[0], rows[0].replace("6,25", "66,25")]))
    with pytest.raises(BestdoError, match=r"'harvest' is 66\.25; by the problem it is at least 0 and at most 14"):
        read_sheet(problem, path)


def test_sums_of_too_many_rows(problem):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "fertiliser": rng.choice([0, 30, 60, 90, 120], 500),
            "sowing": rng.choice(["early", "late"], 500),
            "moisture": rng.uniform(0, 40, 500),
            "harvest": rng.uniform(0, 14, 500),
        }
    )
    statistic = bestdo.learner("causal-top-two").statistic(problem, 100)
    cells, sums = observed(frame, problem), observed(frame, problem, statistic=statistic, most=100)
    assert (len(cells.times), sums.sums is None) == (500, False)
    assert cells.fingerprint == sums.fingerprint
    whole = statistic.tally(cells.rounds(problem), 1)
    kept = OldData.from_data(sums.as_data(), problem.graph).sums
    for one, other in zip(whole.sums, kept.sums, strict=True):
        assert np.allclose(one, other)
