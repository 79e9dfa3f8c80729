"""From sums to a tidy table, and its files: NAME.csv, NAME.parquet and the manifest NAME.json."""

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
from typing import TYPE_CHECKING

import numpy as np

from bestdo.errors import BestdoError
from bestdo.experiments.engine.experiment import CHUNK, Experiment, Row, Task
from bestdo.experiments.engine.resume_file import Sums
from bestdo.simulate import World
from bestdo.text import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["kept_table", "replaced_table", "rows_of", "written"]


def rows_of(experiment: Experiment, done: Sequence[tuple[Task, Sums]]) -> list[Row]:
    """One row for each setting and learner, in their fixed order."""
    together: dict[tuple[int, str], list[Sums]] = defaultdict(list)
    for task, sums in done:
        together[task.setting, task.learner].append(sums)
    rows = []
    for (i, label), parts in together.items():
        setting = experiment.settings[i]
        graph = setting.world.problem.graph
        sims = sum(p.n for p in parts)
        rows.append(
            {
                "experiment": experiment.name,
                "panel": setting.panel,
                "x": setting.x,
                "horizon": setting.horizon,
                "variables": len(graph.names) - 1,
                "actions": len(setting.world.problem.actions),
                **setting.given,
                "learner": label,
                "sims": sims,
                **(_measured(parts) if parts[0].more is not None else _regret(sims, parts)),
            }
        )
    return rows


def _regret(sims: int, parts: Sequence[Sums]) -> Row:
    regret, error = _mean_and_error(sims, math.fsum(p.regret for p in parts), math.fsum(p.regret2 for p in parts))
    return {"regret": regret, "standard_error": error, "p_best": sum(p.best for p in parts) / sims}


def _measured(parts: Sequence[Sums]) -> Row:
    """The mean of each thing measured, over the lanes in which there was something, and its standard error."""
    row: Row = {}
    lots = [part.more for part in parts if part.more]
    for name in lots[0]:
        n, total, squares = (math.fsum(lot[name][k] for lot in lots) for k in range(3))
        row[name], row[f"{name}_error"] = _mean_and_error(int(n), total, squares) if n else (math.nan, math.nan)
    return row


def _mean_and_error(n: int, total: float, squares: float) -> tuple[float, float]:
    """The mean of n numbers and its standard error; exactly 0 where all are equal, whatever the rounding."""
    mean = total / n
    variance = (squares - total * mean) / (n - 1) if n > 1 else math.nan
    return mean, 0.0 if variance <= 1e-12 * squares / n else math.sqrt(variance / n)


def written(
    folder: Path,
    experiment: Experiment,
    rows: list[Row],
    done: Sequence[tuple[Task, Sums]],
    run_of: Mapping[str, object],
    seconds: float,
) -> pl.DataFrame:
    """Writes the table, then the manifest; the table that is drawn is returned."""
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
    _replace(folder / f"{name}.csv", table.write_csv().encode())
    before = folder / f"{name}.parquet.{os.getpid()}"
    table.write_parquet(before)
    os.replace(before, folder / f"{name}.parquet")


def _replace(path: Path, data: bytes) -> None:
    """Writes a file that is there whole or not at all."""
    before = path.with_name(f"{path.name}.{os.getpid()}")
    before.write_bytes(data)
    os.replace(before, path)


def _manifest(
    experiment: Experiment, done: Sequence[tuple[Task, Sums]], run_of: Mapping[str, object], seconds: float
) -> dict[str, object]:
    """How the table came about, and the words for its picture."""
    cpu: dict[str, float] = dict.fromkeys(experiment.learners, 0.0)
    for task, sums in done:
        cpu[task.learner] += sums.cpu
    return {
        "name": experiment.name,
        **_words(experiment),
        "learners": {label: repr(learner) for label, learner in experiment.learners.items()},
        "settings": [
            {
                "x": s.x,
                "panel": s.panel,
                "horizon": s.horizon,
                **s.given,
                "actions": len(s.world.problem.actions),
                **({"best_mean": float(s.world.means.max())} if isinstance(s.world, World) else {}),
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


def _words(experiment: Experiment) -> dict[str, object]:
    """What the picture says."""
    return {
        "title": experiment.title,
        "caption": experiment.caption,
        "x": {"column": "x", "label": experiment.x_label, "log": experiment.log_x},
        "y": {"column": experiment.y, "error": experiment.y_error, "label": experiment.y_label},
        "beside": dict(experiment.beside),
    }


def kept_table(folder: Path, experiment: Experiment, fingerprint: str) -> pl.DataFrame | None:
    """The table of a run that is complete in the folder, if it is the same run; its words may be others now."""
    import polars as pl

    path = folder / f"{experiment.name}.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(manifest, dict) or manifest.get("fingerprint") != fingerprint:
            return None
        if not path.with_suffix(".csv").exists():
            return None
        table = pl.read_parquet(path.with_suffix(".parquet"))
        _replace(path, json.dumps(manifest | _words(experiment), ensure_ascii=False, indent=1).encode() + b"\n")
    except (OSError, ValueError, pl.exceptions.PolarsError):
        return None
    return table


def replaced_table(folder: Path, experiment: Experiment, sims: int, seed: int) -> str:
    """Which finished table of another run will be written over, in one sentence; nothing when there is none."""
    try:
        manifest = json.loads((folder / f"{experiment.name}.json").read_text(encoding="utf-8"))
        old = int(manifest["sims"]), int(manifest["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    text = f"replaces {experiment.name} of {counted(old[0], 'simulation')}, seed {old[1]}"
    return f"{text}, made with other settings or other code" if old == (sims, seed) else text
