"""Results of a person's own learners beside the archive of the suite, or the archive alone."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from bestdo.errors import BestdoError
from bestdo.learners import LEARNERS, learner
from bestdo.research.suite import archive
from bestdo.research.suite.published_numbers import BesideOurs, beside_ours
from bestdo.research.suite.suite_rows import Cost, SuiteRow, read_costs, read_rows
from bestdo.research.suite.suite_standings import Standings, Untested, standings
from bestdo.research.suite.suite_world import SuiteWorld
from bestdo.text import counted

__all__ = ["Leaderboard", "ProcessorTime", "leaderboard"]

_FEW = 5
"""The most learners, all of them known, that a report is about, and the most rivals, or worlds in a note, that are named."""


class ProcessorTime(NamedTuple):
    """The processor time of a learner."""

    learner: str
    typical: float
    """Seconds for one simulation: the median over the worlds that it plays, at the horizons that rank."""
    most: float
    world: str
    """The largest, and the world where it is."""


@dataclass(frozen=True)
class Leaderboard:
    """The contents of the suite's report."""

    standing: Standings
    published: Sequence[BesideOurs]
    times: Sequence[ProcessorTime]
    manifest: Mapping[str, Any]
    """The manifest of the archive: versions, seed, effort, code."""
    runs: Sequence[Mapping[str, Any]]
    """The manifests of the results in the files, where they lie beside them."""
    worlds: Mapping[str, SuiteWorld]
    notes: Sequence[str]
    """Notes for the reader about these results alone."""
    rivals: Sequence[str] = ()
    """The learners that the person played beside the one that the report is about."""


def leaderboard(files: Iterable[Path] = (), kept: archive.Archive | None = None) -> Leaderboard:
    """The standings of the archive, with the results in these files beside them.

    files: results of `bestdo suite run` (results.csv), or folders that hold one. The report is about the first learner in
    them that neither this library nor the archive knows; where both know all of them and they are few, about the first.
    Of it only what is in the files counts, and the others in them are its rivals. kept: an archive in
    place of the one that ships with the package.
    """
    from bestdo.research.suite.suite_worlds import WORLDS

    kept = archive.read() if kept is None else kept
    rows, costs, runs = _read(files)
    if not rows and not kept.rows:
        raise BestdoError("there are no results: the archive is empty; name a results.csv of bestdo suite run")
    known = {row.learner for row in kept.rows} | LEARNERS.keys()
    there = {row.learner: None for row in rows}
    mine = list(dict.fromkeys(name for run in runs for name in run.get("learners", ()) if name in there) | there)
    own = ([name for name in mine if name not in known] or (mine if len(mine) <= _FEW else []))[:1]
    merged, other = _merged([row for row in kept.rows if row.learner not in own], rows)
    all_costs = {(c.world, c.learner, c.horizon): c for c in (*kept.costs, *costs)}
    standing = standings(merged, own)
    standing = replace(standing, untested=_untested(standing, WORLDS))
    return Leaderboard(
        standing,
        beside_ours(WORLDS, merged),
        _times(standing, all_costs.values()),
        kept.manifest,
        runs,
        WORLDS,
        _notes(standing, mine, kept, other),
        [name for name in mine if own and name not in own][:_FEW],
    )


def _notes(standing: Standings, mine: Collection[str], kept: archive.Archive, other: Collection[str]) -> list[str]:
    """Notes on learners of a run that stand beside none of the archive, which has another version of the worlds `other`."""
    notes = [
        f"The archive has another version of {name}: only the results of this run are shown for it." for name in other
    ]
    who = "the learner" if len(mine) == 1 else "the learners"
    if standing.own and not kept.rows:
        return [f"The archive of this version holds no results: {who} of this run cannot be compared with others."]
    worlds = [world for world in standing.worlds if standing.own and world.name not in other]
    alone = [world.name for world in worlds if world.cells.keys() <= set(mine)]
    if not alone:
        return notes
    where = ", ".join(alone) if len(alone) <= _FEW else counted(len(alone), "world")
    return [*notes, f"The archive has no results on {where}: there {who} of this run cannot be compared with others."]


def _read(files: Iterable[Path]) -> tuple[list[SuiteRow], list[Cost], list[Mapping[str, Any]]]:
    """The rows in the files; the costs and how they came about, which are beside the results and may be missing."""
    rows: list[SuiteRow] = []
    costs: list[Cost] = []
    runs: list[Mapping[str, Any]] = []
    for file in files:
        path = file / "results.csv" if file.is_dir() else file
        rows += read_rows(path)
        if (path.parent / "costs.csv").exists():
            costs += read_costs(path.parent / "costs.csv")
        if (path.parent / "archive.json").exists():
            runs.append(archive.read_manifest(path.parent / "archive.json"))
    return rows, costs, runs


def _merged(old: Sequence[SuiteRow], new: Sequence[SuiteRow]) -> tuple[list[SuiteRow], list[str]]:
    """The archive's rows and a run's, which replace those of the same cell; and the worlds left out for another version."""
    version = {row.world: row.version for row in old} | {row.world: row.version for row in new}
    by_cell = {(row.world, row.learner, row.horizon): row for row in (*old, *new) if row.version == version[row.world]}
    worlds = list(version)
    other = sorted({row.world for row in old if row.version != version[row.world]})
    return sorted(by_cell.values(), key=lambda row: worlds.index(row.world)), other


def _untested(standing: Standings, worlds: Mapping[str, SuiteWorld]) -> tuple[Untested, ...]:
    """The worlds on which a learner of this library that decides by tests (`first_test` says what one takes) can end none."""
    untested = []
    for name in (name for name in LEARNERS if name in standing.titles):
        first_test = getattr(learner(name), "first_test", None)
        if first_test is None:
            continue
        for result in standing.played(name):
            known = worlds.get(result.name)
            if known is None or not known.available:
                continue
            needs = first_test(known.world.problem)
            if needs > result.horizon:
                untested.append(Untested(name, result.name, result.horizon, needs))
    return tuple(untested)


def _times(standing: Standings, costs: Iterable[Cost]) -> list[ProcessorTime]:
    """The processor time of each learner at the horizons that rank, the cheapest first."""
    horizon = {world.name: world.horizon for world in standing.worlds}
    by_learner: dict[str, list[Cost]] = {}
    for cost in costs:
        if horizon.get(cost.world) == cost.horizon and cost.learner in standing.titles:
            by_learner.setdefault(cost.learner, []).append(cost)
    times = []
    for name, group in by_learner.items():
        most = max(group, key=lambda cost: cost.cpu_seconds)
        typical = statistics.median(cost.cpu_seconds for cost in group)
        times.append(ProcessorTime(name, typical, most.cpu_seconds, most.world))
    return sorted(times, key=lambda time: (time.typical, time.learner))
