"""Watch, then act: as good as Algorithm 1 where that is at home, and not fooled where it is not."""

from dataclasses import replace

import numpy as np
import pytest

from bestdo import Actions, do
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.causal.identify import identify
from bestdo.learners import learner
from bestdo.learners.watch_then_act import WatchThenAct
from bestdo.research.worlds.confounded_worlds import bow, front_door, instrument, napkin
from bestdo.simulate import World, chain, confounded, final, paper_parallel, parallel, play
from bestdo.statistics.formula_counts import Joint
from bestdo.testing import check_learner

WORLDS = [bow, instrument, front_door, napkin]
LANES = 600


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("horizon", [1, 2, 5, 60])
def test_it_keeps_the_contract_with_hidden_causes(world, horizon):
    check_learner(learner("watch-then-act"), world(), horizon=horizon, lanes=4)


@pytest.mark.parametrize("world", [*WORLDS, lambda: confounded([0.1] * 3, [0.4] * 3), lambda: chain(4, 0.8, 0.3)])
def test_it_keeps_the_contract_with_costs_and_two_variables_at_once(world):
    made = world()
    actions = Actions.up_to(made.problem.graph, size=2)
    cost = tuple(1.0 + 4 * len(a) for a in actions)
    problem = replace(made.problem, actions=actions, cost=cost, law=None)
    check_learner(learner("watch-then-act"), World(problem, made.model), horizon=150, lanes=3)


@pytest.mark.parametrize(("m", "half"), [(2, False), (6, True), (16, True)])
def test_on_the_papers_graph_it_is_at_least_as_good_as_algorithm_1(m, half):
    # 3 sigma; from m = 6 on it has half of the regret. It fails where the worse half is kept
    world = paper_parallel(20, m, 0.3)
    mine, one = (play(world, name, 160, LANES, seed=0) for name in ("watch-then-act", "algorithm-1"))
    error = np.sqrt((mine.var() + one.var()) / LANES)
    assert mine.mean() <= one.mean() + 3 * error
    assert not half or mine.mean() <= one.mean() / 2 + 3 * error


@pytest.mark.parametrize("world", WORLDS)
def test_it_finds_the_best_action_though_seeing_misleads(world):
    made = world()
    graph, actions = made.problem.graph, made.problem.actions
    looks = []  # P(success | what the action sets, seen), in the truth
    for action in actions:
        joint = made.model.distribution([*action, "Y"])
        there = joint[tuple(graph.variable(n).code(v) for n, v in action.items())]
        looks.append(there[1] / there.sum())
    best = int(made.means.argmax())
    assert int(np.argmax(looks)) != best
    state = final(made, WatchThenAct(), 2000, 400, np.random.default_rng(0))
    assert (WatchThenAct().best(state) == best).mean() > 0.98


@pytest.mark.parametrize("world", WORLDS)
def test_watching_counts_just_where_the_graph_says_so(world):
    made = world()
    found = WatchThenAct().estimates(final(made, WatchThenAct(), 400, 100, np.random.default_rng(0)))
    for i, action in enumerate(made.problem.actions):
        if identify(made.problem.graph, action).identifiable and action:
            assert (found.seen[:, i] > found.played[:, i]).mean() > 0.9
        else:
            assert np.array_equal(found.seen[:, i], found.played[:, i])


@pytest.mark.parametrize("world", WORLDS)
def test_what_can_never_be_the_best_is_not_played(world):
    made = world()
    played = final(made, WatchThenAct(), 200, 50, np.random.default_rng(0)).counts.played.sum(axis=0)
    never = {"front_door": [do(X=v) for v in "abcdef"], "napkin": [do(W="0"), do(W="1"), do(R="0"), do(R="1")]}
    assert not played[[made.problem.actions.index(a) for a in never.get(world.__name__, [])]].any()


@pytest.mark.parametrize("horizon", [40, 400])
@pytest.mark.parametrize("world", [*WORLDS, lambda: parallel([0.0, 0.1, 0.5, 0.4])])
def test_its_intervals_hold(world, horizon):
    made = world()
    found = WatchThenAct().estimates(final(made, WatchThenAct(), horizon, 300, np.random.default_rng(0)))
    inside = (found.low <= made.means) & (made.means <= found.high)
    assert inside.mean() > 0.92


def test_dear_actions_are_played_less_and_watching_more():
    made = front_door()
    dear = replace(made.problem, cost=tuple(20.0 if a else 1.0 for a in made.problem.actions))
    state = final(World(dear, made.model), WatchThenAct(), 1000, 50, np.random.default_rng(0))
    watching = made.problem.actions.index(do())
    assert (state.counts.played[:, watching] > 600).all()
    assert (dear.price(state.counts.played.astype(int)) <= 1000).all()
    # by far more than 5 sigma: what one who must play everything gets for the same money
    mine, rejects = (
        play(World(dear, made.model), n, budget=500, lanes=200).mean() for n in ("watch-then-act", "successive-rejects")
    )
    assert mine < rejects / 10


def test_old_rounds_are_watching_that_need_not_be_repeated():
    made = front_door()
    watching = made.problem.actions.index(do())
    counts = np.zeros((1, len(made.problem.actions)), int)
    mine, rng = WatchThenAct(), np.random.default_rng(0)
    start = mine.start(made.problem, 100, 1, rng)
    assert mine.ask(start, Request(), rng).counts[0, watching] == 25
    for old, first in ((20, 10), (500, 0)):
        counts[:, watching] = old
        sums = Joint(made.problem).tally(made.rounds(Plan(counts), rng), 1)
        state = mine.tell(start, Plan(0 * counts), sums)
        assert state.worth.any()
        plan = mine.ask(state, Request(), rng).counts[0]
        assert plan[watching] == first if first else plan.sum() > plan[watching]


def test_the_intervals_that_people_are_shown_drop_no_action(monkeypatch):
    """Contenders and plays are the same, whatever intervals `estimates` has."""

    def played():
        states = [final(world(), WatchThenAct(), 400, 20, np.random.default_rng(0)) for world in (napkin, front_door)]
        return [(state.alive.tolist(), state.counts.played.tolist()) for state in states]

    usual, shown = played(), WatchThenAct.estimates

    def longer(self, state):
        found = shown(self, state)
        return found._replace(low=found.low - 1, high=found.high + found.mean)

    monkeypatch.setattr(WatchThenAct, "estimates", longer)
    assert played() == usual
