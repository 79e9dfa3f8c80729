"""The memory that a large figure takes."""

import subprocess
import sys

import pytest

_RUN = """
import sys
from bestdo.experiments import experiment
from bestdo.experiments.engine.runner import run
run(experiment("held-out"), int(sys.argv[1]), 0, sys.argv[2])
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.campaign
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_forty_worlds_take_less_than_a_gigabyte(tmp_path):
    """All worlds of `bestdo figure held-out` in one process; 4.3 GB when caches were bounded by the number of results."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, "2", str(tmp_path)], check=True, stdout=subprocess.PIPE, text=True
    )
    assert int(done.stdout) * 1024 < 10**9
