"""Old data: rows that were observed before the first round without any intervention, as counts of equal rows."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Ints
from bestdo.bandit.combinations import OLD_DATA_WITHOUT_WATCHING
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds, rewards
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.causal.graph import BOTH, Graph
from bestdo.errors import BestdoError, NotValid
from bestdo.text import counted

__all__ = ["Fingerprint", "OldData", "logged_rounds", "rounds_of"]

_Numbers = Mapping[str, NDArray[np.float64]]
"""The numbers in cells by variable, for those that are measured in numbers: float[C], NaN where there is none."""
_WORDS = 2  # of 64 bits, in the hash of a row


@dataclass(frozen=True, eq=False)
class OldData:
    """Old data as different rows (cells) and how often each occurred; or a learner's sums, where there are too many cells."""

    x: NDArray[np.int16]
    """int16[C, V]: the values in the order of `graph.names`; -1 where one is missing. No cell lacks the reward."""
    times: Ints
    """int[C]"""
    rows: int
    """The number of rows."""
    fingerprint: str
    """A hash of the rows that does not depend on their order or on the kind of file."""
    without_reward: int = 0
    """Rows that were left out because their reward is missing."""
    whole: int = 0
    """Rows in which the reward and all its parents are known."""
    sums: Tally | None = None
    """A learner's sums over the rows, in one lane, where there were too many cells to keep them."""
    notes: tuple[str, ...] = ()
    """Sentences for the user about how the data were read."""
    numbers: _Numbers = field(default_factory=dict)
    """The numbers that were measured, as they were, so that they can be cut otherwise later."""
    probability: NDArray[np.float64] | None = None
    """float[C]: where a policy chose at random, the probability of what it chose; the rows are then plays of actions."""
    chosen: tuple[str, ...] = ()
    """The variables whose values it chose."""

    def __repr__(self) -> str:
        without = f", {self.without_reward:,} without the reward" if self.without_reward else ""
        return f"OldData({counted(self.rows, 'row')}{without}; fingerprint {self.fingerprint})"

    def rounds(self, problem: Problem) -> Rounds:
        """The rows as rounds of do(), or of what a policy with known probabilities chose."""
        if self.sums is not None:
            raise NotValid("only a learner's sums of these data were kept, as there were too many different rows")
        if self.probability is not None:
            return logged_rounds(self, problem)
        if do() not in problem.actions:
            raise NotValid(OLD_DATA_WITHOUT_WATCHING.why("problem"))
        return rounds_of(self.x, self.times, problem, problem.actions.index(do()), self.numbers)

    def rewards(self, graph: Graph) -> NDArray[np.bool_] | NDArray[np.float64]:  # [C]
        """The reward of each cell, as `Rounds.y`."""
        return rewards(graph, self.x, self.numbers)

    def as_data(self) -> dict[str, Any]:
        """The data as a dictionary of numbers and text, for the log."""
        found: dict[str, Any] = {
            "fingerprint": self.fingerprint,
            "rows": self.rows,
            "without_reward": self.without_reward,
            "whole": self.whole,
            "notes": list(self.notes),
        }
        if self.sums is not None:
            return {**found, "sums": [part[0].tolist() for part in self.sums if part is not None]}
        numbers = {name: _pack(column, np.float64) for name, column in self.numbers.items()}
        return {
            **found,
            "cells": len(self.times),
            "x": _pack(self.x, np.int16),
            "times": _pack(self.times, np.int64),
            **({"numbers": numbers} if numbers else {}),
            **self._policy_as_data(),
        }

    def _policy_as_data(self) -> dict[str, Any]:
        """The probabilities of a policy, and what it chose; nothing where there was none."""
        if self.probability is None:
            return {}
        return {"probability": _pack(self.probability, np.float64), "chosen": list(self.chosen)}

    @classmethod
    def from_data(cls, data: dict[str, Any], graph: Graph) -> OldData:
        """The data from the dictionary that `as_data` gave; numbers are cut as the graph says now."""
        x, times, sums = np.zeros((0, len(graph.names)), np.int16), np.zeros(0, np.int64), None
        numbers: dict[str, NDArray[np.float64]] = {}
        try:
            if "sums" in data:
                sums = Tally(*(np.array([part], np.float64) for part in data["sums"]))
            else:
                times = np.frombuffer(_unpack(data["times"]), "<i8").astype(np.int64)
                x = _columns(np.frombuffer(_unpack(data["x"]), "<i2"), len(times), graph)
                for name, packed in data.get("numbers", {}).items():
                    numbers[name] = np.frombuffer(_unpack(packed), "<f8").astype(np.float64)
                    _cut(graph, name, numbers[name], x)
            rows, without, whole = (int(data[k]) for k in ("rows", "without_reward", "whole"))
            print_ = str(data["fingerprint"])
            policy = data.get("probability")
            chance = None if policy is None else np.frombuffer(_unpack(policy), "<f8").astype(np.float64)
            chosen = tuple(map(str, data.get("chosen", ())))
            return cls(x, times, rows, print_, without, whole, sums, tuple(data["notes"]), numbers, chance, chosen)
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise BestdoError(f"the old data in the log are damaged: {error!r}") from None


def rounds_of(
    x: NDArray[np.int16], times: Ints, problem: Problem, action: int, numbers: _Numbers | None = None
) -> Rounds:
    """Cells, which occurred so many times, as rounds of one action."""
    lane, played = np.zeros(len(times), np.int64), np.full(len(times), action, np.int64)
    numbers = numbers or {}
    y = rewards(problem.graph, x, numbers)
    return Rounds(lane, played, x, y, times, problem.numbers(numbers))


def logged_rounds(old: OldData, problem: Problem) -> Rounds:
    """Rows that a policy chose with known probabilities, as rounds of the actions that it chose.

    A row that was chosen with probability p has the weight 1/p, so that the sums of weights and of weighted rewards of an
    action are, in expectation, those of playing it for everybody in the context, whatever the policy looked at. Within each
    pair of context and action the weights are divided by Σw² / Σw: together they are worth (Σw)² / Σw² rounds (Kish), and
    where the policy looked at the context alone each row is one.
    """
    assert old.probability is not None
    graph, actions = problem.graph, len(problem.actions)
    codes = old.x[:, [graph.names.index(n) for n in old.chosen]]
    different, which = np.unique(codes, axis=0, return_inverse=True)
    numbers = []
    for row in different:
        action = do({n: graph.variable(n).values[c] for n, c in zip(old.chosen, row, strict=True)})
        if action not in problem.actions:
            raise NotValid(
                f"a policy chose {action}, which is no action of the problem: allow it, or leave such rows out"
            )
        numbers.append(problem.actions.index(action))
    played = np.array(numbers, np.int64)[which.reshape(-1)]
    weight = 1 / old.probability
    group = (problem.contexts.numbers(old.x) + 1) * actions + played
    once, twice = (np.bincount(group, old.times * weight**k) for k in (1, 2))
    times = old.times * weight * (once / np.maximum(twice, 1e-300))[group]
    return rounds_of(old.x, old.times, problem, 0, old.numbers)._replace(action=played, times=cast("Ints", times))


def _columns(cells: NDArray[np.int16], rows: int, graph: Graph) -> NDArray[np.int16]:
    """The values of each cell in the columns of a graph to which hidden common causes may have been added since."""
    seen = [place for place, name in enumerate(graph.names) if BOTH not in name]  # they come first in every graph
    before = cells.reshape(rows, -1) if rows else cells.reshape(0, len(graph.names))
    x = np.full((rows, len(graph.names)), -1, np.int16)
    x[:, seen] = before[:, : len(seen)]
    return x


def _cut(graph: Graph, name: str, numbers: NDArray[np.float64], x: NDArray[np.int16]) -> None:
    """Writes the codes of the numbers of a variable into its column, where it has cuts."""
    cut = graph.variable(name).cut
    if cut:
        measured = ~np.isnan(numbers)
        x[measured, graph.names.index(name)] = np.searchsorted(cut, numbers[measured], side="right")


def _pack(array: NDArray[Any], kind: type) -> str:
    """The array as text: little-endian, compressed, in base 64."""
    little = np.ascontiguousarray(array, np.dtype(kind).newbyteorder("<"))
    return base64.b64encode(zlib.compress(little.tobytes(), 6)).decode()


def _unpack(text: str) -> bytes:
    """The bytes of a packed array."""
    return zlib.decompress(base64.b64decode(text))


class Fingerprint:
    """A hash of rows that does not depend on their order, nor on how variables and values are numbered.

    Each row is hashed by the names and values it holds, and the hashes are added, so that rows can come in any portions.
    """

    def __init__(self, graph: Graph) -> None:
        self.rows = 0
        self._sum = np.zeros(_WORDS, np.uint64)
        self._graph = graph
        self._tables = [_constants(v.name, v.values) for v in graph.variables]

    def add(self, x: NDArray[np.int16], times: Ints, numbers: _Numbers | None = None) -> None:
        """Adds these cells, which occurred so many times; a number counts as itself, however it is cut."""
        mixed = np.zeros((len(x), _WORDS), np.uint64)
        for column, (variable, table) in enumerate(zip(self._graph.variables, self._tables, strict=True)):
            if not variable.hidden:
                hashed = table[x[:, column].astype(np.int64) + 1]
                if numbers and variable.name in numbers:
                    own = numbers[variable.name]
                    start = _constants(variable.name, ("a number",))[1]
                    hashed = np.where(np.isnan(own)[:, None], hashed, _mix(own.view(np.uint64)[:, None] + start))
                mixed += hashed
        self._sum += (_mix(mixed) * times.astype(np.uint64)[:, None]).sum(axis=0, dtype=np.uint64)
        self.rows += int(times.sum())

    def __str__(self) -> str:
        text = f"{self.rows} {' '.join(map(str, self._sum))}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64: each bit depends on all."""
    mixed = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _constants(name: str, values: tuple[str, ...]) -> NDArray[np.uint64]:  # uint64[1 + values, 2]
    """A hash of each value of a variable, behind a 0 for a missing value."""
    hashed = [hashlib.sha256(f"{name}\0{value}".encode()).digest()[: 8 * _WORDS] for value in values]
    return np.vstack([np.zeros((1, _WORDS), np.uint64), *(np.frombuffer(h, "<u8").astype(np.uint64) for h in hashed)])
