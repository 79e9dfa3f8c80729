"""The timing of everything: CPU seconds, the best of a few runs."""

import time
from collections.abc import Callable
from typing import NamedTuple


class Row(NamedTuple):
    """A line of the table that `make bench` prints."""

    what: str
    ours: float
    """CPU seconds of bestdo."""
    other: str
    """The name of the thing that bestdo is compared with."""
    theirs: float
    """CPU seconds of that, or how many are allowed."""
    goal: float
    """The ratio to reach."""
    unit: str = "s"
    """The unit, when it is not seconds: kB or MB."""

    @property
    def ratio(self) -> float:
        """The factor by which bestdo is faster (or smaller)."""
        return self.theirs / self.ours


def cpu(run: Callable[[], object], repeat: int = 5) -> float:
    """CPU seconds of one call, the best of `repeat`."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best
