"""One way to time everything: CPU seconds, the best of a few runs."""

import time
from collections.abc import Callable
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table that `make bench` prints."""

    what: str
    ours: float
    """CPU seconds."""
    other: str
    theirs: float
    """CPU seconds, or how many are allowed."""
    goal: float
    """The ratio to reach."""
    unit: str = "s"
    """What is measured, when it is not time: kB or MB."""

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def cpu(run: Callable[[], object], repeat: int = 5) -> float:
    """CPU seconds of one call, the best of `repeat`."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best
