"""Actions that are equal by the graph share their rounds, means and intervals, and the one that sets least is played."""

import numpy as np
import pytest

import bestdo
from bestdo import Graph, Limit, Number, Problem, Variable, do
from bestdo.bandit.rounds import Rounds
from bestdo.learners.causal_top_two import believed
from bestdo.study import Study

YES_NO = ("0", "1")


def problem(causes, number, **more):
    """Causes of a reward, of which three can be set, and Z, which can be set and causes nothing."""
    names = [f"X{i}" for i in range(causes)]
    reward = Variable("Y", number=Number()) if number else Variable("Y", YES_NO)
    wanted = {"aim": "maximise"} if number else {"success": "1"}
    variables = [*(Variable(name, YES_NO) for name in (*names, "Z")), reward]
    graph = Graph.of(variables, [(name, "Y") for name in names], reward="Y", **wanted)
    return Problem(graph, set=[*names[:3], "Z"], **more)


def played(study, causes, number, told, rounds=30, seed=1):
    """The study after some rounds."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        (asked,) = study.ask()
        values = {name: str(rng.integers(2)) for name in (*(f"X{i}" for i in range(causes)), "Z")} | dict(asked.action)
        mean = 0.45 + 0.1 * int(values["X0"]) + 0.05 * int(values["X1"])
        reward = f"{rng.normal(3 * mean, 1):.3f}" if number else str(int(rng.random() < mean))
        study.tell(asked.number, {**(values if told else dict(asked.action)), "Y": reward})
    return study


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("causes", [2, 3, 10])
def test_what_changes_nothing_is_do_nothing(tmp_path, causes, number, told):
    """By tables and by counts, for successes and numbers, where causes are seen and where they are not."""
    study = Study.create(problem(causes, number), 30, name="x", storage=f"sqlite:///{tmp_path}/x.db")
    found = played(study, causes, number, told).findings()
    actions, estimates = found.problem.actions, found.estimates
    place = [actions.index(action) for action in (do(), do(Z="0"), do(Z="1"))]
    for part in (estimates.mean, estimates.low, estimates.high):
        assert np.ptp(part[0, place]) == pytest.approx(0, abs=1e-12)
    if told and causes == 10:  # from the same draws
        assert np.ptp(estimates.seen[0, place]) == pytest.approx(0, abs=1e-9)
    assert not estimates.played[0, place[1:]].any()


def test_of_equal_actions_the_cheapest_is_played(tmp_path):
    priced = problem(2, False, cost={"default": 2, do(Z="1"): 1})
    study = Study.create(priced, budget=40, name="x", storage=f"sqlite:///{tmp_path}/x.db")
    estimates = played(study, 2, False, True, rounds=20).estimates()
    equal = [priced.actions.index(action) for action in (do(), do(Z="0"), do(Z="1"))]
    assert priced.equals == ((equal[2], equal[0], equal[1]),)
    assert estimates.played[0, equal[0]] == estimates.played[0, equal[1]] == 0


def test_rounds_of_equal_actions_count_for_each_other_by_hand():
    """Of five rounds whose other causes nobody saw, those of do() and of both settings of Z count for all three."""
    made = problem(10, False)
    belief = believed(made, 30)
    actions = [do(), do(Z="0"), do(Z="1"), do(X0="1"), do(Z="1")]
    rows = np.zeros((5, len(made.graph.names)), np.int64)
    rows[:, made.graph.names.index("Z")] = [0, 0, 1, 1, 1]
    rows[:, made.graph.names.index("X0")] = [0, 0, 1, 1, 1]
    index = np.array([made.actions.index(action) for action in actions])
    rounds = Rounds(np.zeros(5, np.int64), index, rows, np.array([1, 0, 0, 1, 1], bool))
    counted = belief.counted(belief.statistic.tally(rounds, 1))[0]
    equal = [made.actions.index(action) for action in (do(), do(Z="0"), do(Z="1"))]
    assert counted[equal].tolist() == [4, 4, 4]
    assert counted[made.actions.index(do(X0="1"))] == 3


@pytest.mark.parametrize("doubt", ["", "Z ?-> Y"])
def test_equal_in_every_possible_graph(doubt):
    text = "X -> Y; Z <-> X"
    made = bestdo.compose(f"{text}; {doubt}", reward="Y", success="1", set=["X", "Z"]).problem
    names = [{str(made.actions[i]) for i in some} for some in made.equals]
    assert names == ([] if doubt else [{"do()", "do(Z=0)", "do(Z=1)"}])


def test_joint_settings_of_which_a_part_matters():
    graph = Graph.parse("X -> M; M -> Y", reward="Y", success="1")
    made = Problem(graph, set=["X", "M"], at_most=2)
    names = {tuple(str(made.actions[i]) for i in some) for some in made.equals}
    assert names == {
        ("do(M=0)", "do(M=0, X=0)", "do(M=0, X=1)"),
        ("do(M=1)", "do(M=1, X=0)", "do(M=1, X=1)"),
    }


def test_with_limits_actions_may_differ_in_more_than_the_reward():
    graph = Graph.parse("X -> Y; Z -> harm", reward="Y", success="1")
    assert Problem(graph, set=["X", "Z"], limits=[Limit("harm", "1", at_most=0.2)]).equals == ()
