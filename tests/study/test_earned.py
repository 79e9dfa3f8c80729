"""What a study has earned: sums by hand, against the best action as it is known."""

import math

import pytest

import bestdo
from support import problem_text

NUMBER = problem_text(
    {"dose": ["low", "high"], "loss": 'number = true, low = 0, high = 10, unit = "t"'},
    "dose -> loss",
    'reward = "loss"; aim = "minimise"',
    ["dose"],
    """\
[problem]
goal = "earn"
""",
)
GRAPH = bestdo.Graph.parse("x -> y", reward="y", success="1")


def begun(problem, tmp_path, rounds=9, **more):
    url = f"sqlite:///{tmp_path}/a.db"
    return bestdo.Study.create(problem, rounds, learner="uniform", storage=url, name="study", **more)


def test_successes(tmp_path):
    farm = begun("examples/farm.toml", tmp_path, goal="earn")
    assert farm.best().earned.in_words == "Nothing is earned yet."
    for k, asked in enumerate(farm.ask("Ada", 7)):
        farm.tell(asked, {"yield": "good" if k < 3 else "bad"})
    best = farm.best()
    found = best.earned
    assert (found.rounds, found.total, found.best) == (7, 3, str(best.action))
    assert (found.expected, found.low, found.high) == pytest.approx((7 * best.mean, 7 * best.low, 7 * best.high))
    assert found.in_words.startswith("Earned so far: 3 of 7 rounds had yield = good, 43 %. By what is known now, do(")
    assert "t/ha" not in found.in_words  # the unit of the yield, where harvests that are good are counted
    assert type(found).of_data(found.problem, found.as_data()) == found
    assert begun("examples/farm.toml", tmp_path / "..", load_if_exists=True).best().earned is None


def test_numbers_that_are_to_be_small_in_their_unit(tmp_path):
    path = tmp_path / "loss.toml"
    path.write_text(NUMBER)
    study = begun(path, tmp_path)
    told = {"do()": 4.0, "do(dose=low)": 6.0, "do(dose=high)": 2.5}
    rewards = []
    for asked in study.ask("Ada", 9):
        rewards.append(told[str(asked.action)])
        study.tell(asked, {"loss": rewards[-1]})
    found = study.best().earned
    assert found.total == pytest.approx(sum(rewards))
    assert found.best == "do(dose=high)"
    assert found.expected == pytest.approx(9 * 2.5)
    assert f"Earned so far: {sum(rewards):g} t in 9 rounds, " in found.in_words
    assert "do(dose=high) would have brought 22.5 t" in found.in_words


def test_with_costs_it_is_the_best_for_the_same_money(tmp_path):
    problem = bestdo.Problem(GRAPH, [bestdo.do(x=0), bestdo.do(x=1)], cost=[1, 4], goal="earn")
    study = begun(problem, tmp_path, None, budget=50)
    for asked in study.ask("Ada", 10):
        study.tell(asked, {"y": 1 if asked.number % 3 else 0})
    found, lines = study.best().earned, study.estimates()
    spent = lines.played[0] @ [1, 4]
    rates = lines.mean[0] / [1, 4]
    assert found.best == "do(x=0)"
    assert found.expected == pytest.approx(spent * rates.max())


def test_in_contexts_it_is_the_rule(tmp_path):
    graph = bestdo.Graph.parse("c -> y; x -> y", reward="y", success="1")
    problem = bestdo.Problem(graph, [bestdo.do(x=0), bestdo.do(x=1)], first="c", goal="earn")
    url = f"sqlite:///{tmp_path}/a.db"
    study = bestdo.Study.create(problem, 20, storage=url)
    assert study.status()["learner"] == "causal-thompson"
    for k in range(4):
        study.tell(study.ask(context={"c": k % 2})[0], {"y": k % 2})
    found = study.best()
    assert (found.earned.total, found.earned.best) == (2, "the rule")
    assert found.earned.expected == pytest.approx(4 * found.rule.value.mean)
    assert not math.isnan(found.earned.low)


LIMITED = problem_text(
    {"x": ["0", "1"], "harm": ["no", "yes"], "y": ["0", "1"]},
    "x -> y; x -> harm",
    'reward = "y"; success = "1"',
    rest="""\
[actions]
list = ["do(x=0)", "do(x=1)"]
[costs]
"do(x=0)" = 1.0
"do(x=1)" = 4.0
[[limits]]
variable = "harm"
value = "yes"
at_most = 0.3
[problem]
goal = "earn"
""",
)


def test_with_costs_and_limits_what_breaks_a_limit_is_not_the_best(tmp_path):
    """The cheap action breaks the limit in every round: the dear one is recommended, and is what would have brought most."""
    file = tmp_path / "limited.toml"
    file.write_text(LIMITED)
    study = begun(file, tmp_path, None, budget=150)
    for asked in study.ask("Ada", 50):
        cheap = asked.action["x"] == "0"
        study.tell(asked, {"y": asked.number % 2, "harm": "yes" if cheap else "no"})
    found, lines = study.best(), study.estimates()
    assert lines.keeps[0, 0] < 0.01 < 0.9 < lines.keeps[0, 1]
    assert str(found.action) == found.earned.best == "do(x=1)"
    spent = lines.played[0] @ [1, 4]
    assert found.earned.expected == pytest.approx(spent / 4 * lines.mean[0, 1])
    assert "would have brought" in found.earned.in_words
    assert " for the same money" in found.earned.in_words


def test_in_contexts_with_costs_it_is_the_rule_for_the_same_money(tmp_path):
    graph = bestdo.Graph.parse("c -> y; x -> y", reward="y", success="1")
    problem = bestdo.Problem(graph, [bestdo.do(x=0), bestdo.do(x=1)], cost=[1, 4], first="c", goal="earn")
    study = bestdo.Study.create(problem, budget=60, storage=f"sqlite:///{tmp_path}/a.db", name="study")
    for k in range(8):
        (asked,) = study.ask(context={"c": k % 2})
        study.tell(asked, {"y": int(asked.action["x"] == str(k % 2))})
    found, lines = study.best(), study.estimates()
    rule = found.rule
    price = [1, 4] @ (rule.actions[None, :] == [[0], [1]]) @ rule.shares
    assert found.earned.expected == pytest.approx(lines.played[0] @ [1, 4] / price * rule.value.mean)
