"""The child process that carries out orders about what people send, with limited memory.

`python -m bestdo.web.workers.sandbox_worker` reads one order per line and writes one answer per line, both JSON; it ends
by itself when no order comes for a while.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import sys
from collections.abc import Mapping
from typing import Any

from bestdo.errors import BestdoError

__all__ = ["answered", "limit"]

_MOST_MEMORY = 2 * 2**30
"""Bytes of address space of the process. Chosen, not measured."""

_NICE = 10
"""The amount by which the process gives way to the server itself. Chosen, not measured."""

_IDLE = 300.0
"""Seconds without an order after which the process ends, to free its memory. Chosen, not measured."""

VERBS = {
    "check": "bestdo.web.workers.graph_orders:checked",
    "build": "bestdo.web.workers.graph_orders:built",
    "outlook": "bestdo.web.workers.graph_orders:outlook",
    "state": "bestdo.web.workers.graph_orders:stated",
    "table": "bestdo.web.workers.table_orders:started",
    "plan": "bestdo.web.workers.data_orders:planned",
    "estimate": "bestdo.web.workers.data_orders:estimated",
    "moved": "bestdo.web.workers.data_orders:movement",
    "observe": "bestdo.web.workers.data_orders:observed",
}
"""The function for each verb of an order; its module is imported when first needed."""


def answered(order: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to an order; errors that a person can put right are in it as messages."""
    try:
        module, _, name = VERBS[str(order["verb"])].partition(":")
        answer: dict[str, Any] = getattr(importlib.import_module(module), name)(order)
        return answer
    except BestdoError as error:
        return {"error": {"message": str(error), "line": None, "column": None}, "text": order.get("text", "")}
    except MemoryError:
        return {"error": {"message": "this needs more memory than one check may use", "line": None, "column": None}}
    except RecursionError:
        return {"error": {"message": "this is nested too deeply", "line": None, "column": None}}


def limit() -> None:
    """Limits the memory of this process, and lets others go first."""
    if os.name != "posix":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_NICE)


def main() -> None:
    """Answers orders until the input ends, or no order has come for a while."""
    limit()
    importlib.import_module(VERBS["check"].partition(":")[0])  # what most orders need, before the first comes
    lines = sys.stdin.buffer
    while select.select([lines], [], [], _IDLE)[0]:
        line = lines.readline()
        if not line:
            return
        answer = json.dumps(answered(json.loads(line)), allow_nan=False)
        sys.stdout.buffer.write(answer.encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
