"""Limits: bounds within which an outcome other than the reward has to stay, whatever the reward is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestdo.arguments import listed, text_of
from bestdo.arrays import Floats
from bestdo.bandit.limited_outcome import FIELDS, LimitedOutcome, outcome_of
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.graph import Graph
from bestdo.causal.model import Model
from bestdo.causal.number_causes import summed_out, tables_summed_out, with_several_effects
from bestdo.causal.outcome import Outcome
from bestdo.errors import ActionError, GraphError, shown

__all__ = ["CONTEXT", "EVERYBODY", "SURE", "Limit"]

SURE = 0.9
"""The probability with which a recommended action must keep all limits, unless a problem says otherwise."""
CONTEXT, EVERYBODY = "context", "everybody"
"""The people over whom a limit is kept on average: those of each context, or all who get the recommended rule."""
_ROUNDING = 1e-12  # by how much a mean may exceed a bound through rounding and still keep it


@dataclass(frozen=True)
class Limit:
    """An outcome that has to stay within a bound: how often a variable has a value or is above a number, or its mean.

    Raises GraphError where no bound is said, or two are, or two quantities.

    >>> import bestdo
    >>> print(bestdo.Limit("cancer", "yes", at_most=0.1))
    P(cancer = yes) at most 0.1
    >>> print(bestdo.Limit("delivery", above=48, at_most=0.05))
    P(delivery > 48) at most 0.05
    """

    variable: str
    value: str | None = None
    """The value of which the probability is limited; None where the variable is a number."""
    at_most: float | None = None
    at_least: float | None = None
    never: tuple[Intervention, ...] = ()
    """Actions that are known beforehand to break it: they are not allowed at all, and are not among the problem's actions."""
    above: float | None = field(default=None, kw_only=True)
    """The number above which a variable that is a number is limited: its chance to be above, not its mean."""
    below: float | None = field(default=None, kw_only=True)
    """The number below which a variable that is a number is limited: its chance to be below, not its mean."""
    always: bool = field(default=False, kw_only=True)
    """Whether the limit holds while exploring, too: a round plays what is safe, or keeps it as surely as asked for."""
    safe: tuple[Intervention, ...] = field(default=(), kw_only=True)
    """Actions that are known beforehand to keep it, with which a study begins where it always holds."""
    over: str = field(default=CONTEXT, kw_only=True)
    """"context": the limit holds in each context; "everybody": on average over all people who get the recommended rule. The
    same where nothing is seen before the action is chosen."""

    def __post_init__(self) -> None:
        text_of("the variable of a limit", self.variable)
        for name, example in (("never", "['do(dose=high)']"), ("safe", "['do()']")):
            actions = listed(name, getattr(self, name), example)
            object.__setattr__(self, name, tuple(Intervention.of(action) for action in actions))
        self._check_always()
        if (self.at_most is None) == (self.at_least is None):
            said = "neither at_most nor at_least" if self.at_most is None else "both at_most and at_least"
            raise GraphError(f"the limit on {shown(self.variable)} has {said}; say one of them in each limit")
        for name, of in {**FIELDS, self.side: float}.items():
            said = getattr(self, name)
            if of is float and said is not None and not _is_number(said):
                what = "" if name == self.side else f" {name}"
                raise GraphError(f"the limit on {shown(self.variable)} is{what} {said!r:.30}; it must be a number")
            object.__setattr__(self, name, None if said is None else of(said))
        _ = self.kind

    def _check_always(self) -> None:
        """Raises GraphError unless limits that always hold, and no others, name safe actions, and over is one of two."""
        name = shown(self.variable)
        if self.over not in (CONTEXT, EVERYBODY):
            raise GraphError(
                f"over of the limit on {name} is {self.over!r:.30}; it is {CONTEXT!r}, where the limit holds in each "
                f"context, or {EVERYBODY!r}, where it does on average"
            )
        if self.always and self.over == EVERYBODY:
            raise GraphError(
                f"the limit on {name} holds in every round (always), so in the context of the round, and not on average over "
                "everybody: leave out one of always and over"
            )
        if not isinstance(self.always, bool):
            raise GraphError(f"always of the limit on {name} is {self.always!r:.30}; it is true or false")
        if self.always and not self.safe:
            raise GraphError(
                f"the limit on {name} holds while exploring, too (always): name at least one action that is known to keep "
                'it, as safe = ["do()"]'
            )
        if self.safe and not self.always:
            raise GraphError(
                f"{self.safe[0]} is named as safe, and the limit on {name} does not hold while exploring: say always = true, "
                "or leave out safe"
            )
        for action in self.safe:
            if action in self.never:
                raise ActionError(f"{action} is named both as safe and as never allowed in the limit on {name}")

    @property
    def bound(self) -> float:
        """The number that the outcome must not exceed, or not fall below."""
        bound = self.at_most if self.at_least is None else self.at_least
        assert bound is not None
        return bound

    @property
    def compared(self) -> float:
        """The number with which the mean of the limited outcome is compared: in all kinds so far, the bound."""
        return self.kind.compared(self.bound)

    @property
    def side(self) -> str:
        """The side on which the bound lies: at_most or at_least, as files and forms have it."""
        return "at_most" if self.at_least is None else "at_least"

    @cached_property
    def kind(self) -> LimitedOutcome:
        """The quantity that is limited: the chance of a value, or the mean of a number, or how often it is above another."""
        return outcome_of(self.variable, self.bound, **{name: getattr(self, name) for name in FIELDS})

    @property
    def fields(self) -> Mapping[str, str | float]:
        """The fields that say the kind and the bound, as in files."""
        given = {name: getattr(self, name) for name in (*FIELDS, self.side)}
        return {name: value for name, value in given.items() if value is not None}

    def same_but_bound(self, other: Limit) -> bool:
        """Whether another limit is on the same quantity, on the same side and over the same people."""
        names = ("variable", *FIELDS, "side", "over")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    @property
    def outcome(self) -> str:
        """The quantity that is limited, in words: P(variable = value), P(variable > number), or the mean of a number."""
        return self.kind.words

    def __str__(self) -> str:
        over = " on average over everybody" if self.over == EVERYBODY else ""
        return f"{self.outcome} {self.side.replace('_', ' ')} {self.bound:g}{over}"

    def keeps(self, outcome: NDArray[np.float64]) -> NDArray[np.bool_]:
        """A mask of the probabilities or means, in the variable's own unit, that keep the limit."""
        if self.at_least is None:
            return np.asarray(outcome <= self.compared + _ROUNDING)
        return np.asarray(outcome >= self.compared - _ROUNDING)

    def beyond(self, outcome: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far probabilities or means lie beyond the bound; below 0 within it."""
        return np.asarray(outcome - self.compared if self.at_least is None else self.compared - outcome)

    def of(self, graph: Graph) -> Graph:
        """The graph with the limited outcome as its reward; numbers that cause the outcome hand their own causes on."""
        return self.kind.of(summed_out(graph, self.variable))

    def truth(
        self, graph: Graph, tables: Mapping[str, Floats], numbers: Mapping[str, Outcome]
    ) -> tuple[Mapping[str, Floats], Mapping[str, Outcome]]:
        """The tables and numbers of a model of the graph that `of` makes, from those of a model of this graph."""
        return self.kind.truth(
            summed_out(graph, self.variable), *tables_summed_out(graph, self.variable, tables, numbers)
        )

    def model(self, model: Model) -> Model:
        """The model with the limited outcome as its reward."""
        return Model(self.of(model.graph), *self.truth(model.graph, model.tables, model.numbers))

    def check(self, graph: Graph) -> None:
        """Raises GraphError unless it limits a variable of the graph that is seen and is not the reward."""
        variable = graph.variable(self.variable)
        name = shown(self.variable)
        if variable.name == graph.reward:
            raise GraphError(f"the limit is on the reward {name} itself; limits are for other outcomes")
        if variable.hidden:
            raise GraphError(f"the limit is on {name}, which is hidden; nobody could see whether it is kept")
        if numbers := with_several_effects(graph, variable.name):
            raise GraphError(
                f"the limit is on {name}, and its cause {shown(numbers[0])} is a number that leads to it in several ways: "
                "give that values and cuts between them, as in cut = [18.0]"
            )
        low, high = self.kind.ends(variable)
        bound = self.bound
        if (low is not None and bound < low) or (high is not None and bound > high):
            ends = (
                f"at least {low:g}" if high is None else f"at most {high:g}" if low is None else f"{low:g} to {high:g}"
            )
            percent = f"; {bound:g} % is {bound / 100:g}" if (low, high) == (0, 1) and 1 < bound <= 100 else ""
            raise GraphError(f"the limit is {self}, and it always is {ends}{percent}")
        if (self.at_most is not None and bound == high) or (self.at_least is not None and bound == low):
            raise GraphError(f"the limit is {self}, which every action keeps: leave it out")
        if (low, high) == (0, 1) and bound == (low if self.at_least is None else high):
            event, number = ("never happens", 0.001) if self.at_least is None else ("always happens", 0.999)
            raise GraphError(
                f"the limit is {self}, and no number of rounds shows that an event {event}: say a number such as {number:g}"
            )

    def check_actions(self, actions: Actions) -> None:
        """Raises ActionError where an action sets the limited variable, or is never allowed."""
        for action in actions:
            if self.variable in action:
                raise ActionError(
                    f"the limit is on {shown(self.variable)}, which {action} sets: what is set is known, so leave out the "
                    "actions that set it to what is not wanted, and the limit, too"
                )
            if action in self.never:
                raise ActionError(f"{action} is never allowed: it breaks the limit {self}")
        for action in self.safe:
            if action not in actions:
                raise ActionError(
                    f"{action} is named as safe in the limit on {shown(self.variable)}, and is not among the actions"
                )


def _is_number(given: object) -> bool:
    """Whether what was given is a finite number."""
    return isinstance(given, (int, float)) and not isinstance(given, bool) and math.isfinite(given)
