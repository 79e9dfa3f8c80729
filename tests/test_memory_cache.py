"""Results are kept as long as they fit into a budget of bytes; threads may share them."""

import gc
import threading
import weakref
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest

from bestdo import Actions, Graph
from bestdo.causal.graph import Variable
from bestdo.memory_cache import BUDGET, MemoryCache, memory_cache, size_of
from support import run_at_once

MB = 2**20


def arrays(cache):
    """A cached function that gives an array of so many bytes, and the arguments it was really called with."""
    calls = []

    @cache
    def array(number, size=MB):
        calls.append(number)
        return np.zeros(size // 8)

    return array, calls


def test_a_result_is_computed_once():
    array, calls = arrays(MemoryCache(10 * MB))
    assert array(1) is array(1)
    assert array(1, size=2 * MB) is array(1, size=2 * MB)
    assert array(1) is not array(1, 2 * MB)
    assert array(1.0) is array(1)
    assert calls == [1, 1, 1]


def test_results_used_longest_ago_are_dropped_when_the_budget_is_used_up():
    cache = MemoryCache(8 * MB)
    array, calls = arrays(cache)
    for number in range(7):
        array(number)
    assert len(cache) == 7
    array(0)
    array(7)  # the eighth is too much
    assert cache.total <= 6 * MB + 10_000
    assert array(0) is array(0)
    assert calls == list(range(8))  # of the first ones, 0 was used last
    array(1)
    assert calls[-1] == 1


def test_the_budget_is_shared_by_all_functions_and_holds_for_any_number_of_results():
    cache = MemoryCache(MB)
    one, _ = arrays(cache)
    two, _ = arrays(cache)
    for number in range(2_000):
        one(number, 8 * number)
        two(str(number), 800)
        assert cache.total <= MB
    assert len(cache) > 50
    cache.clear()
    assert (len(cache), cache.total) == (0, 0)


def test_a_result_that_is_larger_than_the_budget_is_kept_until_the_next():
    cache = MemoryCache(MB)
    array, calls = arrays(cache)
    array(1, 3 * MB)
    array(1, 3 * MB)
    assert calls == [1]
    array(2, 3 * MB)
    assert len(cache) == 1


def test_what_is_dropped_is_freed_with_its_arguments():
    @dataclass(frozen=True, eq=False)
    class Problem:
        table: np.ndarray

    cache = MemoryCache(4 * MB)

    @cache
    def solved(problem):
        return problem.table + 1

    alive = []
    for _ in range(10):
        problem = Problem(np.zeros(MB // 8))
        solved(problem)
        alive.append(weakref.ref(problem))
    del problem
    gc.collect()
    assert sum(one() is not None for one in alive) <= 2  # 1 MB of its own and 1 MB of the result each
    assert alive[-1]() is not None


def test_an_argument_of_many_results_is_counted_once():
    cache = MemoryCache(4 * MB)
    table = Table(MB)

    @cache
    def row(table, number):
        return number

    for number in range(1_000):
        row(table, number)
    assert len(cache) == 1_000
    assert MB < cache.total < 2 * MB


class Table:
    """It makes an array of so many bytes when that is first asked for."""

    def __init__(self, size, later=0):
        self.values = np.zeros(size // 8)
        self._later = later

    @cached_property
    def later(self):
        return np.zeros(self._later // 8)


def test_what_grows_later_is_measured_again():
    cache = MemoryCache(8 * MB)

    @cache
    def table(number):
        return Table(1024, later=MB)

    for number in range(30):
        assert table(number).later.nbytes == MB
    assert len(cache) < 15
    assert cache.total > 4 * MB


def test_errors_are_not_kept():
    calls = []

    @MemoryCache(MB)
    def fails(number):
        calls.append(number)
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            fails(1)
    assert calls == [1, 1]


def test_methods_and_names_stay():
    cache = MemoryCache(MB)

    @dataclass(frozen=True)
    class Learner:
        share: float

        @cache
        def design(self, actions):
            """A design."""
            return np.full(actions, self.share)

    assert Learner(0.5).design(3) is Learner(0.5).design(3)
    assert Learner(0.25).design(3)[0] == 0.25
    assert Learner.design.__name__ == "design"
    assert Learner.design.__doc__ == "A design."


def test_many_threads():
    """Eight threads on twenty results of which four fit: each gets what belongs to its argument, nothing is lost count of."""
    cache = MemoryCache(MB // 2)

    @cache
    def array(number):
        return np.full(MB // 64, float(number))

    wrong, barrier = [], threading.Barrier(8)

    def ask(seed):
        rng = np.random.default_rng(seed)
        barrier.wait()
        try:
            for number in rng.integers(0, 20, 400).tolist():
                if array(number)[-1] != number:
                    wrong.append(number)
        except BaseException as error:
            wrong.append(error)

    run_at_once([threading.Thread(target=ask, args=(seed,)) for seed in range(8)])
    assert not wrong
    assert cache.total <= cache.budget
    for number in range(20):
        array(number)
    cache._drop(None)
    for entries in cache._entries:
        assert all(held.needed for entry in entries.values() for held in entry.held)
    assert cache.total == sum(held.size for held in cache._held.values()) + 400 * len(cache)


def test_two_threads_that_compute_the_same_get_the_same_object():
    cache, barrier, found = MemoryCache(MB), threading.Barrier(2), []

    @cache
    def array(number):
        barrier.wait(10)
        return np.zeros(10)

    threads = [threading.Thread(target=lambda: found.append(array(1))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]


@dataclass(frozen=True)
class Pair:
    one: object
    two: object


class Slotted:
    __slots__ = ("kept", "missing")

    def __init__(self, kept):
        self.kept = kept


def test_sizes():
    array = np.zeros(MB // 8)
    about = pytest.approx(MB, abs=2_000)
    for value in (array, [array], (array, array), {"a": array}, {1: {2: [array]}}, Pair(array, array), Slotted(array)):
        assert size_of(value) == about
    assert size_of(array[:1]) == about  # a view keeps it all
    assert size_of(np.broadcast_to(np.zeros(1), (1000, 1000))) < 1_000
    assert size_of(Pair(array, array.copy())) == pytest.approx(2 * MB, abs=2_000)
    assert size_of(Pair(array, 1), without=(array,)) < 1_000
    assert size_of(np) == size_of(Pair) == size_of(size_of) == 0
    loop = []
    loop.append(loop)
    assert size_of(loop) < 200


def test_long_lists_are_measured_by_a_sample():
    many = [np.zeros(100) for _ in range(100_000)]
    assert size_of(many) == pytest.approx(100_000 * (800 + 128 + 8), rel=0.05)
    graph = Graph.of([*(Variable(f"X{i}") for i in range(100)), Variable("Y")], [("X1", "Y")], reward="Y")
    assert 10 * MB < size_of(Actions.up_to(graph, 2)) < 40 * MB  # 20,000 actions; 18 MB when all are measured


def test_the_caches_of_the_library_are_bounded():
    assert memory_cache.budget == BUDGET
    assert memory_cache.total <= BUDGET
