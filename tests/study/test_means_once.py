"""Posterior means are worked out once for one answer of a study."""

import numpy as np
import pytest

import bestdo
from bestdo.bandit.rounds import Plan
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.simulate.samplers import tally
from bestdo.statistics.seen import Seen

SHOP = "device -> sale; banner -> look; look -> sale"
SEEN = {"temperature": "low", "nutrient": "rich", "moisture": "dry", "yield": "good"}


def counted(monkeypatch, belief, name):
    """The arrays of sums for which a belief works out its means, as they come."""
    sums, own = [], getattr(belief, name)

    def counting(self, tally, played):
        sums.append(tally)
        return own(self, tally, played)

    monkeypatch.setattr(belief, name, counting)
    return sums


@pytest.mark.parametrize("told", [SEEN, {"temperature": "low", "yield": "good"}], ids=["whole", "values missing"])
def test_an_answer_takes_the_means_once(tmp_path, monkeypatch, told):
    study = bestdo.Study.create("examples/farm.toml", rounds=60, name="farm", storage=f"sqlite:///{tmp_path}/a.db")
    for _ in range(3):
        asked = study.ask("Ann")
        study.tell(asked.number, {**told, **asked.action})
    means = counted(monkeypatch, FamilyBelief, "mean_by_tables")
    study.best()
    study.estimates()
    study.status()
    assert len(means) == 1


def test_a_rule_takes_the_means_once(tmp_path, monkeypatch):
    graph = bestdo.Graph.parse(SHOP, reward="sale", success="1")
    problem = bestdo.Problem(graph, set=["banner"], first=["device"])
    study = bestdo.Study.create(problem, rounds=60, name="shop", storage=f"sqlite:///{tmp_path}/a.db")
    for device in ("0", "1", "1"):
        asked = study.ask("Ann", context={"device": device})
        study.tell(asked.number, {"look": "1", "banner": "1", "sale": "1", **asked.action})
    means = counted(monkeypatch, FamilyBelief, "mean_by_tables")
    study.best()
    assert len(means) == 1


def test_results_belong_to_their_sums():
    """The same function of other sums, or of another object, is worked out anew."""
    world, rng = bestdo.world("farm"), np.random.default_rng(0)
    one, other = (CountBelief(world.problem, Seen(world.problem)) for _ in range(2))
    counts = rng.integers(1, 9, (1, len(world.problem.actions)))
    played, (first, second) = counts * 1.0, (tally(world, one.statistic, Plan(counts), rng) for _ in range(2))
    assert one.mean(first, played) is one.mean(first, played)
    assert one.mean(first, played) is not one.mean(second, played)
    assert one.mean(first, played) is not other.mean(first, played)
