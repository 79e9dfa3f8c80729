"""Runs an experiment: the only loop.

The work is cut into fixed chunks, each with a generator of its own, seeded by what the chunk is. So the table is the
same, byte for byte, for any number of workers, any executor, and any number of interruptions.
"""

from __future__ import annotations

import math
import threading
import time
import zlib
from collections.abc import Callable, Generator
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bestdo.bandit.learner import Learner
from bestdo.data.optional_libraries import polars
from bestdo.errors import BestdoError
from bestdo.experiments.engine.experiment import Experiment, Measure, Row, Task, fingerprint, tasks
from bestdo.experiments.engine.pool import interrupts_wait, pool
from bestdo.experiments.engine.result_table import kept_table, replaced_table, rows_of, written
from bestdo.experiments.engine.resume_file import Partial, Sums
from bestdo.simulate import Prior, World, play

if TYPE_CHECKING:
    import polars as pl

__all__ = ["rows", "run"]

HERE = 1.0
"""Seconds for which chunks are played in this process before workers are started: most comparisons are over by then."""

_MOST_WORLDS = 16
_worlds: dict[str, World | Prior] = {}
_one_at_a_time = threading.Lock()


def run(
    experiment: Experiment,
    sims: int,
    seed: int,
    folder: str | Path,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
    say: Callable[[str], None] = lambda text: None,
    command: str = "",
) -> pl.DataFrame:
    """Simulates every learner in every setting; writes NAME.csv, NAME.parquet and NAME.json into the folder.

    `executor` is any `concurrent.futures.Executor`, as `dask.distributed.Client.get_executor()` gives; without one,
    `workers` processes are started. `progress` is told how many chunks are done, of how many. What is done is kept in
    NAME.partial.jsonl: after an interruption the same call goes on from there. A run that is complete in the folder is
    not repeated; one with other settings is replaced. `say` is told about all of it in words.
    """
    polars()
    if sims < 1 or workers < 1:
        raise BestdoError(f"{sims} simulations by {workers} workers: both must be at least 1")
    folder = Path(folder)
    name, mark = experiment.name, fingerprint(experiment, sims, seed)
    kept = kept_table(folder, experiment, mark)
    if kept is not None:
        say(f"{name} is in {folder} already, with these settings, seed and code; delete it to play again")
        return kept
    if replaced := replaced_table(folder, experiment, sims, seed):
        say(replaced)
    started = time.perf_counter()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial = Partial(folder / f"{name}.partial.jsonl", mark)
    except OSError as error:
        raise BestdoError(f"cannot write into {folder}: {_in_the_way(folder) or error.strerror}") from None
    with partial:
        everything = list(tasks(experiment, sims))
        missing = [task for task in everything if task not in partial.done]
        resumed = len(everything) - len(missing)
        if partial.anew:
            say(f"{partial.path} is of other settings, another seed or other code: starting anew")
        if resumed:
            say(f"going on with {name}: {resumed:,} of {len(everything):,} chunks were done before")
        progress(resumed, len(everything))
        with closing(_played(experiment, seed, mark, missing, executor, workers)) as results:
            for count, (task, sums) in enumerate(results, resumed + 1):
                partial.add(task, sums)
                progress(count, len(everything))
        done = [(task, partial.done[task]) for task in everything]
        run_of = {"sims": sims, "seed": seed, "command": command, "fingerprint": mark, "chunks_resumed": resumed}
        table = written(folder, experiment, rows_of(experiment, done), done, run_of, time.perf_counter() - started)
        partial.remove()
    return table


def rows(
    experiment: Experiment,
    sims: int,
    seed: int,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """The rows of the same table, with nothing written down; see `run`."""
    everything, mark = list(tasks(experiment, sims)), fingerprint(experiment, sims, seed)
    done: dict[Task, Sums] = {}
    progress(0, len(everything))
    with closing(_played(experiment, seed, mark, everything, executor, workers)) as results:
        for count, (task, sums) in enumerate(results, 1):
            done[task] = sums
            progress(count, len(everything))
    return rows_of(experiment, [(task, done[task]) for task in everything])


def _in_the_way(folder: Path) -> str:
    """Says so when a file is where a folder should be."""
    files = [path for path in (folder, *folder.parents) if path.is_file()]
    return f"{files[0]} is a file; give a folder" if files else ""


def _played(
    experiment: Experiment, seed: int, mark: str, missing: list[Task], executor: Executor | None, workers: int
) -> Generator[tuple[Task, Sums]]:
    """The sums of the missing chunks, as they are done."""
    started = time.perf_counter()
    for k, task in enumerate(missing):
        if executor or (workers > 1 and time.perf_counter() - started >= HERE):
            rest = missing[k:]
            break
        try:
            sums = chunk(*_arguments(experiment, seed, mark, task))
        except Exception as error:
            raise _failed(experiment, task, error) from error
        yield task, sums
    else:
        return
    if executor:
        yield from _elsewhere(experiment, seed, mark, rest, executor)
    else:
        with pool(workers) as own:
            yield from _elsewhere(experiment, seed, mark, rest, own)


def _elsewhere(
    experiment: Experiment, seed: int, mark: str, missing: list[Task], executor: Executor
) -> Generator[tuple[Task, Sums]]:
    """The same by an executor; on the way out, whatever the reason, what has not begun is cancelled."""
    futures: dict[Future[Sums], Task] = {}
    try:
        with interrupts_wait():
            for task in missing:
                futures[executor.submit(chunk, *_arguments(experiment, seed, mark, task))] = task
        for future in as_completed(list(futures)):
            task = futures[future]
            try:
                sums = Sums(*future.result())
            except Exception as error:
                raise _failed(experiment, task, error) from error
            del futures[future]
            yield task, sums
    finally:
        for future in futures:
            future.cancel()


def _arguments(
    experiment: Experiment, seed: int, mark: str, task: Task
) -> tuple[str, World | Prior, Learner[Any], float, int, Measure | None, tuple[int, ...]]:
    setting = experiment.settings[task.setting]
    names = zlib.crc32(experiment.name.encode()), zlib.crc32(task.learner.encode())
    key = (seed, names[0], setting.key, names[1], task.chunk)  # always five numbers
    token = f"{mark} {task.setting}"
    learner = experiment.learners[task.learner]
    return token, setting.world, learner, setting.horizon, task.lanes, experiment.measure, key


def chunk(
    token: str,
    world: World | Prior,
    learner: Learner[Any],
    horizon: float,
    lanes: int,
    measure: Measure | None,
    key: tuple[int, ...],
) -> Sums:
    """Plays the lanes of one chunk. Runs wherever the executor takes it."""
    world = _same(token, world)
    rng = np.random.default_rng(np.random.SeedSequence(key))
    worlds = np.random.default_rng(np.random.SeedSequence((key[0], key[1], key[4])))  # the same for all learners
    started = time.thread_time()
    if measure:
        assert isinstance(world, World)
        found = {
            name: values[~np.isnan(values)].tolist()
            for name, values in measure(world, learner, horizon, lanes, rng).items()
        }
        more = {name: (len(v), math.fsum(v), math.fsum(x * x for x in v)) for name, v in found.items()}
        return Sums(lanes, 0.0, 0.0, 0, time.thread_time() - started, more)
    regret = play(world, learner, horizon, lanes, rng, worlds).tolist()
    cpu = time.thread_time() - started
    squares = math.fsum(r * r for r in regret)
    return Sums(len(regret), math.fsum(regret), squares, sum(r < 1e-12 for r in regret), cpu)


def _same(token: str, world: World | Prior) -> World | Prior:
    """The world that came first under this token: copies sent with every chunk would each work out their design anew."""
    with _one_at_a_time:
        while len(_worlds) >= _MOST_WORLDS and token not in _worlds:
            del _worlds[next(iter(_worlds))]
        return _worlds.setdefault(token, world)


def _failed(experiment: Experiment, task: Task, error: Exception) -> BestdoError:
    setting = experiment.settings[task.setting]
    where = f"{task.learner} at {experiment.x_label} {setting.x:g}" if not isinstance(setting.x, str) else task.learner
    if isinstance(error, BrokenExecutor):
        return BestdoError("a worker process died, perhaps for lack of memory; what is done is kept: try fewer workers")
    if isinstance(error, BestdoError):
        return type(error)(f"{where}: {error}") if len(error.args) == 1 else error
    return BestdoError(f"{where} failed: {error!r}; bestdo.testing.check_learner tells what is wrong with a learner")
