"""A study is the simulation, one round at a time: every learner has the same regret in both.

Two steps: a study does exactly what its fold does with the same answers, for every learner; and the fold, played many
times, has the regret of the simulations.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import bestdo
from bestdo.bandit.learner import in_study, traits
from bestdo.bandit.problem import require_law
from bestdo.errors import Finished, NotValid, Waiting
from bestdo.files import Contents
from bestdo.files.toml import write as write_toml
from bestdo.study import Study
from bestdo.study.blocks import plan_block
from bestdo.study.book import Book
from bestdo.study.fold import Row, start_state, tell_rows
from bestdo.study.settings import Settings
from support import ROOT, SINGLE

FARM = bestdo.read(ROOT / "examples" / "farm.toml")
KNOWN = bestdo.compose(FARM).problem
HORIZON = 20
CHANCES = {a: FARM.model.distribution(FARM.graph.names, a) for a in FARM.problem.actions}


def problem_for(learner):
    """With the law of the reward's parents where the learner needs it."""
    try:
        bestdo.learner(learner).start(FARM.problem, HORIZON, 1, np.random.default_rng(0))
    except NotValid:
        require_law(KNOWN, learner)
        return KNOWN
    return FARM.problem


def season(action, rng):
    """What a round shows when this action is played."""
    chances = CHANCES[action]
    drawn = np.unravel_index(rng.choice(chances.size, p=chances.ravel()), chances.shape)
    return {v.name: v.values[i] for v, i in zip(FARM.graph.variables, drawn, strict=True)}


@cache
def text_of(problem):
    return write_toml(Contents(problem.graph, problem))


def folded(learner, problem, seed, rng, flipped=False):
    """A whole experiment by the functions that a study is folded with: the actions, and the last state."""
    settings = Settings(text_of(problem), learner, {}, HORIZON, seed, 1.0)
    book, made, actions = Book(settings), settings.game, []
    book.state = start_state(settings)
    while (plan := plan_block(book)) is not None:
        rows = [Row(a, season(bestdo.Intervention.parse(a), rng), False) for a in plan]
        if flipped:
            rows = [
                replace(r, values={**r.values, "yield": "good" if r.values["yield"] == "bad" else "bad"}) for r in rows
            ]
        for told in [[row] for row in rows] if settings.pace.any_time else [rows]:
            book.state = tell_rows(book.state, made, HORIZON, told)
        book.used, book.blocks = book.used + len(rows), book.blocks + 1
        actions += plan
    return actions, made, book.state


@pytest.mark.parametrize("learner", SINGLE)
def test_a_study_does_what_its_fold_does(tmp_path, learner):
    problem = problem_for(learner)
    study = Study.create(
        problem, HORIZON, learner=learner, name="farm", storage=f"sqlite:///{tmp_path}/farm.db", seed=3, alarm=0.0
    )
    actions, made, state = folded(learner, study.problem, 3, np.random.default_rng(7))
    rng, asked = np.random.default_rng(7), []
    try:
        while True:
            (one,) = study.ask("ann")
            study.tell(one.number, season(one.action, rng))
            asked.append(str(one.action))
    except Finished:
        pass
    assert asked == actions
    found, expected = study.estimates(), made.estimates(state)
    expected = expected._replace(joint=expected.p_best)  # a study works it out once, for all who ask
    for name in found._fields[: found._fields.index("actions")]:
        np.testing.assert_equal(getattr(found, name), getattr(expected, name), err_msg=name)


def distance(learner, times, **more):
    """How far the mean regret of this many experiments is from that of 20 times as many simulations, in standard errors."""
    problem, rng, lanes = problem_for(learner), np.random.default_rng(11), 20 * times
    world = bestdo.World(problem, FARM.model)
    regret = []
    for seed in range(times):
        _, made, state = folded(learner, problem, seed, rng, **more)
        regret.append(world.means.max() - world.means[int(made.best(state)[0])])
    simulated = bestdo.play(world, in_study(bestdo.learner(learner)), HORIZON, lanes, seed=1)
    return (np.mean(regret) - simulated.mean()) / (simulated.std() * math.sqrt(1 / times + 1 / lanes))


@pytest.mark.parametrize("times", [25, pytest.param(1000, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("learner", SINGLE)
def test_studies_and_simulations_have_the_same_regret(learner, times, record):
    found = distance(learner, times)
    if times > 25:
        record(f"regret, {learner}: {times} experiments are {found:+.2f} standard errors from the simulations")
    assert abs(found) < 4  # 4 sigma


def in_flight(learner, problem, seed, rng, at_once):
    """A whole experiment with rounds in flight, by the functions of a study: a learner asked at any time, its last state."""
    settings = Settings(text_of(problem), learner, {}, HORIZON, seed, 1.0)
    book, made, out, plan = Book(settings), settings.game, [], []
    book.state = start_state(settings)
    while True:
        plan = plan or plan_block(book, [row.action for row in out]) or []
        if not out and not plan:
            return made, book.state
        if len(out) == at_once or not plan:
            book.state = tell_rows(book.state, made, HORIZON, [out.pop(0)])
            continue
        action, book.blocks, book.used = plan.pop(0), book.blocks + (len(plan) == 0), book.used + 1
        out.append(Row(action, season(bestdo.Intervention.parse(action), rng), False))


def in_a_study(learner, problem, seed, rng, at_once, folder):
    """The same with a study in a database, in which so many workers take turns: the recommended action."""
    study = Study.create(
        problem,
        HORIZON,
        learner=learner,
        name=str(seed),
        storage=f"sqlite:///{folder}/{learner}.db",
        seed=seed,
        alarm=0.0,
    )
    out = []
    while True:
        if len(out) == at_once:
            study.tell(*out.pop(0))
        try:
            (one,) = study.ask(f"worker {len(study.rounds())}")
        except (Finished, Waiting):
            if not out:
                return study.best().action
            study.tell(*out.pop(0))
            continue
        out.append((one.number, season(one.action, rng)))


ANY_TIME = ("ucb", "c-ucb", "thompson", "top-two", "lucb", "track-and-stop", "causal-top-two")
IN_PHASES = ("algorithm-1", "algorithm-1-rejects", "algorithm-2", "successive-rejects", "sequential-halving",
             "successive-elimination", "watch-then-act")  # fmt: skip


@pytest.mark.parametrize("times", [20, pytest.param(500, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("learner", ANY_TIME)
def test_with_rounds_in_flight_they_have_the_same_regret(learner, times, record):
    problem, rng, lanes = problem_for(learner), np.random.default_rng(12), 20 * times
    assert traits(bestdo.learner(learner)).any_time
    world, regret = bestdo.World(problem, FARM.model), []
    for seed in range(times):
        made, state = in_flight(learner, problem, seed, rng, 4)
        regret.append(world.means.max() - world.means[int(made.best(state)[0])])
    simulated = bestdo.play(world, in_study(bestdo.learner(learner)), HORIZON, lanes, seed=1, at_once=4)
    found = (np.mean(regret) - simulated.mean()) / (simulated.std() * math.sqrt(1 / times + 1 / lanes))
    if times > 20:
        record(f"regret with 4 in flight, {learner}: {times} experiments are {found:+.2f} standard errors off")
    assert abs(found) < 4  # 4 sigma


@pytest.mark.campaign
@pytest.mark.parametrize("learner", [*ANY_TIME, *IN_PHASES])
def test_four_workers_at_once_have_the_regret_of_simulations(learner, tmp_path, record):
    times, problem, rng = 80, problem_for(learner), np.random.default_rng(13)
    world = bestdo.World(problem, FARM.model)
    best = [in_a_study(learner, problem, seed, rng, 4, tmp_path) for seed in range(times)]
    regret = [world.means.max() - world.means[problem.actions.index(a)] for a in best]
    simulated = bestdo.play(world, in_study(bestdo.learner(learner)), HORIZON, 20 * times, seed=1, at_once=4)
    found = (np.mean(regret) - simulated.mean()) / (simulated.std() * math.sqrt(1 / times + 1 / (20 * times)))
    record(f"regret of four workers, {learner}: {times} studies are {found:+.2f} standard errors off")
    assert abs(found) < 4  # 4 sigma


def test_another_regret_is_noticed():
    """The same with every reward turned round: 4 sigma are passed by far."""
    assert distance("successive-rejects", 25, flipped=True) > 4
