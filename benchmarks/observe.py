"""Counting old data: a Parquet file of 20 columns, beside the same counts by pandas; each in a process of its own.

`python -m benchmarks.observe 100000000` measures any number of rows, and says the seconds and the most memory used.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import narwhals  # noqa: F401  # what is imported before the clock starts
import numpy as np
import pandas as pd
import polars as pl  # noqa: F401

from benchmarks.timing import Row
from bestdo import Actions, Graph, Problem
from bestdo.data.counting import observed

_COLUMNS = [*(f"X{i}" for i in range(19)), "Y"]
_AT_ONCE = 2_000_000


def written(path: Path, rows: int) -> None:
    """Values 0 and 1; each column's chance is another one, and Y depends on three of them."""
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
    graph = Graph.parse("; ".join(f"{x} -> Y" for x in _COLUMNS[:-1]), reward="Y")
    return len(observed(path, Problem(graph, Actions.single(graph))).times)


def _pandas(path: str) -> int:
    return len(pd.read_parquet(path).groupby(_COLUMNS).size())


_WAYS = {"bestdo": _ours, "pandas": _pandas}


def measured(path: Path, way: str) -> dict[str, float]:
    """Seconds by the clock, CPU seconds, megabytes at most, and the number of cells."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.observe", way, str(path)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        written(path, 10_000_000)
        ours, theirs = measured(path, "bestdo"), measured(path, "pandas")
        assert ours["cells"] == theirs["cells"]
        yield Row("counts of 10 M rows × 20 columns of Parquet", ours["cpu"], "pandas groupby", theirs["cpu"], 5)
        yield Row("the same, by the clock, on all cores", ours["seconds"], "a tenth of 60 s", 6.0, 1)


def _main() -> None:
    if sys.argv[1] in _WAYS:
        start, cpu = time.perf_counter(), time.process_time()
        cells = _WAYS[sys.argv[1]](sys.argv[2])
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"seconds": seconds, "cpu": cpu, "megabytes": most, "cells": cells}))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        written(path, int(sys.argv[1]))
        for way in ("bestdo", *sys.argv[2:]):
            found = measured(path, way)
            print(f"{way}: " + ", ".join(f"{k} {v:,.1f}" for k, v in found.items()), flush=True)


if __name__ == "__main__":
    _main()
