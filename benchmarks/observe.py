"""Counting old data in a Parquet file of 20 columns, compared with pandas; each in its own process.

`python -m benchmarks.observe 100000000` measures any number of rows, and prints the seconds and the peak of memory.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import narwhals  # noqa: F401  # imported before the clock starts
import numpy as np
import pandas as pd
import polars as pl  # noqa: F401

from benchmarks.timing import Row
from bestdo import Actions, Graph, Problem
from bestdo.data.counting import observed

_COLUMNS = [*(f"X{i}" for i in range(19)), "Y"]
_AT_ONCE = 2_000_000


def write_rows(path: Path, rows: int) -> None:
    """Writes random rows of 0 and 1; each column has its own probability of 1, and Y depends on three others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    chance = rng.uniform(0.05, 0.95, 19)
    writer = None
    for first in range(0, rows, _AT_ONCE):
        size = min(_AT_ONCE, rows - first)
        x = [(rng.random(size, dtype=np.float32) < p).astype(np.int8) for p in chance]
        y = (rng.random(size, dtype=np.float32) < 0.3 + 0.05 * (x[0] + x[1] + x[2])).astype(np.int8)
        table = pa.table(dict(zip(_COLUMNS, [*x, y], strict=True)))
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def _ours(path: str) -> int:
    """The number of different rows, counted by bestdo."""
    graph = Graph.parse("; ".join(f"{x} -> Y" for x in _COLUMNS[:-1]), reward="Y")
    return len(observed(path, Problem(graph, Actions.single(graph))).times)


def _pandas(path: str) -> int:
    """The number of different rows, counted by pandas."""
    return len(pd.read_parquet(path).groupby(_COLUMNS).size())


_WAYS = {"bestdo": _ours, "pandas": _pandas}


def measure(path: Path, way: str) -> dict[str, float]:
    """Counts in a new process: wall-clock seconds, CPU seconds, peak of memory in MB, and the number of different rows."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.observe", way, str(path)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        write_rows(path, 10_000_000)
        ours, theirs = measure(path, "bestdo"), measure(path, "pandas")
        assert ours["cells"] == theirs["cells"]
        yield Row("counts of 10 M rows × 20 columns of Parquet", ours["cpu"], "pandas groupby", theirs["cpu"], 5)
        yield Row("the same, by the clock, on all cores", ours["seconds"], "a tenth of 60 s", 6.0, 1)


def _main() -> None:
    """Counts a file one way and prints what it took, or writes a file of so many rows and measures each way."""
    if sys.argv[1] in _WAYS:
        start, cpu = time.perf_counter(), time.process_time()
        cells = _WAYS[sys.argv[1]](sys.argv[2])
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"seconds": seconds, "cpu": cpu, "megabytes": most, "cells": cells}))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        write_rows(path, int(sys.argv[1]))
        for way in ("bestdo", *sys.argv[2:]):
            results = measure(path, way)
            print(f"{way}: " + ", ".join(f"{k} {v:,.1f}" for k, v in results.items()), flush=True)


if __name__ == "__main__":
    _main()
