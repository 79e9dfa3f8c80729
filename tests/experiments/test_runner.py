import json
import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pytest

import small_experiment
from bestdo.causal.model import Model
from bestdo.causal.unlisted_law import ModelLaw, ProductLaw
from bestdo.errors import BestdoError
from bestdo.experiments import Setting, run
from bestdo.experiments.engine import runner
from bestdo.experiments.engine.experiment import fingerprint, tasks
from bestdo.experiments.engine.result_table import _mean_and_error
from bestdo.learners import by_title
from bestdo.learners.uniform import Uniform
from bestdo.simulate import play
from small_experiment import SIMS, small
from support import ROOT

CHUNKS = 3 * 2 * 3


def tables(folder):
    return (folder / "small.csv").read_bytes(), (folder / "small.parquet").read_bytes()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The table by one process, without interruption."""
    folder = tmp_path_factory.mktemp("expected")
    run(small(), SIMS, 7, folder)
    return tables(folder)


def test_the_table_is_what_the_lanes_say(tmp_path):
    table = run(small(), 1000, 7, tmp_path)
    assert len(table) == 6
    row = table.row(0, named=True)
    key = (7, *(runner.chunk_arguments(small(), 7, "", next(tasks(small(), 1000)))[6][1:]))
    setting = small().settings[0]
    learner = by_title("successive-rejects")["Successive Rejects"]
    regret = play(setting.world, learner, 10, 1000, seed=np.random.default_rng(np.random.SeedSequence(key)))
    assert row["regret"] == pytest.approx(regret.mean(), rel=1e-12)
    assert row["standard_error"] == pytest.approx(regret.std(ddof=1) / math.sqrt(1000), rel=1e-9)
    assert row["p_best"] == np.mean(regret < 1e-12)
    assert (row["experiment"], row["horizon"], row["variables"], row["actions"]) == ("small", 10, 3, 7)


def test_files_and_manifest(tmp_path, expected):
    run(small(), SIMS, 7, tmp_path, command="bestdo test")
    assert sorted(f.name for f in tmp_path.iterdir()) == ["small.csv", "small.json", "small.parquet"]
    assert tables(tmp_path) == expected
    assert (
        pl.read_csv(tmp_path / "small.csv")
        .drop("panel")
        .equals(pl.read_parquet(tmp_path / "small.parquet").drop("panel"))
    )
    manifest = json.loads((tmp_path / "small.json").read_text())
    assert (manifest["sims"], manifest["seed"], manifest["command"]) == (SIMS, 7, "bestdo test")
    assert manifest["cpu_seconds"].keys() == manifest["learners"].keys() == {"Successive Rejects", "Uniform"}
    assert {"bestdo", "numpy"} <= manifest["versions"].keys()
    assert b"seconds" not in expected[0]


def test_other_seeds_and_names_give_other_numbers(tmp_path, expected):
    run(small(), SIMS, 8, tmp_path)
    assert tables(tmp_path) != expected
    run(replace(small(), name="other"), SIMS, 7, tmp_path)
    assert (tmp_path / "other.csv").read_bytes().replace(b"other", b"small") != expected[0]


def test_two_workers(tmp_path, expected, monkeypatch):
    monkeypatch.setattr(runner, "SECONDS_BEFORE_WORKERS", 0.0)
    before = dict(os.environ)
    run(small(), SIMS, 7, tmp_path, workers=2)
    assert tables(tmp_path) == expected
    assert dict(os.environ) == before


def test_any_executor(tmp_path, expected):
    with ThreadPoolExecutor(3) as threads:
        run(small(), SIMS, 7, tmp_path, executor=threads)
    assert tables(tmp_path) == expected


def test_a_dask_cluster(tmp_path, expected):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        run(small(), SIMS, 7, tmp_path, executor=client.get_executor())
    assert tables(tmp_path) == expected


class Stop(BaseException):
    pass


def stopped_after(folder, chunks):
    def progress(done, total):
        if done == chunks:
            raise Stop

    with pytest.raises(Stop):
        run(small(), SIMS, 7, folder, progress=progress)
    return folder / "small.partial.jsonl"


def test_only_missing_chunks_are_played_again(tmp_path, expected, monkeypatch):
    stopped_after(tmp_path, 11)
    played, real = [], runner.play_chunk
    monkeypatch.setattr(runner, "play_chunk", lambda *a: played.append(a) or real(*a))
    said = []
    run(small(), SIMS, 7, tmp_path, say=said.append)
    assert len(played) == CHUNKS - 11
    assert said == ["going on with small: 11 of 18 chunks were done before"]
    assert tables(tmp_path) == expected
    assert json.loads((tmp_path / "small.json").read_text())["chunks_resumed"] == 11


def test_a_complete_run_is_not_repeated(tmp_path, monkeypatch):
    run(small(), SIMS, 7, tmp_path)
    monkeypatch.setattr(runner, "play_chunk", None)
    said = []
    again = run(small(), SIMS, 7, tmp_path, say=said.append)
    assert again.equals(pl.read_parquet(tmp_path / "small.parquet"))
    assert "already" in said[0]
    run(replace(small(), title="Another"), SIMS, 7, tmp_path)
    assert json.loads((tmp_path / "small.json").read_text())["title"] == "Another"


@pytest.mark.parametrize("tear", [b'{"of": "', b"\xff\x00", b'{"of": 3}\n{"task": 1}\n', b"[1]\n"])
def test_a_torn_line_is_ignored(tmp_path, expected, tear):
    path = stopped_after(tmp_path, 5)
    whole = path.read_bytes()
    path.write_bytes(whole + tear)
    progress = []
    run(small(), SIMS, 7, tmp_path, progress=lambda done, total: progress.append(done))
    assert progress == list(range(5, CHUNKS + 1))
    assert tables(tmp_path) == expected


def test_a_last_line_that_was_cut(tmp_path, expected):
    path = stopped_after(tmp_path, 5)
    path.write_bytes(path.read_bytes()[:-20])
    progress = []
    run(small(), SIMS, 7, tmp_path, progress=lambda done, total: progress.append(done))
    assert progress[0] == 4
    assert tables(tmp_path) == expected


def test_another_fingerprint_starts_anew_and_says_so(tmp_path):
    stopped_after(tmp_path, 5)
    said, progress = [], []
    run(small(), SIMS, 8, tmp_path, say=said.append, progress=lambda done, total: progress.append(done))
    assert progress[0] == 0
    assert "starting anew" in said[0]


def test_the_fingerprint_sees_what_matters():
    base = small()
    marks = [
        fingerprint(base, 10, 0),
        fingerprint(base, 11, 0),
        fingerprint(base, 10, 1),
        fingerprint(replace(base, learners=by_title("uniform")), 10, 0),
        fingerprint(replace(base, settings=base.settings[:2]), 10, 0),
        fingerprint(replace(base, settings=tuple(replace(s, horizon=s.horizon + 1) for s in base.settings)), 10, 0),
    ]
    assert len(set(marks)) == len(marks)
    assert fingerprint(small(), 10, 0) == marks[0]


def knowing(law, cost=None):
    """The small experiment, with learners that know this law."""
    world = small().settings[0].world
    world = replace(world, problem=replace(world.problem, law=law, cost=cost))
    return replace(small(), settings=(Setting(10, world, 10),))


def laws(chance):
    """A law of each kind, in which X1 has this chance."""
    problem = small().settings[0].world.problem
    tables = {"X1": [1 - chance, chance], "X2": [0.5, 0.5], "X3": [0.7, 0.3]}
    model = Model(problem.graph.subgraph(["X1", "X2", "X3"]), tables)
    return [
        model.law_of(["X1", "X2", "X3"], problem.actions),
        ProductLaw(problem.actions, tuple(map(np.array, tables.values()))),
        ModelLaw(problem.actions, model),
    ]


def test_the_fingerprint_sees_the_numbers_that_learners_know():
    known = [law for chance in (0.1, 0.2) for law in laws(chance)]
    marks = [fingerprint(knowing(law), 10, 0) for law in [None, *known]]
    marks += [fingerprint(knowing(None, cost), 10, 0) for cost in ((1,) * 7, (1,) * 6 + (2,))]
    assert len(set(marks)) == 9
    assert fingerprint(knowing(laws(0.1)[2]), 10, 0) == marks[3]


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_a_table_and_a_world_of_another_law_are_not_taken(tmp_path, kind):
    tables = []
    for chance in (0.1, 0.6):
        experiment = replace(knowing(laws(chance)[kind]), learners=by_title("algorithm-2"))
        tables.append(run(experiment, 200, 0, tmp_path))
        assert run(experiment, 200, 0, tmp_path / f"{chance}").equals(tables[-1])
    assert not tables[0].equals(tables[1])


class Bare:
    def __init__(self, **parameters):
        vars(self).update(parameters)


@dataclass(frozen=True)
class Weighted(Uniform):
    weights: np.ndarray


def test_the_fingerprint_sees_a_learners_parameters():
    long = np.zeros(2000)
    other = long.copy()
    other[1000] = 1  # its repr is cut there
    learners = [
        Bare(c=1),
        Bare(c=2),
        Bare(c=[1, {"a": Bare(d=1)}]),
        Bare(c=[1, {"a": Bare(d=2)}]),
        Bare(c=long),
        Bare(c=other),
        Bare(c=lambda t: t),
        Bare(c=lambda t: t + 1),
        Bare(c={1, 2}),
        Weighted(long),
        Weighted(other),
    ]
    marks = [fingerprint(replace(small(), learners={"Mine": mine}), 10, 0) for mine in learners]
    assert len(set(marks)) == len(marks)
    assert fingerprint(replace(small(), learners={"Mine": Bare(c=1)}), 10, 0) == marks[0]
    around = Bare()
    around.itself = around
    assert fingerprint(replace(small(), learners={"Mine": around}), 10, 0)


def test_numbers_of_numpy_in_a_setting(tmp_path):
    world = small().settings[0].world
    settings = tuple(Setting(t, world, t, given={"m": np.int64(2)}) for t in np.arange(10, 30, 10))
    table = run(replace(small(), settings=settings), 10, 0, tmp_path)
    plain = tuple(Setting(t, world, t, given={"m": 2}) for t in (10, 20))
    assert run(replace(small(), settings=plain), 10, 0, tmp_path / "plain").equals(table)
    assert type(settings[0].x) is type(settings[0].horizon) is type(settings[0].given["m"]) is int
    assert Setting(np.float64(0.5), world, np.float64(20.0)).horizon == 20
    with pytest.raises(BestdoError, match=r"a horizon of 20.5 rounds: it must be a whole number"):
        Setting(1, world, 20.5)


def test_numbers_do_not_depend_on_other_settings_or_learners(tmp_path):
    whole = run(small(), 50, 0, tmp_path / "whole")
    some = replace(small(), settings=small().settings[:0:-1], learners=by_title("uniform"))
    for row in run(some, 50, 0, tmp_path / "some").iter_rows(named=True):
        (same,) = whole.filter(pl.col("horizon") == row["horizon"], learner="Uniform").to_dicts()
        assert row == same
    world = small().settings[0].world
    keys = [
        Setting(10, world, 10).key,
        Setting(11, world, 10).key,
        Setting("10", world, 10).key,
        Setting(10, world, 11).key,
        Setting(10, world, 10, panel="a").key,
        Setting(10, world, 10, given={"m": 2, "n": 3}).key,
        Setting(10, world, 10, given={"m": 3, "n": 2}).key,
    ]
    assert len(set(keys)) == len(keys)
    assert Setting(10, world, 10, given={"n": 3, "m": 2}).key == keys[5]


def test_worlds_are_kept_by_many_threads_at_once():
    worlds = [small().settings[0].world for _ in range(100)]
    with ThreadPoolExecutor(8) as threads:
        kept = list(threads.map(lambda i: runner._shared_world(f"test {i % 50}", worlds[i % 50]), range(2000)))
    assert all(world is worlds[i % 50] for i, world in enumerate(kept))
    assert len(runner._worlds) <= runner._MOST_WORLDS


def test_a_finished_table_is_replaced_in_words(tmp_path):
    said = []
    run(small(), 1000, 0, tmp_path, say=said.append)
    run(small(), 1, 3, tmp_path, say=said.append)
    assert said == ["replaces small of 1,000 simulations, seed 0"]
    run(replace(small(), learners=by_title("uniform")), 1, 3, tmp_path, say=said.append)
    assert said[1:] == ["replaces small of 1 simulation, seed 3, made with other settings or other code"]


def running(folder, workers):
    return subprocess.Popen(
        [sys.executable, small_experiment.__file__, str(folder), str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), str(ROOT / "src")])},
        start_new_session=True,
    )


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not os.path.exists(f"/proc/self/task/{os.getpid()}/children"), reason="needs Linux")
@pytest.mark.parametrize("workers", [1, 2])
def test_killed_in_the_middle_and_resumed(tmp_path, expected, workers):
    process = running(tmp_path, workers)
    while process.stdout.readline().strip() != "7":
        assert process.poll() is None, process.stderr.read()
    started = children(process.pid)
    assert bool(started) == (workers > 1)
    process.kill()
    process.communicate()
    limit = time.monotonic() + 10
    while not all(map(gone, started)):  # workers do not outlive the run
        assert time.monotonic() < limit
        time.sleep(0.05)
    assert not (tmp_path / "small.csv").exists()
    progress = []
    run(small(), SIMS, 7, tmp_path, progress=lambda done, total: progress.append(done))
    assert 7 <= progress[0] < CHUNKS
    assert tables(tmp_path) == expected


@pytest.mark.usefixtures("interruptible")
def test_an_interruption_keeps_what_is_done(tmp_path, expected):
    process = running(tmp_path, 2)
    while process.stdout.readline().strip() != "5":
        assert process.poll() is None, process.stderr.read()
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=20)
    assert error.count("Traceback") == 1  # the script's own: its workers say nothing
    assert error.rstrip().endswith("KeyboardInterrupt")
    progress = []
    run(small(), SIMS, 7, tmp_path, progress=lambda done, total: progress.append(done))
    assert progress[0] >= 5
    assert tables(tmp_path) == expected


class Failing(Uniform):
    def tell(self, state, plan, tally):
        raise ZeroDivisionError("oh")


@pytest.mark.parametrize("threads", [False, True])
def test_a_learner_that_fails_is_named(tmp_path, threads):
    experiment = replace(small(), learners={"Mine": Failing()})
    with ThreadPoolExecutor(1) as executor, pytest.raises(BestdoError, match=r"Mine at T 10 failed: ZeroDivisionError"):
        run(experiment, 10, 0, tmp_path, executor=executor if threads else None)


@pytest.mark.parametrize(
    ("n", "total", "squares", "error"),
    [(4, 4 * 0.3, 4 * 0.3**2, 0.0), (3, 0.1 + 0.1 + 0.1, 0.03, 0.0), (2, 1.0, 1.0, 0.5), (10, 0.0, 0.0, 0.0)],
)
def test_standard_errors(n, total, squares, error):
    assert _mean_and_error(n, total, squares)[1] == pytest.approx(error, abs=0)


def test_a_single_simulation_has_no_standard_error(tmp_path):
    assert math.isnan(run(small(), 1, 0, tmp_path)["standard_error"][0])


@pytest.mark.parametrize(("sims", "workers"), [(0, 1), (1, 0)])
def test_nothing_to_do_is_refused(tmp_path, sims, workers):
    with pytest.raises(BestdoError, match="at least 1"):
        run(small(), sims, 0, tmp_path, workers=workers)


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/out"):
        with pytest.raises(BestdoError, match=r"cannot write into .*file is a file; give a folder"):
            run(small(), 1, 0, tmp_path / folder)


def two_things(world, learner, horizon, lanes, rng):
    regret = play(world, learner, horizon, lanes, seed=rng)
    return {"kept": (regret == 0).astype(float), "loss": np.where(regret > 0, regret, np.nan)}


def test_other_things_than_the_regret_can_be_measured(tmp_path):
    made = replace(small(), measure=two_things, y="kept", y_error="kept_error")
    table = run(made, 1500, 7, tmp_path)
    row = table.row(0, named=True)
    assert "regret" not in row
    assert row["kept_error"] == pytest.approx(math.sqrt(row["kept"] * (1 - row["kept"]) / 1499), rel=1e-9)
    assert row["loss"] > 0  # over the lanes that lost something
    assert fingerprint(made, 10, 0) != fingerprint(small(), 10, 0)
