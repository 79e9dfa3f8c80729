"""The chunks that are done, on disk: an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from bestdo.experiments.engine.experiment import Task

__all__ = ["Partial", "Sums"]


class Sums(NamedTuple):
    """What a chunk comes to."""

    n: int
    """Lanes."""
    regret: float
    """The sum of their regrets, correctly rounded."""
    regret2: float
    """The sum of the squares."""
    best: int
    """How many lanes kept a best action."""
    cpu: float
    """Seconds of one core."""
    more: dict[str, tuple[int, float, float]] | None = None
    """What else was measured: in how many lanes, the sum, and the sum of the squares."""


class Partial:
    """A file of lines: a header with the fingerprint of the run, then a line for each chunk as it is done.

    A last line that was torn by a crash is cut off. A file with another fingerprint is of another run: `anew` says so,
    and it is written over.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self.done: dict[Task, Sums] = {}
        self.anew = False
        whole = self._read(fingerprint)
        self._file = open(path, "r+b" if whole else "wb")  # noqa: SIM115 - closed in __exit__
        self._file.truncate(whole)
        self._file.seek(whole)
        self._mark = fingerprint[:12]
        if not whole:
            self._write({"fingerprint": fingerprint})

    def __enter__(self) -> Partial:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _read(self, fingerprint: str) -> int:
        """Takes in what is there; how many bytes of it are good."""
        try:
            lines = self.path.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return 0
        if not lines or _parsed(lines[0]) != {"fingerprint": fingerprint}:
            self.anew = bool(lines)
            return 0
        whole = len(lines[0])
        for line in lines[1:]:
            data = _parsed(line)
            if not {"of", "task", "sums"} <= data.keys():  # torn: nothing behind it can be trusted
                break
            if data["of"] == fingerprint[:12]:
                self.done[Task(*data["task"])] = Sums(*data["sums"])
            whole += len(line)
        return whole

    def add(self, task: Task, sums: Sums) -> None:
        """Writes down a chunk; after this it survives the end of the process."""
        self.done[task] = sums
        self._write({"of": self._mark, "task": task, "sums": sums})

    def _write(self, data: dict[str, object]) -> None:
        self._file.write(json.dumps(data, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    def remove(self) -> None:
        """Once its table is written it is not needed."""
        self._file.close()
        os.unlink(self.path)


def _parsed(line: bytes) -> dict[str, Any]:
    """What a whole line holds; nothing when it is torn."""
    try:
        data = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        data = None
    return data if isinstance(data, dict) else {}
