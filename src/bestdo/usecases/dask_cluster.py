"""The executor of a Dask cluster, for simulations on many machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bestdo.data.optional_libraries import dask_distributed
from bestdo.errors import BestdoError, shown

__all__ = ["cluster"]

_PATIENCE = 10.0
"""Seconds to wait for the scheduler to answer. Chosen, not measured."""


@contextmanager
def cluster(address: str, learners: Iterable[str] = ()) -> Iterator[Executor]:
    """An executor whose work is done by the workers of the Dask scheduler at an address, as tcp://host:8786.

    Files in the working directory in which some of the learners are (`module:Class`) are sent to the workers.

    Raises BestdoError where `distributed` is not installed, where nobody answers, and where the cluster has no worker.
    """
    distributed: Any = dask_distributed()
    try:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise BestdoError(
            f"no Dask scheduler answers at {shown(address)} ({type(error).__name__}); its address is what `dask scheduler` "
            "prints, as tcp://host:8786"
        ) from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise BestdoError(
                f"the Dask cluster at {shown(address)} has no worker: start one by `dask worker {address}`"
            )
        for name in {each.partition(":")[0] for each in learners if ":" in each}:
            file = Path(f"{name}.py").resolve()
            if file.is_file():
                client.upload_file(str(file))
        executor: Executor = client.get_executor()
        yield executor
