"""The recommendation, its table and its probability of being best are one answer, wherever a person reads it."""

import json
import re
from html import unescape

import numpy as np
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import bestdo
from bestdo.bandit.estimate import of_each
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.cli import bestdo as command
from bestdo.data.compose import compose
from bestdo.errors import NotValid
from bestdo.learners import learner
from bestdo.simulate import World
from bestdo.simulate.samplers import tally
from bestdo.study import Study
from bestdo.usecases.rehearse import rehearse_study
from bestdo.usecases.simulation import Simulation
from bestdo.web.access import Access
from bestdo.web.app import application
from support import ROOT, SINGLE
from web_support import EDITOR, HERE, PORT, VIEWER

GRAPHS = {
    "parallel": "a -> Y; b -> Y; c -> Y",
    "adjusted": "z -> a; z -> Y; a -> Y; b -> Y",
    "hidden": "a -> m -> Y; a <-> Y; b -> Y",
}


def problem_of(graph):
    if graph == "farm":  # with the law of the reward's parents
        return compose(ROOT / "examples" / "farm.toml").problem
    made = bestdo.Graph.parse(GRAPHS.get(graph, graph), reward="Y")
    return bestdo.Problem(made, bestdo.Actions.single(made))


def random_world(problem, rng):
    graph = problem.graph
    tables = {n: rng.dirichlet([1, 1], size=[graph.size(p) for p in graph.parents[n]]) for n in graph.names}
    return World(problem, bestdo.Model(graph, tables))


def told(problem, learner, rounds, url, seed=0, horizon=60):
    """A study of which so many rounds were told, in a random world."""
    rng, graph = np.random.default_rng(seed), problem.graph
    world = random_world(problem, rng)
    study = Study.create(problem, horizon, learner=learner, name="one", storage=url, seed=seed)
    for _ in range(rounds):
        (each,) = study.ask()
        x = world.model.sample(world.actions, np.array([problem.actions.index(each.action)]), rng)[0]
        study.tell(
            each.number, {v.name: v.values[x[i]] for i, v in enumerate(graph.variables) if v.name in graph.observed}
        )
    return study


def check_one_answer(found):
    """The recommended action has the highest mean of those that are in the race, and the numbers of its row."""
    rows = of_each(found.estimates, found.problem.actions)
    (own,) = [row for row in rows if row.action == found.best.action]
    known = [row.mean for row in rows if row.known and row.contender and not row.dropped]
    assert own.contender
    assert not own.dropped
    assert not known or own.mean >= max(known) - 1e-6
    answer = found.best
    assert np.array_equal(
        [answer.mean, answer.low, answer.high, answer.p_best], [own.mean, own.low, own.high, own.p_best], equal_nan=True
    )
    assert abs(sum(row.p_best for row in rows) - 1) < 1e-6


@pytest.mark.parametrize("name", SINGLE)
def test_the_recommended_action_has_the_highest_mean_shown(name):
    """On the code before, both Thompson samplings, causal top-two and three learners that drop actions failed."""
    made, valid = learner(name), 0
    for graph in ("farm", *GRAPHS):
        problem, rng = problem_of(graph), np.random.default_rng(1)
        world = random_world(problem, rng)
        try:
            state = made.start(problem, 16, 6, rng)
        except NotValid:
            continue
        valid += 1
        plan = Plan(np.zeros((6, len(problem.actions)), int))
        while plan is not None:
            found, best = made.estimates(state), made.best(state)
            dropped = np.zeros(found.mean.shape, bool) if found.dropped is None else found.dropped
            shown = np.where(np.isnan(found.mean) | dropped | ~problem.contenders, -1.0, found.mean)
            assert (shown[np.arange(6), best] >= shown.max(axis=1) - 1e-6).all()
            assert not (dropped[np.arange(6), best] & (shown.max(axis=1) >= 0)).any()
            plan = made.ask(state, Request(), rng)
            if plan is not None:
                state = made.tell(state, plan, tally(world, made.statistic(problem, 16), plan, rng))
    assert valid


@pytest.mark.parametrize(
    ("graph", "name"),
    [
        ("farm", "causal-top-two"),
        ("hidden", "watch-then-act"),
        ("parallel", "sequential-halving"),
        ("adjusted", "thompson"),
    ],
)
def test_command_line_page_python_and_rehearsal_say_the_same(tmp_path, graph, name):
    """The share of a rehearsal's worlds in which what is kept is the best: 4.5 sigma, 600 worlds."""
    url = f"sqlite:///{tmp_path}/s.db"
    study = told(problem_of(graph), name, 24, url, seed=3)
    best = study.best()
    check_one_answer(study.findings())
    here = ["--storage", url, "--study", "one"]
    data = json.loads(CliRunner().invoke(command, ["best", *here, "-f", "json"], catch_exceptions=False).stdout)
    text = CliRunner().invoke(command, ["best", *here], catch_exceptions=False).stdout
    (row,) = [row for row in data["actions"] if row["action"] == data["action"]]
    for number in ("mean", "low", "high", "p_best"):
        assert data[number] == row[number] == getattr(best, number)
    assert data["action"] == str(best.action)
    assert f"{best.action}: {best.mean:.2f}, 95 % interval" in text
    assert f"the best with probability {best.p_best:.2f}" in text
    with TestClient(
        application(url, Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True)), base_url=HERE
    ) as page:
        page.headers["Authorization"] = f"Bearer {EDITOR}"
        report = unescape(page.get("/studies/one/report").text)
        api = page.get("/api/v1/studies/one/best").json()
    assert api == data
    said = re.search(r"[Kk]eep <strong>(.*?)</strong>.*?>([\d.]+)</span>.*?with probability (\d+) %", report)
    assert said.groups() == (str(best.action), f"{best.mean:.2f}", f"{100 * best.p_best:.0f}")
    first = re.search(r'<tr class="best">.*?<code>(.*?)</code>.*?<td class="n">([\d.]+)</td>', report)
    assert first.groups() == (str(best.action), f"{best.mean:.2f}")
    rehearsed = rehearse_study(study, [0], Simulation(600))
    assert rehearsed.now == best
    (kept,) = rehearsed.rows  # no further round: the action kept is the one that the study recommends
    sigma = np.sqrt(best.p_best * (1 - best.p_best) * (1 / 600 + 1 / 2000))
    assert abs(kept["p_best"] - best.p_best) < 4.5 * sigma


def test_many_actions_that_were_hardly_seen(tmp_path):
    """On the code before, the action kept (0.92, seen 12 times) stood above rows of 1.00 that had been seen once."""
    problem = problem_of("; ".join(f"X{i} -> Y" for i in range(30)))
    rng = np.random.default_rng(4)
    study = Study.create(
        problem,
        200,
        learner="causal-top-two",
        name="one",
        storage=f"sqlite:///{tmp_path}/s.db",
        parameters={"block": 30},
    )
    for each in study.ask("me", n=30):
        values = {n: str(int(rng.random() < (0.5 if n == "X0" else 0.05))) for n in problem.graph.names} | dict(
            each.action
        )
        study.tell(each.number, {**values, "Y": str(int(rng.random() < (0.9 if values["X0"] == "1" else 0.2)))})
    found = study.findings()
    check_one_answer(found)
    assert str(found.best.action) == "do(X0=1)"
    assert found.best.p_best > 1 / len(problem.actions)
