"""The advice of a rehearsal as values: the learner, the number of rounds, and the cost of not waiting for results.

`bestdo.report.sections.rehearsal` puts them into words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bestdo.bandit.goal import Measure, measure_of
from bestdo.causal.context_words import BY_CONTEXT, FOR_EVERYBODY, ContextWords
from bestdo.experiments.engine.experiment import Row

__all__ = ["AS_GOOD", "Finding", "advised_together", "as_good", "delays", "findings", "judged", "words_of"]

_ENOUGH = 0.9
"""The advice is the least number of rounds that brings this share of what the largest brings. Chosen, not measured."""

_NOTICEABLE = 3.0
"""Standard errors by which an experiment must lower the regret for the advice to recommend it. Chosen, not measured."""

AS_GOOD = 2.0
"""Standard errors within which learners are called as good as each other. Chosen, not measured."""


@dataclass(frozen=True)
class Finding:
    """The finding of a rehearsal about worlds of one kind: a panel of its table."""

    panel: str
    """The name of these worlds; empty where all were drawn from one prior."""
    rows: Sequence[Row]

    @cached_property
    def best(self) -> dict[float, Row]:
        """The row of the learner with the least regret, for each horizon in order."""
        horizons = sorted({row["horizon"] for row in self.rows})
        return {t: min((row for row in self.rows if row["horizon"] == t), key=judged) for t in horizons}

    @property
    def most(self) -> Row:
        """The row of the best learner for the largest horizon."""
        return self.best[max(self.best)]

    @property
    def measure(self) -> Measure:
        """The regret by which learners are judged."""
        return measure_of(self.most)

    @cached_property
    def enough(self) -> Row | None:
        """The row of the least horizon that brings most, by the best learner; None where no horizon brings anything."""
        gained = self.most["regret_without"] - self.most["regret"]
        if gained <= _NOTICEABLE * self.most["standard_error"]:
            return None
        return next(row for row in self.best.values() if row["regret_without"] - row["regret"] >= _ENOUGH * gained)

    @property
    def pays_from(self) -> Row | None:
        """The row from which on learning earns more than the action that looks best beforehand; None where none does."""
        upper = {t: _upper(row) for t, row in self.best.items()}
        return next((row for t, row in self.best.items() if upper[t] < self.idle(row)), None)

    @staticmethod
    def idle(row: Row) -> float:
        """The loss in all rounds together without learning."""
        return float(row["horizon"] * row["regret_without"])

    @property
    def better_rule(self) -> Row | None:
        """The row from which on the rule that is kept is surely better than the best single action; None where none is."""
        gain = self.most["rule_gain"]
        return next((row for row in self.best.values() if row["regret"] + 2 * row["standard_error"] < gain), None)

    def rivals(self, chosen: Row) -> list[str]:
        """The learners that are as good as the one chosen, as far as the simulations can tell."""
        return [
            row["learner"]
            for row in self.rows
            if row["horizon"] == chosen["horizon"] and row["learner"] != chosen["learner"] and as_good(row, chosen)
        ]


def findings(table: Sequence[Row]) -> list[Finding]:
    """The findings of a table about each kind of worlds, in the order of its panels."""
    panels = dict.fromkeys(row.get("panel", "") for row in table)
    return [Finding(panel, [row for row in table if row.get("panel", "") == panel]) for panel in panels]


def words_of(row: Mapping[str, Any]) -> ContextWords:
    """Words that depend on whether a study keeps an action or a rule."""
    return FOR_EVERYBODY if {"contexts", "rule_gain"}.isdisjoint(row) else BY_CONTEXT


def judged(row: Row) -> float:
    """The regret by which learners are judged: that summed over all rounds where every round counts."""
    return float(measure_of(row).of(row)[0])


def _upper(row: Row) -> float:
    """The regret of a row, and as much more as its error allows."""
    regret, error = measure_of(row).of(row)
    return float(regret + AS_GOOD * error)


def as_good(row: Row, other: Row) -> bool:
    """Whether a row's regret is no worse than another's, as far as the simulations can tell."""
    error = float(np.hypot(row["standard_error"], other["standard_error"]))
    return bool(row["regret"] - other["regret"] <= AS_GOOD * error)


def advised_together(found: Sequence[Finding]) -> Mapping[str, Row]:
    """The row of one learner and one horizon for each kind of worlds: enough for all, and the best on average over them.

    There is none where no horizon brings anything.
    """
    enough = [one.enough["horizon"] for one in found if one.enough is not None]
    if not enough:
        return {}
    there = {one.panel: [row for row in one.rows if row["horizon"] == max(enough)] for one in found}
    best = _least_on_average(there)
    return {panel: next(row for row in rows if row["learner"] == best) for panel, rows in there.items()}


def _least_on_average(there: Mapping[str, Sequence[Row]]) -> str:
    """The learner with the least regret, on average over panels, of those in all of them."""
    regrets = [{row["learner"]: row["regret"] for row in rows} for rows in there.values()]
    everywhere = [name for name in regrets[0] if all(name in part for part in regrets)]
    return str(min(everywhere or regrets[0], key=lambda name: sum(part.get(name, 1.0) for part in regrets)))


class _Delay(NamedTuple):
    """The cost of not waiting for results to a learner, after the largest number of rounds."""

    row: Row
    """One of its rows."""
    waited: float
    """The regret if every result were known before the next round."""
    cost: float
    error: float


def delays(table: Sequence[Row]) -> list[_Delay]:
    """The cost of not waiting for results to each learner; none where results are waited for."""
    found = []
    for learner in dict.fromkeys(row["learner"] for row in table if "delay_cost" in row):
        most = max(row["horizon"] for row in table if row["learner"] == learner)
        rows = [row for row in table if row["learner"] == learner and row["horizon"] == most]
        waited, cost = (float(np.mean([row[column] for row in rows])) for column in ("waited", "delay_cost"))
        error = float(np.sqrt(sum(row["delay_cost_error"] ** 2 for row in rows))) / len(rows)
        found.append(_Delay(rows[0], waited, cost, error))
    return found
