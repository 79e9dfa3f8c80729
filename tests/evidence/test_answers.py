"""What old data answer, against exact means and by how often the intervals hold."""

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Problem, do
from bestdo.bandit.old_rounds import OldData
from bestdo.evidence.answers import answers, best_for_sure

GRAPHS = {
    "seeing": "X -> M -> Y; W -> Y",
    "adjusting": "Z -> X; Z -> Y; X -> Y; W -> Y",
    "formula": "X -> M -> Y; X <-> Y",
}


def world(how, seed=0):
    graph = Graph.parse(GRAPHS[how], reward="Y")
    rng = np.random.default_rng(seed)
    tables = {}
    for name in graph.names:
        p = rng.uniform(0.2, 0.8, [graph.size(n) for n in graph.parents[name]])
        tables[name] = np.stack([1 - p, p], axis=-1)
    return Problem(graph, Actions(graph, [do(X=0), do(X=1), do()])), Model(graph, tables)


def old_data(problem, model, rows=None, rng=None):
    """Counts of what is seen: exact, or drawn."""
    graph = problem.graph
    chances = model.distribution(graph.observed)
    drawn = np.rint(chances * 10**9) if rows is None else rng.multinomial(rows, chances.ravel()).reshape(chances.shape)
    codes = np.argwhere(drawn > 0)
    x = np.full((len(codes), len(graph.names)), -1, np.int16)
    x[:, [graph.names.index(n) for n in graph.observed]] = codes
    return OldData(x, drawn[drawn > 0].astype(np.int64), int(drawn.sum()), "")


@pytest.mark.parametrize("how", GRAPHS)
def test_exact_counts_give_the_exact_means(how):
    for seed in range(5):
        problem, model = world(how, seed)
        old = old_data(problem, model)
        found = answers(problem, lambda _, old=old: old)
        assert [a.how.how for a in found] == [how, how, "seeing"]
        np.testing.assert_allclose([a.mean for a in found], model.means(problem.actions), atol=1e-6)
        best = best_for_sure(found)
        assert best is None or best.action == problem.actions[int(np.argmax(model.means(problem.actions)))]


@pytest.mark.parametrize("how", GRAPHS)
def test_intervals_hold_as_often_as_they_say(how):
    # 400 lots of 300 rows: 95 % ± 4 sigma of 1.1 % each for do(X=1). Intervals of half the length hold in about 67 %.
    problem, model = world(how)
    true = model.means(problem.actions)[1]
    rng = np.random.default_rng(1)
    held = half = 0
    for _ in range(400):
        old = old_data(problem, model, 300, rng)
        a = answers(problem, lambda _, old=old: old)[1]
        held += a.low <= true <= a.high
        half += abs(a.mean - true) <= (a.high - a.low) / 4
    assert 0.906 * 400 <= held <= 0.994 * 400
    assert half < 0.8 * 400


def test_what_the_data_do_not_tell():
    graph = Graph.parse("Z -> X; Z -> Y; X -> Y; B -> Y; B <-> Y", reward="Y")
    problem = Problem(graph, Actions.single(graph, on=["X", "B"]))
    place = {n: i for i, n in enumerate(graph.names)}
    rows = [(0, 0, 0, 1, 5), (0, 0, 0, 0, 5), (1, 1, 1, 1, 4), (1, 0, 1, 0, 3), (-1, 1, 0, 1, 50)]  # Z, X, B, Y, times
    x = np.full((len(rows), len(graph.names)), -1, np.int16)
    x[:, [place[n] for n in "ZXBY"]] = [r[:4] for r in rows]
    old = OldData(x, np.array([r[4] for r in rows]), 67, "")
    found = {str(a.action): a for a in answers(problem, lambda _: old)}
    only = found["do(B=0)"]
    assert (only.known, only.low, only.high) == (False, 0.0, 1.0)
    assert "only doing it tells" in only.why_not
    some = found["do(X=1)"]  # where Z = 0, X was never 1: 10 of 17 rows may have any mean
    assert some.high - some.low > 10 / 17
    assert some.rows == 4  # rows without Z cannot be adjusted
    assert found["do(X=0)"].mean == pytest.approx(10 / 17 * 0.5 + 7 / 17 * 0.0)
    assert best_for_sure(list(found.values())) is None
    never = OldData(x[[1, 3]], np.array([1, 1]), 2, "")
    assert "never had this value" in answers(problem, lambda _: never)[2].why_not
