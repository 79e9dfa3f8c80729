"""A hidden cause of the reward in doubt: estimates are those of the mixture of both graphs, and no round counts twice."""

import numpy as np
import pytest

from bestdo import Doubts, Graph, Limit, Problem
from bestdo.bandit.rounds import Plan
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.learners.beliefs.graph_belief import GraphBelief
from bestdo.learners.beliefs.limit_belief import LimitBeliefs
from bestdo.learners.causal_top_two import believed
from bestdo.simulate import Prior

COUNTS = np.array([[200, 3, 3, 3, 3]])  # of do(), and of setting X and Z


def rounds_for(problem, missing):
    """The same rounds of a world without a hidden cause, in the columns of a problem; Z is missing in a share of them."""
    known = Problem(Graph.parse("X -> Y; Z -> Y", reward="Y", success="1"))
    rng = np.random.default_rng(0)
    found = Prior.of(known).worlds(1, rng).rounds(Plan(COUNTS), rng)
    place = [known.graph.names.index(n) if n in known.graph.names else -1 for n in problem.graph.names]
    x = np.where(np.array(place) >= 0, found.x[:, place], -1).astype(found.x.dtype)
    x[np.random.default_rng(1).random(len(x)) < missing, problem.graph.names.index("Z")] = -1
    return found._replace(x=x)


def estimated(mark, missing):
    """The estimates after these rounds, where Z and Y may share a cause: with this mark, and not at all without one."""
    text = "X -> Y; Z -> Y" + (f"; Z {mark} Y" if mark else "")
    graph = Doubts.parse(text, "Y", "1") if "?" in mark else Graph.parse(text, "Y", "1")
    problem = Problem(graph)
    belief = believed(problem, 200)
    tally = belief.statistic.tally(rounds_for(problem, missing), 1)
    return belief.estimates(tally, COUNTS.astype(float)), belief, tally


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_in_the_limits_estimates_are_those_of_either_graph(missing):
    """Of 1,000 draws the ends of an interval are known to about a tenth of its width."""
    absent, present = estimated("", missing)[0], estimated("<->", missing)[0]
    for mark, known in (("?0.000000001<->", absent), ("?0.999999999<->", present)):
        found = estimated(mark, missing)[0]
        np.testing.assert_allclose(found.mean, known.mean, atol=0.005)
        width = known.high - known.low
        # with few plays a sure hidden cause has an interval without any prior: that of a prior worth a round is narrower
        many = known.seen > 20
        assert (abs(found.low - known.low) < 0.12 * width)[many].all()
        assert (abs(found.high - known.high) < 0.12 * width)[many].all()
        np.testing.assert_allclose(found.seen, known.seen, rtol=0.1, atol=2)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_no_interval_is_narrower_than_in_both_graphs_and_nothing_is_seen_more_often(missing):
    absent, present, found = (estimated(mark, missing)[0] for mark in ("", "<->", "?0.3<->"))
    narrower = np.minimum(absent.high - absent.low, present.high - present.low)
    assert (found.high - found.low > 0.93 * narrower).all()  # 1,000 draws; counted twice it was 0.71 of it
    assert (found.seen < 1.07 * np.maximum(absent.seen, present.seen) + 1).all()


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_spread_is_that_of_a_mixture(missing):
    """The law of total variance, with the means and variances of both graphs by draws; 5 sigma of 20,000 draws."""
    _, belief, tally = estimated("?0.6<->", missing)
    _, without, own = estimated("", missing)
    drawn = belief.drawn(tally, COUNTS.astype(float), 0, 20000)
    by_tables = without.drawn(own, COUNTS.astype(float), 0, 20000)
    whole = belief.statistic.apart(tally)[0]
    seen = belief.whole.beside.seen(whole)
    by_counts = belief.whole.beside.counting.drawn(seen, COUNTS.astype(float), 0, 20000)
    hidden = float(belief.whole.by_counts(whole)[0, 0])
    assert 0.1 < hidden < 0.9
    mean = (1 - hidden) * by_tables.mean(axis=0) + hidden * by_counts.mean(axis=0)
    within = (1 - hidden) * by_tables.var(axis=0) + hidden * by_counts.var(axis=0)
    between = hidden * (1 - hidden) * (by_tables.mean(axis=0) - by_counts.mean(axis=0)) ** 2
    error = 5 * np.sqrt((within + between) / 20000)
    assert (abs(drawn.mean(axis=0) - mean) < error * np.sqrt(2)).all()
    np.testing.assert_allclose(drawn.var(axis=0), within + between, rtol=0.1)


def test_a_limit_is_believed_by_all_candidates():
    doubts = Doubts.parse("X -> Y; Z ?-? X; Z -> W; X ?-> W", "Y", "1")
    problem = Problem(doubts, set=["X", "Z"], limits=[Limit("W", "1", at_most=0.5)])
    (evidence,) = LimitBeliefs(problem)._evidence
    assert isinstance(evidence.beliefs[-1].belief.whole, GraphBelief)
    sure = Problem(doubts.graph, set=["X", "Z"], limits=problem.limits)
    assert isinstance(LimitBeliefs(sure)._evidence[0].beliefs[-1].belief.whole, FamilyBelief)
