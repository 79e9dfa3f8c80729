"""The tables of the suite's report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from bestdo.learners import LEARNERS
from bestdo.report.document_blocks import Table, Words, with_code
from bestdo.research.suite.leaderboard import ProcessorTime
from bestdo.research.suite.lost_worlds import REASONS
from bestdo.research.suite.published_numbers import BesideOurs
from bestdo.research.suite.suite_standings import FAMILY, Cell, Rank, Ratio, Standings, Verdict
from bestdo.research.suite.suite_world import SuiteWorld
from bestdo.text import counted, with_error

__all__ = [
    "cost_table",
    "lost_table",
    "published_table",
    "rank_table",
    "refusal_table",
    "regret_text",
    "strength_table",
    "times_text",
    "untested_table",
    "warning_table",
    "without_names",
    "worlds_table",
]

_GOAL_WORDS = {"find": "the best action is to be found", "earn": "every round earns"}
_WARNING = "⚠ "
_UNTESTED = " †"
_FEW_NAMES = 6
"""The most worlds named in a cell."""
_MANY = 100
"""The multiple of the first's regret from which it says nothing: the first has almost none."""


def _named(learner: str, standing: Standings) -> str:
    """The title of a learner, with marks: ⚠ where it repeats an error or choice of published code, † where no test ends."""
    entry = LEARNERS.get(learner)
    title = standing.titles.get(learner) or (entry.title if entry is not None else learner)
    untested = any(each.learner == learner for each in standing.untested)
    return (_WARNING if entry is not None and entry.warning else "") + title + (_UNTESTED if untested else "")


def rank_table(goal: str, ranks: Sequence[Rank], standing: Standings) -> Table:
    """The places of learners on the worlds of a goal."""
    of = len(standing.of_goal(goal))
    interval = any(rank.low is not None for rank in ranks)
    rows = [
        [
            "–" if rank.place is None else str(rank.place),
            _named(rank.learner, standing),
            *(["–" if rank.low is None else f"{rank.low} to {rank.high}"] if interval else []),
            f"{rank.beaten:.0%}",
            f"{rank.firsts} of {rank.worlds}",
            f"{rank.worlds} of {of}",
        ]
        for rank in ranks
    ]
    return Table(
        ("place", "learner", *(["95 % interval"] if interval else []), "beats", "first or as good", "plays"),
        rows,
        f"Places where {_GOAL_WORDS[goal]}, on {counted(of, 'world')}." + _untested_words(goal, standing),
        words=frozenset({0, 1}),
        marked=_marked([rank.learner for rank in ranks], standing),
        name=f"ranks-{goal}",
    )


def _untested_words(goal: str, standing: Standings) -> str:
    """A sentence for each learner of a goal that has worlds on which no test of it can end; it begins with a blank."""
    worlds = {world.name for world in standing.of_goal(goal)}
    said = []
    for learner in dict.fromkeys(each.learner for each in standing.untested):
        where = [each for each in standing.untested if each.learner == learner and each.world in worlds]
        played = [world for world in standing.played(learner) if world.name in worlds]
        if where:
            said.append(
                f" † No test of {standing.titles[learner]} can end on {len(where)} of the {counted(len(played), 'world')} "
                "that it plays: its place says nothing about its tests."
            )
    return "".join(said)


def untested_table(standing: Standings) -> Table | None:
    """The worlds on which no test of a learner can end, with what the first one takes; None where there are none."""
    rows: list[list[Words]] = [
        [standing.titles[each.learner], each.world, f"{each.horizon:,g}", f"{each.needs:,.0f}"]
        for each in standing.untested
    ]
    caption = (
        "Where no test of a learner that decides by tests can end (†): the horizon, and the least one at which a test could. "
        "Until then all its rounds go to one variable, and its regret says nothing about its tests."
    )
    heads = ("learner", "world", "horizon", "a test takes")
    return Table(heads, rows, caption, frozenset({0, 1}), folded=True, name="untested") if rows else None


def worlds_table(
    verdicts: Sequence[Verdict], standing: Standings, caption: str, title: str, worlds: Mapping[str, SuiteWorld]
) -> Table:
    """A learner (or this library's choice for the goal) beside the first and that choice on every world.

    title: what stands above its regrets. worlds: those of the suite, which say how many actions there are.
    """
    by_name = {world.name: world for world in standing.worlds}
    beside = any(verdict.learner not in FAMILY.values() for verdict in verdicts)
    rows: list[list[Words]] = []
    for verdict in verdicts:
        world = by_name[verdict.world]
        ours = [_cell(world.cells.get(FAMILY[world.goal]))] if beside else []
        first = "–" if not verdict.rivals else "itself" if verdict.is_first else _named(verdict.first, standing)
        known = worlds.get(world.name)
        size = str(len(known.world.problem.actions)) if known is not None and known.available else "–"
        simulations = "–" if verdict.cell is None else f"{verdict.cell.simulations:,}"
        rows.append(
            [
                *(verdict.world, world.kind, world.goal, size, f"{world.horizon:g}", simulations),
                *(_cell(verdict.cell), _judged(verdict), first, _cell(verdict.first_cell if verdict.rivals else None)),
                *ours,
            ]
        )
    heads = ["world", "kind", "goal", "actions", "horizon", "simulations", title, "verdict", "the first", "its regret"]
    return Table(
        [*heads, *(["this library's"] if beside else [])], rows, caption, frozenset({0, 1, 2, 7, 8}), name="worlds"
    )


def _judged(verdict: Verdict) -> str:
    """A verdict in words."""
    if verdict.cell is None:
        return "does not play"
    if not verdict.rivals:
        return "no others"
    if verdict.is_first:
        return "first"
    if not verdict.worse:
        return "as good (few simulations)" if verdict.blind else "as good"
    return f"worse ({times_text(verdict.ratio)} ×)" if verdict.ratio < _MANY else "worse"


def lost_table(verdicts: Iterable[Verdict], standing: Standings) -> Table | None:
    """The worlds on which this library's learner is worse than the first, and why; None where there is none."""
    lost = [verdict for verdict in verdicts if verdict.worse]
    if not lost:
        return None
    rows: list[list[Words]] = [
        [
            v.world,
            _cell(v.cell),
            _named(v.first, standing),
            _cell(v.first_cell),
            REASONS.get(v.world, "Not explained yet."),
        ]
        for v in lost
    ]
    heads = ("world", "regret", "the first", "its regret", "why")
    return Table(
        heads, rows, "Where it is worse than the first, and why.", frozenset({0, 2}), wraps=frozenset({4}), name="lost"
    )


def strength_table(strengths: dict[str, dict[str, Ratio]], order: Sequence[str], standing: Standings) -> Table:
    """The multiples of the first's regret, by learner and kind of world."""
    kinds = list(
        dict.fromkeys(world.kind for world in standing.worlds if any(world.kind in s for s in strengths.values()))
    )
    rows = [[_named(name, standing), *(_ratio(strengths[name].get(kind)) for kind in kinds)] for name in order]
    return Table(
        ("learner", *kinds),
        rows,
        "The same numbers as a table. * It does not play all worlds of this kind.",
        marked=_marked(order, standing),
        folded=True,
    )


def _ratio(ratio: Ratio | None) -> str:
    """A multiple of the first's regret."""
    return "" if ratio is None else times_text(ratio.value) + ("*" if ratio.worlds < ratio.of else "")


def times_text(multiple: float) -> str:
    """A multiple of the first's regret: one decimal below 10, none above."""
    return f"{multiple:.1f}" if multiple < 9.95 else f"{multiple:,.0f}"


def published_table(numbers: Sequence[BesideOurs], standing: Standings) -> Table:
    """Published numbers, those of authors' programs, and ours."""
    rows: list[list[Words]] = []
    for (world, learner, horizon), group in groupby(
        numbers, key=lambda n: (n.world, n.published.learner, n.published.horizon)
    ):
        same = list(group)
        ours = same[0]
        cells: dict[str, list[str]] = {"paper": [], "code": []}
        for each in same:
            theirs = each.published
            value = regret_text(theirs.value, theirs.error)
            cells["paper" if theirs.what == "paper" else "code"].append(
                value + (" (a rewrite)" if theirs.what == "a rewrite of it" else "")
            )
        differences = [f"{each.difference:+.1f}" for each in same if each.difference is not None]
        rows.append(
            [
                world,
                _named(learner, standing),
                f"{horizon:g}",
                "; ".join(cells["paper"]) or "–",
                "; ".join(cells["code"]) or "–",
                regret_text(ours.ours, ours.error) if ours.ours is not None else "–",
                "; ".join(differences) or "–",
                with_code("; ".join(dict.fromkeys(each.published.source for each in same))),
            ]
        )
    heads = ("world", "learner", "horizon", "published", "authors' code", "ours", "difference in s.e.", "source")
    caption = (
        "Regret as published, as the authors' code gives it, and ours, ± standard error. The difference is ours less "
        "theirs in standard errors of both; where theirs has none stated, in ours alone, which makes it look larger. –: "
        "there is none, or it is not in the archive."
    )
    return Table(heads, rows, caption, frozenset({0, 1}), wraps=frozenset({7}), name="published")


def cost_table(times: Sequence[ProcessorTime], standing: Standings) -> Table:
    """Processor time by learner."""
    rows = [[_named(e.learner, standing), _seconds(e.typical), _seconds(e.most), e.world] for e in times]
    return Table(
        ("learner", "median", "most", "where"),
        rows,
        "Processor time of one simulation at the horizons that rank: the median over worlds, and the most. Simulations are "
        "played many at once, and where the law of a learner's sums is known they are drawn directly.",
        frozenset({0, 3}),
        _marked([e.learner for e in times], standing),
        folded=True,
        name="cost",
    )


def _seconds(seconds: float) -> str:
    """A time with a unit that fits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def warning_table(standing: Standings) -> Table | None:
    """The presets that repeat an error or choice of published code; None where there is none."""
    playing = {name for world in standing.worlds for name in world.cells}
    rows: list[list[Words]] = [
        [entry.title, entry.warning] for name, entry in LEARNERS.items() if entry.warning and name in playing
    ]
    caption = (
        "Presets that repeat errors and choices of published code, so that old numbers can be explained (⚠ in tables)."
    )
    return Table(("learner", "what differs"), rows, caption, wraps=frozenset({1}), name="presets") if rows else None


def refusal_table(standing: Standings) -> Table | None:
    """The learners that do not play, where, and the reasons that they give; None where all play everywhere."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for world in (*standing.worlds, *standing.refused):
        for learner, why in world.refused.items():
            reasons.setdefault((learner, without_names(why)), []).append(world.name)
    about = [key for key in reasons if not standing.own or key[0] in standing.own]
    rows: list[list[Words]] = [
        [_named(learner, standing), _names(reasons[learner, why]), why] for learner, why in sorted(about)
    ]
    heads = ("learner", "worlds", "the reason that it gives")
    return (
        Table(heads, rows, "Who does not play where, and why.", folded=True, wraps=frozenset({1, 2})) if rows else None
    )


def without_names(why: str) -> str:
    """A reason not to play without the variables of the world that it names in brackets: it is the same on other worlds."""
    return re.sub(r" \('[^()]*'\)", "", why)


def _names(worlds: Sequence[str]) -> str:
    """The worlds by name where they are few, else how many they are."""
    return ", ".join(worlds) if len(worlds) <= _FEW_NAMES else counted(len(worlds), "world")


def _cell(cell: Cell | None) -> str:
    """A regret with its error."""
    return "–" if cell is None else regret_text(cell.regret, cell.error).replace(" ", "\u00a0")


def regret_text(regret: float, error: float | None) -> str:
    """A regret with its error, alone where the error is 0 or not known."""
    return with_error(regret, error) if error else f"{regret:.4g}"


def _marked(learners: Sequence[str], standing: Standings) -> frozenset[int]:
    """The rows of the learners that the report is about."""
    return frozenset(i for i, name in enumerate(learners) if name in standing.own)
