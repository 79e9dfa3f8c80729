"""Bad calls in Python: each is an error of ours that says what is wrong and what is allowed, and none takes long.

A line of the table is a call. It may use the names in `names_of`, all names of the front door, and nothing else.
"""

import shutil
import time
import types
from dataclasses import dataclass

import networkx as nx
import numpy as np
import pytest

import bestdo
from bestdo.errors import BestdoError
from bestdo.learners import Plan, add_block, best_mean, played_statistic, start_counts, wilson_estimates
from support import ROOT

CALLS = r"""
    s.ask(n=0)
    s.ask(n="2")
    s.ask(n=-1)
    s.ask(n=1.5)
    s.ask(worker=3)
    s.ask(worker=None)
    Problem(g,do())
    Problem(g,[1])
    Problem(g,[None])
    Problem(g,["price=1"])
    Problem("price -> sales")
    Problem(g,set=["prise"])
    Problem(g,set=["sales"])
    Problem(g,set="price",at_most=0)
    Problem(g,set=["price"],at_most="two")
    Problem(g,set=[3])
    Problem(g,set=3)
    Problem(g,cost=3)
    Problem(g,cost=[1,2])
    Problem(g,set=["price"],cost=[1,"x",3])
    Problem(g,set=["price"],cost={"do(prise=1)":3})
    Problem(g,set=["price"],limits=["x"])
    Problem(g,set=["price"],limits=3)
    Problem(g,set=["price"],sure=2)
    Problem(g,set=["price"],first=["nope"])
    Problem(g,set=["price"],first=3)
    Problem(g,set=["price"],actions=[do()])
    Problem(g,law=3)
    Study.create(P,bestdo.learner("ucb"),60)
    Study.create(P,bestdo.learner("ucb"))
    Study.create(P,"ucb")
    Study.create(P)
    Study.create(P,rounds=nan)
    Study.create(P,rounds="many")
    Study.create(P,rounds=inf)
    Study.create(P,rounds=0)
    Study.create(P,rounds=2.5)
    Study.create(P,budget=5)
    Study.create(P,10,learner="nope")
    Study.create(P,10,learner=7)
    Study.create(P,10,learner=CausalTopTwo)
    Study.create(None,10)
    Study.create("nothere.toml",10)
    Study.create(g,10,storage="x.db")
    Study.create(P,10,storage=7)
    Study.create(P,10,name="")
    Study.create(P,10,name=7)
    Study.create(P,10,lease="week")
    Study.create(P,10,lease=nan)
    Study.create(P,10,until_sure=95)
    Study.create(P,10,until_sure="x")
    Study.create(P,10,alarm="x")
    Study.create(P,10,seed="x")
    Study.create(P,10,seed=-1)
    Study.create(P,10,seed=1.5)
    Study.create(P,10,at_once=0)
    Study.create(P,10,parameters=3)
    Study.create(P,10,parameters={"x":3})
    Study.create(P,10,learner="ucb",parameters={"alpha":"x"},storage="sqlite:///b.db")
    Study.create(P,10,who=3,storage="sqlite:///b.db",name="w")
    Study.create(P,10,reward=3)
    Study.create(Graph.parse("a -> b"),10)
    Study.open(7)
    Study.open("nope","sqlite:///a.db")
    Study.open("x","sqlite:///nothere.db")
    Study("x","y")
    s.tell("1",{"sales":"1"})
    s.tell(1,"sales=1")
    s.tell(1,{"sales":None})
    s.tell(1,{"sales":[1]})
    s.tell(1,None)
    s.tell(1,{1:2})
    s.tell(99,{"sales":"1"})
    s.tell(10**400,{"sales":"1"})
    Study.create(P,10**400)
    Study.create(P,10,lease=10**400)
    Study.create(P,10,until_sure=10**400)
    s.tell(None,{"sales":"1"})
    s.tell(1.5,{"sales":"1"})
    s.tell(1,{"sales":"1"},key=3)
    s.tell(1,{"sales":"1"},who=3)
    s.withdraw("1","x")
    s.withdraw(1,None)
    s.amend(1,{"sales":"1"},"x")
    s.amend("x",{"sales":"1"},"x")
    s.note(3)
    s.note("x",number="y")
    s.extend("x","why")
    s.extend(nan,"why")
    s.extend(why="x")
    s.change_learner("nope","x")
    s.change_learner(None,"x")
    s.add_action("price=1","x")
    s.add_action(3,"x")
    s.add_action(do(price=1),"x")
    s.add_action(do(season=1),"x",cost="z")
    s.recut("price",3)
    s.recut(3,3)
    s.recut("nope",[1])
    s.observe(None)
    s.observe("nothere.csv")
    s.observe(3)
    s.observe([{"a":1}])
    s.rounds("x")
    s.history("x")
    s.reason("x")
    s.close(3)
    do("price=1")
    do(3)
    do([1])
    do(price=1.5)
    do(price=None)
    do({1:2})
    do("do(price=1)")
    identify(g,"price=1")
    identify(g,do(sales=1))
    identify(g,None)
    identify("g",do())
    rehearse(None)
    Study.create(read(nx.DiGraph([("a","b")]),reward="b",success="1").problem,9)
    rehearse(P,rounds=nan)
    rehearse(P,rounds="x")
    rehearse(P,rounds=[])
    rehearse(P,rounds=10,learners=[])
    rehearse(P,rounds=10,learners=["nope"])
    rehearse(P,rounds=10,learners=[3])
    rehearse(P,rounds=10,worlds=0)
    rehearse(P,rounds=10,worlds="x")
    rehearse(P,rounds=10,different="x")
    rehearse(P,rounds=10,at_once=0)
    rehearse(P,rounds=10,delay="x")
    rehearse(P,rounds=10**9)
    rehearse(P,rounds=10,known=3)
    rehearse(P,rounds=10,given=3)
    compare(P)
    compare(None)
    compare([])
    compare(w,rounds="x")
    compare(w,rounds=20,learners=[None])
    compare(w,rounds=20,sims="x")
    compare(w,rounds=20,workers=0)
    compare("farm",rounds=20)
    compare(w,rounds=20,executor=3)
    play(w,"ucb")
    play(w,"ucb",rounds=inf)
    play(w,"ucb",rounds=nan)
    play(w,"nope",rounds=3)
    play(None,"ucb",rounds=3)
    play(w,None,rounds=3)
    play(w,"ucb",rounds=3,lanes=0)
    play(w,"ucb",rounds=3,lanes=10**15)
    play(w,"ucb",rounds=3,lanes="x")
    play(w,"ucb",rounds=3,seed="x")
    play(w,"ucb",rounds=3,at_once=0)
    play(w,"ucb",rounds=3,at_once="x")
    play(w,"ucb",rounds=3,delay=1.5)
    play(w,"ucb",rounds=3,worlds="x")
    play(w,"ucb",budget=3)
    play(w,Never(),rounds=30)
    play(w,Over(),rounds=30)
    play(w,Shape(),rounds=30)
    play(w,Undefined(),rounds=30)
    play(w,Bad(),rounds=30)
    play(w,Bad(),rounds=30,at_once=3)
    play(P,"ucb",rounds=3)
    check(None)
    check("nothere.toml")
    check(g,rounds="x")
    check(P,data=3)
    check(P,data="nothere.csv")
    check(3)
    check(P,columns=3,data="farm.toml")
    compose(None)
    compose(b"\xff\xfe\x00")
    compose("")
    compose(".")
    compose(P,reward="price")
    compose(g,worth=3)
    compose(g,aim="up")
    compose(g,reward=3)
    compose(nx.Graph())
    read(nx.DiGraph([("a","b")]),reward="b")
    read(nx.DiGraph([("a","b")]),reward="c",success="1")
    read(None)
    read(3)
    read("nothere.toml")
    write(3,"x.toml")
    write(g,"x.nope")
    write(g,3)
    write(g,"/nothere/x.toml")
    draw(None)
    draw(g,"x.png")
    draw(g,do="price=1")
    draw(g,do=do(sales=1))
    draw(g,do=3)
    draw(g,3)
    Graph.parse(3)
    Graph.parse("a -> ")
    Graph.parse("a -> b; b -> a")
    Graph.parse("a -> b",reward="c")
    Graph.parse("a -> b",reward=3)
    Graph.parse("a -> b",reward="b",success="5")
    Graph.of(["a","b"],[("a","b")])
    Graph.of([Variable("a")],[("a",)])
    Graph.of([Variable("a")],[("a","b")])
    Graph.of([Variable("a")],["ab"])
    Graph.of(3,4)
    g.rewarding("nope")
    g.rewarding(3)
    Variable(3)
    Variable("a",values=3)
    Variable("a",values="yes")
    Variable("a",values=["x","x"])
    Variable("a",cut=["x"])
    Variable("a",cut=3)
    Variable("")
    Model(g,{})
    Model(g,3)
    Model(g,{"price":[1,2]})
    Model(g,{"price":"x","season":[1,0],"sales":[1]})
    Model(P,{})
    Actions(g,3)
    Actions(3,[do()])
    Actions.single(g,["nope"])
    Actions.single(3)
    Actions.up_to(g,"x")
    Limit("a")
    Limit("a",at_most="x")
    Limit("a",at_most=1,at_least=2)
    Limit(3,at_most=1)
    Limit("a",at_most=1,never=3)
    Limit("a",at_most=1,over="all")
    Limit("a",at_most=1,over=None)
    Limit("a",at_most=1,always=True,safe=["do()"],over="everybody")
    Limit("a",at_most=1,always=True)
    Limit("a",at_most=1,always="yes",safe=["do()"])
    Limit("a",at_most=1,always=True,safe=[])
    Limit("a",at_most=1,always=True,safe="nothing")
    Limit("a",at_most=1,always=True,safe=["do()"],never=["do()"])
    Limit("a",at_most=1,safe=["do()"])
    Number(low="x")
    Number(low=3,high=1)
    Number(spread=-1)
    World(3,4)
    World(P,3)
    bestdo.learner(None)
    bestdo.learner("os:path")
    bestdo.learner("ucb2")
    world("nope")
    world(None)
    world("parallel",q="x")
    check_learner(3)
    check_learner("nope")
    check_learner(Never())
    check_learner(Over())
    check_learner(Bad())
    optimal_design(3)
    optimal_design(P)
    fixed_plan(P,rounds=3)
    fixed_plan("farm.toml")
    fixed_plan("farm.toml",rounds=10**8)
    fixed_plan("farm.toml",rounds="x")
    fixed_plan("farm.toml",rounds=5,seed="x")
    fixed_plan("farm.toml",budget=nan)
    estimate("farm.toml","nothere.csv")
    estimate("farm.toml",3)
    show(3)
    possibly_optimal_sets(3)
    possibly_optimal_sets(Graph.parse("a -> b"))
    init(3)
    init(None)
"""

WORDS = {
    "s.ask(n=0)": "the number of rounds to ask for is a whole number of at least 1, not 0",
    'Study.create(P,bestdo.learner("ucb"),60)': "say by its name what",
    "Study.create(P,rounds=nan)": "the number of rounds is a whole number of at least 1, not nan",
    'Study.create(P,rounds="many")': "not 'many'",
    's.tell("1",{"sales":"1"})': "the number of a round is a whole number of at least 1, not '1'",
    'do("price=1")': "write do(price='low')",
    "rehearse(None)": "None is no problem: give the path of a file",
    'Study.create(read(nx.DiGraph([("a","b")]),reward="b",success="1").problem,9)': "or Problem(graph, set=",
    'play(w,"ucb",rounds=inf)': "the number of rounds is a whole number of at least 1, not inf",
    "play(w,Never(),rounds=30)": "plans no round and does not end",
    "play(w,Shape(),rounds=30)": "returned a plan of the shape (3, 2): it is int[lanes, actions], here (1000, ",
    "play(w,Undefined(),rounds=30)": "returned a plan with NaN",
    "play(w,Over(),rounds=30)": "spends more than the horizon of 30",
    'fixed_plan("farm.toml",rounds=10**8)': "a plan of 100,000,000 rounds is too long",
    "rehearse(P,rounds=10**9)": "1,000,000,000 rounds are too many to simulate",
}
"""What some of the errors say, where the remedy matters most."""
LONGEST = 5.0  # seconds of the processor's time; a busy machine does not matter


@dataclass(frozen=True)
class Never:
    """A learner that plans no round, for ever."""

    statistic = staticmethod(played_statistic)
    start = staticmethod(start_counts)
    tell = staticmethod(add_block)
    best = staticmethod(best_mean)
    estimates = staticmethod(wilson_estimates)

    def ask(self, state, rng):
        return Plan(np.zeros_like(state.played, dtype=np.int64))


class Over(Never):
    """A learner that spends more than it has."""

    def ask(self, state, rng):
        return Plan(np.ones_like(state.played, dtype=np.int64))


class Shape(Never):
    """A learner whose plan has another shape."""

    def ask(self, state, rng):
        return Plan(np.ones((3, 2), dtype=np.int64))


class Undefined(Never):
    """A learner whose plan holds no numbers."""

    def ask(self, state, rng):
        return Plan(np.full(state.played.shape, np.nan))


class Bad(Never):
    """A learner whose plan is none."""

    def ask(self, state, rng):
        return [1]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the calls may use, in a folder of their own."""
    folder = tmp_path_factory.mktemp("bad")
    shutil.copy(ROOT / "examples" / "farm.toml", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("BESTDO_STORAGE", raising=False)
        door = {name: getattr(bestdo, name) for name in bestdo.__all__}
        graph = bestdo.Graph.parse("price -> sales; season -> price; season -> sales", reward="sales", success="1")
        problem = bestdo.Problem(graph, set=["price"])
        study = bestdo.Study.create(problem, 20, storage="sqlite:///a.db")
        study.ask()
        own = {"g": graph, "P": problem, "s": study, "w": bestdo.world("farm"), "nx": nx, "bestdo": bestdo}
        own |= {
            "nan": float("nan"),
            "inf": float("inf"),
            "Never": Never,
            "Over": Over,
            "Bad": Bad,
            "Shape": Shape,
            "Undefined": Undefined,
        }
        yield {**door, **own, "CausalTopTwo": bestdo.learners.CausalTopTwo}
        study.storage.close()


CALLS_LISTED = [line.strip() for line in CALLS.strip().splitlines()]


def test_sixty_bad_calls_are_errors_of_ours(names):
    """One test for the whole table, which takes a few seconds: all that is wrong is said at once."""
    wrong = []
    for call in CALLS_LISTED:
        before = time.process_time()
        try:
            wrong.append(f"{call} is accepted: {eval(call, dict(names))!r:.80}")
        except BestdoError as error:
            if not 12 <= len(str(error)) <= 1000 or "<class" in str(error):
                wrong.append(f"{call} is not explained: {error}")
            if WORDS.get(call, "") not in str(error):
                wrong.append(f"{call} says something else: {error}")
        except Exception as error:
            wrong.append(f"{call} ends in {error!r}")
        if time.process_time() - before > LONGEST:
            wrong.append(f"{call} takes long")
    assert not wrong, "\n".join(wrong)
    assert len(CALLS_LISTED) >= 60
    assert set(WORDS) <= set(CALLS_LISTED)


def test_what_was_refused_changed_nothing(names):
    assert names["s"].status()["told"] == 0
    assert [event["kind"] for event in names["s"].history()] == ["created", "planned", "asked"]


def test_an_intervention_of_one_action_is_a_problem(names):
    assert len(bestdo.Problem(names["g"], [bestdo.do()]).actions) == 1
    assert (
        len(bestdo.Problem(names["g"], [bestdo.do(), "do(price=1)"], cost={"default": 2, "do(price=1)": 3}).prices) == 2
    )


def test_a_graph_of_networkx_gives_a_problem_wherever_one_is_needed():
    network = nx.DiGraph([("price", "sales")])
    assert len(bestdo.compose(network, reward="sales", success="1").problem.actions) == 3
    assert bestdo.check(network, reward="sales", success="1").ways


def test_a_learner_that_no_other_process_finds_is_refused(names):
    class Local(Never):
        """Defined in a function."""

    for kind in (Local, type("Mine", (Never,), {"__module__": "__main__"})):
        with pytest.raises(BestdoError, match="is defined where no other process finds it"):
            bestdo.Study.create(names["P"], 10, learner=kind(), storage="sqlite:///c.db")


def test_a_learner_as_an_object_is_kept_by_its_name_and_what_differs(names):
    learner = bestdo.learners.UCB(alpha=1.5)
    study = bestdo.Study.create(names["P"], 10, learner=learner, name="object", storage="sqlite:///c.db")
    assert (study.status()["learner"], study.learner) == ("ucb", learner)
    study.change_learner(bestdo.learners.CausalTopTwo(), "better")
    assert study.status()["learner"] == "causal-top-two"


def test_a_learner_that_plans_nothing_ends_a_study(names):
    study = bestdo.Study.create(names["P"], 10, learner=Never(), name="never", storage="sqlite:///c.db")
    with pytest.raises(BestdoError, match="finished"):
        study.ask()


def test_modules_are_no_arguments():
    with pytest.raises(BestdoError, match="cannot read a module"):
        bestdo.check(types)
