"""The table of results of an experiment, and its files: NAME.csv, NAME.parquet and the manifest NAME.json."""

from __future__ import annotations

import json
import math
import os
import platform
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bestdo.errors import BestdoError
from bestdo.experiments.engine.experiment import CHUNK, Experiment, Row, Task, times
from bestdo.experiments.engine.resume_file import Sums
from bestdo.simulate import World
from bestdo.text import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["finished_table", "overwrite_notice", "rows_of", "summed_name", "write_results"]

_NO_VARIANCE = 1e-12
"""A variance below this share of the mean square is the rounding error of equal numbers, and taken as 0."""


_SUMMED = "summed at "  # begins the names of the summed regrets


def summed_name(time: float) -> str:
    """The name under which the summed regret at a time is kept."""
    return f"{_SUMMED}{time!r}"


def rows_of(experiment: Experiment, done: Sequence[tuple[Task, Sums]]) -> list[Row]:
    """One row for each setting and learner, in a fixed order, from the sums of all chunks; over time, one for each time."""
    by_point: dict[tuple[int, str], list[Sums]] = defaultdict(list)
    for task, sums in done:
        by_point[task.setting, task.learner].append(sums)
    rows = []
    for (i, label), parts in by_point.items():
        setting = experiment.settings[i]
        graph, contexts = setting.world.problem.graph, setting.world.problem.contexts
        sims = sum(p.n for p in parts)
        measured = _measure_columns(parts) if parts[0].more is not None else {}
        row = {
            "experiment": experiment.name,
            "panel": setting.panel,
            "x": setting.x,
            "horizon": setting.horizon,
            "variables": len(graph.names) - 1,
            "actions": len(setting.world.problem.actions),
            **dict(contexts.columns(("contexts", len(contexts)))),
            **setting.given,
            "learner": label,
            "sims": sims,
            **(_regret_columns(sims, parts) if experiment.measure is None else {}),
            **{name: value for name, value in measured.items() if not name.startswith(_SUMMED)},
        }
        rows += [{**row, **_at_time(t, measured)} for t in times(experiment, setting)] or [row]
    return rows


def _at_time(time: float, measured: Row) -> Row:
    """The columns of a row over time: the time, the summed regret and its standard error."""
    name = summed_name(time)
    return {"x": time, "summed_regret": measured[name], "summed_error": measured[f"{name}_error"]}


def _regret_columns(sims: int, parts: Sequence[Sums]) -> Row:
    """The mean regret, its standard error, and the share of lanes that recommended a best action."""
    regret, error = _mean_and_error(sims, math.fsum(p.regret for p in parts), math.fsum(p.regret2 for p in parts))
    return {"regret": regret, "standard_error": error, "p_best": sum(p.best for p in parts) / sims}


def _measure_columns(parts: Sequence[Sums]) -> Row:
    """The mean of each thing measured, over the lanes where it was not NaN, and its standard error."""
    row: Row = {}
    sums = [part.more for part in parts if part.more]
    for name in sums[0]:
        n, total, squares = (math.fsum(part[name][k] for part in sums) for k in range(3))
        row[name], row[f"{name}_error"] = _mean_and_error(int(n), total, squares) if n else (math.nan, math.nan)
    return row


def _mean_and_error(n: int, total: float, squares: float) -> tuple[float, float]:
    """The mean of n numbers and its standard error, which is exactly 0 where all are equal up to rounding."""
    mean = total / n
    variance = (squares - total * mean) / (n - 1) if n > 1 else math.nan
    return mean, 0.0 if variance <= _NO_VARIANCE * squares / n else math.sqrt(variance / n)


def write_results(
    folder: Path,
    experiment: Experiment,
    rows: list[Row],
    done: Sequence[tuple[Task, Sums]],
    run_of: Mapping[str, object],
    seconds: float,
) -> pl.DataFrame:
    """Writes the table, then the manifest, and returns the table that is drawn.

    Where the experiment has a summary, that is the table, and the rows themselves go to NAME-simulated.
    """
    import polars as pl

    try:
        if experiment.summary:
            _write_table(folder, f"{experiment.name}-simulated", pl.DataFrame(rows, infer_schema_length=None))
            rows = experiment.summary(rows)
        table = pl.DataFrame(rows, infer_schema_length=None)
        _write_table(folder, experiment.name, table)
        manifest = _manifest(experiment, done, run_of, seconds)
        _replace(
            folder / f"{experiment.name}.json", json.dumps(manifest, ensure_ascii=False, indent=1).encode() + b"\n"
        )
    except OSError as error:
        raise BestdoError(f"cannot write into {folder}: {error.strerror}") from None
    return table


def _write_table(folder: Path, name: str, table: pl.DataFrame) -> None:
    """Writes a table as CSV and Parquet, each whole or not at all."""
    _replace(folder / f"{name}.csv", table.write_csv().encode())
    temporary = folder / f"{name}.parquet.{os.getpid()}"
    table.write_parquet(temporary)
    os.replace(temporary, folder / f"{name}.parquet")


def _replace(path: Path, data: bytes) -> None:
    """Writes a file atomically: it is there whole or not at all."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    os.replace(temporary, path)


def _manifest(
    experiment: Experiment, done: Sequence[tuple[Task, Sums]], run_of: Mapping[str, object], seconds: float
) -> dict[str, object]:
    """The manifest: how the table was computed, and the texts of its picture."""
    cpu: dict[str, float] = dict.fromkeys(experiment.learners, 0.0)
    for task, sums in done:
        cpu[task.learner] += sums.cpu
    return {
        "name": experiment.name,
        **texts_of(experiment),
        "learners": {label: repr(learner) for label, learner in experiment.learners.items()},
        "settings": [
            {
                "x": s.x,
                "panel": s.panel,
                "horizon": s.horizon,
                **s.given,
                "actions": len(s.world.problem.actions),
                **({"best_mean": float(s.world.means[s.world.gains.argmax()])} if isinstance(s.world, World) else {}),
                "left_out": sorted(s.left_out),
            }
            for s in experiment.settings
        ],
        **run_of,
        "lanes_per_chunk": CHUNK,
        "versions": {
            "bestdo": version("bestdo"),
            "numpy": np.__version__,
            "polars": version("polars"),
            "python": platform.python_version(),
        },
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "cpu_seconds": {label: round(spent, 3) for label, spent in cpu.items()},
    }


def texts_of(experiment: Experiment) -> dict[str, Any]:
    """The part of the manifest that says what the picture shows: its texts and columns."""
    return {
        "title": experiment.title,
        "caption": experiment.caption,
        "x": {"column": "x", "label": experiment.x_label, "log": experiment.log_x},
        "y": {"column": experiment.y, "error": experiment.y_error, "label": experiment.y_label},
        **({"band": experiment.band} if experiment.band else {}),
        "beside": dict(experiment.beside),
        **({"judged": experiment.judged} if experiment.judged else {}),
    }


def finished_table(folder: Path, experiment: Experiment, fingerprint: str) -> pl.DataFrame | None:
    """The table in the folder if it is complete and of the same run, else None; updates the texts of its manifest."""
    import polars as pl

    path = folder / f"{experiment.name}.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(manifest, dict) or manifest.get("fingerprint") != fingerprint:
            return None
        if not path.with_suffix(".csv").exists():
            return None
        table = pl.read_parquet(path.with_suffix(".parquet"))
        _replace(path, json.dumps(manifest | texts_of(experiment), ensure_ascii=False, indent=1).encode() + b"\n")
    except (OSError, ValueError, pl.exceptions.PolarsError):
        return None
    return table


def overwrite_notice(folder: Path, experiment: Experiment, sims: int, seed: int) -> str:
    """A sentence that says which finished table of another run will be overwritten; empty when there is none."""
    try:
        manifest = json.loads((folder / f"{experiment.name}.json").read_text(encoding="utf-8"))
        old = int(manifest["sims"]), int(manifest["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    text = f"replaces {experiment.name} of {counted(old[0], 'simulation')}, seed {old[1]}"
    return f"{text}, made with other settings or other code" if old == (sims, seed) else text
