"""The prices of a problem: what one round of each action takes from a horizon. Where actions have no costs, it is 1."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.arguments import real_number, shown_value, whole_number
from bestdo.arrays import Floats
from bestdo.bandit.horizon import MONEY, ROUNDS, SLACK
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.graph import Graph
from bestdo.errors import ActionError, BestdoError

__all__ = ["Costs", "RoundPrices", "Said", "prices_of"]

Cost = tuple[float, ...] | None
Said = tuple[str, str]
"""The way in which a person writes a number of rounds and a budget."""

_MOST_ROUNDS = 1_000_000_000
"""Rounds of the longest study. Chosen: one a second takes thirty years."""


@dataclass(frozen=True)
class RoundPrices:
    """The prices where rounds are counted: 1 for every action."""

    actions: Sequence[Intervention]
    unit = ROUNDS
    cost = None
    """The costs that a `Problem` is given."""
    columns = ()
    """The headings of the columns with costs in a table of actions."""

    @property
    def each(self) -> tuple[float, ...]:
        """The price of each action."""
        return (1,) * len(self.actions)

    @property
    def facts(self) -> tuple[str, ...]:
        """Sentences about what a round costs."""
        return ()

    def cells(self, action: Intervention) -> tuple[str, ...]:
        """The cost of a round of an action, for the columns of a table of actions."""
        return ()

    def bill(self, plays: NDArray[np.int64]) -> float | None:
        """The cost of rounds of these actions, by their numbers."""
        return None

    def of(self, action: str | Intervention) -> float:
        """The price of one action."""
        return 1

    def cost_of(self, action: Intervention) -> float | None:
        """The cost of a round of an action."""
        return None

    def of_actions(self, actions: Collection[Intervention]) -> Cost:
        """The costs of a problem with other actions."""
        return None

    def repeated(self, times: int) -> Cost:
        """The costs of a problem that has all actions so many times."""
        return None

    def with_another(self, action: Intervention, cost: float | None) -> Cost:
        """The costs of a problem with one action more."""
        if cost is not None:
            raise BestdoError("the other actions cost nothing")
        return None

    def amount(self, rounds: Any, budget: Any, say: Said, least: int) -> float:
        """The amount of a horizon, checked: a whole number of rounds."""
        if rounds is None or budget is not None:
            raise BestdoError(f"say {say[0]}: the actions have no costs, so the horizon is a number of rounds")
        return whole_number("the number of rounds", rounds, least, _MOST_ROUNDS)

    def amount_of(self, horizon: float) -> float:
        """A number of rounds that is to be simulated, checked: a whole number."""
        if horizon != int(horizon):
            raise BestdoError(f"a horizon of {horizon} rounds: it must be a whole number")
        return int(horizon)

    def rates(self, means: Floats, graph: Graph) -> Floats:
        """Means on the learners' scale (float[L, A]) as what orders actions that earn: the means."""
        return means

    def on_average(self, plays: NDArray[np.int64], shares: Floats) -> float:
        """The price of a round on average, of which these shares are of these actions, by their numbers."""
        return 1

    def best_buy(self, kept: int, rewards: Mapping[int, float]) -> int:
        """The action that earns most, by the mean rewards of actions, more being better: the one that is kept."""
        return kept


@dataclass(frozen=True)
class Costs:
    """The prices where what rounds cost is counted."""

    actions: Actions
    cost: tuple[float, ...]
    """The cost of one round of each action."""
    unit = MONEY
    columns = ("cost",)

    @property
    def each(self) -> tuple[float, ...]:
        """The price of each action."""
        return self.cost

    @property
    def facts(self) -> tuple[str, ...]:
        """Sentences about what a round costs."""
        least, most = min(self.cost), max(self.cost)
        return (f"a round costs {least:g}" if least == most else f"a round costs from {least:g} to {most:g}",)

    def cells(self, action: Intervention) -> tuple[str, ...]:
        """The cost of a round of an action, for the columns of a table of actions."""
        return (f"{self.of(action):g}",)

    def bill(self, plays: NDArray[np.int64]) -> float | None:
        """The cost of rounds of these actions, by their numbers."""
        return float(np.array(self.cost)[plays].sum())

    def of(self, action: str | Intervention) -> float:
        """The price of one action."""
        return float(self.cost[self.actions.index(Intervention.of(action))])

    def cost_of(self, action: Intervention) -> float | None:
        """The cost of a round of an action."""
        return self.of(action)

    def of_actions(self, actions: Collection[Intervention]) -> Cost:
        """The costs of a problem with other actions, each of which is among these."""
        found = dict(zip(self.actions, self.cost, strict=True))
        for action in actions:
            if action not in found:
                raise ActionError(
                    f"what {action} costs is not known: give Problem(graph, set=[…], cost={{'default': 1}})"
                )
        return tuple(found[action] for action in actions)

    def repeated(self, times: int) -> Cost:
        """The costs of a problem that has all actions so many times."""
        return self.cost * times

    def with_another(self, action: Intervention, cost: float | None) -> Cost:
        """The costs of a problem with one action more."""
        if cost is None:
            raise BestdoError(f"{action} needs a cost, as the others have")
        return (*self.cost, cost)

    def amount(self, rounds: Any, budget: Any, say: Said, least: int) -> float:
        """The amount of a horizon, checked: a budget for at least one round."""
        low, high = min(self.cost), max(self.cost)
        if budget is None or rounds is not None:
            raise BestdoError(
                f"say {say[1]}: the actions have costs ({low:g} to {high:g} a round), so the horizon is their sum"
            )
        found = real_number("a budget", budget)
        if found < (low - SLACK if least else 0):
            raise BestdoError(f"a budget of {found:g} pays for no round: the cheapest action costs {low:g}")
        return found

    def amount_of(self, horizon: float) -> float:
        """A budget that is to be simulated."""
        return float(horizon)

    def rates(self, means: Floats, graph: Graph) -> Floats:
        """Means on the learners' scale (float[L, A]) as what orders actions that earn: rewards per money."""
        worst, best = graph.span  # on the learners' scale more is better, and 0 need not be nothing
        return np.asarray((worst + means * (best - worst)) * np.sign(best - worst) / np.array(self.cost))

    def on_average(self, plays: NDArray[np.int64], shares: Floats) -> float:
        """The price of a round on average, of which these shares are of these actions, by their numbers."""
        return float(np.array(self.cost)[plays] @ shares)

    def best_buy(self, kept: int, rewards: Mapping[int, float]) -> int:
        """The action that earns most for its money, by the mean rewards of actions; the one that is kept without any."""
        return max(rewards, key=lambda i: rewards[i] / self.cost[i], default=kept)


def prices_of(actions: Actions, cost: Sequence[float] | Mapping[Any, float] | None) -> RoundPrices | Costs:
    """The prices of actions: their costs, from a list or a mapping, checked; 1 each where there are none."""
    return RoundPrices(actions) if cost is None else Costs(actions, _checked(actions, cost))


def _checked(actions: Actions, cost: Any) -> tuple[float, ...]:
    """The cost of each action, from a list or a mapping; checked."""
    if isinstance(cost, str) or not isinstance(cost, Iterable):
        raise ActionError(
            f"cost is a list with one number for each action, or a mapping from actions, not {shown_value(cost)}"
        )
    if isinstance(cost, Mapping):
        found = dict.fromkeys(actions, cost.get("default", 1.0))
        for action, number in cost.items():
            if action != "default":
                found[actions[actions.index(action)]] = number
        cost = found.values()
    numbers = list(cost)
    if len(numbers) != len(actions):
        raise ActionError(f"{len(numbers)} costs for {len(actions)} actions")
    for action, number in zip(actions, numbers, strict=True):
        if real_number(f"the cost of {action}", number) <= 0:
            raise ActionError(f"{action} costs {shown_value(number)}; a cost is a finite number above 0")
    return tuple(float(number) for number in numbers)
