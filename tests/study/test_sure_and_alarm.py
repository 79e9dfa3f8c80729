"""Studies that stop when they are sure, and studies whose rounds contradict their graph."""

import os
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from bestdo import Actions, Graph, Model, Problem, Variable, World, do
from bestdo.bandit.rounds import Plan
from bestdo.errors import BestdoError, Finished
from bestdo.learners.count_state import split_evenly
from bestdo.learners.uniform import Uniform
from bestdo.simulate import arms
from bestdo.statistics.seen import Seen
from bestdo.study import Study
from bestdo.study.contradiction import is_due
from bestdo.study.exchange import exported, imported
from bestdo.study.replay import replay_log
from farm import NAMES, created, everything, played


def world(hidden):
    """A hidden cause decides X and Y; believed is that X causes Y."""
    variables = [Variable("U", hidden=True), Variable("X"), Variable("Y")]
    arrows = [("X", "Y"), *([("U", "X"), ("U", "Y")] if hidden else [])]
    graph = Graph.of(variables, arrows, reward="Y")
    copy = np.array([[0.98, 0.02], [0.02, 0.98]])
    tables = {"U": [0.5, 0.5], "X": copy if hidden else [0.5, 0.5], "Y": copy}
    if hidden:
        both = np.stack([copy, copy])  # of X, then U
        tables["Y"] = both if graph.parents["Y"] == ("X", "U") else both.transpose(1, 0, 2)
    return World(Problem(graph, Actions.single(graph)), Model(graph, tables))


def turned(believed):
    """Z decides X; believed is that X decides Z, which no hidden cause explains where Z is set."""
    variables = [Variable("X"), Variable("Z"), Variable("Y")]
    arrows = [("X", "Z") if believed else ("Z", "X"), ("X", "Y"), ("Z", "Y")]
    graph = Graph.of(variables, arrows, reward="Y")
    copy = np.array([[0.98, 0.02], [0.02, 0.98]])
    first, second = ("X", "Z") if believed else ("Z", "X")
    tables = {first: [0.5, 0.5], second: copy, "Y": [[[0.7, 0.3], [0.5, 0.5]], [[0.5, 0.5], [0.3, 0.7]]]}
    return World(Problem(graph, Actions.single(graph)), Model(graph, tables))


@dataclass(frozen=True)
class Trusting(Uniform):
    """Plays everything equally often, and believes what it sees."""

    def statistic(self, problem, horizon):
        return Seen(problem)

    def ask(self, state, request, rng):
        return Plan(split_evenly(state.left, np.ones(state.played.shape, bool), rng)) if state.left.any() else None


def run(study, truth, rounds, seed=0):
    """Plays the truth's rounds."""
    rng, graph = np.random.default_rng(seed), truth.model.graph
    for _ in range(rounds):
        try:
            (asked,) = study.ask()
        except Finished:
            return
        counts = np.zeros((1, len(truth.actions)), int)
        counts[0, truth.actions.index(asked.action)] = 1
        row = truth.rounds(Plan(counts), rng).x[0]
        seen = zip(graph.names, row, strict=True)
        study.tell(asked.number, {n: graph.variable(n).values[v] for n, v in seen if v >= 0})


def test_a_study_stops_when_it_is_sure(url):
    truth = arms([0.98, 0.02])
    study = Study.create(
        truth.problem, 60, learner="top-two", name=f"sure {os.getpid()} {next(NAMES)}", storage=url, until_sure=0.6
    )
    assert study.status()["sure"].startswith("not sure at 60 % yet")
    run(study, truth, 60)
    status = study.status()
    assert status["used"] < 60
    assert status["finished"]
    assert status["sure"] == f"sure at 60 %: {study.best().action} is the best"
    with pytest.raises(Finished, match="sure at 60 %: do"):
        study.ask()
    other = Study.open(study.name, url)
    assert (other.status(), everything(other)) == (status, everything(study))


def test_another_learner_stops_when_it_is_sure_too(url):
    study = created(url, "algorithm-1", 12, until_sure=0.9)
    played(study, np.random.default_rng(0), most=4)
    study.change_learner("top-two", "one by one")
    assert "%" in study.status()["sure"]
    assert len(played(study, np.random.default_rng(1))) <= 8


def test_nonsense_is_refused(url):
    with pytest.raises(BestdoError, match=r"until_sure is .* not 95"):
        created(url, "top-two", 20, until_sure=95)
    with pytest.raises(BestdoError, match=r"alarm, .* not 5"):
        created(url, "top-two", 20, alarm=5)


def test_looks_are_few():
    assert [n for n in range(1, 200) if is_due(n)] == [16, 24, 32, 48, 64, 96, 128, 192]


def mistaken(url, believed=None, **more):
    believed, name = believed or world(hidden=False).problem, f"mistaken {os.getpid()} {next(NAMES)}"
    return Study.create(believed, 300, learner=f"{__name__}:Trusting", name=name, storage=url, **more)


def test_rounds_that_contradict_the_graph_raise_the_alarm(postgres):
    study = mistaken(postgres, turned(believed=True).problem, until_sure=0.99)
    run(study, turned(believed=False), 200)
    status = study.status()
    assert status["learner"] == "top-two"
    assert any("The graph says that setting Z leaves X alone" in text for text in status["alarms"])
    event = next(e for e in study.history() if e["kind"] == "alarmed")
    assert event["evidence"] == status["alarms"]
    assert study.alarms()
    found = study.estimates()
    assert (found.seen == found.played).all()  # nothing rests on the graph
    other = Study.open(study.name, postgres)
    assert (other.status(), everything(other)) == (status, everything(study))
    book, _ = replay_log(exported(study)["events"])
    assert book.settings.contradicted == status["alarms"]
    copy = imported(postgres, exported(study), f"copy {os.getpid()} {next(NAMES)}")
    assert everything(copy) == everything(study)


def test_a_study_that_earns_goes_on_by_thompson_sampling(tmp_path):
    study = mistaken(f"sqlite:///{tmp_path}/earn.db", turned(believed=True).problem, goal="earn")
    run(study, turned(believed=False), 200)
    status = study.status()
    assert status["alarms"]
    assert status["learner"] == "thompson"


def watched(truth, rows):
    """A log of the truth when nobody set anything."""
    counts = np.zeros((1, len(truth.actions)), int)
    counts[0, truth.actions.index(do())] = rows
    x, graph = truth.rounds(Plan(counts), np.random.default_rng(5)).x, truth.model.graph
    seen = [(n, x[:, i]) for i, n in enumerate(graph.names) if not graph.variable(n).hidden]
    return pl.DataFrame({n: [graph.variable(n).values[v] for v in column] for n, column in seen})


@pytest.mark.parametrize("hidden", [True, False])
def test_the_rounds_are_compared_with_old_data_too(tmp_path, hidden):
    """A missing common cause is noticed by a few plays where enough was seen before, and not without."""
    truth, alarmed = world(hidden), []
    for rows in (300, 0):
        study = mistaken(f"sqlite:///{tmp_path}/{rows}.db")
        if rows:
            study.observe(watched(truth, rows))
            assert study.alarms() == []  # by itself it contradicts nothing
        run(study, truth, 24)
        alarmed.append(bool(study.status()["repairs"]))
        assert not study.status()["alarms"]  # a hidden cause explains it
    assert alarmed == [hidden, False]


def test_no_alarm_where_none_is_wanted_or_due(postgres):
    silent = mistaken(postgres, alarm=0.0)
    run(silent, world(hidden=True), 200)
    assert silent.alarms() == silent.status()["alarms"] == []
    right = mistaken(postgres)
    run(right, world(hidden=False), 200)
    assert right.alarms() == right.status()["alarms"] == []
    assert right.status()["learner"] == f"{__name__}:Trusting"
