"""A file of the chunks that are done, from which an interrupted run continues."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from bestdo.experiments.engine.experiment import Task

__all__ = ["ResumeFile", "Sums", "parsed"]

_MARK = 12
"""The number of digits of the fingerprint on every line: two runs that write to one file are told apart by them."""


class Sums(NamedTuple):
    """The results of a chunk, summed over its lanes."""

    n: int
    """The number of lanes."""
    regret: float
    """The sum of their regrets, correctly rounded."""
    regret2: float
    """The sum of the squared regrets."""
    best: int
    """The number of lanes that recommended a best action."""
    cpu: float
    """Processor time in seconds."""
    more: dict[str, tuple[int, float, float]] | None = None
    """The number of lanes, the sum, and the sum of the squares, of each thing measured instead of the regret, or of limits
    beside the regret."""


class ResumeFile:
    """A file of JSON lines: a header with the fingerprint of the run, then a line for each chunk as it is done.

    A last line that was cut short by a crash is removed. A file with another fingerprint is of another run: it is
    overwritten, and `other_run` is true.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self.done: dict[Task, Sums] = {}
        self.other_run = False
        good = self._read(fingerprint)
        self._file = open(path, "r+b" if good else "wb")  # noqa: SIM115 - closed in __exit__
        self._file.truncate(good)
        self._file.seek(good)
        self._mark = fingerprint[:_MARK]
        if not good:
            self._write({"fingerprint": fingerprint})

    def __enter__(self) -> ResumeFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _read(self, fingerprint: str) -> int:
        """Reads the chunks that are done into `done` and returns how many bytes of the file are good."""
        try:
            lines = self.path.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return 0
        if not lines or parsed(lines[0]) != {"fingerprint": fingerprint}:
            self.other_run = bool(lines)
            return 0
        good = len(lines[0])
        for line in lines[1:]:
            data = parsed(line)
            if not {"of", "task", "sums"} <= data.keys():  # damaged: no line after it can be trusted
                break
            if data["of"] == fingerprint[:_MARK]:
                self.done[Task(*data["task"])] = Sums(*data["sums"])
            good += len(line)
        return good

    def add(self, task: Task, sums: Sums) -> None:
        """Adds a chunk to `done` and to the file, where it survives the end of the process."""
        self.done[task] = sums
        self._write({"of": self._mark, "task": task, "sums": sums})

    def _write(self, data: dict[str, object]) -> None:
        self._file.write(json.dumps(data, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    def remove(self) -> None:
        """Closes and deletes the file: it is not needed once the table is written."""
        self._file.close()
        os.unlink(self.path)


def parsed(line: bytes) -> dict[str, Any]:
    """The object on a complete line; an empty one when the line is damaged."""
    try:
        data = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        data = None
    return data if isinstance(data, dict) else {}
