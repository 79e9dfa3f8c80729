"""The posterior of graphs: against brute force over all graphs of four variables, and against pgmpy's BDeu score."""

import contextlib
import itertools
import math
import warnings

import numpy as np
import polars as pl
import pytest

import bestdo
from bestdo import Doubts, Graph, Model, Problem, Study, Variable, World
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.causal.number import Number
from bestdo.errors import GraphError, NotValid, TooLarge
from bestdo.learners.beliefs.graph_scores import SAMPLE_SIZE, family_scores, graph_weights, predicted
from bestdo.report.sections.arrows import arrows_in_words
from bestdo.statistics.candidate_tables import CandidateTables, families_of
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
        ("Y", ("B",), ("B", "Y"), ("A",)),
        ("A", (), ("A", "Y"), ("B",)),
        ("Y", ("A", "B"), ("A", "Y"), ("B",)),
        ("Y", ("B",), ("Y",), ("A", "B")),
    }
    for f in np.flatnonzero(
        (families.centre >= 0) & (families.scored[both] > 0)
    ):  # each law under a setting is near the one of rounds that set none
        own, centre = families.families[f], families.families[families.centre[f]]
        assert (own.name, own.parents) == (centre.name, centre.parents)
        assert centre.not_set == {"A", "B", "Y"}
        assert not centre.all_set


def by_urn_beside_a_hidden_cause(rounds):
    """Log of the probability of Y in all rounds of A -> Y; A <-> Y, one after the other; what is watched comes first.

    Pólya's urns of Y for each value of A: those of rounds that set A begin as the others, and what was watched counts in
    them as so many rounds at most, on average over 4, 16 and 64.
    """
    urns = [[SAMPLE_SIZE / 4, SAMPLE_SIZE / 4] for _ in range(2)]
    watched = 0.0
    for a, y in ((a, y) for was_set, a, y in rounds if not was_set):
        watched += math.log(urns[a][y] / sum(urns[a]))
        urns[a][y] += 1
    total = []
    for worth in (4, 16, 64):
        log = 0.0
        near = []
        for urn in urns:
            seen = [n - SAMPLE_SIZE / 4 for n in urn]
            part = worth / (worth + sum(seen))
            near.append([SAMPLE_SIZE / 4 + part * n for n in seen])
        for a, y in ((a, y) for was_set, a, y in rounds if was_set):
            log += math.log(near[a][y] / sum(near[a]))
            near[a][y] += 1
        total.append(log)
    return watched + math.log(sum(math.exp(log) for log in total) / 3)


def test_the_score_of_a_hidden_cause_beside_an_arrow_is_that_of_urns():
    rng = np.random.default_rng(8)
    doubts = Doubts.parse("A -> Y; A ?<-> Y", reward="Y", success="1")
    problem = Problem(doubts)
    statistic = CandidateTables(problem)
    was_set, a, y = rng.integers(0, 3, 60) > 0, rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    x = np.full((60, len(problem.graph.names)), -1)
    x[:, problem.graph.names.index("A")], x[:, problem.graph.names.index("Y")] = a, y
    action = np.where(was_set, [problem.actions.index(f"do(A={v})") for v in a], problem.actions.index("do()"))
    tally = statistic.tally(Rounds(np.zeros(60, np.int64), action, x, y == 1), 1)
    weights = graph_weights(statistic.families, doubts.prior, tally.weight)[0]
    hidden = float(weights @ doubts.there[:, 0])
    plain = 0.0
    urns = [[SAMPLE_SIZE / 4, SAMPLE_SIZE / 4] for _ in range(2)]
    for one, value in zip(a, y, strict=True):
        plain += math.log(urns[one][value] / sum(urns[one]))
        urns[one][value] += 1
    with_it = by_urn_beside_a_hidden_cause(list(zip(was_set, a, y, strict=True)))
    assert hidden == pytest.approx(1 / (1 + math.exp(plain - with_it)), abs=1e-9)


SHAPES = [  # the graph, the pair that may have a hidden common cause, and what can be set
    ("X -> Y", "X", "Y", ["X"]),
    ("W -> X; X -> Y", "X", "Y", ["X", "W"]),
    ("X -> M; M -> Y", "X", "M", ["X", "M"]),
    ("X -> Y; Z -> Y; Z -> X", "X", "Y", ["X", "Z"]),
    ("X -> M; M -> Y; X -> Y", "M", "Y", ["X", "M"]),
]


def said_of_a_hidden_cause(rng, shape, there, each, watched):
    """The probability of a hidden common cause in doubt, after rounds of each action in a random world with it or without."""
    text, a, b, settable = shape
    graph = Graph.parse(text + (f"; {a} <-> {b}" if there else ""), reward="Y", success="1")
    chance = {n: rng.random([2] * len(graph.parents[n])) for n in graph.names}
    world = World(Problem(graph, set=settable), Model(graph, {n: np.stack([1 - c, c], -1) for n, c in chance.items()}))
    problem = Problem(Doubts.parse(f"{text}; {a} ?<-> {b}", reward="Y", success="1"), set=settable)
    plan = np.full((1, len(problem.actions)), each)
    plan[0, problem.actions.index("do()")] += watched
    rounds = world.rounds(Plan(plan), rng)
    place = [graph.names.index(n) if n in graph.names else -1 for n in problem.graph.names]
    x = np.where(np.array(place) >= 0, rounds.x[:, place], -1)
    statistic = CandidateTables(problem)
    tally = statistic.tally(rounds._replace(x=x), 1)
    return float(graph_weights(statistic.families, problem.doubts.prior, tally.weight)[0] @ problem.doubts.there[:, 0])


@pytest.mark.parametrize(("each", "watched"), [(0, 2000), (20, 0), (20, 300), (20, 5000)])
def test_a_hidden_cause_is_not_refuted_by_data_that_cannot_refute_it(each, watched):
    """Half of 250 random worlds have it; a coin's logarithmic score is −0.69 (sigma of ours 0.025 at most).

    It was −1.07 after 20 rounds an action, −1.51 with 300 rows watched before and −1.21 with 20,000.
    """
    rng = np.random.default_rng(1)
    scores = []
    for i in range(250):
        there = bool(rng.integers(2))
        said = said_of_a_hidden_cause(rng, SHAPES[i % len(SHAPES)], there, each, watched)
        scores.append(math.log(said if there else 1 - said))
        if not each:
            assert said == pytest.approx(0.5, abs=1e-9)
    assert np.mean(scores) > -0.75


def test_watching_leaves_a_hidden_cause_open_and_says_so_of_the_answer(tmp_path):
    """A discount that somebody chose by what they knew of the customer, which nobody wrote down.

    20,000 old rows and no round made it improbable (1.4e-08), and a wrong action the best with more than 0.999.
    """
    text = "source -> discount; discount -> basket -> sale; discount {} basket"
    graph = Graph.parse(text.format("<->"), reward="sale", success="1")
    chance = {
        "source": 0.5,
        "discount<->basket": 0.5,
        "basket<->discount": 0.5,
        "discount": lambda u, source: 0.2 + 0.5 * u + 0.1 * source,
        "basket": lambda u, discount: 0.2 + 0.4 * u + 0.05 * discount,
        "sale": lambda basket: 0.05 + 0.1 * basket,
    }
    tables = {}
    for n in graph.names:
        axes = np.indices([2] * len(graph.parents[n]))
        named = {("u" if "<->" in p else p): axes[i] for i, p in enumerate(graph.parents[n])}
        c = chance[n](**named) if callable(chance[n]) else np.array(chance[n])
        tables[n] = np.stack([1 - c, c], -1)
    world = World(Problem(graph, set=["discount"]), Model(graph, tables))
    watching = world.problem.actions.index("do()")
    rows = world.rounds(Plan(np.eye(3, dtype=np.int64)[[watching]] * 20_000), np.random.default_rng(2))
    names = ["source", "discount", "basket", "sale"]
    table = pl.DataFrame({n: rows.x[:, graph.names.index(n)].astype(str) for n in names})
    problem = Problem(Doubts.parse(text.format("?<->"), reward="sale", success="1"), set=["discount"])
    study = Study.create(problem, rounds=60, name="shop", storage=f"sqlite:///{tmp_path}/s.db")
    study.observe(table)
    (arrow,) = study.arrows()
    assert arrow.now == pytest.approx(0.5, abs=1e-6)
    assert study.best().p_best < 0.9
    assert "what was seen so far cannot tell whether basket <-> discount is there" in arrows_in_words(study.arrows())


def test_doubtful_arrows_at_a_number_are_refused_in_words(tmp_path):
    """They stayed at 0.50 for ever. Elsewhere in the graph of a number they are weighed."""
    graph = "x -> m; m -> y; {}"
    for doubt, sure in (("x ?-> y", "x -> y"), ("m ?<-> y", "m <-> y")):
        problem = Problem(Doubts.of(*number_doubts(graph.format(doubt))))
        with pytest.raises(NotValid, match=f"rounds cannot weigh a doubtful arrow at a number yet.*Write {sure}"):
            Study.create(problem, rounds=30, storage=f"sqlite:///{tmp_path}/{sure[0]}.db")
        with pytest.raises(NotValid, match="would stay as probable as you said"):
            bestdo.check(problem)
    elsewhere = Problem(Doubts.of(*number_doubts(graph.format("z -> y; z ?-> x"))), set=["x"])
    assert len(bestdo.check(elsewhere).ways) == 3


def number_doubts(text):
    """The sure graph and the doubtful arrows of a text, with y as a number to make large."""
    parsed = Doubts.parse(text, reward="y", success="1")
    variables = [Variable("y", number=Number()) if v.name == "y" else v for v in parsed.sure.variables]
    arrows = [(p, n) for n, ps in parsed.sure.parents.items() for p in ps]
    return Graph.of(variables, arrows).rewarding("y", aim="maximise"), parsed.arrows
