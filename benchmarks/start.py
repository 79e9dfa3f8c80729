"""The time to start the command line and to import the package."""

import resource
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.timing import Row


def child(*command: str, repeat: int = 15) -> float:
    """CPU seconds of a process, the best of `repeat`."""
    best = float("inf")
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def rows() -> Iterator[Row]:
    python = sys.executable
    click = child(python, "-c", "import click")
    yield Row("bestdo --help", child(python, "-m", "bestdo", "--help"), "3 × python -c 'import click'", 3 * click, 1)
    yield Row("import bestdo", child(python, "-c", "import bestdo"), "python -c 'import click'", click, 1)
