"""Causal top-two: its posteriors by numerical integration, its gains by enumeration, its money, and what it finds."""

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from bestdo import Actions, Graph, Model, Problem, Variable, do
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.tally import Tally
from bestdo.learners.beliefs.column_belief import ColumnBelief
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.learners.causal_top_two import CausalTopTwo, believed
from bestdo.simulate import World, arms, chain, confounded, final, paper_parallel, parallel, play
from bestdo.simulate.samplers import tally
from bestdo.statistics.seen import Seen
from bestdo.statistics.strata import Strata
from bestdo.testing import check_learner, check_statistic
from support import ROOT


def many_causes():
    """Z causes X1 to X13, which cause Y: too many parents for tables, so a regression."""
    return confounded([0.1] * 6 + [0.4] * 7, [0.3] * 6 + [0.7] * 7)


def nine_causes():
    """The same with fewer causes, of which tables have no room either."""
    return confounded([0.1] * 4 + [0.4] * 5, [0.3] * 4 + [0.7] * 5)


def hidden_cause_of_an_action():
    """Z has to be adjusted for, and a cause of the reward is hidden: counts in strata of Z."""
    graph = Graph.parse("Z -> X; Z -> Y; X -> Y; W -> Y; W <-> Y", reward="Y", success="1")
    return SimpleNamespace(problem=Problem(graph, set=["X"]))


@pytest.mark.parametrize(
    ("world", "belief", "statistic"),
    [
        (lambda: paper_parallel(30, 4, 0.3), ColumnBelief, "ColumnSums"),
        (many_causes, ColumnBelief, "ColumnSums"),
        (nine_causes, ColumnBelief, "ColumnSums"),
        (lambda: parallel([0.5] * 12), ColumnBelief, "ColumnSums"),
        (hidden_cause_of_an_action, CountBelief, "Strata"),
        (
            lambda: replace(parallel([0.5] * 6), problem=replace(parallel([0.5] * 6).problem, law=None)),
            FamilyBelief,
            "Tables",
        ),
        (lambda: parallel([0.5] * 4), FamilyBelief, "States"),
        (lambda: chain(5), FamilyBelief, "States"),
        (lambda: replace(chain(5), problem=replace(chain(5).problem, law=None)), FamilyBelief, "Tables"),
        (lambda: arms([0.2, 0.4]), FamilyBelief, "Tables"),
    ],
)
def test_the_belief_suits_the_problem(world, belief, statistic):
    found = believed(world().problem)
    found = found.whole if isinstance(found, MissingParentsBelief) else found
    assert type(found) is belief
    assert type(getattr(found.statistic, "own", found.statistic)).__name__ == statistic


def test_a_hidden_common_cause_leaves_an_action_to_its_plays():
    graph = Graph.parse("X -> Y; W -> Y; X <-> Y", reward="Y")
    problem = Problem(graph, Actions.single(graph))
    statistic = believed(problem).statistic
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, size=(50, len(graph.names)))
    do_nothing = problem.actions.index(do())
    rounds = Rounds(np.zeros(50, int), np.full(50, do_nothing), x, rng.random(50) < 0.5)
    seen = statistic.tally(rounds, 1).weight[0]
    assert seen[problem.actions.index("do(X=1)")] == 0
    assert seen[problem.actions.index("do(W=1)")] == (x[:, graph.names.index("W")] == 1).sum()


@pytest.mark.parametrize("make", [many_causes, lambda: chain(3, copy=0.8, first=0.3), lambda: parallel([0.1, 0.5])])
def test_strata_add_up(make):
    world = make()
    check_statistic(Strata(world.problem), world)


def test_strata_give_the_true_means_from_rounds_of_any_action():
    """4 sigma: Σ_z P(z) mean(a, z) from 20,000 rounds of each action that shows others; confounded, so seeing misleads."""
    world = many_causes()
    problem, rng = world.problem, np.random.default_rng(1)
    belief = CountBelief(problem, Strata(problem))
    layout = belief.statistic.layout
    assert set(layout.sets) == {("Z",)}
    shows = layout.shows.sum(axis=1) > 1
    assert {str(problem.actions[b]) for b in np.flatnonzero(shows)} == {"do()", "do(Z=0)", "do(Z=1)"}
    for names in (["do()"], ["do()", "do(Z=1)"], ["do()", "do(X1=1)", "do(X13=1)"]):
        counts = np.zeros((1, len(problem.actions)), int)
        counts[0, [problem.actions.index(n) for n in names]] = 20_000
        found = belief.estimates(tally(world, belief.statistic, Plan(counts), rng), counts.astype(float))
        sigma = np.sqrt(found.mean * (1 - found.mean) / found.seen)
        assert (np.abs(found.mean - world.means) < 4 * sigma + 0.004)[0].all()  # and P(z) within 1 / √20,000


def test_seeing_alone_would_mislead_there():
    world = many_causes()
    counts = np.zeros((1, len(world.problem.actions)), int)
    a = world.problem.actions.index("do(X2=1)")
    counts[0, world.problem.actions.index(do())] = 20_000
    rounds = world.rounds(Plan(counts), np.random.default_rng(2))
    x2 = world.problem.graph.names.index("X2")
    assert rounds.y[rounds.x[:, x2] == 1].mean() > world.means[a] + 0.03


def test_the_posterior_of_counts_by_numerical_integration():
    """The joint density on a grid: likelihood of what was counted times the prior, for one action with two strata."""
    world = many_causes()
    belief = CountBelief(world.problem, Strata(world.problem))
    layout = belief.statistic.layout
    rng = np.random.default_rng(3)
    n = rng.integers(0, 6, size=(1, int(layout.first[-1]))).astype(float)
    s = np.floor(n * rng.random(n.shape))
    sums = Tally.from_counts(n, s)
    a = world.problem.actions.index("do(X3=1)")
    cells = slice(layout.start[a], layout.start[a + 1])
    states = slice(layout.first[0], layout.first[1])
    counted = slice(0, layout.start[-1])
    centre = (s[:, counted].sum() + 1) / (n[:, counted].sum() + 2)
    grid = (np.arange(2000) + 0.5) / 2000
    means = []
    for k, c in zip(s[0, cells], n[0, cells], strict=True):
        density = grid ** (k + 8 * centre - 1) * (1 - grid) ** (c - k + 8 * (1 - centre) - 1)
        means.append((grid * density).sum() / density.sum())
    chance = n[0, states] + 0.5
    played = np.zeros((1, len(world.problem.actions)))
    assert belief.mean(sums, played)[0, a] == pytest.approx(chance / chance.sum() @ means, abs=1e-5)


def test_gains_by_enumeration_of_one_more_round():
    """One more play of the leader: the variance before, less its expectation after, with the prior's centre kept."""
    problem = parallel([0.4, 0.5, 0.5]).problem
    belief = CountBelief(problem, Seen(problem))
    watch = problem.actions.index(do())
    n = np.array([[12.0, 10.0, 9.0, 8.0, 10.0, 11.0, 18.0]])
    s = np.array([[6.0, 4.0, 5.0, 7.0, 3.0, 6.0, 9.0]])
    played = np.array([[2.0, 0.0, 1.0, 0.0, 1.0, 2.0, 18.0]])
    one, two = 3, 0
    gains = belief.gain(Tally.from_counts(n, s), played, np.array([[one]]), np.array([[two]]))[0]
    strength, centre = 32 * 2 / 28, (s.sum() + 1) / (n.sum() + 2)  # 28 rounds, and m = 2

    def beta(a, more=0.0, won=0.0):
        lost = n[0, a] + more - s[0, a] - won
        return stats.beta(s[0, a] + won + strength * centre, lost + strength * (1 - centre))

    before = beta(one).var() + beta(two).var()
    for a, b in ((one, two), (two, one)):
        p = beta(a).mean()
        after = p * beta(a, 1, 1).var() + (1 - p) * beta(a, 1, 0).var() + beta(b).var()
        assert gains[a] == pytest.approx((before - after) / before)
    often = [(n[0, a] - played[0, a] + 0.5) / (n[0, watch] + 1) for a in (one, two)]
    assert gains[watch] == pytest.approx(often[0] * gains[one] + often[1] * gains[two])
    assert not np.delete(gains, [one, two, watch]).any()


def test_the_pairs_are_those_of_beta_draws():
    """The leaders of 40,000 draws on angles are those of Beta draws, every other one with half the spread: within 0.02."""
    problem = parallel([0.4, 0.5, 0.5]).problem
    belief = CountBelief(problem, Seen(problem))
    n = np.array([[12.0, 10.0, 9.0, 8.0, 10.0, 11.0, 18.0]])
    s = np.array([[6.0, 4.0, 5.0, 7.0, 3.0, 6.0, 9.0]])
    rng = np.random.default_rng(0)
    strength, centre = 32 * 2 / 28, (s.sum() + 1) / (n.sum() + 2)  # 28 rounds, and m = 2: only 8/18 is below 1/2
    good, rounds = s + strength * centre, n + strength
    np.testing.assert_allclose(belief.mean(Tally.from_counts(n, s), np.zeros((1, 7))), good / rounds)
    whole = rng.beta(good, rounds - good, size=(40_000, 7))
    half = np.arcsin(2 * good / rounds - 1) + 0.5 * rng.normal(size=(40_000, 7)) / np.sqrt(rounds + 1)
    leader, challenger = belief.pairs(Tally.from_counts(n, s), np.zeros((1, 7)), 80_000, rng)
    for k, draws in enumerate((whole, half)):
        order = draws.argsort(axis=1)
        for mine, theirs in ((leader[0, k::2], order[:, -1]), (challenger[0, k::2], order[:, -2])):
            shares = [np.bincount(x.reshape(-1), minlength=7) / 40_000 for x in (mine, theirs)]
            np.testing.assert_allclose(*shares, atol=0.02)
    assert (leader != challenger).all()


@pytest.mark.parametrize(
    ("rounds", "unseen", "strength", "part"),
    [
        (404, 50, 32 * 50 / 404, 0.5),  # 8 rounds for each of the 50
        (404, 10, 1.0, 1.01),  # 40 for each of the 10
        (404, 2, 1.0, 1.3),
        (60, 20, 2.0, 1.3),  # fewer rounds than actions
    ],
)
def test_the_prior_is_weak_where_there_are_many_rounds_for_each_hard_action(rounds, unseen, strength, part):
    problem = parallel([0.5] * 50).problem
    n = np.full((1, 101), 50.0)
    n[0, -1], n[0, :unseen] = 100, 0
    played = np.zeros((1, 101))
    n[0, 0] = played[0, 0] = 30  # plays do not make an action one that is seen
    belief = CountBelief(problem, Seen(problem), rounds)
    assert belief._strength(Tally.from_counts(n, n / 2), played)[0, 0] == pytest.approx(strength)
    assert belief._part(Tally.from_counts(n, n / 2), played)[0] == pytest.approx(part)


def priced(world, dear):
    cost = tuple(dear if a else 1.0 for a in world.problem.actions)
    return replace(world, problem=replace(world.problem, cost=cost))


@pytest.mark.parametrize(
    ("dear", "block"),
    [(1.0, 1), (20.0, 5), *(pytest.param(*other, marks=pytest.mark.campaign) for other in ((1.0, 5), (20.0, 1)))],
)
def test_what_looks_best_is_played_itself_now_and_then(dear, block):
    """A tenth of the rounds, or of the money, as far as the last block and the last change of mind allow."""
    world = priced(parallel([0.5] * 4), dear)
    shares = []
    for check in (0.1, 0.0):
        learner = CausalTopTwo(check=check, block=block, law=False)
        state = final(world, learner, 1000, 20, np.random.default_rng(0))
        best = learner.best(state)
        own = state.played[np.arange(20), best] * world.problem.prices[best]
        assert (world.problem.price(state.played) <= 1000).all()
        shares.append(np.median(own) / 1000)
    assert 0.08 < shares[0] < 0.14
    assert shares[1] < 0.05


def test_money_is_never_overspent_and_spent_where_it_tells_most():
    world = priced(parallel([0.1] * 4 + [0.5] * 4), 20.0)
    watching = world.problem.actions.index(do())
    shares = []
    for thrifty in (True, False):
        state = final(world, CausalTopTwo(thrifty=thrifty), 150.5, 50, np.random.default_rng(0))
        spent = world.problem.price(state.played)
        assert (spent <= 150.5).all()
        assert (spent > 149.4).all()  # until nothing can be afforded
        shares.append(state.played[:, watching].mean())
    assert shares[0] > 100 > shares[1]


@pytest.mark.parametrize(
    ("make", "lanes"),
    [(nine_causes, 2), (lambda: chain(4, copy=0.9, first=0.3), 3), (lambda: arms([0.1, 0.5, 0.4]), 3)],
)
def test_every_belief_keeps_the_contract(make, lanes):
    check_learner(CausalTopTwo(block=3), make(), horizon=13, lanes=lanes)
    check_learner(CausalTopTwo(law=False), make(), horizon=9, lanes=2)


def drawn_at_base_rate(base, best):
    """Five fair causes, the first of which is never 1 by itself: success by the base rate, or by another where it is 1."""
    names = [f"X{i + 1}" for i in range(5)]
    graph = Graph.of(map(Variable, [*names, "Y"]), [(n, "Y") for n in names], reward="Y")
    truth = Graph.of(map(Variable, [*names, "Y"]), [("X1", "Y")], reward="Y")
    tables = {n: [0.5, 0.5] for n in names} | {"X1": [1, 0], "Y": [[1 - base, base], [1 - best, best]]}
    return World(Problem(graph, Actions.single(graph)), Model(truth, tables))


@pytest.mark.parametrize(("base", "best"), [(0.8, 0.95), (0.5, 0.8)])
def test_what_was_never_seen_is_not_ruled_out(base, best):
    """T = 220, 60 lanes: 0.005 and 0.000; with rows centred on one half 0.15 at the higher base rate, the worst there is."""
    regret = play(drawn_at_base_rate(base, best), CausalTopTwo(), 220, 60, seed=0)
    assert regret.mean() < 0.2 * (best - base)


def test_the_priors_of_many_strata_are_not_worth_more_than_those_of_few():
    """64 strata: 16 rounds in all for each action that adjusts for them, as for two strata; it was 512."""
    strata = [f"Z{i}" for i in range(6)]
    arrows = [(z, n) for z in strata for n in ("X", "Y")] + [("X", "Y")]
    graph = Graph.of(map(Variable, [*strata, "X", "Y"]), arrows, reward="Y")
    problem = Problem(graph, Actions.single(graph, ["X"]))
    belief = CountBelief(problem, Strata(problem))
    nothing = Tally.zeros(1, int(belief.statistic.layout.first[-1]))
    strength = belief._strength(nothing, np.zeros((1, 3)))
    for a in range(3):
        own = strength[0, belief._cells.start[a] : belief._cells.start[a + 1]]
        assert own.sum() == pytest.approx(min(8.0 * len(own), 16.0))


def test_one_action_is_played():
    world = arms([0.3])
    assert play(world, CausalTopTwo(), 3, 2, seed=0).tolist() == [0, 0]


def test_half_the_regret_of_the_best_other_learner():
    """The paper's world with N = 20, T = 160: 300 simulations each, and the halves are 4 sigma apart."""
    world = paper_parallel(20, 8, 0.3)
    mine = play(world, CausalTopTwo(law=False), 160, 300, seed=0)
    for name in ("algorithm-1", "algorithm-2", "successive-rejects", "sequential-halving"):
        theirs = play(world, name, 160, 2000, seed=1)
        error = np.sqrt(mine.var() / 300 + theirs.var() / 4 / 2000)
        assert mine.mean() + 4 * error < theirs.mean() / 2 + 4 * error
        assert mine.mean() < theirs.mean() / 2
    several, one = (play(world, CausalTopTwo(law=False, seen=True, pairs=pairs), 160, 300, seed=0) for pairs in (8, 1))
    assert one.mean() > several.mean()  # of counts: one pair alone does not see what watching is worth


def test_the_confounded_graph_is_solved_from_the_graph_alone():
    """At T = 100 one of the best 7 of 29 actions is kept in all of 40 simulations (200 of 200); without the graph in 0.45."""
    world = many_causes()
    regret = play(world, CausalTopTwo(law=False), 100, 40, seed=0)
    assert (regret < 1e-9).mean() > 0.8
    rival = play(world, "successive-rejects", 100, 400, seed=0)
    assert (rival < 1e-9).mean() < 0.8 - 3 * 0.063  # sigma of 40 simulations at 0.8


def test_the_rounds_of_one_value_count_wherever_it_is_set():
    """In a chain X -> M -> Y with a wide M, do(X) shows M: its rounds count for do(M)."""
    variables = [Variable("X"), Variable("M", tuple("abc")), Variable("Y")]
    graph = Graph.of(variables, [("X", "M"), ("M", "Y")], reward="Y")
    tables = {"X": [0.5, 0.5], "M": [[0.2, 0.3, 0.5]] * 2, "Y": [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]}
    world = World(Problem(graph, Actions.single(graph)), Model(graph, tables))
    layout = Strata(world.problem).layout
    index = world.problem.actions.index
    assert layout.shows[index("do(X=1)"), index("do(M=a)")]
    assert not layout.shows[index("do(X=1)"), index("do(X=0)")]
    assert not layout.shows[index("do(M=a)"), index("do(X=1)")]


def test_the_set_up_for_400_variables_takes_less_than_two_seconds():
    """Of processor time; 0.2 s are enough. It took 138 s when a graph was built for every pair of actions."""
    problem = replace(parallel([0.4] * 400).problem, law=None)
    start = time.process_time()
    CausalTopTwo().start(problem, 1000, 1, np.random.default_rng(0))
    assert time.process_time() - start < 2


@pytest.mark.parametrize("learner", [None, "causal-top-two"])
def test_tables_of_a_hidden_parent_are_no_hindrance(tmp_path, learner):
    """Its law is known and says nothing about rounds, in which the parent is not seen: the study was refused."""
    from bestdo import Study

    study = Study.create(ROOT / "examples" / "ads.toml", 50, learner=learner, storage=f"sqlite:///{tmp_path}/ads.db")
    (asked,) = study.ask()
    graph = study.problem.graph
    study.tell(asked.number, {**{v: graph.variable(v).values[0] for v in graph.observed}, **asked.action})
    assert study.best().left == 49
