"""Plays cells: one learner in one setting each, whose results are kept, and played again when they change, by themselves."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from bestdo.errors import BestdoError, NotValid, TooLarge
from bestdo.experiments.engine.code_digest import code_digest
from bestdo.experiments.engine.experiment import Experiment, Row, Task, fingerprint, tasks, world_digest
from bestdo.experiments.engine.result_table import rows_of
from bestdo.experiments.engine.resume_file import Sums, parsed
from bestdo.experiments.engine.runner import chunk_arguments, play_chunk, play_each

__all__ = ["Cell", "CellResult", "play_cells"]


class Cell(NamedTuple):
    """A learner in a setting."""

    experiment: Experiment
    """An experiment with one setting and one learner."""
    sims: int


class CellResult(NamedTuple):
    """The result of a cell."""

    row: Row | None
    """The cell's row of the table; None where the learner refused or failed."""
    cpu: float = 0.0
    """Processor time in seconds."""
    refused: str = ""
    """The reason why the learner is not for the setting, or how it failed."""
    failed: bool = False
    """Whether the learner failed in place of refusing: then it is played again the next time."""


class _Refused(NamedTuple):
    """The reason why a chunk could not be played."""

    reason: str
    failed: bool


_PACKAGE = Path(__file__).parents[2]
"""The folder of this library."""
_Key = tuple[str, int]
"""The fingerprint of a cell and the number of a chunk."""


def play_cells(
    cells: Sequence[Cell],
    seed: int,
    path: Path | None = None,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
    say: Callable[[str], None] = lambda text: None,
) -> list[CellResult]:
    """The results of all cells, in their order; the same for any number of workers and any executor.

    Every chunk that is done is added to the file `path`. Cells that are in it already are not played again, unless what
    decides their results has changed: the world, the horizon, the learner's code, the seed or a version.
    """
    marks = [_mark(cell, seed) for cell in cells]
    planned = {
        (mark, task.chunk): (cell, task)
        for cell, mark in zip(cells, marks, strict=True)
        for task in tasks(cell.experiment, cell.sims)
    }
    done = _read(path)
    missing = [key for key in planned if key not in done]
    before = len(planned) - len(missing)
    if before and missing:
        say(f"going on: {before:,} of {len(planned):,} parts were played before")
    progress(before, len(planned))
    chunks = ((key, _arguments(*planned[key], seed)) for key in missing)
    with _Appended(path) as file, closing(play_each(_play_or_refuse, chunks, executor, workers)) as results:
        for count, (key, future) in enumerate(results, before + 1):
            try:
                done[key] = future.result()
            except Exception as error:
                raise _broken(error) from error
            file.add(key, done[key])
            progress(count, len(planned))
    return [
        _result(cell, [(task, done[mark, task.chunk]) for task in tasks(cell.experiment, cell.sims)])
        for cell, mark in zip(cells, marks, strict=True)
    ]


def _mark(cell: Cell, seed: int) -> str:
    """The fingerprint of a cell, which depends on its own learner's code and not on that of others."""
    (learner,) = cell.experiment.learners.values()
    return fingerprint(cell.experiment, cell.sims, seed, code_digest(type(learner).__module__))


def _arguments(cell: Cell, task: Task, seed: int) -> tuple[Any, ...]:
    """The arguments of `play_chunk`; processes keep worlds by their contents, for all cells with the same one."""
    (setting,) = cell.experiment.settings
    token = f"{setting.panel} {world_digest(setting.world)}"
    return chunk_arguments(cell.experiment, seed, "", task, token)


def _play_or_refuse(*arguments: Any) -> Sums | _Refused:
    """The sums of a chunk, or why the learner cannot play it; runs in any process."""
    try:
        return play_chunk(*arguments)
    except (NotValid, TooLarge) as error:
        return _Refused(str(error), False)
    except BestdoError as error:
        return _Refused(str(error), True)
    except (Exception, SystemExit) as error:  # a learner's own fault, which must not end the run of all others
        return _Refused(f"failed: {error!r}{_place(error)}", True)


def _place(error: BaseException) -> str:
    """The file and line where an error came up: the last that is not of this library, where it came through one."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not Path(frame.filename).is_relative_to(_PACKAGE)]
    where = [frame for frame in own if "site-packages" not in frame.filename] or frames
    return f" ({Path(where[-1].filename).name}, line {where[-1].lineno})" if where else ""


def _broken(error: Exception) -> BestdoError:
    """The error to raise where no result came back."""
    if isinstance(error, BrokenExecutor):
        return BestdoError("a worker process died, perhaps for lack of memory; what is done is kept: try fewer workers")
    return BestdoError(
        f"the workers cannot play ({error!r:.300}); what is done is kept. On a cluster they need this version of bestdo and "
        "the modules of all learners"
    )


def _result(cell: Cell, parts: list[tuple[Task, Sums | _Refused]]) -> CellResult:
    """The result of a cell from those of its chunks."""
    played = [(task, sums) for task, sums in parts if isinstance(sums, Sums)]
    refused = [part for _, part in parts if isinstance(part, _Refused)]
    cpu = sum(sums.cpu for _, sums in played)
    if refused:
        return CellResult(None, cpu, refused[0].reason, any(part.failed for part in refused))
    (row,) = rows_of(cell.experiment, played)
    return CellResult(row, cpu)


def _read(path: Path | None) -> dict[_Key, Sums | _Refused]:
    """The results of earlier runs; lines that are damaged are left out."""
    cells: dict[_Key, Sums | _Refused] = {}
    for line in path.read_bytes().splitlines(keepends=True) if path is not None and path.exists() else ():
        data = parsed(line)
        if {"of", "chunk"} <= data.keys():
            key = data["of"], data["chunk"]
            cells[key] = Sums(*data["sums"]) if "sums" in data else _Refused(data["refused"], False)
    return cells


class _Appended:
    """A file of JSON lines to which chunks are added as they are done; none where there is no path."""

    def __init__(self, path: Path | None) -> None:
        try:
            self._file = None if path is None else open(path, "ab")  # noqa: SIM115 - closed in __exit__
        except OSError as error:
            raise BestdoError(f"cannot write {path}: {error.strerror}") from None
        if self._file is not None and self._file.tell():
            self._file.write(b"\n")  # ends a line that was cut short

    def __enter__(self) -> _Appended:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, key: _Key, sums: Sums | _Refused) -> None:
        """Adds a chunk, unless it failed."""
        if self._file is None or (isinstance(sums, _Refused) and sums.failed):
            return
        said = {"sums": sums} if isinstance(sums, Sums) else {"refused": sums.reason}
        self._file.write(json.dumps({"of": key[0], "chunk": key[1], **said}, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
