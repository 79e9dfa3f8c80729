"""The book of a study: everything about it that changes from event to event, as the checkpoint beside the log keeps it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bestdo.bandit.horizon import Horizon
from bestdo.causal.action import Intervention
from bestdo.learners.game import Game
from bestdo.study.checkpoint import dump_state, load_state, state_version
from bestdo.study.fold import start_state
from bestdo.study.marks import MARKS, UNMARKED, Marks, marks_in
from bestdo.study.pace import Pace
from bestdo.study.settings import Settings

__all__ = ["Book"]


@dataclass
class Book:
    """The state of a study between two events; its parts are replaced, never changed in place."""

    settings: Settings
    blocks: int = 0
    """The number of blocks that have been planned."""
    blocks_told: int = 0
    """The number of these that the learner has been told: the complete ones, or all where it is told each result at once."""
    plan: list[str] = field(default_factory=list)
    """Actions of the last block in their shuffled order, and at its end those that were handed out and expired."""
    state: Any = None
    """The learner's state after these blocks."""
    given: int = 0
    """The number of actions of the plan that have been handed out."""
    used: float = 0
    """The part of the horizon that is used up, open rounds included."""
    next: int = 1
    """The number of the next round."""
    marks: Marks = UNMARKED
    """The marks that verbs have set."""

    @property
    def game(self) -> Game:
        """The problem and the learner at this time."""
        return self.settings.game

    @property
    def pace(self) -> Pace:
        """The order in which rounds are planned and told at this time."""
        return self.settings.pace

    @property
    def horizon(self) -> Horizon:
        """The horizon at this time, in rounds, or in money where actions have costs."""
        return Horizon(self.settings.horizon, self.game.problem.unit)

    def price(self, action: str) -> float:
        """The part of the horizon that one round of an action uses: 1, or its cost."""
        return self.game.problem.price_list.of(action)

    def may_play(self, action: str) -> bool:
        """Whether an action may be played: it is not retired."""
        return Intervention.parse(action) not in self.game.problem.retired

    @property
    def left(self) -> int:
        """The number of actions of the plan that have not been handed out."""
        return len(self.plan) - self.given

    def settle(self) -> None:
        """Counts all blocks as told where the learner is told every result at once, whatever is still out."""
        self.blocks_told = self.pace.told(self.blocks, self.blocks_told)

    @property
    def _planned(self) -> dict[str, Any]:
        """The plan as data. A plan of one round changes with every round, a plan of many does not."""
        return {"blocks": self.blocks, "folded": self.blocks_told, "plan": self.plan}

    def checkpointed(self) -> tuple[object, ...]:
        """The parts in the checkpoint: they change only when a result is told, or from block to block."""
        return self.settings, self.state, *self.pace.in_checkpoint(self._planned).values()

    def checkpoint(self) -> str:
        """The part of the book that changes seldom, with the learner's state, as JSON."""
        rest = {"unit": self.game.problem.unit.name, **self.pace.in_checkpoint(self._planned)}
        data = {**rest, "state": dump_state(self.state, []), "version": state_version(self.settings)}
        return f'{{"settings":{self.settings.as_json},{json.dumps(data, separators=(",", ":"))[1:]}'

    def cursor(self) -> str:
        """The part of the book that changes with every round, as JSON."""
        parts = {name: getattr(self, name) for name in ("given", "used", "next")}
        return json.dumps({**parts, **vars(self.marks), **self.pace.in_cursor(self._planned)})

    @classmethod
    def from_data(cls, data: dict[str, Any], refold: Callable[[Book], Any]) -> Book:
        """The book from checkpoint and cursor; `refold` computes the state where another version of the learner wrote it."""
        state, version, blocks_told = data.pop("state"), data.pop("version"), data.pop("folded")
        data.pop("unit", None)  # it follows from the problem
        rest = {name: value for name, value in data.items() if name not in MARKS}
        book = cls(**{**rest, "settings": Settings(**data["settings"])}, blocks_told=blocks_told, marks=marks_in(data))
        book.settle()
        if state is None or version != state_version(book.settings):
            book.state = refold(book)
        else:
            book.state = load_state(start_state(book.settings), state, [])
        return book
