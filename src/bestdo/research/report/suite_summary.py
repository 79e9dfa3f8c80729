"""The suite on a terminal: its worlds, one of them, and the ranks of learners that were played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bestdo.report.writers.terminal import say, table
from bestdo.research.report.suite_tables import regret_text, without_names
from bestdo.text import counted

if TYPE_CHECKING:
    from bestdo.research.suite.suite import Described, Suite
    from bestdo.research.suite.suite_standings import Standings
    from bestdo.research.suite.suite_world import SuiteWorld

__all__ = ["show_run", "show_world", "show_worlds", "worlds_as_data"]

_MOST_REASONS = 5
"""The most failures, and reasons not to play, that are printed; the table has them all."""
_MOST_NAMES = 3
"""The most worlds named beside a reason."""
_MOST_TABLES = 5
"""Up to how many learners have a table each; of more there is a line each."""


def worlds_as_data(worlds: Sequence[Described]) -> list[dict[str, Any]]:
    """Worlds of the suite for programs."""
    return [
        {
            "name": each.world.name,
            "version": each.world.version,
            "kind": each.world.kind,
            "goal": each.world.goal,
            "measure": each.world.measure,
            "horizons": list(each.world.horizons),
            "budget": each.budget,
            "in_flight": each.world.in_flight,
            "actions": each.actions,
            "about": each.world.about,
            "source": each.world.source,
            "published": [number._asdict() for number in each.world.published],
            "learners_in_archive": each.learners,
            "best_in_archive": [row._asdict() for row in each.best],
        }
        for each in worlds
    ]


def show_worlds(worlds: Sequence[Described]) -> None:
    """Prints a line for each world."""
    heading = ("world", "kind", "goal", "measure", "horizons", "learners")
    rows = [
        [
            each.world.name,
            each.world.kind,
            each.world.goal,
            each.world.measure,
            ", ".join(f"{t:g}" for t in each.world.horizons),
            str(each.learners),
        ]
        for each in worlds
    ]
    table(heading, rows)


def show_world(each: Described) -> None:
    """Prints all about one world."""
    world = each.world
    say(f"{world.name}, version {world.version}: {world.about}")
    say(f"  kind: {world.kind}")
    say(f"  goal: to {world.goal}; {counted(each.actions, 'action')}")
    say(f"  measured: {_measured(world)}")
    unit = "budgets" if each.budget else "rounds"
    say(f"  {unit}: {', '.join(f'{t:g}' for t in world.horizons)}; learners are ranked at the last")
    if world.in_flight > 1:
        say(f"  in flight: {world.in_flight} rounds at any time")
    say(f"  source: {world.source}")
    for number in world.published:
        error = "" if number.error is None else f" ± {number.error:g}"
        said = f"{number.learner} at {number.horizon:g}: {number.value:g}{error} ({number.what}; {number.source})"
        say(f"  published: {said}")
    if not world.published:
        say("  published: no number for these settings")
    if each.best:
        say(f"  the archive's best at {world.horizons[-1]:g}, of {counted(each.learners, 'learner')}:")
        for row in each.best:
            say(f"    {regret_text(row.regret or 0.0, row.standard_error):>20}  {row.learner}")


def _measured(world: SuiteWorld) -> str:
    """The measure of a world, in words."""
    problem = world.world.problem
    kept = f"rule kept, an action for each {' and '.join(problem.first)}" if problem.first else "action kept"
    limits = "; an action that truly breaks a limit counts as the worst" if problem.limits else ""
    return world.goal.measure.in_words.format(kept=f"{kept}{limits}")


def show_run(suite: Suite) -> None:
    """Prints how the learners that were played stand among all, by kind of world, and where they are first."""
    standing = suite.standings
    for learner in standing.own:
        played = standing.played(learner)
        refused = len(standing.tried(learner)) - len(played)
        say(f"{learner}: plays {counted(len(played), 'world')} and refuses {refused}")
        rows = []
        for kind in dict.fromkeys(world.kind for world in played):
            here = [world for world in played if world.kind == kind]
            others = sum(len(world.cells) - 1 for world in here)
            beats = f"{sum(world.beaten[learner] for world in here) / len(here):.0%}" if others else "–"
            judged = [standing.verdict(world, learner) for world in here]
            good = [v.world for v in judged if v.rivals and not v.worse]
            rows.append([kind, str(len(here)), beats, ", ".join(good) or ("none" if others else "–")])
        if rows and len(standing.own) <= _MOST_TABLES:
            table(("kind", "worlds", "beats", "first, or not significantly worse"), rows)
        if len(standing.own) <= _MOST_TABLES:
            _say_reasons(standing, learner)
            say("")
    for row in suite.run.failed[:_MOST_REASONS]:
        say(f"{row.learner} failed in {row.world} at {row.horizon:g}: {row.refused}")


def _say_reasons(standing: Standings, learner: str) -> None:
    """Prints why a learner does not play, the most frequent reasons first, with the worlds."""
    reasons: dict[str, list[str]] = {}
    for world in standing.tried(learner):
        if learner not in world.cells:
            reasons.setdefault(without_names(world.refused[learner]), []).append(world.name)
    often = sorted(reasons.items(), key=lambda item: -len(item[1]))
    for why, worlds in often[:_MOST_REASONS]:
        where = ", ".join(worlds) if len(worlds) <= _MOST_NAMES else counted(len(worlds), "world")
        say(f"  not in {where}: {why}")
    if len(often) > _MOST_REASONS:
        say(f"  and {counted(len(often) - _MOST_REASONS, 'further reason')}, which results.csv has")
