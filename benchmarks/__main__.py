"""Runs every benchmark, or those named: `python -m benchmarks [reading sampling means …]`."""

import sys
import warnings

from rich.console import Console
from rich.table import Table

from benchmarks import (
    bbb,
    contexts,
    design,
    doubt,
    learners,
    means,
    numbers,
    observe,
    page,
    peers,
    reading,
    rehearse,
    sampling,
    server,
    start,
    study,
    unknown,
)

warnings.simplefilter("ignore")
BENCHMARKS = {
    "reading": reading.rows,
    "sampling": sampling.rows,
    "means": means.rows,
    "start": start.rows,
    "learners": learners.rows,
    "numbers": numbers.rows,
    "design": design.rows,
    "study": study.rows,
    "rehearse": rehearse.rows,
    "observe": observe.rows,
    "page": page.rows,
    "server": server.rows,
    "doubt": doubt.rows,
    "contexts": contexts.rows,
    "unknown": unknown.rows,
    "peers": peers.rows,
    "bbb": bbb.rows,
}


def formatted(value: float, unit: str) -> str:
    """A measured value with its unit; seconds below 1 in milliseconds."""
    if unit != "s":
        return f"{value:,.1f} {unit}"
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.3g} ms"


def main() -> None:
    """Prints the table of all benchmarks, those that miss their goal in red."""
    console = Console()
    chosen = sys.argv[1:] or list(BENCHMARKS)
    table = Table("what", "bestdo", "beside it", "takes", "ratio", "goal", "")
    for name in chosen:
        with console.status(f"measuring {name} …"):
            for row in BENCHMARKS[name]():
                good = row.ratio >= row.goal
                table.add_row(
                    row.what,
                    formatted(row.ours, row.unit),
                    row.other,
                    formatted(row.theirs, row.unit),
                    f"{row.ratio:,.1f} ×",
                    f"≥ {row.goal:g} ×",
                    "ok" if good else "below",
                    style="" if good else "bold red",
                )
    console.print(table)
    console.print("CPU seconds on one core, best of several runs.")


main()
