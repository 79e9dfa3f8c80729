"""Worker processes that end when they should: with the run, with an interruption, and with the death of their parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection

__all__ = ["interrupts_wait", "pool"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def pool(workers: int) -> Iterator[Executor]:
    """A pool of fresh processes, one thread of linear algebra each.

    Each worker holds one end of a pipe. When the other end closes, because the run is over or interrupted, or because
    this process was killed, the workers end at once.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with _one_thread_each():
        executor = ProcessPoolExecutor(workers, context, _watch, (theirs,))
        try:
            yield executor
            executor.shutdown()
        finally:
            ours.close()
            executor.shutdown(wait=True, cancel_futures=True)
            theirs.close()


def _watch(theirs: Connection) -> None:
    """Runs in each worker before its first chunk."""

    def wait() -> None:
        theirs.poll(None)
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """What processes started meanwhile inherit; this one's own threads are started already."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Holds Ctrl-C back for a moment; processes started meanwhile never get it, so it is this one that decides."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
