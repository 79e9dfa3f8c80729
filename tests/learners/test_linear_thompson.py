"""Linear Thompson sampling: the fit against a regression on rows, the spread of its draws, and what it cannot learn."""

import numpy as np
import pytest

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.number import Number
from bestdo.learners import learner
from bestdo.learners.game import game_of
from bestdo.learners.linear_thompson import LinearThompson
from bestdo.learners.unfolding import unfolded
from bestdo.simulate.play import play
from bestdo.simulate.world import World


def shop(interaction=0.0):
    """Two variables are seen first, X is set; with an interaction the effect of X depends on both at once."""
    variables = [Variable("C", ("a", "b", "c")), Variable("D"), Variable("X"), Variable("Y")]
    graph = Graph.of(variables, [("C", "Y"), ("D", "Y"), ("X", "Y")], reward="Y")
    c, d, x = np.ogrid[:3, :2, :2]
    main = 0.3 + 0.1 * c + 0.2 * x * (c == 1) - 0.2 * x * (c == 0)
    chance = np.where(interaction, 0.5 + interaction * np.where((c % 2) ^ d, x - 0.5, 0.5 - x), main + 0 * d)
    order = [("C", "D", "X").index(p) for p in graph.parents["Y"]]
    tables = {"C": [0.3, 0.3, 0.4], "D": [0.5, 0.5], "X": [0.5, 0.5]}
    model = Model(graph, {**tables, "Y": np.stack([1 - chance, chance], axis=-1).transpose(*order, 3)})
    return World(Problem(graph, Actions.single(graph, ["X"]), first=("C", "D")), model)


def told(seed=0):
    """A learner by context and its inner state, with random counts of every pair."""
    problem = shop().problem
    made = game_of(learner("linear-thompson"), problem).chooser
    rng = np.random.default_rng(seed)
    n = rng.integers(0, 9, (1, 18)).astype(float)
    s = rng.binomial(n.astype(int), 0.4).astype(float)
    state = made.start(unfolded(problem), 500, 1, rng)
    return made, made.tell(state, Plan(n.astype(int)), Tally.from_counts(n, s)), n[0], s[0]


def rows(n, s, action):
    """One row of features and the reward for each round of an action."""
    x, y = [], []
    for pair in range(action, 18, 3):
        c, d = divmod(pair // 3, 2)
        for k in range(int(n[pair])):
            x.append([1, *np.eye(3)[c], *np.eye(2)[d]])
            y.append(float(k < s[pair]))
    return np.array(x), np.array(y)


def test_the_fit_is_the_ridge_regression_of_each_action_by_itself():
    made, state, n, s = told()
    for action in range(3):
        x, y = rows(n, s, action)
        b = np.eye(6) + x.T @ x
        fit = np.linalg.solve(b, x.T @ (y - 0.5))
        for pair in range(action, 18, 3):
            feature = np.array([1, *np.eye(3)[pair // 6], *np.eye(2)[pair // 3 % 2]])
            assert made.means(state)[0, pair] == pytest.approx(0.5 + feature @ fit)
            spread = 0.5 * np.sqrt(feature @ np.linalg.solve(b, feature))
            drawn = made.draws(state, 0, 4000)[:, pair]  # 5 standard errors; with v² for v they are 5.6 away and more
            assert drawn.std() == pytest.approx(spread, rel=5 / np.sqrt(2 * 4000))
            assert drawn.mean() == pytest.approx(0.5 + feature @ fit, abs=5 * spread / np.sqrt(4000))


def test_main_effects_are_learned_and_interactions_are_not():
    """40 lanes; where only the interaction matters, its rule keeps a quarter of the regret of always guessing or more."""
    assert play(shop(), "linear-thompson", 300, lanes=40, seed=1).mean() < 0.03
    assert play(shop(0.4), "linear-thompson", 200, lanes=20, seed=1).mean() > 0.05
    assert play(shop(0.4), "thompson", 200, lanes=20, seed=1).mean() < 0.03


def test_without_contexts_there_is_one_coefficient_for_each_action():
    made = LinearThompson()
    state = made.start(unfolded(shop().problem), 10, 1, np.random.default_rng(0))
    n, s = np.full((1, 18), 3.0), np.full((1, 18), 2.0)
    state = made.tell(state, Plan(n.astype(int)), Tally.from_counts(n, s))
    assert made.means(state)[0] == pytest.approx(0.5 + (2 - 1.5) / 4)


def test_without_bounds_the_level_of_the_rewards_does_not_matter():
    """Fails where coefficients shrink towards 0, and where means are said as shares of their range."""
    graph = Graph.of(
        [Variable("X"), Variable("Y", number=Number(spread=2.0))], [("X", "Y")], reward="Y", aim="maximise"
    )
    problem, made = Problem(graph, Actions.single(graph)), LinearThompson()
    n, s = np.array([[9.0, 1.0, 0.0]]), np.array([[4.5, 1.0, 0.0]])
    found = {}
    for level in (0.0, -70.0):
        state = made.start(problem, 20, 1, np.random.default_rng(0))
        state = made.tell(state, Plan(n.astype(int)), Tally.from_counts(n, s + level * n, n + level * s))
        found[level] = made.means(state)[0] - level, made.draws(state, 0, 5) - level
        assert made.estimates(state).mean[0] == pytest.approx(made.means(state)[0])
    # ridge towards the mean of all, 0.55: (4.5 + 0.55) / 10, (1 + 0.55) / 2, and 0.55 where nothing was played
    assert found[0.0][0] == pytest.approx([0.505, 0.775, 0.55])
    for part, moved in zip(found[0.0], found[-70.0], strict=True):
        assert moved == pytest.approx(part)
