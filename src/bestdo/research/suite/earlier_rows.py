"""The rows of earlier runs of the suite into the same folder: which of them stay in its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bestdo.errors import BestdoError
from bestdo.research.suite.archive import Archive, read
from bestdo.research.suite.suite_rows import SuiteRow
from bestdo.research.suite.suite_run import SuiteRun
from bestdo.research.suite.suite_worlds import WORLDS
from bestdo.text import counted

__all__ = ["with_earlier"]

_SAME = ("seed", "effort", "versions")
"""The facts that two runs must share to be in one table."""
_FEW_NAMES = 4
"""The most learners named in a message."""


class _Merged(NamedTuple):
    """A run with what stays of earlier ones."""

    run: SuiteRun
    manifest: Mapping[str, Any]
    said: Sequence[str]
    """Sentences for the person: the rows that stay, and those that do not."""


def with_earlier(run: SuiteRun, manifest: Mapping[str, Any], folder: Path) -> _Merged:
    """The run together with the rows of other learners and worlds that are in the folder's table.

    They stay where seed, effort and versions are the same, the world is still of the same version, and a learner of this
    run had the same code; otherwise the table has this run alone, and a sentence says so.
    """
    try:
        earlier = read(folder) if (folder / "results.csv").exists() else Archive([], {}, [])
    except BestdoError as error:
        return _Merged(run, manifest, [f"nothing of earlier runs is kept: {error}"])
    played = {(row.world, row.learner) for row in run.rows}
    others = [row for row in earlier.rows if (row.world, row.learner) not in played]
    if not others:
        return _Merged(run, manifest, [])
    differ = [name for name in _SAME if earlier.manifest.get(name) != manifest.get(name)]
    if differ:
        rows = counted(len(others), "row")
        what = f"{rows} of an earlier run with another {' and another '.join(differ)} left out of {folder}/results.csv"
        return _Merged(run, manifest, [f"{what}: give another folder to keep both"])
    changed = _changed(earlier.manifest.get("code", {}), manifest["code"])
    stay = [row for row in others if row.learner not in changed and _current(row)]
    said = [_kept(stay, folder)] if stay else []
    gone = sorted({row.learner for row in others} & changed)
    if gone:
        said.append(f"{_names(gone)} changed since an earlier run: those results on other worlds are left out")
    keys = {(row.world, row.learner) for row in stay}
    merged = SuiteRun(
        _sorted([*run.rows, *stay]),
        _sorted([*run.costs, *(cost for cost in earlier.costs if (cost.world, cost.learner) in keys)]),
        run.failed,
    )
    return _Merged(merged, _both(earlier.manifest, manifest, stay), said)


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> set[str]:
    """The learners of this run whose code is not what it was."""
    return {name for name, digest in now.items() if before.get(name) != digest}


def _current(row: SuiteRow) -> bool:
    """Whether the world of a row is still the same."""
    return row.world in WORLDS and WORLDS[row.world].version == row.version


def _sorted(lines: Sequence[Any]) -> list[Any]:
    """Lines in the order of the worlds, then of the learners (those of this run first)."""
    worlds = {name: k for k, name in enumerate(WORLDS)}
    learners = {name: k for k, name in enumerate(dict.fromkeys(line.learner for line in lines))}
    return sorted(lines, key=lambda line: (worlds[line.world], learners[line.learner]))


def _both(before: Mapping[str, Any], now: Mapping[str, Any], stay: Sequence[SuiteRow]) -> dict[str, Any]:
    """The origin of a table of several runs: this run, the commands of the others, and all worlds and learners."""
    both = dict(now)
    learners = {row.learner for row in stay}
    for name, names in (("worlds", {row.world for row in stay}), ("learners", learners), ("code", learners)):
        both[name] = {**now[name], **{k: v for k, v in before.get(name, {}).items() if k in names - now[name].keys()}}
    commands = [*before.get("earlier", []), before.get("command", "")]
    both["earlier"] = [c for c in dict.fromkeys(commands) if c and c != now["command"]]
    return both


def _kept(stay: Sequence[SuiteRow], folder: Path) -> str:
    """A sentence about the rows that stay."""
    what = f"{counted(len(stay), 'row')} of earlier runs ({_names(sorted({row.learner for row in stay}))})"
    return f"{folder}/results.csv keeps {what}; give another folder to begin anew"


def _names(learners: Sequence[str]) -> str:
    """The learners by name where they are few, else how many they are."""
    return ", ".join(learners) if len(learners) <= _FEW_NAMES else counted(len(learners), "learner")
