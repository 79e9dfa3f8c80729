"""Runs `python -m bestdo` in processes forked from one that has the modules loaded: 0.05 s instead of 1.5 s.

As a script it is the server: it listens on a socket, and for each command that is sent there (arguments, environment,
folder, standard streams) it forks a process that does what a new interpreter would do. When whoever sent a command goes
away, the command is killed with all its children.

`run` sends a command; with the arguments `-c TEXT` the text is run as Python instead. `shim` makes a program `bestdo` that
sends its arguments, for shell scripts. There nothing of bestdo itself is loaded before the fork, only the large libraries
(0.25 s), and neither is it anywhere in the campaign: a module that needs another one and does not import it is found.
"""

import array
import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from types import ModuleType

LIBRARIES = (
    "alembic.command", "alembic.runtime.migration", "alembic.script", "click", "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg", "matplotlib.figure", "networkx", "numpy", "opt_einsum", "polars",
    "psycopg", "rich.console", "rich.table", "scipy.optimize", "scipy.special", "scipy.stats", "sqlalchemy.dialects.sqlite",
    "sqlalchemy.dialects.postgresql.psycopg",
)  # fmt: skip
APART = (
    "bestdo.__main__",
    "bestdo.study.migrations",
    "bestdo.testing",
    "bestdo.web",
)  # not loaded by commands but `serve`
AT_IMPORT = ("BESTDO_FIRST_WORD", "PYTHONPATH")  # what modules look at when they are loaded, or where they are found
SOURCES = str(Path(__file__).parent.parent / "src")
WHOLE = "BESTDO_TESTS_LOAD_NOTHING"  # in the environment: nothing of bestdo is loaded before the fork
SECONDS = 120  # for one command


def run(arguments, environment, cwd=None, given="", seconds=SECONDS):
    """Exit code, standard output and standard error of `bestdo` with these arguments, as a CompletedProcess of texts."""
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        streams[0].write(given.encode())
        streams[0].seek(0)
        connection = stack.enter_context(socket.socket(socket.AF_UNIX))
        connection.connect(_address(own=WHOLE not in os.environ and _as_loaded(environment)))
        arguments = [os.fsdecode(a) for a in arguments]
        _send(connection, arguments, environment, os.fspath(cwd or os.getcwd()), [s.fileno() for s in streams])
        connection.settimeout(seconds)
        try:
            code = int(connection.recv(16))
        except TimeoutError:
            raise subprocess.TimeoutExpired(arguments, seconds) from None
        for stream in streams[1:]:
            stream.seek(0)
        out, err = (stream.read().decode() for stream in streams[1:])
        return subprocess.CompletedProcess(arguments, code, out, err)


def shim(folder):
    """A folder for PATH with a program `bestdo` that sends its arguments, environment and streams to the server."""
    folder.mkdir()
    program = folder / "bestdo"
    program.write_text(
        f"#!{sys.executable} -ES\nimport os, socket, sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        f"import fork_server\nconnection = socket.socket(socket.AF_UNIX)\nconnection.connect({_address(own=False)!r})\n"
        "fork_server._send(connection, sys.argv[1:], dict(os.environ), os.getcwd(), [0, 1, 2])\n"
        "sys.exit(int(connection.recv(16)))\n"
    )
    program.chmod(0o755)
    return folder


def _send(connection, arguments, environment, cwd, streams):
    data = json.dumps([arguments, environment, cwd]).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))]
    connection.sendmsg([len(data).to_bytes(8)], rights)
    connection.sendall(data)


def _as_loaded(environment):
    """Whether modules are what they would be had they been loaded in this environment."""
    ours = {**os.environ, "PYTHONPATH": SOURCES}
    return all(environment.get(name, "").strip(os.pathsep) == ours.get(name, "") for name in AT_IMPORT)


@functools.cache
def _address(own):
    """Where the server of this process listens; it is started at the first call, and ends with this process.

    own: whether it has the modules of bestdo loaded.
    """
    folder = tempfile.mkdtemp(prefix="bestdo-")
    command = [sys.executable, __file__, f"{folder}/socket", *["own"] * own]
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/", env=environment)
    assert process.stdout.readline() == b"ready\n"

    @atexit.register
    def stop():
        process.stdin.close()
        process.stdout.close()
        process.wait()
        os.rmdir(folder)

    return f"{folder}/socket"


def serve(address, own=""):
    """The server; returns in a process that is to run a command, prepared for it."""
    for name in LIBRARIES:
        importlib.import_module(name)
    if own:
        _load_own()
    gc.collect()
    gc.freeze()  # what is loaded is never looked through again: pages stay shared
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those that wait for a command need not be waited for
        print("ready", flush=True)  # noqa: T201
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:  # whoever started it is gone
                os.unlink(address)
                os._exit(0)
            connection, _ = listener.accept()
            if os.fork():
                connection.close()
                continue
            break
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    first, rights, _, _ = connection.recvmsg(8, socket.CMSG_SPACE(3 * 4))
    streams = array.array("i", rights[0][2])
    with connection.makefile("rb") as file:
        arguments, environment, cwd = json.loads(file.read(int.from_bytes(first)))
    child = os.fork()
    if child:
        _wait(connection, child)
    connection.close()
    os.setsid()
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    _become(arguments, environment, cwd)


def _load_own():
    """Loads the modules of bestdo that commands use; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        import bestdo

        for found in pkgutil.walk_packages(bestdo.__path__, "bestdo."):
            if not found.name.startswith(APART):
                importlib.import_module(found.name)


def _wait(connection, child):
    """Sends the exit code of the child when it ends; kills it when the other side goes away."""
    end = os.pidfd_open(child)
    ready, _, _ = select.select([end, connection], [], [])
    if end not in ready:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.kill(child, signal.SIGKILL)  # perhaps it had no group of its own yet
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    with contextlib.suppress(OSError):
        connection.send(str(code if code >= 0 else 128 - code).encode())
    os._exit(0)


def _become(arguments, environment, cwd):
    """As if Python had just been started with `-m bestdo`, these arguments and this environment, in this folder."""
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - the old ones remember what kind of files they had
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(cwd)
    before = set(os.environ.get("PYTHONPATH", "").split(os.pathsep))
    os.environ.clear()
    os.environ.update(environment)
    added = [part for part in environment.get("PYTHONPATH", "").split(os.pathsep) if part]
    sys.path[:] = [cwd, *added, *(part for part in sys.path[1:] if part not in before)]
    sys.argv = ["bestdo", *arguments]


def _code():
    """Runs the command; its exit code."""
    try:
        if sys.argv[1:2] == ["-c"]:
            _run_text(sys.argv[2])
        else:
            runpy.run_module("bestdo", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def _run_text(text):
    """Runs code as the main module, with warnings as errors."""
    warnings.simplefilter("error")
    main = sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(text, "<text>", "exec"), vars(main))


def _end(code):
    """Ends the process without taking the libraries apart, which would copy all their pages."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    serve(*sys.argv[1:])
    _end(_code())
