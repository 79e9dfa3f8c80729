"""The pace of a study: its learner is asked, and told each result, at any time, or goes from phase to phase."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from bestdo.bandit.learner import next_plan
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.causal.action import Intervention

if TYPE_CHECKING:
    from bestdo.learners.game import Game
    from bestdo.study.fold import Row
    from bestdo.study.log import Log

__all__ = ["ANY_TIME", "AnyTime", "Pace", "Phases"]

_T = TypeVar("_T")


class Pace(Protocol):
    """The order in which rounds are planned, handed out and told to the learner."""

    @property
    def any_time(self) -> bool:
        """Whether the learner is asked, and told each result, at any time; otherwise it goes from block to block."""

    def told(self, blocks: int, told: int) -> int:
        """The number of planned blocks that count as told, when `told` of them are complete."""

    def in_checkpoint(self, plan: Mapping[str, Any]) -> Mapping[str, Any]:
        """The part of the plan that is kept in the checkpoint, because it changes from block to block only."""

    def in_cursor(self, plan: Mapping[str, Any]) -> Mapping[str, Any]:
        """The part of the plan that is kept in the cursor, because it changes with every round."""

    def parts(self, log: Log, told: int) -> Iterable[Sequence[Row]]:
        """All results in the parts, and in the order, in which the learner is told them; `told` blocks are."""

    def whole_and_open(
        self, log: Log, blocks: int, told: int, to_come: bool
    ) -> tuple[list[list[Row]], list[Row] | None]:
        """The results of complete blocks, and those of the open one, None if none is; `to_come`: whether more results are."""

    def knows(self, block: int, told: int) -> bool:
        """Whether the learner was told the results of this block so far."""

    def is_past(self, block: int, told: int) -> bool:
        """Whether the learner was told a block as a whole, so that a new result in it is told with all again."""

    def news(self, log: Log, row: Row, told: int, now: int) -> list[Row]:
        """The results that the learner is told when that of a round came, and with it `now` blocks are complete."""

    def is_due(self, block: int, out: Iterable[int]) -> bool:
        """Whether the block after this one can be planned while rounds of the blocks `out` are out."""

    def plan(self, game: Game, state: Any, out: Sequence[str], rng: np.random.Generator) -> Plan | None:
        """The learner's next plan, while rounds of the actions `out` are out."""

    def ahead(self, plan: Callable[[], object]) -> None:
        """Plans as soon as a result has come, or only when somebody asks."""

    def between(self, useful: Callable[[], _T]) -> _T | None:
        """A useful round for somebody who asks between two phases; None where there is none to be had."""

    def instead(self, rounds: int) -> int:
        """The number of planned rounds to be replaced when the actions of so many are retired."""


@dataclass(frozen=True)
class AnyTime:
    """The pace of a learner that is asked one by one, whatever is out, and told every result when it comes."""

    any_time = True

    def told(self, blocks: int, told: int) -> int:
        """Every planned block, whatever is still out."""
        return blocks

    def in_checkpoint(self, plan: Mapping[str, Any]) -> Mapping[str, Any]:
        """Nothing: a plan of one round changes with every round."""
        return {}

    def in_cursor(self, plan: Mapping[str, Any]) -> Mapping[str, Any]:
        """The whole plan."""
        return plan

    def parts(self, log: Log, told: int) -> Iterable[Sequence[Row]]:
        """Every result by itself, in the order in which they came."""
        return [[row] for row in log.rows_as_told()]

    def whole_and_open(
        self, log: Log, blocks: int, told: int, to_come: bool
    ) -> tuple[list[list[Row]], list[Row] | None]:
        """All results as those of one open block."""
        rows = log.all_rows()
        return [], rows if rows or to_come else None

    def knows(self, block: int, told: int) -> bool:
        """Every result was told when it came."""
        return True

    def is_past(self, block: int, told: int) -> bool:
        """No block is told as a whole."""
        return False

    def news(self, log: Log, row: Row, told: int, now: int) -> list[Row]:
        """The new result."""
        return [row]

    def is_due(self, block: int, out: Iterable[int]) -> bool:
        """The next block waits for nothing."""
        return True

    def plan(self, game: Game, state: Any, out: Sequence[str], rng: np.random.Generator) -> Plan | None:
        """The next plan, as if rounds that are out were played."""
        actions = game.problem.actions
        numbers = np.array([actions.index(Intervention.parse(action)) for action in out], np.int64)
        return next_plan(game, state, Request(out=np.bincount(numbers, minlength=len(actions))[None, :]), rng)

    def ahead(self, plan: Callable[[], object]) -> None:
        """Nothing is planned before somebody asks."""

    def between(self, useful: Callable[[], _T]) -> _T | None:
        """No round: there are no phases."""
        return None

    def instead(self, rounds: int) -> int:
        """None: the learner is asked anew."""
        return 0


@dataclass(frozen=True)
class Phases:
    """The pace of a learner that plans a block of rounds when all results of the last one are known."""

    waits: bool
    """Whether somebody who asks between two phases waits; otherwise there are useful rounds that belong to no plan."""
    any_time = False

    def told(self, blocks: int, told: int) -> int:
        """The complete blocks."""
        return told

    def in_checkpoint(self, plan: Mapping[str, Any]) -> Mapping[str, Any]:
        """The whole plan."""
        return plan

    def in_cursor(self, plan: Mapping[str, Any]) -> Mapping[str, Any]:
        """Nothing: a plan of many rounds stays while they are played."""
        return {}

    def parts(self, log: Log, told: int) -> Iterable[Sequence[Row]]:
        """The results of each complete block, in order."""
        return [log.rows(block) for block in range(told)]

    def whole_and_open(
        self, log: Log, blocks: int, told: int, to_come: bool
    ) -> tuple[list[list[Row]], list[Row] | None]:
        """The results of each complete block, and those of the last one where it is not."""
        return [log.rows(block) for block in range(told)], log.rows(told) if told < blocks else None

    def knows(self, block: int, told: int) -> bool:
        """The results of complete blocks were told."""
        return block < told

    def is_past(self, block: int, told: int) -> bool:
        """A complete block: the study has finished, or another learner planned the round."""
        return block < told

    def news(self, log: Log, row: Row, told: int, now: int) -> list[Row]:
        """The results of a block that has just been completed."""
        return log.rows(told) if told < now else []

    def is_due(self, block: int, out: Iterable[int]) -> bool:
        """The next block is planned when no round of this one is out."""
        return block not in out

    def plan(self, game: Game, state: Any, out: Sequence[str], rng: np.random.Generator) -> Plan | None:
        """The plan of the next block; rounds that are out are in no plan."""
        return game.ask(state, Request(), rng)

    def ahead(self, plan: Callable[[], object]) -> None:
        """The next block is planned as soon as this one is complete."""
        plan()

    def between(self, useful: Callable[[], _T]) -> _T | None:
        """A useful round, unless people wait."""
        return None if self.waits else useful()

    def instead(self, rounds: int) -> int:
        """All: a phase keeps its length."""
        return rounds


ANY_TIME = AnyTime()
"""The pace of a learner that is asked at any time."""
