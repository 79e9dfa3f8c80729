"""One composition of the problem, whatever it is made from."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import bestdo
from bestdo import Actions, Graph, Model, Number, Outcome, Problem, Variable, compose
from bestdo.causal.law_from_tables import law_from_tables
from bestdo.errors import BestdoError, FileError, GraphError, NoAim, NotValid
from bestdo.files import Contents
from support import ROOT

FARM = ROOT / "examples" / "farm.toml"
WHOLE = bestdo.read(FARM)
LAW = WHOLE.model.parent_law(WHOLE.problem.actions)
TEXT = FARM.read_text()


def test_tables_of_other_variables_are_known_and_the_rewards_is_not():
    found = compose(FARM)
    assert found.problem == replace(WHOLE.problem, law=LAW)
    assert set(found.tables) == set(found.problem.law.known) == {"temperature", "nutrient", "moisture"}
    assert found.model == WHOLE.model
    assert found.actions_given
    assert found.contents == WHOLE
    assert found.name == str(FARM)


def test_with_the_graph_alone_nothing_is_known_but_the_truth_can_be_simulated():
    found = compose(FARM, graph_only=True)
    assert found.problem == WHOLE.problem
    assert found.problem.law is None
    assert found.tables == {}
    assert found.model == WHOLE.model


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(TEXT.encode(), id="bytes"),
        pytest.param(TEXT[: TEXT.index("[tables.yield]")].encode(), id="without the reward's table"),
        pytest.param(WHOLE, id="contents"),
        pytest.param(WHOLE.model, id="a model"),
        pytest.param(replace(WHOLE.problem, law=LAW), id="a problem"),
    ],
)
def test_every_source_gives_the_same_problem(source):
    assert compose(source).problem == compose(FARM).problem
    assert compose(source, graph_only=True).problem == compose(FARM, graph_only=True).problem


def test_where_no_actions_are_named_every_single_one_is_taken():
    graph = Graph.parse("a -> b -> y; a <-> y", reward="y")
    found = compose(graph)
    assert found.problem == Problem(graph, Actions.single(graph))
    assert not found.actions_given
    assert found.model is None
    assert compose(nx.DiGraph([("a", "y")]), reward="y", success="1").problem.actions == Actions.single(
        Graph.parse("a -> y", "y")
    )
    assert compose(b"dag { a -> y }", reward="y", success="1").problem.graph == Graph.parse("a -> y", reward="y")


def test_the_reward_is_asked_for():
    for source in (b"dag { a -> y }", Graph.parse("a -> y"), nx.DiGraph([("a", "y")])):
        with pytest.raises(GraphError, match=r"no reward is named.*two values or more: 'a', 'y'"):
            compose(source)
    graph = compose(Graph.parse("a -> y", reward="y"), success="0").problem.graph
    assert (graph.reward, graph.success) == ("y", "0")
    assert compose(WHOLE.model, success="bad").problem.graph.success == "bad"
    with pytest.raises(BestdoError, match="the reward is 'yield' = 'good' already"):
        compose(WHOLE.problem, success="bad")
    with pytest.raises(FileError, match=r"^mine\.toml:1:1"):
        compose(b"nonsense = 1", name="mine.toml")


def test_what_only_a_law_says_is_known_and_left_unused_with_the_graph_alone():
    listed = Contents(WHOLE.graph, replace(WHOLE.problem, law=LAW))
    assert LAW.known is None
    assert compose(listed).problem.law is LAW
    assert compose(listed).tables == {}
    assert compose(listed, graph_only=True).problem.law is None


def test_tables_that_are_estimated_from_old_data():
    found = compose(FARM, data=str(ROOT / "examples" / "farm_log.csv"))
    assert found.problem.law != LAW
    assert np.abs(found.problem.law.table - LAW.table).max() < 0.1
    assert found.notes[-1].startswith("estimated from 400 old rounds in ")
    with pytest.raises(NotValid, match="cannot be estimated by counting where a variable is hidden, as 'a<->y'"):
        compose(Graph.parse("a -> y; a <-> y", reward="y"), data=str(ROOT / "examples" / "farm_log.csv"))


def test_a_study_keeps_what_was_known(tmp_path):
    """Also how the parents depend on causes of their own, so that worlds can be drawn for the rest of the study."""
    from bestdo.study import exchange

    graph = Graph.of(map(Variable, "ZXYS"), [("Z", "X"), ("X", "Y"), ("Y", "S")], reward="Y")
    rows = [[0.9, 0.1], [0.3, 0.7]]
    found = compose(Model(graph, {"Z": [0.2, 0.8], "X": rows, "Y": rows, "S": rows}))
    study = bestdo.Study.create(
        found.problem, 20, learner="algorithm-2", name="known", storage=f"sqlite:///{tmp_path}/a.db"
    )
    assert study.problem == found.problem
    again = exchange.imported(f"sqlite:///{tmp_path}/b.db", exchange.exported(study))
    for each in (study, again, bestdo.Study.open("known", f"sqlite:///{tmp_path}/a.db")):
        assert each.problem == found.problem
        assert {n: t.tolist() for n, t in each.problem.law.known.items()} == {
            n: t.tolist() for n, t in found.tables.items()
        }
    assert study.ask()[0].action == again.ask()[0].action
    assert bestdo.rehearse(study, [10], worlds=20).rows[0]["regret"] >= 0
    assert study.problem.law == law_from_tables(found.problem.actions, found.tables)


def test_an_aim_and_a_worth_of_a_graph_and_of_a_model():
    graph = Graph.of([Variable("X"), Variable("Y", number=Number(0, 5)), Variable("Z")], [("X", "Y"), ("X", "Z")])
    with pytest.raises(NoAim):
        compose(graph, reward="Y")
    assert compose(graph, reward="Y", aim="minimise").problem.graph.aim == "minimise"
    worth = {"0": 2.0, "1": -1.0}
    small = compose(graph, reward="Z", worth=worth, aim="minimise").problem.graph
    assert (dict(small.worth), small.aim) == (worth, "minimise")
    assert compose(small, aim="maximise").problem.graph == compose(graph, reward="Z", worth=worth).problem.graph
    outcome = {"Y": Outcome(np.array([1.0, 2.0]), np.array([0.5, 0.5]), "beta")}
    model = Model(graph, {"X": [0.5, 0.5], "Z": [[0.5, 0.5], [0.1, 0.9]]}, outcome)
    composed = compose(model, reward="Y", aim="maximise")
    assert composed.model.numbers["Y"].mean.tolist() == [1.0, 2.0]
    assert set(composed.tables) == {"X", "Z"}
    with pytest.raises(BestdoError, match="already"):
        compose(composed.problem, aim="minimise")


def test_text_of_more_than_one_line_is_no_path():
    with pytest.raises(BestdoError, match=r"text:2:2: no variable is declared"):
        compose("bestdo = 1\n[variables]\n")


def test_what_may_be_set_is_said_and_the_tables_stay_known():
    found = compose(FARM, set=["moisture", "nutrient"], at_most=2)
    assert found.problem == Problem(
        WHOLE.graph,
        set=["moisture", "nutrient"],
        at_most=2,
        law=law_from_tables(Actions.up_to(WHOLE.graph, 2, ["moisture", "nutrient"]), found.tables),
    )
    assert compose(compose(FARM), set="moisture").problem == compose(FARM, set="moisture").problem
    assert compose(compose(FARM, set="moisture"), reward="yield").problem == compose(FARM, set="moisture").problem
    assert compose(FARM, set="moisture", graph_only=True).problem.law is None
    assert set(compose(FARM, at_most=3).problem.actions) == set(Actions.up_to(WHOLE.graph, 3))


def test_a_problem_takes_the_law_of_other_actions_where_it_follows():
    law = compose(FARM).problem.law
    assert Problem(WHOLE.graph, set="moisture", law=law) == compose(FARM, set="moisture").problem
    assert Problem(WHOLE.graph, set="moisture", at_most=1, law=LAW).law.table.shape == (3, 2, 2, 2)
    with pytest.raises(bestdo.BestdoError, match="belongs to other actions"):
        Problem(WHOLE.graph, set=["moisture", "nutrient"], at_most=2, law=LAW)


def test_what_is_known_of_other_actions_only_is_no_silent_loss():
    only_law = Problem(WHOLE.graph, WHOLE.problem.actions, LAW)
    with pytest.raises(BestdoError, match=r"not known for do.*graph_only=True"):
        compose(only_law, at_most=2)
    costly = Problem(WHOLE.graph, WHOLE.problem.actions, cost=[1, 2, 3, 4, 5, 6, 7])
    assert compose(costly, set="moisture").problem.cost == tuple(
        costly.cost[costly.actions.index(a)] for a in Actions.single(WHOLE.graph, ["moisture"])
    )
    with pytest.raises(BestdoError, match=r"what do\(.*\) costs is not known"):
        compose(costly, at_most=2)


def test_set_may_name_values():
    problem = Problem(WHOLE.graph, set={"moisture": ["wet"], "nutrient": None})
    assert list(map(str, problem.actions)) == ["do()", "do(moisture=wet)", "do(nutrient=poor)", "do(nutrient=rich)"]
    assert compose(FARM, set={"moisture": "wet"}).problem.law is not None
    with pytest.raises(BestdoError, match="unknown value 'damp'"):
        Problem(WHOLE.graph, set={"moisture": ["damp"]})


def test_every_front_takes_what_may_be_set_and_what_is_seen_first(tmp_path):
    said = {"set": ["moisture"], "first": "temperature"}
    storage = f"sqlite:///{tmp_path}/set.db"
    assert bestdo.check(FARM, **said).problem == compose(FARM, **said).problem
    assert bestdo.Study.create(FARM, rounds=5, storage=storage, **said).problem == compose(FARM, **said).problem
    for found in (
        bestdo.compare(FARM, 4, "uniform", 2, set="moisture"),
        bestdo.compare(bestdo.world("farm"), 4, "uniform", 2, set="moisture"),
        bestdo.rehearse(bestdo.world("farm"), 4, "uniform", 2, set="moisture"),
    ):
        assert found.rows
    assert len(bestdo.world(FARM, set="moisture").problem.actions) == 3


def test_actions_may_be_mappings_and_other_graphs_are_pointed_to_compose():
    assert list(map(str, Problem(WHOLE.graph, [{}, {"moisture": "wet"}]).actions)) == ["do()", "do(moisture=wet)"]
    assert bestdo.identify(WHOLE.graph, {"moisture": "wet"}).intervention == bestdo.do(moisture="wet")
    with pytest.raises(GraphError, match=r"bestdo\.compose\(source"):
        Problem(nx.DiGraph([("a", "b")]))
