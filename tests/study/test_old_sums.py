"""Sums that an earlier version kept of old rows, where there were too many different ones to keep: what becomes of them."""

import numpy as np
import polars as pl

from bestdo.learners import causal_top_two
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.memory_cache import memory_cache
from bestdo.statistics.seen import Seen
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.study.verbs import observe as old_of_studies

NAMES = [f"X{i}" for i in range(10)]
TEN = f"""bestdo = 1
[variables]
{"".join(f"{name} = {{}}{chr(10)}" for name in [*NAMES, "Y"])}[graph]
edges = [{", ".join(f'"{name} -> Y"' for name in NAMES)}]
reward = "Y"
success = "1"
[actions]
set = ["X0", "X1"]
"""
LIMITED = TEN + '[[limits]]\nvariable = "X2"\nvalue = "1"\nat_most = 0.9\n'


def kept_before(tmp_path, monkeypatch, text):
    """The export of a study with ten causes from when each action was counted alone, and that study's estimates."""
    (tmp_path / "ten.toml").write_text(text)
    rng = np.random.default_rng(3)
    rows = pl.DataFrame({name: rng.integers(0, 2, 400).astype(str) for name in NAMES})
    chance = 0.2 + 0.6 * (rows["X0"] == "1").to_numpy()
    rows = rows.with_columns(Y=pl.Series((rng.random(400) < chance).astype(int).astype(str)))
    few = old_of_studies.observed
    memory_cache.clear()
    with monkeypatch.context() as earlier:
        earlier.setattr(old_of_studies, "observed", lambda *some: few(*some, most=5))
        earlier.setattr(causal_top_two, "believed", lambda problem, horizon=None: CountBelief(problem, Seen(problem)))
        study = Study.create(
            tmp_path / "ten.toml", 60, name="ten", learner="causal-top-two", storage=f"sqlite:///{tmp_path}/a.db"
        )
        assert study.observe(rows).sums is not None
        found = exported(study), study.estimates()
    memory_cache.clear()
    return found


def test_they_count_for_the_actions(tmp_path, monkeypatch):
    data, before = kept_before(tmp_path, monkeypatch, TEN)
    study = imported(f"sqlite:///{tmp_path}/b.db", data)
    now = study.estimates()
    np.testing.assert_allclose(now.mean, before.mean, atol=0.03)  # the priors differ
    np.testing.assert_allclose(now.seen, before.seen, rtol=0.1)
    (asked,) = study.ask()
    study.tell(asked.number, {**dict.fromkeys(NAMES, "0"), **asked.action, "Y": "1"})
    assert str(study.best().action) == "do(X0=1)"


def test_where_they_cannot_they_are_left_out(tmp_path, monkeypatch):
    data, _ = kept_before(tmp_path, monkeypatch, LIMITED)
    study = imported(f"sqlite:///{tmp_path}/b.db", data)
    assert not study.estimates().seen.any()
    (asked,) = study.ask()
    study.tell(asked.number, {**dict.fromkeys(NAMES, "0"), **asked.action, "Y": "1"})
    assert study.old_data()[0].rows == 400
