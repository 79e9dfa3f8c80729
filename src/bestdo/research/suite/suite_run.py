"""Plays learners in worlds of the suite: one cell for each world, learner and horizon."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from bestdo.bandit.learner import Learner
from bestdo.errors import BestdoError
from bestdo.experiments.engine.cells import Cell, CellResult, play_cells
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import LEARNERS
from bestdo.learners.registry import goals_of
from bestdo.research.suite.efforts import simulations, too_long
from bestdo.research.suite.suite_rows import Cost, SuiteRow, table_bytes
from bestdo.research.suite.suite_world import SuiteWorld

__all__ = ["NAME", "Player", "SuiteRun", "play_suite"]

NAME = "suite"
"""The name of all experiments of the suite; a part of every seed."""
_CELLS = "cells.jsonl"
"""The file of the cells that were played, from which a run goes on."""


class Player(NamedTuple):
    """A learner that plays in the suite."""

    name: str
    """The learner's name in the registry, or `module:Class`."""
    title: str
    """The learner's title, which seeds random streams."""
    learner: Learner[Any]


@dataclass(frozen=True)
class SuiteRun:
    """The results of a run of the suite."""

    rows: list[SuiteRow]
    costs: list[Cost]
    failed: list[SuiteRow] = field(default_factory=list)
    """The rows in which a learner failed in place of refusing; they are played again the next time."""

    def write(self, folder: Path) -> None:
        """Writes `results.csv` and `costs.csv`, each whole or not at all."""
        for name, columns, rows in (
            ("results.csv", SuiteRow._fields, self.rows),
            ("costs.csv", Cost._fields, self.costs),
        ):
            replace_file(folder / name, table_bytes(columns, rows))


def play_suite(
    worlds: Sequence[SuiteWorld],
    players: Sequence[Player],
    effort: str,
    seed: int = 0,
    folder: Path | None = None,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
    say: Callable[[str], None] = lambda text: None,
) -> SuiteRun:
    """The results of all learners in all worlds at all horizons, in this order; the same for any number of workers.

    With a folder, what is played is kept there, and the same call goes on where it was interrupted.
    """
    points = [(w, p, t) for w in worlds for p in players for t in w.horizons if not _not_played(p, w, t)]
    cells = [_cell(*point, effort) for point in points]
    path = None if folder is None else folder / _CELLS
    results = play_cells(cells, seed, path, executor=executor, workers=workers, progress=progress, say=say)
    by_cell = {
        (w.name, p.title, t): (cell, result) for (w, p, t), cell, result in zip(points, cells, results, strict=True)
    }
    rows, costs, failed = [], [], []
    for world in worlds:
        for player in players:
            for horizon in world.horizons:
                cell, result = by_cell.get((world.name, player.title, horizon), (None, None))
                row = _row(world, player, horizon, result)
                rows.append(row)
                if result is not None and cell is not None and result.row is not None:
                    costs.append(_cost(row, result))
                if result is not None and result.failed:
                    failed.append(row)
    return SuiteRun(rows, costs, failed)


def _not_played(player: Player, world: SuiteWorld, horizon: float) -> str:
    """The reason why a learner is not asked at all: made for another goal, or too slow; empty where it is asked."""
    return _other_goal(player, world) or too_long(world.world, horizon, player.name)


def _other_goal(player: Player, world: SuiteWorld) -> str:
    """The reason why a learner is not for the world's goal; empty where it is, or where it states no goal."""
    entry = LEARNERS.get(player.name)
    goals = goals_of(player.learner) if entry is None else entry.goals
    return "" if world.goal in goals else f"it is made to {' or '.join(goals)}; here the goal is to {world.goal}"


def _cell(world: SuiteWorld, player: Player, horizon: float, effort: str) -> Cell:
    """The cell of a learner in a world at a horizon; its random numbers depend on nothing else but the seed."""
    given = {"version": float(world.version)}
    setting = Setting(horizon, world.world, horizon, panel=world.name, given=given, in_flight=world.in_flight)
    experiment = Experiment(
        NAME,
        title="The suite",
        x_label="T, the number of rounds",
        settings=(setting,),
        learners={player.title: player.learner},
        over_time=world.goal.measure.noted,
        same_chance=False,
    )
    return Cell(experiment, simulations(world.world, horizon, player.name, effort))


def _row(world: SuiteWorld, player: Player, horizon: float, result: CellResult | None) -> SuiteRow:
    """The row of a learner in a world at a horizon."""
    common = world.name, world.version, world.kind, str(world.goal), player.name, player.title, horizon, world.measure
    if result is None:
        return SuiteRow(*common, None, None, None, 0, _not_played(player, world, horizon))
    row = result.row
    if row is None:
        return SuiteRow(*common, None, None, None, 0, result.refused)
    share = None if world.goal.every_round else row["p_best"]
    return SuiteRow(*common, *world.goal.measure.of(row), share, row["sims"])


def _cost(row: SuiteRow, result: CellResult) -> Cost:
    """The cost of a cell."""
    each = result.cpu / row.simulations
    return Cost(row.world, row.version, row.learner, row.horizon, row.simulations, float(f"{each:.3g}"))


def replace_file(path: Path, data: bytes) -> None:
    """Writes a file: it is there whole or not at all."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    except OSError as error:
        raise BestdoError(f"cannot write {path}: {error.strerror}") from None
