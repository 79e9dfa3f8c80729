"""What a study has earned: sums by hand."""

import pytest

import bestdo
from bestdo.bandit.estimate import of_each
from bestdo.usecases.earnings import earnings

NUMBER = """bestdo = 1
[variables]
dose = { values = ["low", "high"] }
loss = { number = true, low = 0, high = 10, unit = "t" }
[graph]
edges = ["dose -> loss"]
reward = "loss"
aim = "minimise"
[actions]
set = ["dose"]
"""


def known(study):
    return of_each(study.estimates(), study.problem.actions)


def test_successes_and_numbers(tmp_path):
    farm = bestdo.Study.create(
        "examples/farm.toml",
        rounds=9,
        learner="uniform",
        goal="earn",
        name="farm",
        storage=f"sqlite:///{tmp_path}/a.db",
    )
    assert earnings(farm, known(farm)).in_words == "Nothing is earned yet."
    for k, asked in enumerate(farm.ask("Ada", 7)):
        farm.tell(asked, {"yield": "good" if k < 3 else "bad"})
    found = earnings(farm, known(farm))
    assert (found.rounds, found.total) == (7, 3)
    assert found.in_words.startswith("Earned so far: 3 of 7 rounds had yield = good, 43 %. Always doing the best")
    path = tmp_path / "loss.toml"
    path.write_text(NUMBER)
    study = bestdo.Study.create(path, rounds=9, learner="uniform", name="loss", storage=f"sqlite:///{tmp_path}/a.db")
    told = {"do()": 4.0, "do(dose=low)": 6.0, "do(dose=high)": 2.5}
    rewards = []
    for asked in study.ask("Ada", 9):
        rewards.append(told[str(asked.action)])
        study.tell(asked, {"loss": rewards[-1]})
    found = earnings(study, known(study))
    assert found.total == pytest.approx(sum(rewards))
    assert found.missed == pytest.approx(sum(rewards) - 9 * 2.5)
    assert f"Earned so far: {sum(rewards):g} t in 9 rounds, " in found.in_words
    assert found.in_words.endswith("less.")
