"""Stopping when the best action is known in every context: verdicts, mistakes at the level, and studies."""

import numpy as np
import pytest

from bestdo.bandit.limit import Limit
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.causal.graph import Graph
from bestdo.causal.model import Model
from bestdo.errors import Finished, NotValid
from bestdo.learners import learner as learner_by_name
from bestdo.learners.game import game_of
from bestdo.learners.until_sure import UntilSure
from bestdo.learners.verdicts import InEachContext
from bestdo.simulate.driver import play_out
from bestdo.simulate.world import World
from bestdo.study import Study

GRAPH = Graph.parse("device -> sale; banner -> sale", reward="sale", success="1")
PROBLEM = Problem(GRAPH, set=["banner"], first="device")


def world(rows):
    tables = {"device": np.array([0.5, 0.5]), "banner": np.array([0.5, 0.5])}
    p = np.array(rows)
    return World(PROBLEM, Model(GRAPH, {**tables, "sale": np.stack([1 - p, p], axis=-1)}))


def sure(name="causal-top-two", confidence=0.9, problem=PROBLEM):
    return game_of(UntilSure(learner_by_name(name), confidence), problem)


@pytest.mark.parametrize("name", ["causal-top-two", "top-two"])
def test_it_stops_when_the_best_action_is_known_in_each_context(name):
    place = world([[0.1, 0.9], [0.8, 0.2]])
    learner = sure(name)
    assert isinstance(learner.stopping, InEachContext)
    state = play_out(place, learner, 2000, 4, np.random.default_rng(0))
    assert not learner.stopping.unsure(state.proof).any()
    assert (state.seen.sum(axis=1) < 600).all()
    assert [[str(PROBLEM.actions[a]) for a in lane] for lane in state.proof.verdict] == [
        ["do(banner=1)", "do(banner=0)"]
    ] * 4
    assert (learner.recommended(state)[0] == state.proof.verdict).all()
    assert learner.certainty(state) == "sure at 90 %: in each of 2 contexts the action of the rule is the best"
    start = learner.start(50, 1, np.random.default_rng(0))
    assert "certain in 0 of 2 contexts; not where device=0; device=1" in learner.certainty(start)


def test_equal_means_are_hardly_ever_called_different():
    """In 60 studies of 200 rounds whose actions are equally good, at confidence 0.9 at most 6 verdicts are expected.

    In each context every verdict is wrong by no more than 0, so this counts studies that stop at all: 12 would be 3 sigma.
    """
    state = play_out(world([[0.5, 0.5], [0.5, 0.5]]), sure("top-two"), 200, 60, np.random.default_rng(1))
    assert (state.proof.verdict >= 0).any(axis=1).sum() <= 12


def test_verdicts_are_those_of_each_context_by_itself():
    """The counts of pairs in a context are those of a study of that context alone, at half the level."""
    place = world([[0.2, 0.7], [0.6, 0.4]])
    learner = sure("top-two")
    rounds = place.rounds(Plan(np.array([[60, 60, 60]])), np.random.default_rng(2))
    state = learner.start(999, 1, np.random.default_rng(0))
    told = learner.tell(state, Plan(np.array([[60, 60, 60]])), learner.statistic(999).tally(rounds, 1))
    plain = Problem(GRAPH, set=["banner"])
    alone = UntilSure(learner_by_name("top-two"), 0.95)
    for context in (0, 1):
        mine = rounds.pick(np.flatnonzero(rounds.x[:, GRAPH.names.index("device")] == context))
        begun = alone.start(plain, 999, 1, np.random.default_rng(0))
        counts = np.bincount(mine.action, minlength=3)[None]
        own = alone.tell(begun, Plan(counts), alone.statistic(plain, 999).tally(mine, 1))
        assert told.proof.pairs.weight[context] == pytest.approx(own.pairs.weight[0])
        assert told.proof.verdict[0, context] == own.verdict[0]
        assert told.proof.wanted[0, context] == own.wanted[0]


def test_a_context_known_in_part_proves_nothing():
    learner = sure()
    x = np.full((1, 3), -1)
    x[0, GRAPH.names.index("banner")] = 1
    rounds = Rounds(np.zeros(1, int), np.array([2]), x, np.ones(1, bool))
    assert not learner.statistic(50).tally(rounds, 1).pairs.weight.any()


def test_a_study_stops_by_itself_and_says_why(tmp_path):
    study = Study.create(PROBLEM, 5000, until_sure=0.8, storage=f"sqlite:///{tmp_path}/a.db", name="shop")
    rng, rows = np.random.default_rng(0), np.array([[0.02, 0.98], [0.98, 0.02]])
    assert "not sure at 80 % yet" in study.status()["sure"]
    while not study.status()["finished"] and study.status()["told"] < 400:
        for asked in study.ask(context=[{"device": int(rng.integers(2))} for _ in range(4)]):
            banner = int(asked.action.get("banner", rng.integers(2)))
            sale = int(rng.random() < rows[int(asked.context["device"]), banner])
            study.tell(asked, {"banner": banner, "sale": sale})
    with pytest.raises(Finished, match="in each of 2 contexts the action of the rule is the best"):
        study.ask(context={"device": 1})
    assert study.status()["told"] < 400
    assert study.status()["finished"]
    assert str(study.rule().action({"device": 1})) == "do(banner=0)"
    again = Study.open("shop", f"sqlite:///{tmp_path}/a.db")  # from the checkpoint
    assert again.status()["sure"] == study.status()["sure"]
    limited = Problem(
        Graph.parse("device -> sale; banner -> sale; banner -> refund", reward="sale", success="1"),
        set=["banner"],
        first="device",
        limits=Limit("refund", "1", at_most=0.5),
    )
    with pytest.raises(NotValid, match="with limits a study cannot stop because it is sure"):
        Study.create(limited, 50, until_sure=0.8, storage=f"sqlite:///{tmp_path}/a.db", name="other")
