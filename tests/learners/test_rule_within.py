"""The best rule within limits over everybody, against every rule that there is."""

from itertools import product

import numpy as np
import pytest

from bestdo.learners.rule_within import best_rule, draw_within


def worlds(seed, limits, beliefs=2, contexts=3, actions=4, draws=400):
    """Values, and draws of the excess of each limit by each belief, all times how often contexts occur."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(contexts, 3.0))
    value = rng.normal(0, 1, (contexts, actions))
    excess = []
    for _ in range(limits):
        mean = 0.5 * value + rng.normal(0, 1, (contexts, actions))
        spread = rng.uniform(0.1, 0.6, (contexts, actions))
        drawn = [
            mean + rng.normal(0, 0.2) + spread * rng.normal(size=(draws, contexts, actions)) for _ in range(beliefs)
        ]
        excess.append([each * shares[:, None] for each in drawn])
    return shares[:, None] * value, excess


def chance_of(rule, excess):
    """The probability that a rule keeps all limits, by its definition."""
    chance = 1.0
    for beliefs in excess:
        chance *= min(np.mean(sum(each[:, c, a] for c, a in enumerate(rule)) <= 1e-12) for each in beliefs)
    return chance


@pytest.mark.parametrize("limits", [1, 2])
def test_it_is_nearly_always_the_best_of_all_rules(limits):
    """60 problems of 64 rules: never one that does not keep the limits where one does, and little is lost."""
    lost, missed = [], 0
    for seed in range(60):
        value, excess = worlds(seed, limits)
        can, order = np.ones(value.shape, bool), np.random.default_rng(seed).random(value.shape)
        found = best_rule(value, can, order, excess, 0.9)
        assert found.chance == pytest.approx(chance_of(found.rule, excess))
        rules = list(product(range(4), repeat=3))
        chances = np.array([chance_of(rule, excess) for rule in rules])
        values = np.array([value[np.arange(3), list(rule)].sum() for rule in rules])
        own = value[np.arange(3), found.rule].sum()
        if (chances >= 0.9).any():
            missed += found.chance < 0.9
            if found.chance >= 0.9:
                lost.append(values[chances >= 0.9].max() - own)
        else:
            assert found.chance >= chances.max() - 0.15
        for a in range(4):
            assert found.single[a] == pytest.approx(chance_of((a, a, a), excess))
            changed = (a, *found.rule[1:])
            assert found.swapped[0, a] == pytest.approx(chance_of(changed, excess))
    assert missed <= 1
    assert len(lost) >= 15
    assert np.mean(np.array(lost) < 1e-9) >= 0.8
    assert np.mean(lost) < 0.03


def test_one_context_gives_what_another_takes():
    """A large gain in the first context uses up what the second leaves, which no limit in each context would allow."""
    value = np.array([[0.0, 1.0], [0.0, 0.1]])
    excess = [[np.tile(np.array([[-0.1, 0.15], [-0.3, 0.1]]), (5, 1, 1))]]
    can, order = np.ones((2, 2), bool), np.zeros((2, 2))
    found = best_rule(value, can, order, excess, 0.9)
    assert found.rule.tolist() == [1, 0]
    assert found.chance == 1
    assert found.single.tolist() == [1, 0]
    race = draw_within(value[None], can[None], excess[0][0][:1][None])
    assert race[0].tolist() == [[True, True], [True, False]]


def test_nothing_is_given_up_without_need():
    value, excess = worlds(3, 1)
    free = best_rule(value, np.ones(value.shape, bool), np.zeros(value.shape), [[each - 9 for each in excess[0]]], 0.9)
    assert free.rule.tolist() == value.argmax(axis=1).tolist()
    can = value < np.sort(value, axis=1)[:, -1:]
    assert best_rule(value, can, np.zeros(value.shape), [[excess[0][0] - 9]], 0.9).rule.tolist() == [
        int(np.argsort(row)[-2]) for row in value
    ]


def test_where_no_rule_keeps_the_limits_the_nearest_is_found():
    value, excess = worlds(4, 1)
    worse = [[each + 0.7 for each in excess[0]]]
    found = best_rule(value, np.ones(value.shape, bool), np.zeros(value.shape), worse, 0.9)
    chances = [chance_of(rule, worse) for rule in product(range(4), repeat=3)]
    assert max(chances) < 0.9
    assert found.chance >= max(chances) - 0.05


def test_races_in_many_lanes():
    """In each lane and context some pair is in the race, and what is in it keeps the limit where a rule can."""
    for seed in range(20):
        value, excess = worlds(seed, 2, beliefs=1, draws=8)
        drawn = np.array([beliefs[0] for beliefs in excess])  # float[J, L, C, A]
        lanes = np.broadcast_to(value, (8, *value.shape))
        can = np.random.default_rng(seed).random(lanes.shape) < 0.7
        can[..., 0] = True
        race = draw_within(lanes, can, drawn)
        assert race.any(axis=2).all()
        assert not (race & ~can).any()
