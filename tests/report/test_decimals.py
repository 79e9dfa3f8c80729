"""Numbers for people: as many decimals as they deserve, and no probability that is shown as sure."""

import math
import re

import pytest

from bestdo.text import chance, decimals_of, percent, share, with_error, with_interval
from support import ROOT


@pytest.mark.parametrize(
    ("error", "decimals"),
    [
        *[(0.0004, 4), (0.0012, 4), (0.0035, 4), (0.0037, 3), (0.04, 2), (0.12, 2), (0.6, 1), (12, 0), (4e5, 0)],
        *[(1e-9, 6), (0, 0), (math.inf, 0), (math.nan, 0)],
    ],
)
def test_decimals_by_the_error(error, decimals):
    assert decimals_of(error) == decimals


def test_rounding_is_small_beside_the_error():
    for k in range(1, 2000):
        error = 10 ** (-k / 400)  # 1 to 0.00001
        assert 0.5 * 10.0 ** -decimals_of(error) <= error / 7 + 1e-12
        assert 10.0 ** -decimals_of(error) * 36 >= error


def test_probabilities_are_never_shown_as_sure():
    said = {0.5: "0.50", 0.87: "0.87", 0.99: "0.99", 0.994: "0.994", 0.998: "0.998", 0.9996: ">0.999", 1.0: ">0.999"}
    said |= {0.01: "0.01", 0.004: "0.004", 0.0003: "<0.001", 0.0: "<0.001", math.nan: "–"}
    assert {p: chance(p) for p in said} == said
    assert [percent(p) for p in (0.5, 0.998, 0.9996, 0.004, 0.0003)] == ["50 %", "99.8 %", ">99.9 %", "0.4 %", "<0.1 %"]
    assert [share(p, 2) for p in (0.5, 0.998, 1e-7, 1, 0)] == ["0.50", "0.998", "<0.0001", "1.00", "0.00"]


def test_numbers_with_their_errors_and_intervals():
    assert with_error(0.06121, 0.00041) == "0.0612 ± 0.0004"
    assert with_error(0.1, 0.04, 4) == "0.1000 ± 0.0400"
    assert with_interval(0.0612, 0.0608, 0.0616) == "0.0612 (0.0608 to 0.0616)"
    assert with_interval(0.3, -math.inf, math.inf) == "0.3 (-inf to inf)"


def test_no_probability_is_written_in_another_way():
    wrong = re.compile(r"(p_best|keeps)[^{}]*(:\.\d[f%]|\|format)|format\(100 \* [\w.]*(p_best|keeps)")
    source = ROOT / "src" / "bestdo"
    files = [f for kind in ("*.py", "*.html") for f in source.rglob(kind) if "experiments" not in f.parts]
    assert [f.name for f in files if wrong.search(f.read_text())] == []
