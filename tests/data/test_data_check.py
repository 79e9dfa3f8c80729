"""`check` with a table: what its words say of the graph."""

import numpy as np
import polars as pl
from scipy import stats

import bestdo
from bestdo.report.sections.old_data import data_check_as_data, independences_in_words

SIZES = (12, 12, 2, 2, 3, 2, 3, 2)


def table(spread):
    """A thousand rows of eight variables without arrows, but that the first two go together; and of a reward."""
    rng = np.random.default_rng(2)
    joint = np.exp(spread * rng.normal(size=(12, 12)))
    x = np.stack([rng.integers(0, k, 1000) for k in (*SIZES, 2)], axis=1)
    x[:, 0], x[:, 1] = np.divmod(rng.choice(144, 1000, p=(joint / joint.sum()).ravel()), 12)
    x[:, -1] = rng.random(1000) < 0.3 + 0.2 * x[:, 2] + 0.2 * x[:, 3]
    return x


def checked(x):
    names = [*(f"V{i}" for i in range(8)), "Y"]
    values = (*SIZES, 2)
    variables = tuple(bestdo.Variable(n, tuple(map(str, range(k)))) for n, k in zip(names, values, strict=True))
    graph = bestdo.Graph(variables, {"Y": ("V2", "V3")}, "Y", "1")
    rows = pl.DataFrame({n: x[:, i].astype(str) for i, n in enumerate(names)})
    return bestdo.check(bestdo.Problem(graph, set=["V2", "V3"]), data=rows).data


def test_a_table_in_which_a_plain_test_sees_a_contradiction_does_not_pass():
    x = table(0.42)
    counts = np.zeros((12, 12))
    np.add.at(counts, (x[:, 0], x[:, 1]), 1)
    assert 1e-10 < stats.chi2_contingency(counts).pvalue < 4e-10
    found = checked(x)
    first, second = independences_in_words(found)
    assert first == "Your data contradict the graph: 1 of 40 checks failed."
    assert "The graph says that V0 and V1 are independent; by chance that is seen in at most one table in " in second
    (told,) = data_check_as_data(found)["contradictions"]
    assert told["chance"] < 0.01


def test_what_passes_says_what_would_have_been_missed():
    (said,) = independences_in_words(checked(table(0)))
    assert said.startswith(
        "Your data fit the graph: 40 of 40 checks passed. The weakest would have missed differences "
    )
    assert (
        "below 40 points (Y and V0 given V2, V3). Half of them would have missed differences below 13 points." in said
    )
