"""What a rehearsal advises, in sentences: which learner, how many rounds, and what it costs not to wait for results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bestdo.bandit.goal import KEPT, SUMMED, measure_of
from bestdo.bandit.horizon import Horizon
from bestdo.experiments.engine.experiment import Row
from bestdo.text import frequency, with_error

__all__ = ["advice", "amount", "cost_of_delay"]

_ENOUGH = 0.9
"""The advice is the least number of rounds that brings this share of what the largest brings. Chosen, not measured."""

_NOTICEABLE = 3.0
"""Standard errors by which an experiment must lower the regret for the advice to recommend it. Chosen, not measured."""

_AS_GOOD = 2.0
"""Standard errors within which learners are called as good as each other. Chosen, not measured."""


def advice(table: Sequence[Row]) -> str:
    """Advice in a few sentences: which learner, how many rounds, what that brings, and how it depends on the causes.

    It is the least number of rounds that brings nine tenths of what the largest number brings, whether few causes matter
    or all do.
    """
    said = {KEPT: _advised, SUMMED: _about_earning}[measure_of(table[0])](table)
    return " ".join([said, *(about(table) for column, about in _ABOUT.items() if column in table[0])])


def _kept(row: Row) -> str:
    """What a study keeps: a rule where variables are seen first, otherwise an action."""
    return "rule" if "rule_gain" in row else "action"


def _about_earning(table: Sequence[Row]) -> str:
    """Which learner loses least in all rounds together, and from how many rounds on learning earns more than not learning.

    Who does not learn plays the action that looks best beforehand in all rounds.
    """
    said = []
    for panel in _panels(table):
        rows = [row for row in table if row.get("panel", "") == panel]
        best = _best_by_horizon(rows)
        most = best[max(best)]
        regret, error = SUMMED.of(most)
        lost = with_error(regret, _AS_GOOD * error, 2)
        text = (
            f"{f'If {panel}: ' if panel else ''}{most['learner']} loses least: in {_rounds(most)} together it earns "
            f"{lost} less than the best {_kept(most)} would"
        )
        if isinstance(most["horizon"], float):  # by money, not by rounds
            said.append(f"{text}.")
            continue
        idle = {t: t * row["regret_without"] for t, row in best.items()}
        now = "as things stand" if most["rounds_before"] else "beforehand"
        upper = {
            t: regret + _AS_GOOD * error for t, (regret, error) in zip(best, map(SUMMED.of, best.values()), strict=True)
        }
        paid = (t for t in best if upper[t] < idle[t])
        pays = next(
            (f"; learning pays from {_rounds(best[t])} on" for t in paid), "; learning does not pay in so few rounds"
        )
        said.append(f"{text}, against {idle[most['horizon']]:.2f} less by what looks best {now}, always{pays}.")
    return " ".join(said)


def _about_rules(table: Sequence[Row]) -> str:
    """Whether a rule is worth it: what the best one gains over one action for everybody, and how much of that is kept."""
    said = []
    for panel in _panels(table):
        best = _best_by_horizon([row for row in table if row.get("panel", "") == panel])
        most = best[max(best)]
        gain = most["rule_gain"]
        on = f"If {panel}, on" if panel else "On"
        each = measure_of(most).each
        text = (
            f"{on} average the best rule is {each}{amount(most, gain)} better than the best single action for everybody"
        )
        enough = next((row for row in best.values() if row["regret"] + 2 * row["standard_error"] < gain), None)
        if enough is None:
            said.append(f"{text}; up to {_rounds(most)} do not find a rule that is surely better than that action.")
        else:
            found = f"from {_rounds(enough)} on" if enough is not most or len(best) == 1 else f"after {_rounds(enough)}"
            said.append(f"{text}; {found} the rule that {enough['learner']} keeps is better than that action.")
    return " ".join(said)


def _about_limits(table: Sequence[Row]) -> str:
    """How often, after the largest number of rounds, the action that the best learner keeps breaks a limit."""
    most = max(row["horizon"] for row in table)
    row = min((row for row in table if row["horizon"] == most), key=_judged)
    shares = {
        "breaks": f"{row['breaks']:.0%}",
        "none": f"{row['none']:.0%}",
        "often": frequency(row["no_action_keeps"]),
    }
    return _LIMITS_KEPT[_kept(row)].format(studied=f"{_rounds(row)} of {row['learner']}", **shares)


_LIMITS_KEPT = {
    "rule": (
        "The best is the best of the actions that keep the limits in a context; for {often} of the people none does, and "
        "there nothing can be lost. After {studied} the rule kept breaks a limit for {breaks} of the people, and for {none} "
        "the study says that no action keeps them."
    ),
    "action": (
        "The best is the best of the actions that keep the limits; in {often} of the worlds none does, and there nothing "
        "can be lost. After {studied} the action kept breaks a limit in {breaks} of the worlds, and in {none} the study says "
        "that no action keeps them."
    ),
}
"""How limits are kept, by what a study keeps."""
_ABOUT = {"rule_gain": _about_rules, "no_action_keeps": _about_limits}
"""Further advice, by the column of the table that it is about."""


def _advised(table: Sequence[Row]) -> str:
    """The advice on learner and rounds."""
    panels = {panel: [row for row in table if row.get("panel", "") == panel] for panel in _panels(table)}
    if len(panels) == 1:
        return _advice_for_one(table)
    chosen = {panel: _chosen(rows) for panel, rows in panels.items()}
    enough = {panel: row["horizon"] for panel, row in chosen.items() if row is not None}
    if not enough:
        return " ".join(f"If {panel}: {_advice_for_one(rows)}" for panel, rows in panels.items())
    most = max(enough.values())
    there = {panel: [row for row in rows if row["horizon"] == most] for panel, rows in panels.items()}
    best = _least_on_average(there)
    rows = {panel: next(row for row in there[panel] if row["learner"] == best) for panel in panels}
    first, *_ = rows.values()
    text = f"{best} for {_rounds(first)}: " + ", and ".join(
        f"if {panel} it keeps the best {_kept(row)} in {frequency(row['p_best'])} of the worlds, and what it keeps is "
        f"worse than the best by {_amount(row, 'regret')} on average "
        f"(against {_amount(row, 'regret_without')} without an experiment)"
        for panel, row in rows.items()
    )
    return f"{text}. {' '.join(_disagreements(panels, chosen, rows))}"


def _panels(table: Sequence[Row]) -> list[str]:
    """The panels of a table, in their order."""
    return list(dict.fromkeys(row.get("panel", "") for row in table))


def _least_on_average(there: Mapping[str, Sequence[Row]]) -> str:
    """The learner with the least regret, on average over panels, of those in all of them."""
    regrets = [{row["learner"]: row["regret"] for row in rows} for rows in there.values()]
    everywhere = [name for name in regrets[0] if all(name in part for part in regrets)]
    return str(min(everywhere or regrets[0], key=lambda name: sum(part.get(name, 1.0) for part in regrets)))


def _disagreements(
    panels: Mapping[str, Sequence[Row]], chosen: Mapping[str, Row | None], rows: Mapping[str, Row]
) -> list[str]:
    """How the advice depends on how many causes matter, in sentences."""
    found = []
    for panel, row in chosen.items():
        advised = rows[panel]
        if row is None:
            most = max(panels[panel], key=lambda each: each["horizon"])
            found.append(f"if {panel}, up to {_rounds(most)} buy next to nothing")
        elif row["horizon"] != advised["horizon"]:
            found.append(
                f"if {panel}, {_rounds(row)} are enough ({row['learner']}, worse than the best by {_amount(row, 'regret')})"
            )
        elif not _as_good(advised, row):
            found.append(
                f"if {panel}, {row['learner']} is better (worse than the best by {_amount(row, 'regret')} instead of "
                f"{_amount(advised, 'regret')})"
            )
    if not found:
        return ["This does not depend on how many causes matter."]
    return [
        "This depends on how many causes matter, which nobody knows before the experiment: " + "; ".join(found) + "."
    ]


def _chosen(table: Sequence[Row]) -> Row | None:
    """The row of the least number of rounds that brings most, by the best learner; None where no number brings anything."""
    best = _best_by_horizon(table)
    most = best[max(best)]
    gained = most["regret_without"] - most["regret"]
    if gained <= _NOTICEABLE * most["standard_error"]:
        return None
    return next(row for row in best.values() if row["regret_without"] - row["regret"] >= _ENOUGH * gained)


def _best_by_horizon(table: Sequence[Row]) -> dict[float, Row]:
    """The row of the learner with the least regret, for each horizon in order."""
    return {t: min((r for r in table if r["horizon"] == t), key=_judged) for t in _horizons(table)}


def _judged(row: Row) -> float:
    """The regret by which learners are judged: that summed over all rounds where every round counts."""
    return float(measure_of(row).of(row)[0])


def _advice_for_one(table: Sequence[Row]) -> str:
    """The advice where all worlds were drawn from one prior."""
    best, chosen = _best_by_horizon(table), _chosen(table)
    most = best[max(best)]
    before = _amount(most, "regret_without")
    now = "as things stand" if most["rounds_before"] else "without an experiment"
    if chosen is None:
        return (
            f"Up to {_rounds(most)} buy next to nothing here: the {_kept(most)} kept is worse than the best one by "
            f"{_amount(most, 'regret')} on average, against {before} {now}."
        )
    text = (
        f"{chosen['learner']} for {_rounds(chosen)}{_or(table, chosen)}: it keeps the best {_kept(chosen)} in "
        f"{frequency(chosen['p_best'])} of such worlds, and what it keeps is worse than the best by "
        f"{_amount(chosen, 'regret')} on average, against {before} {now}"
    )
    if chosen is most:
        return f"{text}; more rounds than that may still be worth their price."
    lower = most["regret"] < chosen["regret"]
    what = f"lower that to {_amount(most, 'regret')}" if lower else "not lower that"
    return f"{text}; {_rounds(most)} would {what}."


def _amount(row: Row, what: str) -> str:
    """A regret of a row as text."""
    return amount(row, row[what])


def amount(row: Row, number: float) -> str:
    """A number as text, with three decimals, or three digits where the reward's unit makes regrets large or tiny."""
    return f"{number:.3f}" if 0.01 <= row["regret_without"] < 10 else f"{number:.3g}"


def _horizons(table: Sequence[Row]) -> list[float]:
    """The horizons of a table, in order."""
    return sorted({row["horizon"] for row in table})


def _rounds(row: Row) -> str:
    """The horizon of a row, in words."""
    return Horizon.of_number(row["horizon"]).words("more round" if row["rounds_before"] else "round")


def _or(table: Sequence[Row], chosen: Row) -> str:
    """In words, the learners that are as good as the one chosen, as far as the simulations can tell."""
    same = [
        row["learner"]
        for row in table
        if row["horizon"] == chosen["horizon"] and row["learner"] != chosen["learner"] and _as_good(row, chosen)
    ]
    return f" ({' and '.join(same)} {'is' if len(same) == 1 else 'are'} as good)" if same else ""


def _as_good(row: Row, other: Row) -> bool:
    """Whether a row's regret is no worse than another's, as far as the simulations can tell."""
    error = float(np.hypot(row["standard_error"], other["standard_error"]))
    return bool(row["regret"] - other["regret"] <= _AS_GOOD * error)


def cost_of_delay(table: Sequence[Row]) -> list[str]:
    """What it costs not to wait for results, in a sentence for each learner; none where they are waited for."""
    said = []
    for learner in dict.fromkeys(row["learner"] for row in table if "delay_cost" in row):
        most = max(row["horizon"] for row in table if row["learner"] == learner)
        rows = [row for row in table if row["learner"] == learner and row["horizon"] == most]
        what = measure_of(rows[0]).behind
        before, cost = (float(np.mean([row[column] for row in rows])) for column in ("waited", "delay_cost"))
        error = float(np.sqrt(sum(row["delay_cost_error"] ** 2 for row in rows))) / len(rows)
        said.append(
            f"{learner}, {_rounds(rows[0])}: {what} by {before + cost:.3f} on average, against "
            f"{before:.3f} if every result were known before the next round (a difference of "
            f"{'+' if cost >= 0 else ''}{with_error(cost, _AS_GOOD * error, 3)})"
        )
    return said
