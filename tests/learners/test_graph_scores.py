"""The posterior of graphs: against brute force over all graphs of four variables, and against pgmpy's BDeu score."""

import contextlib
import itertools
import math
import warnings

import numpy as np
import pytest

from bestdo import Doubts, Graph, Problem, Variable
from bestdo.bandit.rounds import Rounds
from bestdo.errors import GraphError, TooLarge
from bestdo.learners.beliefs.graph_scores import SAMPLE_SIZE, family_scores, graph_weights, predicted
from bestdo.statistics.candidate_tables import families_of
from bestdo.statistics.summing import count_in_parts
from bestdo.statistics.tables import cells_of_rounds

SIZES = {"A": 2, "B": 3, "C": 2, "Y": 2}


def every_graph(sizes=SIZES):
    """All directed acyclic graphs over these variables; there are 543 of four."""
    names, found = list(sizes), []
    variables = [Variable(n, tuple(map(str, range(size)))) for n, size in sizes.items()]
    pairs = list(itertools.combinations(names, 2))
    for way in itertools.product((0, 1, 2), repeat=len(pairs)):
        arrows = [(a, b) if w == 1 else (b, a) for (a, b), w in zip(pairs, way, strict=True) if w]
        with contextlib.suppress(GraphError):  # a cycle
            found.append(Graph.of(variables, arrows, reward="Y", success="1"))
    return found


def random_rounds(rng, problem, rounds, missing=0.0):
    """Rounds of random actions, in which the values of some variables follow others."""
    graph = problem.graph
    action = rng.integers(0, len(problem.actions), rounds)
    codes = problem.actions.codes[action]
    x = np.stack([rng.integers(0, graph.size(n), rounds) for n in graph.names], axis=1)
    x[:, 1] = np.where(rng.random(rounds) < 0.6, x[:, 0] + 1, x[:, 1])
    x[:, 3] = np.where(rng.random(rounds) < 0.5, x[:, 2], x[:, 3])
    x = np.where(codes >= 0, codes, x)
    y = x[:, 3] == 1
    x[:, :3] = np.where(rng.random((rounds, 3)) < missing, -1, x[:, :3])
    return Rounds(np.zeros(rounds, np.int64), action, x, y)


def counts_of(problem, families, rounds):
    def where(part):
        return cells_of_rounds(problem, families.cells, families.needed, part, families.counted)

    return count_in_parts(rounds, 1, families.cells.total, 1000, where).weight


def by_urn(problem, graph, rounds, whole):
    """Log of the probability of all rounds, one after the other, each value by Pólya's urn: independent of our formulas."""
    total, seen = 0.0, {}
    names = graph.names
    for action, values in zip(rounds.action, rounds.x, strict=True):
        setting = problem.actions.codes[action]
        row = np.where(setting >= 0, setting, values)  # what was set is known
        for v, name in enumerate(names):
            parents = [names.index(p) for p in graph.parents[name]]
            if setting[v] >= 0 or (row[[v, *(names.index(p) for p in whole[name])]] < 0).any():
                continue
            rows = math.prod(graph.size(p) for p in graph.parents[name])
            urn = seen.setdefault(
                (name, tuple(row[parents])), [SAMPLE_SIZE / rows / graph.size(name)] * graph.size(name)
            )
            total += math.log(urn[row[v]] / sum(urn))
            urn[row[v]] += 1
    return total


def test_posterior_of_all_graphs_of_four_variables_is_that_of_brute_force():
    graphs = every_graph()
    assert len(graphs) == 543
    rng = np.random.default_rng(3)
    problem = Problem(graphs[0], set=["A", "B", "C"], at_most=2)
    rounds = random_rounds(rng, problem, 24, missing=0.03)
    families = families_of(graphs, problem.actions)
    assert len(families.families) == 4 * 8  # each of 543 × 4 families only once
    prior = rng.dirichlet(np.ones(len(graphs)))
    found = graph_weights(families, prior, counts_of(problem, families, rounds))[0]
    others = {n: [m for m in SIZES if m != n] for n in SIZES}  # any other may be a parent
    log = np.array([by_urn(problem, graph, rounds, others) for graph in graphs]) + np.log(prior)
    expected = np.exp(log - log.max())
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=0, atol=1e-9)
    assert found.max() < 0.9  # the comparison is not one of zeros and a one
    wrong = rounds._replace(action=np.zeros_like(rounds.action))  # as if nothing had been set: it makes a difference
    assert abs(graph_weights(families, prior, counts_of(problem, families, wrong))[0] - found).max() > 0.01


@pytest.mark.campaign  # pgmpy alone takes seconds to load
def test_scores_are_those_of_pgmpy_where_nothing_was_set():
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.base import DAG
        from pgmpy.estimators import BDeu

    graphs = every_graph()[::40]
    rng = np.random.default_rng(4)
    problem = Problem(graphs[0], ["do()"])
    rounds = random_rounds(rng, problem, 60)
    table = pd.DataFrame({n: pd.Categorical(rounds.x[:, i].astype(str)) for i, n in enumerate(SIZES)})
    names = {n: [str(k) for k in range(size)] for n, size in SIZES.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = BDeu(table, equivalent_sample_size=SAMPLE_SIZE, state_names=names)
    families = families_of(graphs)
    scores = family_scores(families.cells, counts_of(problem, families, rounds))[0]
    for k, graph in enumerate(graphs):
        dag = DAG([(p, n) for n in graph.names for p in graph.parents[n]])
        dag.add_nodes_from(graph.names)
        assert families.scored[k] @ scores == pytest.approx(theirs.score(dag), abs=1e-9)


def test_watching_cannot_tell_equivalent_graphs_apart_and_setting_can():
    variables = [Variable("A"), Variable("Y")]
    graphs = [Graph.of(variables, [arrow], reward="Y", success="1") for arrow in [("A", "Y"), ("Y", "A")]]
    problem = Problem(graphs[0], ["do()", "do(A=1)"])
    families = families_of(graphs, problem.actions)
    x = np.array([[0, 0], [1, 1], [1, 1], [0, 1], [1, 1], [1, 0], [1, 1], [1, 1]])
    zeros = np.zeros(8, np.int64)
    rounds = Rounds(zeros, zeros, x, x[:, 1] == 1)
    even = np.array([0.5, 0.5])
    np.testing.assert_allclose(graph_weights(families, even, counts_of(problem, families, rounds)), [even], atol=1e-12)
    played = rounds._replace(action=np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    assert abs(graph_weights(families, even, counts_of(problem, families, played)) - even).max() > 0.005


def test_predictions_are_ratios_of_marginal_likelihoods():
    families = families_of(every_graph())
    rng = np.random.default_rng(5)
    counts = rng.integers(0, 5, (1, families.cells.total)).astype(float)
    ahead = predicted(families.cells, counts)
    before = family_scores(families.cells, counts)
    for cell in (0, 17, 100):
        more = counts.copy()
        more[0, cell] += 1
        f = int(np.searchsorted(families.cells.start, cell, side="right")) - 1
        assert np.exp(family_scores(families.cells, more) - before)[0, f] == pytest.approx(ahead[0, cell])


def test_what_cannot_matter_is_not_counted_and_what_cannot_be_counted_is_refused():
    variables = [Variable(n) for n in "ABCYZ"]
    graphs = [Graph.of(variables, arrows, reward="Y") for arrows in ([("A", "Y"), ("B", "Z")], [("B", "Z")])]
    assert families_of(graphs).names == ("A", "Y")
    many = [Variable(str(i)) for i in range(20)] + [Variable("Y")]
    with pytest.raises(TooLarge, match="20 parents"):
        families_of([Graph.of(many, [(str(i), "Y") for i in range(20)], reward="Y"), Graph.of(many, [], reward="Y")])


HIDDEN = {
    "nothing": [],
    "a cause": [("A", "Y")],
    "a hidden common cause": [("A<->Y", "A"), ("A<->Y", "Y")],
}


@pytest.mark.parametrize("truth", HIDDEN)
def test_plays_and_watching_together_tell_a_hidden_common_cause_from_an_arrow(truth):
    variables = [Variable("A"), Variable("Y"), Variable("A<->Y", hidden=True)]
    graphs = [Graph.of(variables, arrows, reward="Y", success="1") for arrows in HIDDEN.values()]
    problem = Problem(graphs[0], ["do()", "do(A=0)", "do(A=1)"])
    families = families_of(graphs, problem.actions)
    assert families.closed.tolist() == [0, 1]
    rng = np.random.default_rng(6)
    action = np.repeat([0, 1, 2], 200)
    u = rng.integers(0, 2, 600)
    a = np.where(rng.random(600) < 0.9, u, 1 - u) if "hidden" in truth else rng.integers(0, 2, 600)
    a = np.where(action == 0, a, action - 1)
    source = {"nothing": rng.integers(0, 2, 600), "a cause": a, "a hidden common cause": u}[truth]
    y = np.where(rng.random(600) < 0.9, source, 1 - source)
    x = np.stack([a, y, np.full(600, -1)], axis=1)
    rounds = Rounds(np.zeros(600, np.int64), action, x, y == 1)
    found = graph_weights(families, np.full(3, 1 / 3), counts_of(problem, families, rounds))[0]
    assert list(HIDDEN)[int(found.argmax())] == truth
    assert found.max() > 0.8


def test_laws_of_variables_with_hidden_causes_are_counted_by_what_was_set():
    doubts = Doubts.parse("A -> B -> Y; A ?<-> Y; B ?<-> Y", reward="Y", success="1")
    families = families_of(doubts.candidates, Problem(doubts, at_most=2).actions)
    both = next(k for k, row in enumerate(doubts.there) if row.all())
    used = [families.families[f] for f in np.flatnonzero(families.scored[both])]
    shown = {(f.name, f.parents, tuple(sorted(f.not_set)), tuple(sorted(f.all_set))) for f in used}
    assert shown == {
        ("A", (), ("A", "B", "Y"), ()),
        ("B", ("A",), ("A", "B", "Y"), ()),
        ("Y", ("A", "B"), ("A", "B", "Y"), ()),
        ("B", ("A",), ("B", "Y"), ("A",)),
        ("Y", ("A", "B"), ("B", "Y"), ("A",)),
        ("A", (), ("A", "Y"), ("B",)),
        ("Y", ("A", "B"), ("A", "Y"), ("B",)),
        ("Y", ("B",), ("Y",), ("A", "B")),
    }
