"""The belief over graphs: averages over candidates by brute force, gains by telling graphs apart, missing values."""

import numpy as np
import pytest

from bestdo import Doubts, Graph, Model, Number, Problem, Variable, do
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.learners.beliefs.graph_belief import GraphBelief
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.learners.causal_thompson import CausalThompson
from bestdo.learners.causal_top_two import CausalTopTwo, believed
from bestdo.simulate import Prior, World
from bestdo.testing import check_learner
from support import random_model

TEXTS = {
    "there or not": "A -> B -> Y; A ?-> Y; C ?0.3-> B; C -> Y",
    "direction": "A ?-? B; B -> Y; A ?-> Y; C ?-? Y",
    "beside the reward": "A -> Y; A ?-> D; B ?-> D; B -> Y; D ?-> E",
}


def in_doubt(text, values=None, **arguments):
    return Problem(Doubts.parse(text, reward="Y", success="1", values=values), **arguments)


def played_rounds(problem, candidate, each, seed=0, lanes=1):
    """Rounds of all actions in a world whose graph is one of the candidates, and how often each was played."""
    rng = np.random.default_rng(seed)
    own = problem.given(candidate)
    world = World(own, random_model(rng, own.graph))
    plan = Plan(np.full((lanes, len(problem.actions)), each))
    return world.rounds(plan, rng), plan.counts.astype(float)


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_means_are_averages_of_the_means_in_each_candidate(text):
    problem = in_doubt(text, values={"B": ("0", "1", "2")}, at_most=2)
    rounds, played = played_rounds(problem, 0, 3, lanes=2)
    belief = GraphBelief(problem)
    tally = belief.statistic.tally(rounds, 2)
    weights, expected = belief.weights(tally), 0.0
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    for k in range(len(problem.doubts.candidates)):
        known = FamilyBelief(problem.given(k))
        expected = expected + weights[:, [k]] * known.mean(known.statistic.tally(rounds, 2), played)
    np.testing.assert_allclose(belief.mean(tally, played), expected, atol=1e-6)
    drawn = belief.draw(tally, 1, 4000, np.random.default_rng(1))
    spread = drawn.std(axis=0) / np.sqrt(len(drawn))
    # 5 sigma, and what the mean of main effects is off by (docs/explanation): 0.02 of a cell
    assert (abs(drawn.mean(axis=0) - expected[1]) < 5 * spread + 0.01).all()


def test_candidates_that_differ_where_it_does_not_matter_are_one_class():
    problem = in_doubt(TEXTS["beside the reward"])
    layout = GraphBelief(problem)._layout
    assert len(problem.doubts.candidates) == 8
    assert len(layout.group) == 1
    many = in_doubt("A ?-> Y; B ?-> Y; C ?-> Y; D ?-> Y; A ?-> B; C ?-> D")
    assert len(GraphBelief(many)._layout.passes) == 1  # one circuit for all of them


def test_without_doubt_it_tells_what_the_belief_in_one_graph_tells():
    problem = in_doubt("A -> B -> Y; A ?0.999999999-> Y; C -> Y")
    rounds, played = played_rounds(problem, 0, 4, seed=2)
    belief, known = GraphBelief(problem), FamilyBelief(problem.given(0))
    tally = belief.statistic.tally(rounds, 1)
    assert belief.weights(tally)[0, 0] > 0.99999
    own = known.statistic.tally(rounds, 1)
    found, expected = (
        np.concatenate([one.information_gain(sums, played, Question(8), rng) for _ in range(400)])
        for one, sums, rng in ((belief, tally, np.random.default_rng(3)), (known, own, np.random.default_rng(4)))
    )
    error = np.sqrt((found.var(axis=0) + expected.var(axis=0)) / 400)
    assert (abs(found.mean(axis=0) - expected.mean(axis=0)) < 4 * error + 1e-9).all()  # 4 sigma


def test_setting_is_worth_more_than_watching_where_it_settles_a_direction():
    problem = Problem(Doubts.parse("A -- Y", reward="Y", success="1"), [do(), do(A=0), do(A=1)])
    belief = GraphBelief(problem)
    watched = np.zeros((1, belief._candidates.cells.total + 3))
    families = belief._candidates.families
    for f, family in enumerate(families):  # 40 rounds of do(), in which A and Y mostly agree
        start = belief._candidates.cells.start[f]
        watched[0, start : start + (4 if family.parents else 2)] = [16, 4, 4, 16] if family.parents else [20, 20]
    watched[0, -3:] = [40, 0, 0]
    tally = Tally.from_counts(watched, np.zeros_like(watched))
    np.testing.assert_allclose(belief.weights(tally), 0.5, atol=1e-9)  # watching cannot tell
    told = np.mean(
        [
            belief.information_gain(tally, np.array([[40.0, 0, 0]]), Question(8), np.random.default_rng(i))[0]
            for i in range(50)
        ],
        axis=0,
    )
    assert told[1:].min() > 1.5 * told[0]


def test_chances_of_being_best_sum_to_one_and_intervals_hold_the_mean():
    problem = in_doubt(TEXTS["direction"])
    rounds, played = played_rounds(problem, 1, 5)
    belief = believed(problem)
    assert isinstance(belief, MissingParentsBelief)
    found = belief.estimates(belief.statistic.tally(rounds, 1), played)
    assert found.joint is not None
    assert found.joint.sum() == pytest.approx(1)
    assert ((found.low <= found.mean) & (found.mean <= found.high)).all()


def test_a_round_that_lacks_a_possible_parent_counts_for_its_action_alone():
    problem = in_doubt("A -> Y; B ?-> Y")
    belief = believed(problem)
    rounds, _ = played_rounds(problem, 0, 1)
    rounds.x[:, problem.graph.names.index("B")] = -1
    tally = belief.statistic.tally(rounds, 1)
    whole, alone = belief.statistic.apart(tally)
    set_b = sum("B" in action for action in problem.actions)
    assert alone.weight.sum() > 0
    own = belief.whole.statistic.apart(whole)[0]
    start = belief.whole._candidates.cells.start
    for f, family in enumerate(belief.whole._candidates.families):
        if family.name == "Y":  # both families of Y count the same rounds: those in which B was set
            assert own.weight[0, start[f] : start[f + 1]].sum() == set_b


def test_a_number_with_doubts_elsewhere_is_believed_by_tables_and_doubtful_causes_of_it_by_counts():
    variables = [Variable(n) for n in "ABC"] + [Variable("Y", number=Number(low=0, high=10))]
    sure = Graph.of(variables, [("A", "Y"), ("C", "Y")], reward="Y", aim="maximise")
    by_tables = Problem(Doubts.of(sure, [("B", "?->", "A")]))
    assert isinstance(believed(by_tables), MissingParentsBelief)
    by_counts = Problem(Doubts.of(sure, [("B", "?->", "Y")]))
    assert not believed(by_counts).shares_all


def test_the_contract_of_learners():
    problem = in_doubt(TEXTS["direction"])
    model = random_model(np.random.default_rng(7), problem.given(0).graph)
    check_learner(CausalTopTwo(), World(problem, model, mistaken=True), horizon=9, lanes=2)


def test_the_right_graph_is_found_and_the_best_action_with_it():
    doubts = Doubts.parse("A ?-? Y; B ?-> Y; C -> Y", reward="Y", success="1")
    problem = Problem(doubts)
    truth = Graph.of(doubts.graph.variables, [("A", "Y"), ("C", "Y")], reward="Y", success="1")
    a, c = truth.parents["Y"]
    table = np.array([[[0.8, 0.2], [0.7, 0.3]], [[0.4, 0.6], [0.1, 0.9]]])  # by A and C
    assert (a, c) == ("A", "C")
    half = np.array([0.5, 0.5])
    world = World(problem, Model(truth, {"A": half, "B": half, "C": half, "Y": table}), mistaken=True)
    learner, rng = CausalTopTwo(), np.random.default_rng(0)
    state = learner.start(problem, 120, 8, rng)
    statistic = learner.statistic(problem, 120)
    while (plan := learner.ask(state, Request(), rng)) is not None:
        state = learner.tell(state, plan, statistic.tally(world.rounds(plan, rng), 8))
    belief = believed(problem, 120)
    weights = belief.whole.weights(statistic.apart(state.tally)[0])
    there = weights @ doubts.there
    at = {arrow: i for i, arrow in enumerate(doubts.possible)}
    assert (there[:, at["A", "->", "Y"]] > 0.9).all()
    assert (there[:, at["B", "->", "Y"]] < 0.5).mean() > 0.8
    best = [problem.actions.index(action) for action in (do(A=1), do(C=1))]
    assert np.isin(learner.best(state), best).all()


def test_causal_thompson_draws_graphs_too():
    problem = in_doubt(TEXTS["direction"])
    model = random_model(np.random.default_rng(7), problem.given(0).graph)
    world, learner, rng = World(problem, model, mistaken=True), CausalThompson(), np.random.default_rng(1)
    state, statistic = learner.start(problem, 10, 3, rng), learner.statistic(problem, 10)
    while (plan := learner.ask(state, Request(), rng)) is not None:
        state = learner.tell(state, plan, statistic.tally(world.rounds(plan, rng), 3))
    assert state.played.sum() == 30
    assert isinstance(believed(problem), MissingParentsBelief)


def test_where_a_hidden_cause_is_likely_means_are_those_of_plays():
    problem = in_doubt("A -> Y; A ?<-> Y")
    belief, rng = GraphBelief(problem), np.random.default_rng(0)
    plan = Plan(np.full((1, len(problem.actions)), 30))
    rounds = Prior.of(problem.given(1)).worlds(1, rng).rounds(plan, rng)
    played = plan.counts.astype(float)
    tally = belief.statistic.tally(rounds, 1)
    hidden = float(belief.weights(tally)[0, [k for k in range(2) if k not in belief._candidates.closed]].sum())
    assert 0 < hidden < 1
    known = FamilyBelief(problem.given(int(belief._candidates.closed[0])))
    tables = known.mean(known.statistic.tally(rounds, 1), played)
    counts = belief.beside.counting.mean(belief.beside.seen(tally), played)
    np.testing.assert_allclose(belief.mean(tally, played), (1 - hidden) * tables + hidden * counts, atol=1e-6)
    drawn = belief.draw(tally, 0, 4000, np.random.default_rng(1))
    assert abs(drawn.mean(axis=0) - belief.mean(tally, played)).max() < 0.02
    assert belief.information_gain(tally, played, Question(8), np.random.default_rng(0)).shape == played.shape
    assert belief.draw_by_lane(tally, played, np.random.default_rng(0)).shape == played.shape
    assert np.isclose(belief.estimates(tally, played).joint.sum(), 1)
    with pytest.raises(NotValid, match="in every candidate a hidden variable"):
        GraphBelief(in_doubt("A -> Y; A <-> Y; B ?-> Y"))
