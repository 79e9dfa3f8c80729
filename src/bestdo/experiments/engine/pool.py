"""A pool of worker processes that end with the run, with an interruption, and when their parent process is killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection

__all__ = ["delayed_interrupts", "pool"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def pool(workers: int) -> Iterator[Executor]:
    """A pool of newly started processes, each with one thread for linear algebra.

    Each worker holds one end of a pipe. When the other end closes, because the run is over or interrupted, or because
    this process was killed, the workers end at once.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with _one_thread_each():
        executor = ProcessPoolExecutor(workers, context, _exit_with_parent, (theirs,))
        try:
            yield executor
            executor.shutdown()
        finally:
            ours.close()
            executor.shutdown(wait=True, cancel_futures=True)
            theirs.close()


def _exit_with_parent(theirs: Connection) -> None:
    """Ends this worker process as soon as the parent's end of the pipe is closed; runs before its first chunk."""

    def wait() -> None:
        theirs.poll(None)
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Sets the environment of processes started meanwhile to one thread of linear algebra.

    This process has started its own threads already and is not affected.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@contextmanager
def delayed_interrupts() -> Iterator[None]:
    """Delays Ctrl-C until the end of the block; processes started in it ignore Ctrl-C, and end with this one.

    The mask is inherited by the processes. It is the mask of this thread alone: another thread takes the signal, and Python
    would still raise KeyboardInterrupt here. So the handler is replaced as well.
    """
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if before is not None:
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        with _masked_interrupts():
            yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
            if came:
                signal.raise_signal(signal.SIGINT)


@contextmanager
def _masked_interrupts() -> Iterator[None]:
    """Masks Ctrl-C in this thread, where the system knows masks: Windows does not."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
