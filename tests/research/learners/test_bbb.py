"""BBB against brute force: scores, orders, back-door means and their variance; and that it earns more than Thompson."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

import bestdo
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.learners.beliefs.graph_scores import family_scores, score_changes
from bestdo.research.learners.back_door_prior import back_door_prior
from bestdo.research.learners.bbb import BBB, _quantile
from bestdo.research.learners.order_chains import first_orders, move, set_chances
from bestdo.simulate import World
from bestdo.statistics.all_families import AllFamilies

CAUSES = {"b": ("a",), "c": ("b",), "y": ("a", "c")}


def _world(seed: int = 5) -> World:
    """Four variables: a causes b, b causes c, a and c the reward."""
    sizes = {"a": 2, "b": 3, "c": 2, "y": 2}
    variables = [bestdo.Variable(n, tuple(str(i) for i in range(k))) for n, k in sizes.items()]
    graph = bestdo.Graph(variables, CAUSES, reward="y", success="1")
    rng = np.random.default_rng(seed)
    tables = {
        n: rng.dirichlet(np.full(k, 2.0), size=[sizes[p] for p in graph.parents[n]] or None) for n, k in sizes.items()
    }
    return World(bestdo.Problem(graph, set=["a", "b", "c"]), bestdo.Model(graph, tables))


def _rounds(world: World, each: int, watched: int, seed: int = 0):
    counts = np.full((1, len(world.problem.actions)), each)
    counts[0, [not a for a in world.problem.actions].index(True)] += watched
    return world.rounds(Plan(counts), np.random.default_rng(seed))


def _scores(world: World, each: int, watched: int):
    statistic = AllFamilies(world.problem, 3)
    families, joint, plays = statistic.apart(statistic.tally(_rounds(world, each, watched), 1))
    return statistic.list, families, joint, plays


def test_families_are_counted_over_rounds_that_do_not_set_their_variable() -> None:
    world = _world()
    rounds = _rounds(world, 7, 50)
    found, families, _, _ = _scores(world, 7, 50)
    names, sets = found.names, found.sets
    first = found.families.start.reshape(-1)[:-1].reshape(sets.shape)
    for v, s in [(0, 0), (2, 3), (3, 5), (1, 7)]:
        parents = [n for i, n in enumerate(names) if sets[v, s] >> i & 1]
        free = [r for r in range(len(rounds.action)) if names[v] not in world.problem.actions[rounds.action[r]]]
        place = {n: i for i, n in enumerate(names)}
        graph = world.problem.graph
        for number, state in enumerate(product(*(range(graph.size(n)) for n in [*parents, names[v]]))):
            columns = [place[n] for n in [*parents, names[v]]]
            expected = sum(tuple(rounds.x[r, columns]) == state for r in free)
            assert families.weight[0, first[v, s] + number] == expected


def test_rounds_that_occurred_several_times_count_as_often_and_missing_values_in_no_family() -> None:
    world = _world()
    statistic, rounds = AllFamilies(world.problem, 3), _rounds(world, 3, 40)
    times = np.random.default_rng(1).integers(0, 5, len(rounds.lane))
    often = statistic.tally(rounds._replace(times=times), 1)
    each = statistic.tally(rounds.pick(np.repeat(np.arange(len(times)), times)), 1)
    assert often.weight == pytest.approx(each.weight)
    assert often.reward == pytest.approx(each.reward)
    x = rounds.x.copy()
    b = statistic.list.names.index("b")
    x[:, b] = -1
    families, joint, _ = statistic.apart(statistic.tally(rounds._replace(x=x), 1))
    whole, _, _ = statistic.apart(statistic.tally(rounds, 1))
    with_b = (statistic.list.families.step[b] != 0)[statistic.list.family]
    sets_b = [a for a, action in enumerate(world.problem.actions) if "b" in action]
    assert families.weight[0, ~with_b] == pytest.approx(whole.weight[0, ~with_b])
    only = rounds.pick(np.flatnonzero(np.isin(rounds.action, sets_b)))  # what was set is known
    assert families.weight[0, with_b] == pytest.approx(statistic.tally(only, 1).weight[0, : len(with_b)][with_b])
    assert not joint.weight.any()


def test_old_data_are_a_prior_of_every_action(tmp_path) -> None:
    """200 rows in which b decides the reward: 16 different rows, which count as often as they occurred."""
    rng = np.random.default_rng(0)
    a, c = rng.integers(2, size=(2, 200))
    b = np.where(rng.random(200) < 0.8, a, 1 - a)
    y = (rng.random(200) < 0.2 + 0.6 * b).astype(int)
    table = tmp_path / "old.csv"
    table.write_text("\n".join(["a,b,c,y", *(",".join(map(str, row)) for row in zip(a, b, c, y, strict=True))]))
    problem = bestdo.Problem(bestdo.Graph.parse("a -> y; b -> y; c -> y", reward="y"), set=["a", "b", "c"])
    study = bestdo.Study.create(problem, rounds=30, learner="bbb", storage=f"sqlite:///{tmp_path}/s.db", name="old")
    study.observe(table)
    best = study.best()
    assert str(best.action) == "do(b=1)"
    assert 0.6 < best.mean < 0.8  # less than the share among rows with b = 1: the reward may be what causes b
    assert set(study.estimates().seen.ravel()) == {200}


def test_changes_of_scores_are_differences_of_scores() -> None:
    found, before, _, _ = _scores(_world(), 2, 20)
    _, added, _, _ = _scores(_world(), 1, 0)
    change = score_changes(found, before.weight, added.weight)
    both = family_scores(found.families, before.weight + added.weight)
    assert change == pytest.approx(both - family_scores(found.families, before.weight), abs=1e-9)


def _by_all_orders(sets, scores):
    """The probabilities of sets of parents, by listing all orders."""
    total, found = 0.0, np.zeros(sets.shape)
    for order in permutations(range(len(sets))):
        before, weight, own = 0, 1.0, np.zeros(sets.shape)
        for v in order:
            each = np.where((sets[v] & ~before) == 0, np.exp(scores[v]), 0.0)
            weight, own[v] = weight * each.sum(), each / each.sum()
            before |= 1 << v
        total, found = total + weight, found + weight * own
    return found / total


def _chain_error(proposals: int, wrong: bool = False) -> float:
    """The largest error of a probability by chains, in standard errors over 4,000 chains (at most 1/2 each by itself)."""
    found, families, _, _ = _scores(_world(), 3, 12)
    scores = family_scores(found.families, families.weight).reshape(found.sets.shape)
    scores -= scores.max(axis=1, keepdims=True)
    rng = np.random.default_rng(1)

    def uniform(many: int):
        return rng.random((1, many))

    orders = move(found.sets, scores[None], first_orders(4, 4000, uniform), proposals, uniform, least=0.0)
    chance = set_chances(found.sets, -scores[None] if wrong else scores[None], orders, least=0.0)[0]
    return float(np.abs(chance - _by_all_orders(found.sets, scores)).max() / (0.5 / np.sqrt(4000)))


def test_chains_give_the_probabilities_of_all_orders() -> None:
    """Within 3 standard errors, the largest of 32; orders that never moved, and other weights, fail."""
    assert _chain_error(100) < 3
    assert _chain_error(0) > 3
    assert _chain_error(100, wrong=True) > 3


def test_adjusted_means_and_their_variance() -> None:
    """With many rounds the mean adjusted for the true parents is the truth; its worth is that of simulated estimates."""
    world = _world()
    found, _, joint, plays = _scores(world, 0, 200_000)
    do = [not a for a in world.problem.actions].index(True)
    prior = back_door_prior(found, joint, plays.weight[:, do], plays.reward[:, do])
    place = {n: i for i, n in enumerate(found.names)}
    for action, mean in zip(world.problem.actions, world.means, strict=True):
        for name, value in action.items():
            v = place[name]
            parents = sum(1 << place[p] for p in CAUSES.get(name, ()))
            s = found.sets[v].tolist().index(parents)
            assert prior[v][0][0, int(value), s] == pytest.approx(mean, abs=0.01)
    # the variance over 400 sets of 400 rounds, for c = 1 adjusted for b: a relative standard error of 7 %, 3 of them
    statistic, v, s = AllFamilies(world.problem, 3), place["c"], found.sets[place["c"]].tolist().index(1 << place["b"])
    counts = np.zeros((400, len(world.problem.actions)), np.int64)
    counts[:, do] = 400
    tally = statistic.tally(world.rounds(Plan(counts), np.random.default_rng(2)), 400)
    _, joint, plays = statistic.apart(tally)
    mean, worth = (each[:, 1, s] for each in back_door_prior(found, joint, plays.weight[:, do], plays.reward[:, do])[v])
    expected = float((mean * (1 - mean) / (worth + 1)).mean())
    assert float(mean.var()) == pytest.approx(expected, rel=0.21)
    assert expected < 0.79 * float((mean * (1 - mean)).mean() / (400 * 0.3)) or worth.mean() < 400


def test_it_earns_more_than_thompson_after_watching() -> None:
    """Difference of summed regrets over 25 lanes, 60 rounds after 400 of watching: at least 3 standard errors."""
    world = _world()
    lost = {}
    learners = {
        "bbb": BBB(),
        "draws": BBB("thompson"),
        "ucb": BBB("ucb", c=1.0),
        "thompson": bestdo.learner("thompson"),
    }
    for name, made in learners.items():
        rng = np.random.default_rng(3)
        state = made.start(world.problem, 60, 25, rng)
        watched = np.zeros((25, len(world.problem.actions)), np.int64)
        watched[:, [not a for a in world.problem.actions].index(True)] = 400
        statistic = made.statistic(world.problem, 60)
        old = statistic.tally(world.rounds(Plan(watched), rng), 25)
        state = made.tell(state, Plan(np.zeros_like(watched)), old)
        while (plan := made.ask(state, Request(), rng)) is not None:
            state = made.tell(state, plan, statistic.tally(world.rounds(plan, rng), 25))
        lost[name] = made.estimates(state).played @ (world.means.max() - world.means)
    for name in ("bbb", "draws", "ucb"):
        difference = lost["thompson"] - lost[name]
        assert difference.mean() > 3 * difference.std(ddof=1) / np.sqrt(25)


def test_quantiles_of_mixtures() -> None:
    rng = np.random.default_rng(4)
    weight = rng.dirichlet(np.ones(6), size=(40, 5))
    good, bad = (np.exp(rng.uniform(-1, 6, size=(40, 5, 6))) for _ in range(2))
    p = rng.choice([0.025, 0.5, 0.975, 0.9998], size=(40, 1))
    x = _quantile(weight, good, bad, p)
    below = (weight * stats.beta.cdf(x[..., None], good, bad)).sum(axis=2)
    further = (weight * stats.beta.cdf(x[..., None] + 1e-5, good, bad)).sum(axis=2)
    assert (below - p <= (further - below) + 1e-9).all()
    assert (further >= p).all()
