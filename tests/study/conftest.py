"""A real PostgreSQL for the tests, started by them on a private socket; SQLite beside it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


def _programs():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def _install():
    """PostgreSQL from Debian's packages when it is missing and we may."""
    if _programs() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
        subprocess.run(["apt-get", "update", "-qq"], **quiet)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "install", "-y", "-qq", "postgresql"], env=environment, **quiet)
    return _programs()


@pytest.fixture(scope="session")
def postgres():
    """The URL of a fresh PostgreSQL, as another user when we are root."""
    programs = _install()
    if programs is None:
        pytest.fail("PostgreSQL is needed for these tests: install the Debian package 'postgresql'")
    folder = tempfile.mkdtemp(prefix="pg", dir="/tmp")
    user = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    if os.geteuid() == 0:
        shutil.chown(folder, user)
    as_user = {"user": user} if os.geteuid() == 0 else {}

    def run(*command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **as_user)

    run(programs / "initdb", "-D", f"{folder}/data", "-U", "bestdo", "--auth=trust", "-E", "UTF8")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=20"
    run(programs / "pg_ctl", "-D", f"{folder}/data", "-o", options, "-w", "-l", f"{folder}/log", "start")
    yield f"postgresql://bestdo@/postgres?host={folder}"
    run(programs / "pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """A storage of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/farm.db"
    return request.getfixturevalue("postgres")


@pytest.fixture
def record(capfd):
    """Says a figure of a campaign, to be kept in docs/explanation/reliability.md."""

    def say(text):
        with capfd.disabled():
            os.write(2, f"\n{text}\n".encode())

    return say
