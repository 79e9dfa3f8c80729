"""The belief over all graphs that an order in time leaves: against the list where both are possible, and beyond it."""

import itertools

import numpy as np
import pytest

from bestdo import Doubts, Graph, Problem, Study, check
from bestdo.bandit.rounds import Plan
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.graph_belief import GraphBelief
from bestdo.learners.beliefs.graph_scores import graph_weights
from bestdo.learners.beliefs.graph_weighing import weighing_of
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.learners.beliefs.parent_set_belief import ParentSetBelief
from bestdo.learners.causal_top_two import CausalTopTwo, believed
from bestdo.research.figures.doubt import doubtful_world
from bestdo.simulate import Prior, World, play
from bestdo.statistics.candidate_tables import CandidateTables
from bestdo.testing import check_learner
from support import random_model


def in_order(count, values=None, chance="", sure=()):
    """Doubts where nothing is known but an order of so many variables, the reward the last."""
    names = [*(f"V{i}" for i in range(count - 1)), "Y"]
    arrows = [f"{a} {'->' if (a, b) in sure else f'?{chance}->'} {b}" for a, b in itertools.combinations(names, 2)]
    return Doubts.parse("; ".join(arrows), reward="Y", success="1", values=values)


def both_ways(**arguments):
    """The same problem of five variables with its graphs listed, and not."""
    doubts = in_order(5, values={"V1": ("0", "1", "2")}, chance="0.3", sure={("V0", "V1")})
    return Problem(doubts, **arguments), Problem(Doubts(doubts.sure, doubts.arrows, (), ()), **arguments)


def played(problem, candidate, each, lanes=1, seed=0):
    rng = np.random.default_rng(seed)
    own = problem.given(candidate)
    plan = Plan(np.full((lanes, len(problem.actions)), each))
    return World(own, random_model(rng, own.graph)).rounds(plan, rng), plan.counts.astype(float)


def test_arrows_means_and_what_was_not_seen_are_as_by_the_list():
    listed, free = both_ways(set=["V0", "V1", "V3"], at_most=2)
    rounds, times = played(listed, 100, 2, lanes=2)
    one, other = CandidateTables(listed), CandidateTables(free)
    by_list = graph_weights(one.families, listed.doubts.prior, one.tally(rounds, 2).weight) @ listed.doubts.there
    np.testing.assert_allclose(weighing_of(free).arrows(other.tally(rounds, 2).weight), by_list, atol=1e-9)
    assert listed.doubts.possible == free.doubts.possible
    np.testing.assert_allclose(free.doubts.before, listed.doubts.before)
    known, belief = GraphBelief(listed), ParentSetBelief(free)
    seen, own = known.statistic.tally(rounds, 2), belief.statistic.tally(rounds, 2)
    # candidates and sets less likely than one in a million are left out of averages: 512 candidates
    np.testing.assert_allclose(belief.mean(own, times), known.mean(seen, times), atol=1e-4)


def test_an_average_of_tables_is_the_average_over_all_graphs():
    """By brute force over 64 graphs with any tables, also such as sum to less than one."""
    problem = Problem(Doubts(in_order(4).sure, in_order(4).arrows, (), ()))
    belief, rng = ParentSetBelief(problem), np.random.default_rng(0)
    tables = rng.random((1, belief.statistic.own.cells.total))
    weights = np.concatenate([rng.dirichlet(np.ones(own.stop - own.start)) for own in belief._sets.slices.values()])
    expected = 0.0
    for of in itertools.product(*(range(own.start, own.stop) for own in belief._sets.slices.values())):
        layout = belief._layout_of(np.array([of]))
        expected = expected + weights[list(of)].prod() * belief._sets.means_of(tables[:, layout.maps[0][0]])
    np.testing.assert_allclose(belief._averaged(tables, weights[None]), expected, atol=1e-9)


def test_draws_have_the_means_and_spreads_of_those_by_the_list():
    listed, free = both_ways()
    rounds, _ = played(listed, 7, 3)
    one, other = GraphBelief(listed), ParentSetBelief(free)
    a = one.draw(one.statistic.tally(rounds, 1), 0, 4000, np.random.default_rng(1))
    b = other.draw(other.statistic.tally(rounds, 1), 0, 4000, np.random.default_rng(2))
    error = np.sqrt((a.var(axis=0) + b.var(axis=0)) / 4000)
    assert (abs(a.mean(axis=0) - b.mean(axis=0)) < 4 * error).all()  # 4 sigma, 11 actions
    np.testing.assert_allclose(a.std(axis=0), b.std(axis=0), rtol=0.1)  # the standard error is 1 to 2 %


def test_what_rounds_tell_is_as_by_the_list():
    listed, free = both_ways()
    rounds, times = played(listed, 7, 3)
    found = []
    for belief in (GraphBelief(listed), ParentSetBelief(free)):
        tally = belief.statistic.tally(rounds, 1).lanes(np.zeros(400, np.int64))
        told = belief.information_gain(tally, np.repeat(times, 400, axis=0), Question(8), np.random.default_rng(3))
        found.append((told.mean(axis=0), told.std(axis=0) / 20))
    (a, error_a), (b, error_b) = found
    assert (abs(a - b) < 4 * np.hypot(error_a, error_b)).all()  # 4 sigma, 11 actions


def test_ten_variables_in_an_order_are_averaged_over():
    problem = Problem(in_order(10))
    assert problem.doubts.count == 2**45
    belief = believed(problem)
    assert isinstance(belief, MissingParentsBelief)
    assert isinstance(belief.whole, ParentSetBelief)
    small = Problem(in_order(6, chance="0.4"), set=["V0", "V4"])
    with pytest.raises(NotValid, match=r"32,768 graphs that are possible are not listed"):
        small.given(0)
    worlds = Prior.of(small).worlds(3, np.random.default_rng(0))
    assert worlds.lanes == 3


@pytest.mark.campaign
def test_the_learner_keeps_the_contract():
    problem = Problem(in_order(6, chance="0.4"), set=["V0", "V4"])
    world = World(problem, random_model(np.random.default_rng(0), problem.graph), mistaken=True)
    check_learner(CausalTopTwo(), world, 12, 3)


@pytest.mark.campaign
def test_an_order_alone_is_better_than_no_graph():
    """On the twenty worlds of the figure `doubt`, with 2 and 5 rounds for each action; the numbers are printed."""
    regret = {}
    for i in range(20):
        drawn = doubtful_world(i)
        true, model = drawn.true, drawn.world.model
        bare = Graph.of(list(true.variables), [], reward="Y", success="1")
        doubts = Doubts.of(bare, [(a, "?->", b) for a, b in itertools.combinations(true.names, 2)])
        for label, problem, learner in (
            ("order", Problem(doubts), "causal-top-two"),
            ("true graph", Problem(true), "causal-top-two"),
            ("no graph", Problem(true, all_compete=True), "top-two"),
        ):
            world = World(problem, model, mistaken=True)
            for each in (2, 5):
                found = play(world, learner, each * len(problem.actions), lanes=10, seed=1, progress=False)
                regret.setdefault((label, each), []).append(found)
    error = {key: np.sqrt(np.var(found, axis=1, ddof=1).sum() / 10) / 20 for key, found in regret.items()}
    for key, found in regret.items():
        print(*key, f"{np.mean(found):.4f} ± {error[key]:.4f}")  # noqa: T201  # the numbers of docs/explanation/doubts.md
    for each in (2, 5):
        apart = np.mean(regret["no graph", each]) - np.mean(regret["order", each])
        assert apart > 3 * np.hypot(error["no graph", each], error["order", each])  # 3 sigma


def test_check_rules_out_no_action_that_competes_in_one_of_the_graphs():
    """With all arrows there every action on a variable before the reward can be the best; after it none but one can."""
    doubts = Doubts.parse(
        "; ".join(f"{a} ?-> {b}" for a, b in itertools.combinations(["A", "B", "C", "D", "Y", "Z"], 2)),
        reward="Y",
        success="1",
    )
    problem = Problem(doubts)
    found = check(problem)
    names = [str(action) for action, can in zip(problem.actions, problem.contenders, strict=True) if can]
    assert all(f"do({n}={v})" in names for n in "ABCD" for v in "01")
    changes = {str(each.doubt): each.changes for each in found.doubts.arrows}
    assert found.doubts.graphs == 2**15
    assert {changes[f"{n} ?-> Z"] for n in "ABCDY"} == {"nothing"}
    assert {changes[key] for key in changes if not key.endswith("Z")} == {"rounds"}


def test_a_study_of_six_variables_in_an_order_shows_its_arrows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    problem = Problem(in_order(6))
    study = Study.create(problem, rounds=20, name="order")
    rng = np.random.default_rng(0)
    for _ in range(3):
        ticket = study.ask()
        study.tell(ticket, {n: str(rng.integers(2)) for n in problem.graph.names if n not in ticket.action})
    arrows = study.arrows()
    assert len(arrows) == 15
    assert all(0 < arrow.now < 1 for arrow in arrows)
    found = study.settling()  # with an order data alone can settle all: no two graphs are Markov equivalent
    assert (found.candidates, found.classes, found.watching, found.setting) == (2**15, 2**15, 0.0, ())
    assert 14.5 < found.doubt <= 15  # bits; each arrow had 1 before the first round
    study.best()


def test_what_cannot_be_averaged_is_refused():
    with pytest.raises(TooLarge, match=r"55 doubtful arrows leave tables of 177,146 cells.* leave out 3 of them"):
        in_order(11)
    with pytest.raises(TooLarge, match="seen first"):
        Problem(in_order(6), set=["V3"], first=["V0"])
