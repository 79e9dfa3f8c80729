"""The view of a comparison or a rehearsal: the regret of each learner for each number of rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestdo.errors import BestdoError
from bestdo.report.comparison_table import heading_of, regret_of, shares_of
from bestdo.report.sections.recommendation import as_things_stand
from bestdo.report.views.card import Raw, bullets, card, code, paragraph, table
from bestdo.text import counted, with_error

if TYPE_CHECKING:
    from bestdo.usecases.compare import Compared
    from bestdo.usecases.rehearse import Rehearsal

__all__ = ["figure", "html", "rows"]

_MOST_COLUMNS = 8
"""The most numbers of rounds in a table; the others are counted. Chosen, not measured."""
_MOST_PANELS = 6
"""The most problems; the others are counted. Chosen, not measured."""


def html(shown: Compared | Rehearsal) -> str:
    """A table for each problem: a row for each learner and a column for each number of rounds."""
    found = shown.rows
    if not found:
        return card(paragraph(repr(shown)))
    panels = list(dict.fromkeys(row["panel"] for row in found))
    about = heading_of(found[0])
    about = about[0].lower() + about[1:]
    worlds = getattr(shown, "worlds", "")
    tables = [_table([row for row in found if row["panel"] == panel], panel) for panel in panels[:_MOST_PANELS]]
    return card(
        paragraph(str(shown.texts.get("title", "Regret by the number of rounds")), "title"),
        paragraph(f"{about}; {counted(found[0]['sims'], 'simulation')} each{'; ' + worlds if worlds else ''}", "soft"),
        *tables,
        paragraph(f"and {len(panels) - len(tables)} more; to_frame() has all", "soft") if panels[_MOST_PANELS:] else "",
        *_standing(shown),
        paragraph(getattr(shown, "advice", "")) if getattr(shown, "advice", "") else "",
        bullets(str(refusal) for refusal in shown.refused),
    )


def _standing(shown: Compared | Rehearsal) -> list[Raw]:
    """The recommendation of a running study before the rounds that are rehearsed."""
    now = getattr(shown, "now", None)
    return [] if now is None else [paragraph(as_things_stand(now))]


def _table(found: list[dict[str, Any]], panel: str) -> Raw:
    """The table of one problem; the least regret of each column stands out."""
    horizons = sorted({row["horizon"] for row in found})
    cells = {(row["learner"], row["horizon"]): row for row in found}
    least = {t: min(regret_of(row)[0] for row in found if row["horizon"] == t) for t in horizons}
    lines = [
        (name, *(_cell(cells.get((name, t)), least[t]) for t in horizons[:_MOST_COLUMNS]))
        for name in dict.fromkeys(row["learner"] for row in found)
    ]
    left = len(horizons) - _MOST_COLUMNS
    caption = Raw(f"{code(panel)}, {counted(found[0]['actions'], 'action')}" if panel else "")
    said = table(("learner", *(counted(int(t), "round") for t in horizons[:_MOST_COLUMNS])), lines, caption=caption)
    return Raw(said + paragraph(f"and {left} more numbers of rounds; to_frame() has all", "soft")) if left > 0 else said


def _cell(row: dict[str, Any] | None, least: float) -> str:
    """The regret, its error and the share of best actions."""
    if row is None:
        return "–"
    regret, error = regret_of(row)
    text = with_error(regret, error, 4)
    own = f'<span class="bd-good">{text}</span>' if regret == least else text
    return Raw(f'{own} <span class="bd-soft">{shares_of(row)}</span>')


def rows(shown: Compared | Rehearsal) -> list[dict[str, Any]]:
    """A row for each problem, learner and number of rounds, as in the CSV of `bestdo compare`."""
    return [dict(row) for row in shown.rows]


def figure(shown: Compared | Rehearsal) -> Any:
    """The regret against the number of rounds, a line for each learner."""
    from bestdo.report.figure import figure_of

    if not shown.rows:
        raise BestdoError("there are no rows to draw")
    return figure_of(shown.rows, {**shown.texts, "sims": shown.rows[0]["sims"]})
