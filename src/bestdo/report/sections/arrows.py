"""Doubtful arrows: how probable each is, and how that moved; nothing where no arrow is in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bestdo.bandit.arrow_chance import ArrowChance
from bestdo.report.document_blocks import Line, Paragraph, Remark, Table
from bestdo.text import chance, counted, quoted, sentence

if TYPE_CHECKING:
    from bestdo.study.arrow_chances import Settling

__all__ = [
    "ArrowsShown",
    "arrow_table",
    "arrows_in_words",
    "arrows_shown",
    "arrows_table",
    "matter_in_words",
    "settling_in_words",
    "status_of_arrows",
]

_MOST_ROWS = 40
"""The most arrows that are printed."""
_MOST_LINES = 12
"""The most arrows that `status` prints, where each is a line among others. Chosen, not measured."""
_IMPROBABLE = (
    "improbable means: if it is there, it does little; in simulated studies weak arrows were there more often than said"
)
"""The limits of belief in probabilities; the numbers are in docs/explanation/doubts.md."""


def arrows_table(arrows: Sequence[ArrowChance], old: bool = False) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The heading and the rows of a table of doubtful arrows: the probability stated, and after some numbers of rounds.

    Old data have a column where they changed a probability, or where there are some for sure (`old`).
    """
    told = arrows[0].told if arrows else ()
    moments = [(k, t) for k, t in enumerate(told) if t or old or _differs(arrows, k)]
    heading = ("arrow in doubt", "stated", *("old data" if t == 0 else f"{t} told" for _, t in moments))
    rows = [(str(one), chance(one.before), *(chance(one.chance[k]) for k, _ in moments)) for one in arrows]
    return heading, rows


class ArrowsShown(NamedTuple):
    """The table of doubtful arrows on a page, and the sentences below it."""

    heading: tuple[str, ...]
    rows: list[tuple[str, ...]]
    about: str
    matter: str


def arrows_shown(arrows: Sequence[ArrowChance]) -> list[ArrowsShown]:
    """The table of doubtful arrows and its sentences; nothing where no arrow is in doubt."""
    heading, rows = arrows_table(arrows)
    when = ": as stated, and after so many rounds" if len(heading) > 2 else ""
    about = " ".join(filter(None, (f"The probability that each is there{when}.", sentence(arrows_in_words(arrows)))))
    return [ArrowsShown(heading, rows[:_MOST_ROWS], about, matter_in_words(arrows))] if rows else []


def matter_in_words(arrows: Sequence[ArrowChance]) -> str:
    """Whether the recommendation depends on the doubtful arrows, in a sentence; empty where that is not worked out."""
    if not arrows or any(one.matters is None for one in arrows):
        return ""
    some = [str(one) for one in arrows if one.matters]
    by = "By these rounds" if arrows[0].told[-1] else "By the old data"
    if not some:
        return f"{by} the same action is the best whether each of them is there or not."
    return f"{by} another action would be the best if it were known whether {', '.join(some)} is there."


def _differs(arrows: Sequence[ArrowChance], moment: int) -> bool:
    """Whether some probability at a moment differs from that stated: before the first round, where there are old data."""
    return any(abs(one.chance[moment] - one.before) > 1e-9 for one in arrows)


def arrows_in_words(arrows: Sequence[ArrowChance]) -> str:
    """The limits of belief in the probabilities of doubtful arrows; empty before the first round and without old data."""
    if not arrows or not arrows[0].told:
        return "rounds do not weigh these graphs: only plays, and what holds in all of them, count" if arrows else ""
    moved = len(arrows[0].told) > 1 or _differs(arrows, 0)
    return "; ".join(said for said in (_IMPROBABLE if moved else "", _open(arrows)) if said)


def _open(arrows: Sequence[ArrowChance]) -> str:
    """The hidden causes that nothing seen so far can tell about; empty where there are none, or nothing was seen."""
    seen = any(one.matters is not None or (one.told and one.told[-1]) for one in arrows)
    still = [str(one) for one in arrows if one.kind == "<->" and abs(one.now - one.before) < 1e-9]
    if not seen or not still:
        return ""
    return f"what was seen so far cannot tell whether {', '.join(still[:_MOST_LINES])} is there"


def settling_in_words(found: Settling | None, why_not: str = "") -> list[str]:
    """The reach of data alone in settling the doubts about the graph, and the best intervention for it; or why not."""
    if found is None:
        return [f"How far data alone can settle the doubts is not said: {why_not}."] if why_not else []
    said = f"{counted(found.candidates, 'graph')} are possible"
    unit = found.unit
    if unit == "arrows":
        unit = "directions"
        lines = [
            f"{said}. On average over them, by their probability, data in which nothing is set leave the direction of "
            f"{found.watching:.1f} of {found.doubt:.1f} arrows open, however many there are."
        ]
    elif found.classes == found.candidates:
        lines = [f"{said}; data in which nothing is set can tell all of them apart, if there are enough."]
    else:
        lines = [
            f"{said}; data in which nothing is set can tell {counted(found.classes, 'group')} of them apart, however many "
            f"there are. Of the doubt ({found.doubt:.1f} bits) they would leave {found.watching:.1f}."
        ]
    if found.setting:
        names = ", ".join(map(quoted, found.setting))
        lines.append(f"Setting {names} in some rounds would settle most: {found.left:.1f} {unit} would be left.")
    return lines


def arrow_table(arrows: Sequence[ArrowChance], old: bool = False) -> list[Line]:
    """The table of the probability of each doubtful arrow, and how it moved; empty where no arrow is in doubt.

    `old` says whether there are old data for sure.
    """
    heading, rows = arrows_table(arrows, old)
    more = [f"… and {len(rows) - _MOST_ROWS} more arrows; -f json lists them all."] if len(rows) > _MOST_ROWS else []
    said = filter(None, (arrows_in_words(arrows), matter_in_words(arrows)))
    table: list[Line] = [Paragraph(""), Table(heading, rows[:_MOST_ROWS]), *map(Paragraph, more), *map(Remark, said)]
    return table if rows else []


def status_of_arrows(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines about the doubtful arrows of a status: those that moved most, and whether the recommendation depends on them."""
    arrows = [ArrowChance.of_data(each) for each in found]
    most = sorted(range(len(arrows)), key=lambda i: -abs(arrows[i].now - arrows[i].before))[:_MOST_LINES]
    lines = [
        f"in doubt: {one}, there with probability {chance(one.now)} (stated: {chance(one.before)})"
        for one in (arrows[i] for i in sorted(most))
    ]
    if len(arrows) > _MOST_LINES:
        lines.append(
            f"… and {counted(len(arrows) - _MOST_LINES, 'arrow')} in doubt that moved less; bestdo best shows more"
        )
    if any(abs(one.now - one.before) > 1e-9 for one in arrows):
        lines.append(f"  {_IMPROBABLE}")
    if said := _open(arrows):
        lines.append(f"  {said}")
    return [*lines, said] if (said := matter_in_words(arrows)) else lines
