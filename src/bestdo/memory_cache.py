"""A cache of results that is bounded by the memory they take, not by their number."""

from __future__ import annotations

import functools
import itertools
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

__all__ = ["MemoryCache", "memory_cache", "size_of"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

BUDGET = 2**28
"""Bytes that all cached results together may take: 256 MB. The largest result that a figure uses again and again, a layout
of `simulate/parallel_sums.py`, takes 220 MB; `bestdo figure held-out` stays below 1 GB (`tests/experiments/test_memory.py`).
"""

_LEFT = 0.75
"""Share of the budget that is still in use after results were dropped: so they are dropped seldom, and many at once."""

_SAMPLE = 256
"""Members of a long container that are measured; the others are taken to be as large. A list of 180,000 actions is measured
two hundred times as fast as by going through all of them, and taken to be a third larger than it is."""

_AGAIN = 2
"""Objects in the cache that are measured again when a result is added: many keep parts of themselves that they compute
later. Two, so that every object is measured again before the cache has doubled."""

_ENTRY = 400
"""Bytes that the cache itself takes for a result."""

_MOST_KINDS = 10_000
"""Types whose kind is kept: programs that make types all the time do not fill the memory with them."""

_SMALL = (int, float, complex, type(None))
_WITHOUT_PARTS = (*_SMALL, str, bytes, bytearray, range)
_SHARED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def size_of(value: object, without: tuple[object, ...] = ()) -> int:
    """About how many bytes a value takes with all that it refers to, except the objects in `without`."""
    seen = {id(one) for one in without}
    todo: list[tuple[Any, float]] = [(value, 1.0)]
    total = 0.0
    while todo:
        one, times = todo.pop()
        kind, slots = _KINDS.get(type(one)) or _kind(type(one))
        if kind == "shared" or id(one) in seen:
            continue
        seen.add(id(one))
        if kind == "alone":
            total += times * sys.getsizeof(one)
        elif kind == "array":  # a view keeps the whole array
            total += times * (128 + (one.nbytes if one.base is None else 0))
            todo.append((one.base, times))
        else:
            total += times * sys.getsizeof(one, 64)
            parts = _parts(one, kind, slots)
            if len(parts) > _SAMPLE:
                sample = parts[:: -(-len(parts) // _SAMPLE)]
                todo += [(part, times * len(parts) / len(sample)) for part in sample]
            else:
                todo += [(part, times) for part in parts]
    return int(total)


_KINDS: dict[type, tuple[str, tuple[str, ...]]] = {}
"""The measures of objects of a type, and the names of attributes that are not in their `__dict__`."""


def _kind(kind: type) -> tuple[str, tuple[str, ...]]:
    """The measure of objects of a type, stored for the next one."""
    array = getattr(sys.modules.get("numpy"), "ndarray", ())
    found = "object"
    for name, kinds in (
        ("shared", _SHARED),
        ("alone", _WITHOUT_PARTS),
        ("array", array),
        ("mapping", dict),
        ("container", (tuple, list, set, frozenset)),
    ):
        if issubclass(kind, kinds):
            found = name
            break
    if len(_KINDS) < _MOST_KINDS:
        _KINDS[kind] = found, tuple(_slots(kind))
    return found, tuple(_slots(kind))


def _parts(one: Any, kind: str, slots: tuple[str, ...]) -> list[object]:
    """The members of a container, or the attributes of another object."""
    if kind == "mapping":
        return [*one, *one.values()]
    if kind == "container":
        return [*one]
    kept = [getattr(one, name) for name in slots if hasattr(one, name)]
    return [*kept, *vars(one).values()] if hasattr(one, "__dict__") else kept


def _slots(kind: type) -> Iterator[str]:
    """The names of attributes that are not in `__dict__`."""
    for each in kind.__mro__:
        names = each.__dict__.get("__slots__", ())
        yield from (n for n in ((names,) if isinstance(names, str) else names) if n not in ("__dict__", "__weakref__"))


class _Held:
    """An object that the cache keeps alive, as a result or as an argument of one: counted once, however many need it."""

    __slots__ = ("needed", "size", "value", "without")

    def __init__(self, value: object, without: tuple[object, ...]) -> None:
        self.value, self.without, self.needed = value, without, 0
        self.size = size_of(value, without)


class _Entry:
    """A result, and when it was used last."""

    __slots__ = ("entries", "held", "key", "used", "value")

    def __init__(self, entries: dict[Any, _Entry], key: Any, value: Any, held: list[_Held], used: int) -> None:
        self.entries, self.key, self.value, self.held, self.used = entries, key, value, held, used


class MemoryCache:
    """A decorator for functions of hashable arguments; the functions that it decorates share one budget of bytes.

    When the results, and the arguments that they belong to, take more, the results used longest ago are dropped. The newest
    is kept even if it is larger than the budget. Threads may share it: finding a result takes no lock; when two threads
    compute the same result at once, both get the same object.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.total = 0
        """Bytes in use."""
        self._clock = itertools.count()
        self._entries: list[dict[Any, _Entry]] = []  # one for each function
        self._held: dict[int, _Held] = {}  # by id; the one that was measured longest ago comes first
        self._lock = threading.RLock()

    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]:
        """The function, with its results cached."""
        entries: dict[Any, _Entry] = {}
        self._entries.append(entries)
        clock = self._clock

        @functools.wraps(function)
        def cached(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            key = (args, *kwargs.items()) if kwargs else args
            entry = entries.get(key)
            if entry is None:
                entry = self._add(entries, key, function(*args, **kwargs), (*args, *kwargs.values()))
            entry.used = next(clock)
            return entry.value  # type: ignore[no-any-return]

        return cached

    def __len__(self) -> int:
        """The number of results."""
        return sum(map(len, self._entries))

    def clear(self) -> None:
        """Drops all results."""
        with self._lock:
            for entries in self._entries:
                entries.clear()
            self._held.clear()
            self.total = 0

    def _add(self, entries: dict[Any, _Entry], key: Any, value: Any, arguments: tuple[object, ...]) -> _Entry:
        with self._lock:
            if key in entries:  # another thread was faster
                return entries[key]
            large = tuple(one for one in arguments if not isinstance(one, _SMALL))
            held = [self._hold(one) for one in large]
            if not isinstance(value, _SMALL):
                held.append(self._hold(value, large))
            self.total += _ENTRY
            entry = entries[key] = _Entry(entries, key, value, held, next(self._clock))
            for number in [*itertools.islice(self._held, _AGAIN)]:
                self._measure(number)
            if self.total > self.budget:
                self._drop(entry)
            return entry

    def _hold(self, value: object, without: tuple[object, ...] = ()) -> _Held:
        """Counts an object once more, and its size if it is the first time."""
        held = self._held.get(id(value))
        if held is None:
            held = self._held[id(value)] = _Held(value, without)
            self.total += held.size
        held.needed += 1
        return held

    def _measure(self, number: int) -> None:
        """Measures an object again; it is the last now to be measured once more."""
        held = self._held[number] = self._held.pop(number)
        self.total -= held.size
        held.size = size_of(held.value, held.without)
        self.total += held.size

    def _drop(self, newest: _Entry) -> None:
        """Drops results, those used longest ago first, until there is room."""
        others = [entry for entries in self._entries for entry in entries.values() if entry is not newest]
        for entry in sorted(others, key=lambda one: one.used):
            if self.total <= _LEFT * self.budget:
                break
            del entry.entries[entry.key]
            self.total -= _ENTRY
            for held in entry.held:
                held.needed -= 1
                if not held.needed:
                    self.total -= held.size
                    del self._held[id(held.value)]


memory_cache = MemoryCache(BUDGET)
"""The cache for results that grow with a problem."""
