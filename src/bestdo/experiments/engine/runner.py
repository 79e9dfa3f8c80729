"""Runs an experiment, in this process, in worker processes or by an executor.

The work is divided into fixed chunks. Each has its own random generator, seeded by the experiment, the setting, the
learner and the number of the chunk. So the table is the same, byte for byte, for any number of workers, any executor,
and any number of interruptions.
"""

from __future__ import annotations

import math
import threading
import time
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bestdo.bandit.learner import Learner
from bestdo.data.optional_libraries import polars
from bestdo.errors import BestdoError
from bestdo.experiments.engine.experiment import SAME_MEAN, Experiment, Measure, Row, Task, fingerprint, tasks, times
from bestdo.experiments.engine.pool import delayed_interrupts, pool
from bestdo.experiments.engine.result_table import finished_table, overwrite_notice, rows_of, summed_name, write_results
from bestdo.experiments.engine.resume_file import ResumeFile, Sums
from bestdo.simulate import Prior, World
from bestdo.simulate.play import outcomes
from bestdo.simulate.world_class import WorldClass

if TYPE_CHECKING:
    import polars as pl

__all__ = ["chunk_arguments", "play_chunk", "play_each", "rows", "run"]

_K = TypeVar("_K")
_R = TypeVar("_R")

SECONDS_BEFORE_WORKERS = 1.0
"""Seconds for which chunks are played in this process before worker processes are started: short runs are over by then.
About as long as starting the workers takes. Not measured."""

_MOST_WORLDS = 16
"""The number of worlds that a process keeps between chunks. Fewer use less memory; others compute their means, laws and
designs again. Not measured."""
_worlds: dict[str, World | Prior | WorldClass] = {}
_worlds_lock = threading.Lock()


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

    `executor` is any `concurrent.futures.Executor`, such as `dask.distributed.Client.get_executor()`; without one,
    `workers` processes are started. `progress` is called with the number of chunks done and of all chunks. Chunks that
    are done are kept in NAME.partial.jsonl: after an interruption the same call continues from there. A run that is
    complete in the folder is not repeated; one with other settings is replaced. `say` is called with a sentence about
    each of these.
    """
    polars()
    if sims < 1 or workers < 1:
        raise BestdoError(f"{sims} simulations by {workers} workers: both must be at least 1")
    folder = Path(folder)
    name, mark = experiment.name, fingerprint(experiment, sims, seed)
    finished = finished_table(folder, experiment, mark)
    if finished is not None:
        say(f"{name} is in {folder} already, with these settings, seed and code; delete it to play again")
        return finished
    if notice := overwrite_notice(folder, experiment, sims, seed):
        say(notice)
    started = time.perf_counter()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = ResumeFile(folder / f"{name}.partial.jsonl", mark)
    except OSError as error:
        raise BestdoError(f"cannot write into {folder}: {_file_in_the_way(folder) or error.strerror}") from None
    with file:
        everything = list(tasks(experiment, sims))
        missing = [task for task in everything if task not in file.done]
        before = len(everything) - len(missing)
        if file.other_run:
            say(f"{file.path} is of other settings, another seed or other code: starting anew")
        if before:
            say(f"going on with {name}: {before:,} of {len(everything):,} chunks were done before")
        progress(before, len(everything))
        with closing(_play_tasks(experiment, seed, mark, missing, executor, workers)) as results:
            for count, (task, sums) in enumerate(results, before + 1):
                file.add(task, sums)
                progress(count, len(everything))
        done = [(task, file.done[task]) for task in everything]
        run_of = {"sims": sims, "seed": seed, "command": command, "fingerprint": mark, "chunks_resumed": before}
        table = write_results(
            folder, experiment, rows_of(experiment, done), done, run_of, time.perf_counter() - started
        )
        file.remove()
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
    """The rows of the table that `run` would write, without writing any file."""
    everything, mark = list(tasks(experiment, sims)), fingerprint(experiment, sims, seed)
    done: dict[Task, Sums] = {}
    progress(0, len(everything))
    with closing(_play_tasks(experiment, seed, mark, everything, executor, workers)) as results:
        for count, (task, sums) in enumerate(results, 1):
            done[task] = sums
            progress(count, len(everything))
    return rows_of(experiment, [(task, done[task]) for task in everything])


def _file_in_the_way(folder: Path) -> str:
    """A sentence that names the file that is where a folder should be; empty when there is none."""
    files = [path for path in (folder, *folder.parents) if path.is_file()]
    return f"{files[0]} is a file; give a folder" if files else ""


def _play_tasks(
    experiment: Experiment, seed: int, mark: str, missing: list[Task], executor: Executor | None, workers: int
) -> Generator[tuple[Task, Sums]]:
    """Plays the missing chunks and yields the sums of each as it is done."""
    with closing(play_each(play_chunk, _chunks(experiment, seed, mark, missing), executor, workers)) as results:
        for task, future in results:
            try:
                sums = Sums(*future.result())
            except Exception as error:
                raise _failure(experiment, task, error) from error
            yield task, sums


def _chunks(
    experiment: Experiment, seed: int, mark: str, missing: list[Task]
) -> Iterator[tuple[Task, tuple[Any, ...]]]:
    """The tasks, each with the arguments of `play_chunk`."""
    return ((task, chunk_arguments(experiment, seed, mark, task)) for task in missing)


def play_each(
    play: Callable[..., _R], chunks: Iterable[tuple[_K, tuple[Any, ...]]], executor: Executor | None, workers: int
) -> Generator[tuple[_K, Future[_R]]]:
    """Calls a function with the arguments of each chunk, and yields the chunks' keys with their results as they are done.

    Chunks are played by the executor; without one in this process, and where that takes long, by own workers.
    """
    rest, started = iter(chunks), time.perf_counter()
    while not executor and (workers == 1 or time.perf_counter() - started < SECONDS_BEFORE_WORKERS):
        key, arguments = next(rest, (None, None))
        if key is None or arguments is None:
            return
        done: Future[_R] = Future()
        try:
            done.set_result(play(*arguments))
        except Exception as error:
            done.set_exception(error)
        yield key, done
    if executor:
        yield from _play_by(executor, play, rest)
    else:
        with pool(workers) as own:
            yield from _play_by(own, play, rest)


def _play_by(
    executor: Executor, play: Callable[..., _R], chunks: Iterable[tuple[_K, tuple[Any, ...]]]
) -> Generator[tuple[_K, Future[_R]]]:
    """Plays chunks by an executor; cancels those not yet started when it ends for any reason."""
    futures: dict[Future[_R], _K] = {}
    try:
        with delayed_interrupts():
            for key, arguments in chunks:
                futures[executor.submit(play, *arguments)] = key
        for future in as_completed(list(futures)):
            yield futures.pop(future), future
    finally:
        for future in futures:
            future.cancel()


def chunk_arguments(experiment: Experiment, seed: int, mark: str, task: Task, token: str = "") -> tuple[Any, ...]:
    """The arguments of `play_chunk` for a task, among them the key that seeds its random numbers.

    `token` is the name under which processes keep the world; that of the run and the setting when not given.
    """
    setting = experiment.settings[task.setting]
    names = zlib.crc32(experiment.name.encode()), zlib.crc32(task.learner.encode())
    key = (seed, names[0], setting.key, names[1], task.chunk)  # always five numbers
    learner = experiment.learners[task.learner]
    flight = setting.in_flight, times(experiment, setting), setting.waits_beside, experiment.same_chance
    return (
        token or f"{mark} {task.setting}",
        setting.world,
        learner,
        setting.horizon,
        task.lanes,
        experiment.measure,
        key,
        *flight,
    )


def play_chunk(
    token: str,
    world: World | Prior | WorldClass,
    learner: Learner[Any],
    horizon: float,
    lanes: int,
    measure: Measure | None,
    key: tuple[int, ...],
    in_flight: int = 1,
    at: tuple[float, ...] = (),
    waits_beside: bool = False,
    same_chance: bool = True,
) -> Sums:
    """Plays the lanes of one chunk and sums their results; runs in any process.

    With `at`, the summed regret at these times as well, by the same chance for all learners. With `waits_beside`, see
    `Setting`.
    """
    world = _shared_world(token, world)
    started = time.thread_time()
    rng, worlds = _generators(key)
    if measure:
        played = world if isinstance(world, World) else world.worlds(lanes, worlds)
        values = {
            name: by_lane[~np.isnan(by_lane)].tolist()
            for name, by_lane in measure(played, learner, horizon, lanes, rng).items()
        }
        more = {name: (len(v), math.fsum(v), math.fsum(x * x for x in v)) for name, v in values.items()}
        return Sums(lanes, 0.0, 0.0, 0, time.thread_time() - started, more)
    assert at or not isinstance(world, WorldClass)
    chance = int(
        np.random.SeedSequence((*key[:3], key[4])).generate_state(1, np.uint64)[0]
    )  # the same for all learners
    common: dict[str, Any] = {"summed_at": np.array(at)} if at else {}
    common |= {"chance": chance} if (at and same_chance) or waits_beside else {}
    ended = outcomes(world, learner, horizon, lanes, rng, worlds, in_flight=in_flight, **common)
    waited = outcomes(world, learner, horizon, lanes, *_generators(key), **common) if waits_beside else None
    cpu = time.thread_time() - started
    regret = ended.regret.tolist()
    squares = math.fsum(r * r for r in regret)
    said = {"breaks": ended.breaks, "none": ended.none}
    more = {name: (lanes, float(by.sum()), float(by.sum())) for name, by in said.items() if by is not None}
    by_lane: dict[str, list[float]] = {}
    if ended.over_time is not None:
        by_lane |= {summed_name(t): v for t, v in zip(at, ended.over_time.T.tolist(), strict=True)}
    if waited is not None:
        now, then = (each.regret if each.earned is None else each.earned for each in (ended, waited))
        by_lane |= {"waited": then.tolist(), "delay_cost": (now - then).tolist()}
    more |= {name: (lanes, math.fsum(v), math.fsum(x * x for x in v)) for name, v in by_lane.items()}
    return Sums(lanes, math.fsum(regret), squares, sum(r < SAME_MEAN for r in regret), cpu, more or None)


def _generators(key: tuple[int, ...]) -> tuple[np.random.Generator, np.random.Generator]:
    """The generator of a chunk, and that of its worlds, which is the same for all learners."""
    keys = key, (key[0], key[1], key[4])
    rng, worlds = (np.random.default_rng(np.random.SeedSequence(each)) for each in keys)
    return rng, worlds


def _shared_world(token: str, world: World | Prior | WorldClass) -> World | Prior | WorldClass:
    """The first world that this process got under a token, which keeps the laws and designs computed for it.

    Executors send a copy of the world with every chunk; each copy would compute them again.
    """
    with _worlds_lock:
        while len(_worlds) >= _MOST_WORLDS and token not in _worlds:
            del _worlds[next(iter(_worlds))]
        return _worlds.setdefault(token, world)


def _failure(experiment: Experiment, task: Task, error: Exception) -> BestdoError:
    """The error to raise when a chunk failed: it says in which setting, and what to do."""
    setting = experiment.settings[task.setting]
    where = f"{task.learner} at {experiment.x_label} {setting.x:g}" if not isinstance(setting.x, str) else task.learner
    if isinstance(error, BrokenExecutor):
        return BestdoError("a worker process died, perhaps for lack of memory; what is done is kept: try fewer workers")
    if isinstance(error, BestdoError):
        return type(error)(f"{where}: {error}") if len(error.args) == 1 else error
    return BestdoError(f"{where} failed: {error!r}; bestdo.testing.check_learner tells what is wrong with a learner")
