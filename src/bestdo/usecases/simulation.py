"""The simulation of an experiment: the number of simulations, the seed, the processes, and the place of its table."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestdo.errors import BestdoError
from bestdo.experiments.engine.experiment import Experiment, Row
from bestdo.experiments.engine.runner import rows, run

__all__ = ["Simulation"]


def _nothing(*_: Any) -> None:
    """Ignores what it is told."""


@dataclass(frozen=True)
class Simulation:
    """Settings of a simulation that do not depend on the experiment."""

    sims: int
    """Simulations for each point of the table."""
    seed: int = 0
    folder: str | Path | None = None
    """The folder of the table, where an interrupted run goes on; None: nothing is written."""
    workers: int = 1
    executor: Executor | None = None
    """Any `concurrent.futures.Executor`, instead of own workers."""
    progress: Callable[[int, int], None] = _nothing
    """Called with how many parts are done, and of how many."""
    say: Callable[[str], None] = _nothing
    """Called with messages for the person while it runs."""
    command: str = ""
    """The command that the person typed; kept beside the table."""

    def __post_init__(self) -> None:
        if self.executor is not None and not callable(getattr(self.executor, "submit", None)):
            raise BestdoError(
                f"an executor has a method submit, as ProcessPoolExecutor(4); {self.executor!r:.60} has none"
            )

    def table(self, experiment: Experiment) -> list[Row]:
        """The rows of the experiment's table; the same for any number of workers."""
        common: dict[str, Any] = {"executor": self.executor, "workers": self.workers, "progress": self.progress}
        if self.folder is None:
            return rows(experiment, self.sims, self.seed, **common)
        table = run(experiment, self.sims, self.seed, self.folder, **common, say=self.say, command=self.command)
        return list(table.to_dicts())
