"""The reasons that learners give for a round are true."""

import re

import numpy as np
import pytest

from bestdo import Actions, Graph, Problem, do
from bestdo.bandit.learner import reason
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.causal.model import Model
from bestdo.learners import learner
from bestdo.learners.action_game import ActionGame
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.known_so_far import Found
from bestdo.learners.thompson import draw_posterior
from bestdo.learners.until_sure import UntilSure
from bestdo.research.learners.npts import drawn_means
from bestdo.simulate import parallel
from bestdo.simulate.samplers import tally
from bestdo.simulate.world import World
from bestdo.statistics.seen import Seen
from bestdo.study.round import reason_of
from support import SINGLE

WORLD = parallel([0.05, 0.3, 0.5])
WATCHING = WORLD.problem.actions.index(do())


def states(made, world=WORLD, horizon=40):
    """Each state in which a learner plans a block, in one lane, and the plan."""
    rng = np.random.default_rng(0)
    statistic, state = made.statistic(world.problem, horizon), made.start(world.problem, horizon, 1, rng)
    while (plan := made.ask(state, Request(), rng)) is not None:
        yield state, plan.counts[0]
        state = made.tell(state, plan, tally(world, statistic, plan, rng))


def whys(made, state, actions, found):
    """Why each action is asked for, in a state of the learner."""
    game = ActionGame(WORLD.problem, made)
    return [reason_of(game, game.around(state), action, {}, False, lambda: found) for action in actions]


def is_watching(said, action, plan):
    teaches = Seen(WORLD.problem).seen_by[WATCHING].sum() - 1
    return action == WATCHING and said == f"watching: this teaches about {teaches} actions at once"


def is_in(alive, said, action, plan):
    """It is one of those that are in, and all of these are played as often, up to rounds that are left over."""
    number = int(re.search(r"one of (\d+) actions", said)[1])
    return alive[action] and number == alive.sum() and np.ptp(plan[alive]) <= 1


def is_rare(state, said, action, plan):
    if action == WATCHING:
        first = state.counts.block == 0
        return not state.rare.any() and said.endswith("rarely seen") != first and said.startswith("watching")
    seen, rounds = map(int, re.search(r"rarely seen, in (\d+) of (\d+) rounds", said).groups())
    weight = state.counts.tally.weight[0] - state.counts.played[0]
    return state.rare[0, action] and seen == weight[action] and rounds == state.counts.tally.weight[0, WATCHING]


def is_infrequent(made, state, said, action, plan):
    if action == WATCHING:
        return said.startswith("watching") and said.endswith("rarely seen") == bool(state.counts.block)
    return said.startswith("rarely seen beside") and state.rare[0, action]


def is_bound(made, state, said, action, plan):
    n = state.tally.weight[0]
    if not n[action]:
        return said == "not played yet: its mean may be anything"
    bound = state.tally.reward[0] / np.maximum(n, 1) + np.sqrt(made.alpha / 2 * np.log(n.sum()) / np.maximum(n, 1))
    return (
        said == "its mean may be the highest: the upper bound is" and n.all() and bound[action] >= bound.max() - 1e-12
    )


def is_pair(state, said, action, plan):
    n, mean = state.tally.weight[0], state.tally.reward[0] / np.maximum(state.tally.weight[0], 1)
    if not n[action]:
        return said.startswith("not played yet")
    return said == "it leads, or is the strongest rival" and plan.sum() <= 2 and mean[plan > 0].max() == mean.max()


def is_contest(made, state, said, action, plan):
    if said.startswith("watching"):
        return state.counts.block == 0 and is_watching(said, action, plan)
    number = int(re.search(r"the (\d+) actions that are not ruled out", said)[1])
    return number == state.alive.sum() and (state.alive[0, action] or action == WATCHING) and state.counts.block > 0


def is_told(made, state, said, action, plan):
    named = "watching tells most" if action == WATCHING else "playing it tells most"
    many = state._replace(tally=state.tally.lanes(np.zeros(50, int)), played=np.repeat(state.played, 50, axis=0))
    told = (
        made._information_gain(many, np.random.default_rng(seed)).argmax(axis=1) for seed in range(40)
    )  # of other pairs
    return said.startswith(named) and any(action in best for best in told)


def is_drawn(state, said, action, plan):
    many = state._replace(tally=state.tally.lanes(np.zeros(2000, int)))
    return "the best in a draw" in said and action in draw_posterior(many, np.random.default_rng(0)).argmax(axis=1)


def is_drawn_by_regression(made, state, said, action, plan):
    words = f"the best in a draw from a regression on all settings and contexts{', or its challenger' * made.top_two}"
    return said == words and action in made.draws(state, 0, 2000).argmax(axis=1)


def is_weighed(state, said, action, plan):
    found = (drawn_means(state, np.random.default_rng(seed))[0] for seed in range(500))
    return "weighed at random" in said and any(means[action] == means.max() for means in found)


TRUE = {
    "uniform": lambda made, state, *rest: is_in(np.ones(7, bool), *rest),
    "watching": lambda made, state, *rest: is_watching(*rest),
    "algorithm-1": lambda made, state, *rest: is_rare(state, *rest),
    "gamma-nb": lambda made, state, *rest: is_rare(state, *rest),
    "srm": is_infrequent,
    "confounded-budgeted": is_infrequent,
    "algorithm-2": lambda made, state, said, action, plan: "planned in advance" in said and state.block == 0,
    "sris": lambda made, state, said, action, plan: (
        f" {state.alive.sum()} actions still in" in said and ("teaches about" in said) == (not state.alive[0, action])
    ),
    "propagating-inference": lambda made, state, said, action, plan: (
        said.startswith("planned") == (state.block >= len(made.schedule(WORLD.problem, 40)))
    ),
    "covering": lambda made, state, said, action, plan: "planned in advance" in said and state.block == 0,
    "algorithm-2-phases": lambda made, state, said, action, plan: f" {state.alive.sum()} actions" in said,
    "successive-rejects": lambda made, state, *rest: is_in(np.isin(np.arange(7), state.alive), *rest),
    "sequential-halving": lambda made, state, *rest: is_in(np.isin(np.arange(7), state.alive), *rest),
    "successive-elimination": lambda made, state, *rest: is_in(state.alive[0], *rest),
    "ucb": is_bound,
    "ucb-plus": lambda made, state, said, action, plan: (
        f" {state.chosen.sum()} actions" in said and bool(state.chosen[0, action])
    ),
    "raps": lambda made, state, said, action, plan: said.startswith("to see what") and state.trying[0] >= 0,
    "kl-ucb": lambda made, state, said, action, plan: said.startswith("not played") == (state.played[0, action] == 0),
    **{
        name: lambda made, state, said, action, plan: "the best in a draw" in said and plan.sum() == 1
        for name in ("c-ts", "causal-thompson", "linear-thompson", "mabuc")
    },
    "crm": lambda made, state, said, action, plan: said.startswith(
        "watching" if action == WATCHING else ("its mean", "neither played nor seen")
    ),
    **{
        name: lambda made, state, said, action, plan: "by linear models" in said or "watched first" in said
        for name in ("blm-lr", "bglm-ofu")
    },
    "wu-side-observations": lambda made, state, said, action, plan: said.startswith(
        ("the best so far", "an action was hardly seen", "the plan of least regret")
    ),
    "lingape": lambda made, state, said, action, plan: (
        said.startswith("not played yet") == (state.tally.weight[0, action] == 0)
    ),
    "corral": lambda made, state, said, action, plan: said.startswith(("UCB was drawn", "C-UCB was drawn")),
    "exp3-ix": lambda made, state, said, action, plan: f"{made.chances(state)[0, action]:.2g}," in said,
    "hac-ucb": lambda made, state, said, action, plan: ("every action" in said) == (not state.counts.block),
    "bbb": lambda made, state, said, action, plan: said.endswith(
        "over all sets of causes is the highest" if state.counts.block else "the same bound for all actions"
    ),
    "c-ucb": lambda made, state, said, action, plan: said.endswith("is the highest") and plan.sum() == 1,
    "thompson": lambda made, state, *rest: is_drawn(state, *rest),
    "top-two": lambda made, state, said, action, plan: "challenger" in said and plan.sum() == 1,
    "regression": is_drawn_by_regression,
    "npts": lambda made, state, *rest: is_weighed(state, *rest),
    "lucb": lambda made, state, *rest: is_pair(state, *rest),
    "ccpe": lambda made, state, said, action, plan: (
        said.startswith("it leads, or") == (action in [int(each[0]) for each in made._pair(state)[:2]])
    ),
    "track-and-stop": lambda made, state, said, action, plan: (
        said.startswith("not played yet") == (state.tally.weight[0, action] == 0)
    ),
    "watch-then-act": is_contest,
    "causal-top-two": is_told,
}


def found(made, state):
    """The estimates in a state, and the action that is recommended in it."""
    return Found(made.estimates(state), int(made.best(state)[0]))


@pytest.mark.parametrize("name", SINGLE)
def test_the_reason_is_true(name):
    made = learner(name)
    check = next((TRUE[key] for key in sorted(TRUE, key=len, reverse=True) if name == key), None)
    check = check or next(TRUE[key] for key in sorted(TRUE, key=len, reverse=True) if name.startswith(key))
    given = 0
    for state, plan in states(made):
        for action in np.flatnonzero(plan):
            said = reason(made, state, int(action))
            assert check(made, state, said, action, plan), (said, action)
            (whole,) = whys(made, state, [WORLD.problem.actions[action]], found(made, state))
            assert whole.startswith(f"{said}; ")
            given += 1
    assert given


class Silent:
    """A learner that gives no reasons."""

    def __init__(self, inner):
        self.best, self.estimates = inner.best, inner.estimates


def test_a_learner_without_reasons_gets_facts_alone():
    made = learner("uniform")
    state, plan = next(states(made))
    sums = tally(WORLD, made.statistic(WORLD.problem, 40), Plan(plan[None]), np.random.default_rng(0))
    known = made.tell(state, Plan(plan[None]), sums)
    best = int(made.best(known)[0])
    silent = Silent(made)
    assert whys(silent, state, [do()], found(made, state)) == ["nothing is known yet"]
    said = whys(silent, known, WORLD.problem.actions, found(made, known))
    mean = made.estimates(known).mean[0]
    assert said[best] == f"it is the best so far, at {mean[best]:.2f}"
    worst = int(mean.argmin())
    assert said[worst] == f"it is at {mean[worst]:.2f} so far, and {WORLD.problem.actions[best]} at {mean[best]:.2f}"


def test_a_play_that_checks_the_graph_says_so():
    """A tenth of the rounds goes to the action that looks best; before the first round none is due."""
    made, said = CausalTopTwo(check=0.1, law=False), []
    for state, plan in states(made):
        action = int(plan.argmax())
        told = reason(made, state, action)
        due = state.played[0, made.best(state)[0]] < 0.1 * (state.horizon - state.money[0])
        assert told.startswith("it looks best") == (due and action == made.best(state)[0])
        said.append(told)
    assert {text.split()[0] for text in said} >= {"it", "watching"}


def test_until_sure_says_what_is_missing():
    made, said = UntilSure(learner("top-two"), 0.9), []
    for state, plan in states(made, horizon=60):
        action = int(plan.argmax())
        said.append(reason(made, state, action))
        assert said[-1].startswith("what is missing") == (action == state.wanted[0])
    assert len({text[:10] for text in said}) == 2


def test_watch_then_act_drops_by_old_data_what_is_worse_for_certain():
    """Three actions with means 0.29, 0.46 and 0.70, 2,000 old rounds: the whole first block went to the worst two."""
    graph = Graph.parse("X -> M -> Y; X <-> Y", reward="Y")
    problem = Problem(graph, Actions(graph, [do(), do(M=0), do(M=1)]))
    hidden = next(n for n in graph.names if n in graph.hidden)
    success = np.zeros([graph.size(n) for n in graph.parents["Y"]])
    axis = graph.parents["Y"].index("M")
    success[...] = np.array([0.3, 0.7]).reshape([2 if k == axis else 1 for k in range(success.ndim)])
    tables = {hidden: [0.5, 0.5], "X": [[0.5, 0.5], [0.5, 0.5]], "M": [[0.6, 0.4], [0.4, 0.6]]}
    world = World(problem, Model(graph, {**tables, "Y": np.stack([1 - success, success], axis=-1)}))
    made, rng = learner("watch-then-act"), np.random.default_rng(0)
    statistic, state = made.statistic(problem, 40), made.start(problem, 40, 20, rng)
    old = tally(world, statistic, Plan(np.tile([2000, 0, 0], (20, 1))), rng)
    state = made.tell(state, Plan(np.zeros((20, 3), np.int64)), old)
    best = int(np.argmax(world.means))
    worse = world.means < world.means[best] - 0.15
    assert worse.sum() == 2
    assert not state.alive[:, worse].any()
    plan = made.ask(state, Request(), rng)
    assert not plan.counts[:, problem.actions.index(do(M=0))].any()
    assert plan.counts[:, best].sum() > 0
    assert reason(made, state, best) == "all other actions are ruled out"
