"""docs/checks.md: no learner without an oracle, no row without a test or command, and differences that are what they say."""

import math
import re

import pytest

from bestdo.learners import LEARNERS
from support import ROOT

NUMBER = re.compile(r"^([\d.,]+)(?: ± ([\d.,]+))?$")


def rows():
    """The cells of all rows of the table of learners."""
    text = (ROOT / "docs" / "checks.md").read_text()
    table = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


ROWS = rows()
ORACLES = ("exact", "published", "authors' code", "the code of", "a rewrite of the authors' code")


def test_every_learner_has_an_oracle():
    found = {row[0].strip("`") for row in ROWS}
    assert set(LEARNERS) <= found, sorted(set(LEARNERS) - found)
    assert all(name in LEARNERS or ":" in name for name in found)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_its_oracle_and_what_checks_it(row):
    learner, oracle, setting, ours, theirs, away, where = row
    assert oracle.startswith(ORACLES)
    assert setting
    if where.startswith("`tests/"):
        file, _, test = where.strip("`").partition("::")
        assert (ROOT / file).is_file()
        assert f"def {test}" in (ROOT / file).read_text()
        assert learner
    else:
        assert where.startswith("`bestdo figure ")
    value, error = numbers(ours)
    other, its = numbers(theirs)
    sigma = math.hypot(error, its)
    if sigma:  # what was rounded may be off by half of its last digit
        rounding = digit(ours) + digit(theirs)
        assert abs(abs(value - other) / sigma - float(away)) <= rounding / sigma + 0.1 + 0.2 * float(away)
    else:
        assert value == other


def numbers(cell):
    value, error = NUMBER.match(cell).groups()
    return float(value.replace(",", "")), float((error or "0").replace(",", ""))


def digit(cell):
    """Half of the last digit of the value in a cell."""
    return 0.5 * 10.0 ** -len(cell.partition(" ")[0].partition(".")[2])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_no_row_is_far_from_its_oracle(row):
    assert float(row[5]) < 4
