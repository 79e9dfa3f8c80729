"""The belief over all acyclic graphs where not even an order is known: against lists of all of them, and beyond."""

import itertools

import numpy as np
import pytest

from bestdo import Doubts, Limit, Problem, Study, check
from bestdo.bandit.problem import require_graph
from bestdo.bandit.rounds import Plan
from bestdo.causal import dag_kernels
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.graph_belief import GraphBelief
from bestdo.learners.beliefs.graph_scores import family_scores, graph_weights
from bestdo.learners.beliefs.graph_weighing import weighing_of
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.learners.beliefs.unordered_belief import GRAPHS, UnorderedBelief
from bestdo.learners.causal_top_two import CausalTopTwo, believed
from bestdo.report.sections.doubts import doubts_in_words
from bestdo.research.figures.doubt import doubtful_world
from bestdo.simulate import Prior, World, play
from bestdo.statistics.candidate_tables import CandidateTables
from bestdo.statistics.seen import Seen
from bestdo.statistics.set_tables import set_tables
from bestdo.testing import check_learner
from support import random_model


def nothing_known(count, kind="?-?", values=None, sure=""):
    """Doubts of so many variables between any two of which there may be an arrow, in either direction."""
    names = [*(f"V{i}" for i in range(count - 1)), "Y"]
    pairs = [f"{a} {kind} {b}" for a, b in itertools.combinations(names, 2)]
    return Doubts.parse("; ".join([*pairs, sure]), reward="Y", success="1", values=values)


def not_listed(doubts, **arguments):
    return Problem(Doubts(doubts.sure, doubts.arrows, (), ()), **arguments)


def played(problem, each, lanes=1, seed=0):
    """Rounds of all actions of a problem, from a world with its graph."""
    rng = np.random.default_rng(seed)
    plan = Plan(np.full((lanes, len(problem.actions)), each))
    plain = Problem(problem.graph, list(problem.actions))
    return World(plain, random_model(rng, problem.graph)).rounds(plan, rng), plan.counts.astype(float)


def acyclic(count):
    """The parents of each variable, as bits, in all acyclic graphs."""
    free = np.array([[s for s in range(1 << count) if not s >> v & 1] for v in range(count)])
    found = free[np.arange(count), np.indices([1 << count - 1] * count).reshape(count, -1).T]
    done = np.zeros(len(found), np.int64)
    for _ in range(count):
        for v in range(count):
            done |= (found[:, v] & ~done == 0).astype(np.int64) << v
    return found[done == (1 << count) - 1]


@pytest.mark.parametrize(("spread", "banned"), [(0, 0.0), (1, 0.3), (2000, 0.1)])
def test_totals_arrows_and_draws_are_those_of_all_graphs(spread, banned):
    """Of weights of any size: 543 graphs, 20,000 draws, chi-square at most 4 sigma above its mean."""
    rng, graphs = np.random.default_rng(1), acyclic(4)
    assert len(graphs) == 543
    weight = np.where(rng.random((4, 16)) < banned, -np.inf, spread * rng.normal(size=(4, 16)))
    weight[:, 0] = np.where(np.isinf(weight[:, 0]), 0.0, weight[:, 0])
    weight[np.arange(16) >> np.arange(4)[:, None] & 1 == 1] = -np.inf
    logs = weight[np.arange(4), graphs].sum(axis=1)
    total = np.logaddexp.reduce(logs)
    chance, sums = np.exp(logs - total), dag_kernels.DagSums(weight)
    assert sums.log_total == pytest.approx(total, abs=1e-9)
    arrows = [[chance @ (graphs[:, v] >> a & 1) for v in range(4)] for a in range(4)]
    np.testing.assert_allclose(sums.arrows(), arrows, atol=1e-12)
    code = graphs @ 16 ** np.arange(4)
    drawn = np.searchsorted(np.sort(code), sums.draw(20_000, np.random.default_rng(0)) @ 16 ** np.arange(4))
    expected = 20_000 * chance[np.argsort(code)]
    counts = np.bincount(drawn, minlength=543)
    some = expected > 5
    apart = (counts - expected)[some] ** 2 / expected[some]
    assert apart.sum() < some.sum() + 4 * np.sqrt(2 * some.sum())
    assert counts[expected < 1e-9].sum() == 0


def test_arrows_and_means_of_four_variables_are_as_by_the_list():
    """All 543 graphs, interventions and a variable of three values included."""
    doubts = nothing_known(4, values={"V1": ("0", "1", "2")})
    assert doubts.count == 543
    listed, free = Problem(doubts, set=["V0", "V1"]), not_listed(doubts, set=["V0", "V1"])
    assert free.doubts.count == 543
    assert set(free.doubts.possible) == set(doubts.possible)
    at = [doubts.possible.index(arrow) for arrow in free.doubts.possible]
    np.testing.assert_allclose(free.doubts.before, np.array(doubts.before)[at], atol=1e-12)
    rounds, times = played(listed, 4, lanes=2)
    one, other = CandidateTables(listed), CandidateTables(free)
    by_list = graph_weights(one.families, doubts.prior, one.tally(rounds, 2).weight) @ doubts.there
    found = weighing_of(free).arrows(other.tally(rounds, 2).weight)
    np.testing.assert_allclose(found, by_list[:, at], atol=1e-9)
    assert found.std() > 0.05
    known, belief = GraphBelief(listed), UnorderedBelief(free)
    a, b = known.statistic.tally(rounds, 2), belief.statistic.tally(rounds, 2)
    spread = np.sqrt(
        known.weights(a)[0] @ (known.means_by_candidate(a, times) - known.mean(a, times)[0]) ** 2
    )  # float[A], between graphs
    assert (abs(belief.mean(b, times)[0] - known.mean(a, times)[0]) < 4 * spread / np.sqrt(GRAPHS) + 1e-4).all()
    one, two = (each.draw(t, 0, 4000, np.random.default_rng(3)) for each, t in ((known, a), (belief, b)))
    error = np.sqrt((one.var(axis=0) + two.var(axis=0)) / 4000)
    assert (abs(one.mean(axis=0) - two.mean(axis=0)) < 4 * error).all()  # 4 sigma, 6 actions
    np.testing.assert_allclose(one.std(axis=0), two.std(axis=0), rtol=0.1)  # the standard error is 1 to 2 %


def test_what_rounds_tell_is_as_by_the_list():
    doubts = nothing_known(4)
    listed, free = Problem(doubts), not_listed(doubts)
    rounds, times = played(listed, 3)
    found = []
    for belief in (GraphBelief(listed), UnorderedBelief(free)):
        tally = belief.statistic.tally(rounds, 1).lanes(np.zeros(150, np.int64))
        told = belief.information_gain(tally, np.repeat(times, 150, axis=0), Question(8), np.random.default_rng(3))
        found.append((told.mean(axis=0), told.std(axis=0) / np.sqrt(150)))
    (a, error_a), (b, error_b) = found
    assert (abs(a - b) < 4 * np.hypot(error_a, error_b)).all()  # 4 sigma, 7 actions


def test_arrows_of_five_variables_are_those_of_all_29281_graphs():
    problem = Problem(nothing_known(5), set=["V0", "V3"])
    assert problem.doubts.count == 29_281
    rounds, times = played(problem, 6)
    statistic, tables = CandidateTables(problem), set_tables(problem.doubts)
    counts = statistic.tally(rounds, 1).weight
    scores = family_scores(tables.families.cells, tables.counts(counts))[0]
    graphs = acyclic(5)
    logs = scores[tables.number[np.arange(5), graphs]].sum(axis=1)
    chance = np.exp(logs - np.logaddexp.reduce(logs))
    place = {n: i for i, n in enumerate(problem.graph.names)}
    expected = [chance @ (graphs[:, place[b]] >> place[a] & 1) for a, _, b in problem.doubts.possible]
    np.testing.assert_allclose(weighing_of(problem).arrows(counts)[0], expected, atol=1e-9)
    belief = UnorderedBelief(problem)
    tally = belief.statistic.tally(rounds, 1)
    means = belief._sets.means_of(
        belief._rows.means(belief._counts(belief.beside.own(tally)))[0][
            belief._layout_of(tables.number[np.arange(5), graphs]).maps[0]
        ]
    )
    mean = chance @ means
    error = np.sqrt(chance @ (means - mean) ** 2 / GRAPHS)
    assert (
        abs(belief.mean(tally, times)[0] - mean) < 3 * error
    ).all()  # 3 sigma, 5 actions, the same for the same sums


def test_ten_variables_of_which_nothing_is_known_are_averaged_over():
    doubts = nothing_known(10)
    assert doubts.count == 4_175_098_976_430_598_143  # OEIS A003024
    assert doubts.unordered
    assert sum(map(len, doubts.graph.parents.values())) == 45
    belief = believed(Problem(doubts, set=["V0", "V1"]))
    assert isinstance(belief, MissingParentsBelief)
    assert isinstance(belief.whole, UnorderedBelief)


def test_known_arrows_and_an_order_in_part_are_kept():
    """V0 is first, an arrow is known, and the reward is last: no graph drawn is against it."""
    names = [f"V{i}" for i in range(1, 5)]
    text = [f"{a} ?-? {b}" for a, b in itertools.combinations(names, 2) if (a, b) != ("V1", "V2")]
    text += [f"V0 ?0.3-> {n}" for n in names] + [f"{n} ?-> Y" for n in ("V0", *names)]
    doubts = Doubts.parse("; ".join(["V1 -> V2", *text]), reward="Y", success="1")
    problem = Problem(doubts)
    assert doubts.unordered
    worlds = Prior.of(problem).worlds(40, np.random.default_rng(0))
    assert worlds.lanes == 40
    belief = UnorderedBelief(problem)
    tally = belief.statistic.tally(played(problem, 2)[0], 1)
    drawn = belief._drawn_sets(belief.weights(tally), 200, np.random.default_rng(0))[0]
    has = belief._tables.parents[drawn]  # int[D, N]
    at = {n: i for i, n in enumerate(doubts.sure.names)}
    assert (has[:, at["V2"]] >> at["V1"] & 1).all()
    assert not has[:, at["V0"]].any()
    assert not (has >> at["Y"] & 1).any()
    before = dict(zip(doubts.possible, doubts.before, strict=True))
    assert before["V0", "->", "V3"] == pytest.approx(0.3)


def test_check_says_what_holds_and_rules_out_no_possible_best_action():
    doubts = nothing_known(5, sure="Y -> Z")
    problem = Problem(doubts, set=["V0", "V1", "Z"])
    found = check(problem)
    assert found.doubts.graphs == 29_281
    assert set(found.doubts.identified) == {"all"}
    can = {str(a) for a, may in zip(problem.actions, problem.contenders, strict=True) if may}
    assert can == {"do()", "do(V0=0)", "do(V0=1)", "do(V1=0)", "do(V1=1)"}
    assert {str(a) for a in found.never_best} == {"do(Z=0)", "do(Z=1)"}
    assert {each.changes for each in found.doubts.arrows} == {"unknown"}
    assert "averages over 1,000 of these graphs" in doubts_in_words(found)[-1]


def test_a_study_with_nothing_known_finds_the_cause(tmp_path, monkeypatch):
    """V0 causes V1, and this Y, in a chain; V2 and V3 are noise. Directions come from rounds that set something."""
    monkeypatch.chdir(tmp_path)
    problem = Problem(nothing_known(5), set=["V0", "V1", "V2"])
    study, rng = Study.create(problem, rounds=60, name="nothing"), np.random.default_rng(0)
    for _ in range(25):
        ticket = study.ask()
        x = {n: int(rng.random() < 0.5) for n in ("V0", "V2", "V3")} | {n: int(v) for n, v in ticket.action.items()}
        x.setdefault("V1", int(rng.random() < (0.9 if x["V0"] else 0.1)))
        x["Y"] = int(rng.random() < (0.9 if x["V1"] else 0.1))
        study.tell(ticket, {n: str(v) for n, v in x.items() if n not in ticket.action})
    arrows = {str(arrow): arrow for arrow in study.arrows()}
    assert len(arrows) == 20
    assert arrows["V1 -> Y"].now > 0.9
    assert arrows["V1 -> Y"].before == pytest.approx(study.problem.doubts.before[0])
    assert arrows["Y -> V1"].now < 0.05
    assert str(study.best().action) == "do(V1=1)"


def test_what_cannot_be_averaged_is_refused():
    with pytest.raises(TooLarge, match="doubtful arrows"):
        nothing_known(11)
    with pytest.raises(TooLarge, match="seen first"):
        Problem(nothing_known(5), set=["V0"], first=["V1"])
    with pytest.raises(NotValid, match="29,281 that are possible"):
        require_graph(Problem(nothing_known(5)), "somebody")
    with pytest.raises(NotValid, match="29,281 possible graphs"):
        Seen(Problem(nothing_known(5))).require("somebody")
    with pytest.raises(TooLarge, match="29,281 graphs"):
        Problem(nothing_known(5), set=["V0"], limits=[Limit("V1", "1", at_most=0.5)])


@pytest.mark.campaign
def test_the_learner_keeps_the_contract():
    problem = Problem(nothing_known(5), set=["V0", "V3"])
    world = World(problem, random_model(np.random.default_rng(0), problem.graph), mistaken=True)
    check_learner(CausalTopTwo(), world, 12, 3)


@pytest.mark.campaign
def test_an_average_over_all_graphs_is_better_than_no_graph():
    """On the twenty worlds of the figure `doubt`, with 2 rounds for each action; the numbers are printed."""
    regret = {}
    for i in range(20):
        drawn = doubtful_world(i)
        *others, reward = drawn.true.names
        for label, problem, learner in (
            ("nothing known", Problem(Doubts.in_order([[*others, reward]], reward, "1")), "causal-top-two"),
            ("the reward is last", Problem(Doubts.in_order([others, reward], reward, "1")), "causal-top-two"),
            ("true graph", Problem(drawn.true), "causal-top-two"),
            ("no graph", Problem(drawn.true, all_compete=True), "top-two"),
        ):
            world = World(problem, drawn.world.model, mistaken=True)
            lanes = 3 if problem.doubts else 20  # the others take no time
            found = play(world, learner, 2 * len(problem.actions), lanes=lanes, seed=1, progress=False)
            regret.setdefault(label, []).append(found)
    mean = {label: np.mean([one.mean() for one in found]) for label, found in regret.items()}
    error = {label: np.sqrt(sum(one.var(ddof=1) / len(one) for one in found)) / 20 for label, found in regret.items()}
    for label in regret:
        print(label, f"{mean[label]:.4f} ± {error[label]:.4f}")  # noqa: T201  # the numbers of docs/explanation/doubts.md
    for label in ("nothing known", "the reward is last"):
        apart = mean["no graph"] - mean[label]
        assert apart > 3 * np.hypot(error["no graph"], error[label])  # 3 sigma
