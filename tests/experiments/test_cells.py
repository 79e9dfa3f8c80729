"""Cells: each is kept, and played again when it changes, by itself."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest

from bestdo.errors import NotValid
from bestdo.experiments import Experiment, Setting, run
from bestdo.experiments.engine import cells as engine
from bestdo.experiments.engine.cells import Cell, play_cells
from bestdo.learners import by_title
from bestdo.learners.uniform import Uniform
from bestdo.simulate import parallel

SIMS = 1500  # two chunks


@dataclass(frozen=True)
class Refusing(Uniform):
    """Says that it is for no problem, or breaks."""

    error: type[BaseException] = NotValid

    def start(self, *_):
        raise self.error("not for this")


def cells(*learners, world=None):
    world = world or parallel([0.0, 0.5, 0.3], epsilon=0.2)
    found = {**by_title("successive-rejects", "uniform"), **{f"Extra {i}": each for i, each in enumerate(learners)}}
    return [
        Cell(Experiment("cells", "Cells", "T", (Setting(t, world, t),), {label: each}), SIMS)
        for label, each in found.items()
        for t in (10, 20)
    ]


def counted(monkeypatch):
    """The labels and horizons of the chunks that are played."""
    played, real = [], engine._play_or_refuse
    monkeypatch.setattr(engine, "_play_or_refuse", lambda *a: played.append((type(a[2]).__name__, a[3])) or real(*a))
    return played


def without_cpu(results):
    return [result._replace(cpu=0.0) for result in results]


def test_a_cell_has_the_row_of_the_same_experiment(tmp_path):
    cell = cells()[0]
    (result,) = play_cells([cell], 3)
    assert [result.row] == run(cell.experiment, SIMS, 3, tmp_path).to_dicts()
    assert result.cpu > 0


def test_any_executor_gives_the_same():
    expected = play_cells(cells(Refusing()), 0)
    with ThreadPoolExecutor(3) as threads:
        again = play_cells(cells(Refusing()), 0, executor=threads)
    assert without_cpu(again) == without_cpu(expected)
    assert [result.refused for result in expected] == [""] * 4 + ["not for this"] * 2


def test_what_was_played_is_not_played_again(tmp_path, monkeypatch):
    path, played, said = tmp_path / "cells.jsonl", counted(monkeypatch), []
    expected = play_cells(cells(Refusing()), 0, path)
    assert len(played) == 6 * 2
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:5]) + whole[5][:30])  # interrupted
    played.clear()
    assert play_cells(cells(Refusing()), 0, path, say=said.append) == [
        result._replace(cpu=again.cpu)
        for result, again in zip(expected, play_cells(cells(Refusing()), 0, path), strict=True)
    ]
    assert len(played) == 12 - 5
    assert said == ["going on: 5 of 12 parts were played before"]


def test_only_what_changed_is_played_again(tmp_path, monkeypatch):
    path, played = tmp_path / "cells.jsonl", counted(monkeypatch)
    play_cells(cells(), 0, path)
    played.clear()
    monkeypatch.setattr(engine, "code_digest", lambda module: "other" if module.endswith("uniform") else "as before")
    play_cells(cells(), 0, path)
    first = len(played)
    played.clear()
    monkeypatch.setattr(engine, "code_digest", lambda module: "new" if module.endswith("uniform") else "as before")
    play_cells(cells(), 0, path)
    assert first == 8
    assert played == [("Uniform", 10)] * 2 + [("Uniform", 20)] * 2
    played.clear()
    play_cells(cells(world=parallel([0.0, 0.5, 0.31], epsilon=0.2)), 0, path)
    assert len(played) == 8


def test_a_learner_that_fails_does_not_stop_the_others_and_is_played_again(tmp_path, monkeypatch):
    path, played = tmp_path / "cells.jsonl", counted(monkeypatch)
    results = play_cells(cells(Refusing(ValueError)), 0, path)
    assert [result.failed for result in results] == [False] * 4 + [True] * 2
    assert re.fullmatch(r"failed: ValueError\('not for this'\) \(test_cells\.py, line \d+\)", results[-1].refused)
    assert play_cells(cells(Refusing(SystemExit)), 0)[-1].failed
    assert results[-1].row is None
    played.clear()
    play_cells(cells(Refusing(ValueError)), 0, path)
    assert {name for name, _ in played} == {"Refusing"}


def test_the_fingerprint_sees_the_goal_and_limits_of_a_problem():
    world = parallel([0.0, 0.5], epsilon=0.2)
    other = replace(world, problem=replace(world.problem, goal="earn"))
    assert engine._mark(cells(world=world)[0], 0) != engine._mark(cells(world=other)[0], 0)


@pytest.mark.parametrize(("changed", "same"), [("algorithm_1.py", False), ("c_ucb.py", True), ("entries.py", True)])
def test_the_code_of_a_learner_is_its_own_file_and_what_that_imports(changed, same):
    from bestdo.experiments.engine import code_digest

    files = {file.name for file in code_digest._files_of("bestdo.learners.algorithm_1")}
    files |= {file.name for file in code_digest._files_of(code_digest._ENGINE)}
    assert {"count_state.py", "play.py", "runner.py", "sampling_kernels.pyx"} <= files
    assert (changed not in files) == same
