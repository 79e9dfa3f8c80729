"""--dask: simulations on a cluster give the same bytes as on one core."""

import subprocess
import sys

import pytest

from bestdo.data import optional_libraries
from bestdo.errors import BestdoError
from bestdo.usecases import dask_cluster
from support import ROOT, bestdo

FARM = str(ROOT / "examples" / "farm.toml")
CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, scheduler_port=0) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
MINE = "from bestdo.learners.uniform import Uniform\n\nclass Mine(Uniform):\n    pass\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of the scheduler of a cluster in another process, which does not find the learner's file."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "cluster.py").write_text(CLUSTER)
    with subprocess.Popen(
        [sys.executable, "cluster.py"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process.stdout.readline().strip()
        process.stdin.close()


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("results", ["suite", "run", "mine:Mine", "successive-rejects", "--kind", "hidden causes"]),
        ("compare", ["compare", FARM, "--learner", "mine:Mine", "--rounds", "20", "--sims", "1500"]),
        ("rehearse", ["rehearse", FARM, "--learner", "mine:Mine", "--rounds", "20", "--worlds", "1500"]),
        ("confounded", ["figure", "confounded", "--sims", "10"]),
    ],
)
def test_a_cluster_gives_the_same_bytes(tmp_path, address, name, arguments):
    (tmp_path / "mine.py").write_text(MINE)
    for folder, more in (("one", ["--workers", "1"]), ("cluster", ["--dask", address])):
        done = bestdo(*arguments, *more, "-o", folder, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    one, cluster = ((tmp_path / folder / f"{name}.csv").read_bytes() for folder in ("one", "cluster"))
    assert one == cluster


def test_nobody_answers(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_cluster, "_PATIENCE", 0.3)
    with (
        pytest.raises(BestdoError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
        dask_cluster.cluster("tcp://127.0.0.1:9"),
    ):
        pass


def test_without_the_library(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(optional_libraries.importlib, "import_module", missing)
    with pytest.raises(BestdoError, match=r"pip install 'bestdo\[dask\]'"), dask_cluster.cluster("tcp://x:1"):
        pass
