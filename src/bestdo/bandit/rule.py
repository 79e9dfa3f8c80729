"""A rule: an action for each context, what is known of it, and whether it is worth having."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import bestdo.display as display
from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.text import chance, quoted

__all__ = ["InContext", "Line", "Rule", "Value", "best_over"]


class Value(NamedTuple):
    """A mean in the unit of the reward, with a 95 % interval."""

    mean: float
    low: float
    high: float


class InContext(NamedTuple):
    """The action of a rule in one context, and the knowledge about it."""

    context: Mapping[str, str]
    action: Intervention
    mean: float
    low: float
    high: float
    p_best: float
    """The probability that no other action is better in this context."""
    played: int
    """The number of plays of the action in this context."""
    share: float
    """The estimated share of rounds with this context."""
    rounds: int
    """In how many rounds, old ones included, the context was seen."""
    keeps: float = 1.0
    """The probability that the action keeps all limits in this context; 1 where there are none."""


class Line(NamedTuple):
    """A part of a rule in words: the contexts in which some variables have some values."""

    when: Mapping[str, tuple[str, ...]]
    """The values of each variable that matters for which the line holds; empty: all other contexts."""
    action: Intervention

    def __str__(self) -> str:
        when = ", ".join(f"{quoted(n)}={' or '.join(map(quoted, values))}" for n, values in self.when.items())
        return f"{when or 'all others'}: {self.action}"


@dataclass(frozen=True, eq=False)
class Rule:
    """An action for each context, with its value compared to that of the best single action for everybody."""

    problem: Problem
    actions: Ints
    """int[C]: the number of the action in each context."""
    means: Floats
    """float[C, A]: the mean of each action in each context, in the unit of the reward."""
    shares: Floats
    """float[C]: how often each context is believed to occur."""
    contexts: tuple[InContext, ...]
    value: Value
    """The mean of the reward if the rule is followed."""
    single: Intervention
    """The best single action for everybody."""
    single_value: Value
    gain: Value
    """The advantage of the rule over the best single action; above 0 is better, whatever the aim."""
    p_worth: float
    """The probability that the rule is better than the best single action for everybody."""
    keeps: Floats
    """float[C, A]: the probability that each action keeps all limits in each context; 1 where there are none. Of limits over
    everybody, that the rule does with the action in this context."""
    everybody: float = 1.0
    """The probability that the rule keeps the limits over everybody; 1 where there are none."""

    def action(self, context: Mapping[str, object]) -> Intervention:
        """The action for a context; where values are missing, the best on average over the contexts that agree with it.

        Capitals do not matter. With limits it is the best of the actions that keep them in all of these contexts; where none
        does, the nearest.
        """
        known = self.problem.contexts.matching(self.problem.contexts.read(context))
        if known.sum() == 1:
            return self.problem.actions[int(self.actions[known.argmax()])]
        gains = self.problem.graph.rewarded.scale.sign * self.means
        return self.problem.actions[best_over(self.problem, known, self.shares, gains, self.keeps)]

    @property
    def beyond_limits(self) -> tuple[int, ...]:
        """The contexts in which no action keeps the limits there with the probability asked for; the nearest is taken."""
        sure = self.problem.sure
        return tuple(c for c, one in enumerate(self.contexts) if one.keeps < sure)

    @property
    def within_limits(self) -> bool:
        """Whether it keeps all limits with the probability asked for, in each context and over everybody."""
        return self.everybody >= self.problem.sure and not self.beyond_limits

    @property
    def about_limits(self) -> str:
        """A sentence for people: whether the rule keeps all limits in each context; empty where there are none."""
        return display.about_limits(self)

    @property
    def is_single(self) -> bool:
        """Whether the rule has one action in all contexts."""
        return bool((self.actions == self.actions[0]).all())

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The rule in as few lines as were found, which say exactly the same; the last is for all other contexts."""
        table = self.actions.reshape(self.problem.contexts.sizes)
        leaves = _leaves(table, self.problem.first)
        found: dict[int, list[dict[str, tuple[int, ...]]]] = {}
        for when, action in leaves:
            found.setdefault(action, []).append(when)
        lengths = {action: sum(map(len, whens)) + 1000 * len(whens) for action, whens in found.items()}
        others = max(lengths, key=lambda action: (lengths[action], action == self._index(self.single)))
        graph, actions = self.problem.graph, self.problem.actions
        lines = [
            Line({n: tuple(graph.variable(n).values[c] for c in codes) for n, codes in when.items()}, actions[action])
            for action, whens in found.items()
            for when in (whens if action != others else ())
        ]
        return (*lines, Line({}, actions[others]))

    def _index(self, action: Intervention) -> int:
        return self.problem.actions.index(action)

    def __str__(self) -> str:
        return "; ".join(map(str, self.lines)) if len(self.lines) > 1 else f"everybody: {self.lines[0].action}"

    def __repr__(self) -> str:
        return f"Rule({self}; {self.gain.mean:.3g} better than {self.single} with probability {chance(self.p_worth)})"

    _repr_html_ = display.html
    to_frame = display.to_frame

    def as_data(self) -> dict[str, Any]:
        """The rule as data for JSON: what is seen first, the lines, every context, and what the rule is worth."""
        graph, limits = self.problem.graph, self.problem.limits
        parts = [_finite(part._asdict()) for part in (self.value, self.single_value, self.gain)]
        return {
            "first": {n: list(graph.variable(n).values) for n in self.problem.first},
            "cuts": {n: list(cut) for n in self.problem.first if (cut := graph.variable(n).cut)},
            "reward": graph.reward,
            "aim": graph.aim or "maximise",
            "lines": [
                {
                    "when": {n: list(v) for n, v in line.when.items()},
                    "action": str(line.action),
                    "set": dict(line.action),
                }
                for line in self.lines
            ],
            "contexts": [
                {
                    **_finite({k: v for k, v in one._asdict().items() if k != "keeps"}),
                    "context": dict(one.context),
                    "action": str(one.action),
                    "set": dict(one.action),
                    "means": [float(mean) if math.isfinite(mean) else None for mean in means],
                    **limits.fields({"keeps_limits": one.keeps, "each_keeps": self.keeps[c].tolist()}),
                }
                for c, (one, means) in enumerate(zip(self.contexts, self.means, strict=True))
            ],
            **limits.fields({"limits": list(map(str, limits)), "sure": self.problem.sure}),
            **limits.fields({"within_limits": self.within_limits}),
            **self.problem.kept_limits.over_everybody.fields({"keeps_over_everybody": self.everybody}),
            "value": parts[0],
            "single": {"action": str(self.single), "set": dict(self.single), **parts[1]},
            "gain": parts[2],
            "p_worth": self.p_worth,
        }

    @classmethod
    def of_data(cls, problem: Problem, data: Mapping[str, Any]) -> Rule:
        """The rule of a problem from what `as_data` returned."""
        rows: list[dict[str, Any]] = [
            {k: math.nan if v is None else v for k, v in row.items()} for row in data["contexts"]
        ]
        contexts = tuple(
            InContext(
                **{k: row[k] for k in InContext._fields if k not in ("action", "keeps")},
                action=Intervention.parse(row["action"]),
                keeps=row.get("keeps_limits", 1.0),
            )
            for row in rows
        )
        value, single_value, gain = (
            Value(*(math.nan if part[k] is None else part[k] for k in Value._fields))
            for part in (data["value"], data["single"], data["gain"])
        )
        return cls(
            problem,
            np.array([problem.actions.index(one.action) for one in contexts], np.int64),
            np.array([[math.nan if mean is None else mean for mean in row["means"]] for row in rows]),
            np.array([one.share for one in contexts]),
            contexts,
            value,
            Intervention.parse(data["single"]["action"]),
            single_value,
            gain,
            float(data["p_worth"]),
            np.array([row.get("each_keeps", [1.0] * len(problem.actions)) for row in rows]),
            data.get("keeps_over_everybody", 1.0),
        )


def best_over(problem: Problem, which: NDArray[np.bool_], shares: Floats, gains: Floats, keeps: Floats) -> int:
    """The number of the action that is the best on average over some contexts (bool[C]), by gains float[C, A].

    With limits it is the best of those that keep them in all of these contexts (keeps, float[C, A]) as surely as asked for;
    where none does, the one that comes nearest to it on average.
    """
    mean = np.where(problem.contenders, shares[which] @ gains[which], -np.inf)
    enough = (keeps[which] >= problem.sure).all(axis=0)
    near = shares[which] @ np.minimum(keeps[which], problem.sure)
    return int((np.where(enough, mean, -np.inf) if enough.any() else near).argmax())


def _finite(data: dict[str, Any]) -> dict[str, Any]:
    """The data with None for numbers that are not finite, which JSON does not have."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in data.items()}


def _leaves(table: Ints, names: Sequence[str]) -> list[tuple[dict[str, tuple[int, ...]], int]]:
    """The parts of a table (one axis per name) in which it is constant, by the values of as few names as were found.

    The name that is looked at first is the one with which the fewest parts are left; values with the same rest are joined.
    """
    if (table == table.flat[0]).all():
        return [({}, int(table.flat[0]))]
    best: list[tuple[dict[str, tuple[int, ...]], int]] | None = None
    axes = [axis for axis in range(table.ndim) if not _same_along(table, axis)]
    for axis in axes[:1] if len(axes) > _MOST_ORDERS else axes:
        parts: dict[bytes, list[int]] = {}
        slices = [np.ascontiguousarray(part) for part in np.moveaxis(table, axis, 0)]
        for code, part in enumerate(slices):
            parts.setdefault(part.tobytes(), []).append(code)
        rest = [n for i, n in enumerate(names) if i != axis]
        found = [
            ({names[axis]: tuple(codes), **when}, action)
            for codes in parts.values()
            for when, action in _leaves(slices[codes[0]], rest)
        ]
        if best is None or len(found) < len(best):
            best = found
    assert best is not None
    return best


_MOST_ORDERS = 5
"""Up to so many variables that matter, every order of looking at them is tried; beyond it, they are taken as they come."""


def _same_along(table: Ints, axis: int) -> bool:
    """Whether a table does not depend on one of its axes."""
    return bool((table == np.take(table, [0], axis=axis)).all())
