"""Runs the suite: learners of the field and of one's own on named worlds, beside the archive of all others."""

from __future__ import annotations

import gzip
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from bestdo.arguments import listed, seed_number, shown_value, whole_number
from bestdo.bandit.goal import GOALS
from bestdo.bandit.learner import Learner
from bestdo.display import Told
from bestdo.errors import BestdoError, unknown
from bestdo.experiments.engine.code_digest import code_digest
from bestdo.learners import LEARNERS, by_title, title
from bestdo.learners.registry import goals_of
from bestdo.research.suite.archive import Archive, read
from bestdo.research.suite.earlier_rows import with_earlier
from bestdo.research.suite.efforts import EFFORTS, simulations
from bestdo.research.suite.suite_rows import Cost, SuiteRow, table_bytes
from bestdo.research.suite.suite_run import Player, SuiteRun, play_suite, replace_file
from bestdo.research.suite.suite_standings import Standings, standings
from bestdo.research.suite.suite_world import KINDS, SuiteWorld
from bestdo.research.suite.suite_worlds import WORLDS
from bestdo.text import counted
from bestdo.usecases.progress_bar import progress_bar

__all__ = [
    "Described",
    "Suite",
    "chosen_worlds",
    "described",
    "estimated_seconds",
    "keep_archive",
    "left_out",
    "suite_run",
]


@dataclass(frozen=True)
class Suite:
    """The results of learners in the worlds of the suite, and those of all others in the archive."""

    run: SuiteRun
    archive: Archive
    manifest: Mapping[str, Any]

    @property
    def rows(self) -> list[SuiteRow]:
        """A row for each world, learner and horizon that was played."""
        return self.run.rows

    @property
    def costs(self) -> list[Cost]:
        """Processor seconds of a simulation for each world, learner and horizon."""
        return self.run.costs

    @property
    def beside(self) -> list[SuiteRow]:
        """The rows of the archive for learners that were not played, in the same worlds."""
        played, worlds = {row.learner for row in self.rows}, {(row.world, row.version) for row in self.rows}
        return [r for r in self.archive.rows if r.learner not in played and (r.world, r.version) in worlds]

    @property
    def standings(self) -> Standings:
        """The standing of the learners that were played among all, in each world."""
        return standings([*self.rows, *self.beside], dict.fromkeys(row.learner for row in self.rows))

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows as dictionaries, for a data frame: ``polars.DataFrame(found.to_dicts())``."""
        return [row._asdict() for row in self.rows]

    def __repr__(self) -> str:
        learners, worlds = ({getattr(row, column) for row in self.rows} for column in ("learner", "world"))
        refused = sum(bool(row.refused) for row in self.rows)
        return (
            f"Suite({len(learners)} learners, {len(worlds)} worlds, {len(self.rows)} rows, {refused} of them refused)"
        )


def chosen_worlds(names: Iterable[str], kinds: Iterable[str]) -> list[SuiteWorld]:
    """The worlds of these names and kinds; where none are named, all of which the package that they need is installed."""
    names, kinds = list(dict.fromkeys(names)), list(kinds)
    for name in names:
        if name not in WORLDS:
            raise BestdoError(f"{unknown('world of the suite', name, WORLDS)}; bestdo suite list says which there are")
    for kind in kinds:
        if kind not in KINDS:
            raise BestdoError(unknown("kind of worlds", kind, KINDS, most=len(KINDS)))
    chosen = [w for w in WORLDS.values() if (w.name in names or (not names and w.available)) and _of_kind(w, kinds)]
    if not chosen and left_out(names, kinds):
        raise BestdoError(left_out(names, kinds))
    if not chosen:
        raise BestdoError(f"no world of these names is {' or '.join(kinds)}")
    return chosen


def left_out(names: Iterable[str], kinds: Iterable[str]) -> str:
    """A sentence about the worlds that `chosen_worlds` leaves out as a package is missing; empty where there are none."""
    missing = [w for w in WORLDS.values() if not list(names) and not w.available and _of_kind(w, list(kinds))]
    packages = " ".join(dict.fromkeys(world.needs for world in missing))
    return f"{counted(len(missing), 'world')} left out: pip install {packages}" if missing else ""


def _of_kind(world: SuiteWorld, kinds: Sequence[str]) -> bool:
    """Whether a world is of one of these kinds; of any where none are named."""
    return not kinds or world.kind in kinds


def suite_run(
    learners: str | Learner[Any] | Sequence[str | Learner[Any]],
    worlds: str | Iterable[str] = (),
    *,
    kinds: str | Iterable[str] = (),
    effort: str = "quick",
    seed: int = 0,
    folder: str | Path | None = None,
    executor: Executor | None = None,
    workers: int = 1,
    progress: bool | Told = True,
    say: Callable[[str], None] | None = None,
    command: str = "",
) -> Suite:
    """The regret of learners in the worlds of the suite, beside the archive of all others.

    learners: names, ``"module:Class"`` or objects; "all" stands for the whole registry. worlds and kinds: which worlds are
    played; all when not given. effort: "quick", or "full" for as many simulations as the archive has. seed: of all random
    numbers; each cell has its own. folder: where `results.csv`, `costs.csv` and `archive.json` are written, and where an
    interrupted run goes on; a learner whose code has changed plays its own cells again, and rows of other learners and worlds
    that an earlier run with the same seed and effort left there stay in the table. workers or executor: processes,
    or any `concurrent.futures.Executor`. progress: whether a bar is shown, or a function of one's own. say: is called with
    messages while it runs; they go to stderr when not given. command: kept in `archive.json`. The result has `rows`,
    `beside` (the archive's rows of all others), `standings` and `costs`.

    A learner that is not for a world has a row that says why. Raises BestdoError for arguments that make no sense.

    >>> import bestdo
    >>> found = bestdo.suite_run("successive-rejects", worlds=["front-door", "pomis-iv"])
    >>> sorted({row.world for row in found.rows if not row.refused})
    ['front-door']
    >>> found.rows[-1].refused
    'it is made to find; here the goal is to earn'
    """
    if effort not in EFFORTS:
        raise BestdoError(unknown("effort", effort, list(EFFORTS)))
    played = chosen_worlds(listed("worlds", worlds, "['front-door']"), listed("kinds", kinds, "['parallel']"))
    players, seed = _players(learners), seed_number(seed)
    say = say or partial(print, file=sys.stderr)
    missing = left_out(listed("worlds", worlds, "['front-door']"), listed("kinds", kinds, "['parallel']"))
    if missing:
        say(missing)
    place = None if folder is None else _folder(folder)
    manifest = _manifest(played, players, effort, seed, command)
    with progress_bar("suite", progress) as update:
        result = play_suite(
            played,
            players,
            effort,
            seed,
            place,
            executor=executor,
            workers=whole_number("the number of workers", workers),
            progress=update,
            say=say,
        )
    if place is not None:
        merged = with_earlier(result, manifest, place)
        for text in merged.said:
            say(text)
        merged.run.write(place)
        replace_file(place / "archive.json", _json(merged.manifest))
    return Suite(result, read(), manifest)


def keep_archive(suite: Suite, folder: str | Path) -> None:
    """Writes the results as an archive, as it ships with the package: compressed, the costs and how they came about."""
    place = _folder(folder)
    replace_file(place / "results.csv.gz", gzip.compress(table_bytes(SuiteRow._fields, suite.rows), mtime=0))
    replace_file(place / "costs.csv", table_bytes(Cost._fields, suite.costs))
    replace_file(place / "archive.json", _json(suite.manifest))


def _json(manifest: Mapping[str, Any]) -> bytes:
    return json.dumps(manifest, ensure_ascii=False, indent=1).encode() + b"\n"


def _players(learners: Any) -> list[Player]:
    """The learners that play, each once; "all" stands for the whole registry."""
    given = listed("learners", learners, "['causal-top-two', 'mine:CUCB']")
    if not given:
        raise BestdoError("name a learner, as causal-top-two or mine:CUCB, or say all")
    players: dict[str, Player] = {}
    for each in given:
        for one in LEARNERS if each == "all" else (each,):
            ((label, made),) = by_title(one).items()
            _check_goals(label, made)
            players[label] = Player(one if isinstance(one, str) else _name_of(label), label, made)
    return list(players.values())


def _check_goals(label: str, learner: Learner[Any]) -> None:
    """Raises BestdoError where a learner says that it is for goals that there are not."""
    goals = goals_of(learner)
    if isinstance(goals, str) or not goals or not set(goals) <= set(GOALS):
        raise BestdoError(f"goals of the learner {label} is {shown_value(goals)}; it is ('find',), ('earn',) or both")


def _name_of(label: str) -> str:
    """The name of a learner object with this title: that in the registry where it is one of these, otherwise its title."""
    return next((name for name in LEARNERS if title(name) == label), label)


def _folder(folder: Any) -> Path:
    """The folder of results, which is made."""
    try:
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
    except TypeError:
        raise BestdoError(f"the folder is a path, not {shown_value(folder)}") from None
    except OSError as error:
        files = [place for place in (path, *path.parents) if place.is_file()]
        why = f"{files[0]} is a file; give a folder" if files else error.strerror
        raise BestdoError(f"cannot write into {path}: {why}") from None
    return path


def _manifest(
    worlds: Sequence[SuiteWorld], players: Sequence[Player], effort: str, seed: int, command: str
) -> dict[str, Any]:
    """The origin of the results."""
    return {
        "commit": _commit(),
        "versions": {
            "bestdo": version("bestdo"),
            "numpy": version("numpy"),
            "scipy": version("scipy"),
            "python": platform.python_version(),
        },
        "seed": seed,
        "effort": {"name": effort, **EFFORTS[effort]._asdict()},
        "worlds": {world.name: world.version for world in worlds},
        "learners": {player.name: repr(player.learner) for player in players},
        "code": {player.name: code_digest(type(player.learner).__module__) for player in players},
        "command": command,
    }


def _commit() -> str:
    """The commit of the checkout that runs, with "-dirty" where files differ from it; empty where it is none."""
    here = Path(__file__).resolve().parent
    tracked = (
        "ls-files",
        "--error-unmatch",
        Path(__file__).name,
    )  # not where it is installed inside another's checkout
    said = ""
    for words in (tracked, ("describe", "--always", "--abbrev=40", "--dirty", "--match", "nothing")):
        git = ["git", "-C", str(here), *words]
        try:
            done = subprocess.run(git, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603  # fixed words
        except (OSError, subprocess.TimeoutExpired):
            return ""
        if done.returncode:
            return ""
        said = done.stdout.strip()
    return said


class Described(NamedTuple):
    """A world of the suite, with what the archive has of it."""

    world: SuiteWorld
    actions: int
    budget: bool
    """Whether the world's horizons are budgets."""
    learners: int
    """The number of learners of the archive that play the world."""
    best: list[SuiteRow]
    """The rows of the archive with the least regret at the longest horizon, the best first."""


def described(kinds: Iterable[str] = (), names: Iterable[str] = (), most: int = 5) -> list[Described]:
    """The worlds of these kinds and names, each with so many of the best learners in the archive."""
    by_world: dict[tuple[str, int, float], list[SuiteRow]] = {}
    for row in read().rows:
        by_world.setdefault((row.world, row.version, row.horizon), []).append(row)
    listed = []
    for world in chosen_worlds(names, kinds):
        rows = by_world.get((world.name, world.version, world.horizons[-1]), [])
        playing = sorted((r for r in rows if r.regret is not None), key=lambda r: float(r.regret or 0.0))
        problem = world.world.problem
        listed.append(Described(world, len(problem.actions), problem.cost is not None, len(playing), playing[:most]))
    return listed


def estimated_seconds(
    learners: str | Sequence[str], worlds: Iterable[str] = (), kinds: Iterable[str] = (), effort: str = "full"
) -> tuple[float, int]:
    """The processor seconds that a run takes by the archive's costs, and how many cells these do not tell about."""
    archive, players = read(), _players(learners)
    costs = {(c.world, c.learner, c.horizon): c.cpu_seconds for c in archive.costs}
    refused = {(r.world, r.learner, r.horizon) for r in archive.rows if r.refused}
    total, unknown_cells = 0.0, 0
    for world in chosen_worlds(worlds, kinds):
        for player in players:
            for horizon in world.horizons:
                key = world.name, player.name, horizon
                if key in costs:
                    total += costs[key] * simulations(world.world, horizon, player.name, effort)
                elif key not in refused:
                    unknown_cells += 1
    return total, unknown_cells
