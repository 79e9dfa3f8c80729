"""The view of a design: the share of each action, its difficulty and proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestdo.report.interval_pictures import share_svg
from bestdo.report.views.card import Raw, card, code, paragraph, table
from bestdo.text import counted

if TYPE_CHECKING:
    from bestdo.design.optimal import Design

__all__ = ["figure", "html", "proof", "rows"]

_MOST_ROWS = 20
"""The most actions in a table; the others are counted. Chosen, not measured."""


def _names(design: Design) -> list[str]:
    """The actions as text, or their numbers where they are not known."""
    return [f"action {i}" for i in range(len(design.eta))] if design.actions is None else list(map(str, design.actions))


def html(design: Design) -> str:
    """The shares as a table with bars, the largest first."""
    shares = sorted(zip(design.eta.tolist(), _names(design), strict=True), key=lambda pair: -pair[0])
    played = [(name, share) for share, name in shares if share > 0]
    largest = played[0][1]
    lines = [(code(name), f"{share:.1%}", Raw(share_svg(share / largest))) for name, share in played[:_MOST_ROWS]]
    more, never = len(played) - len(lines), len(shares) - len(played)
    said = [counted(more, "more action")] if more else []
    said += [f"{counted(never, 'action')} not played: rounds of the others tell enough about them"] if never else []
    return card(
        paragraph("How often to play each action", "title"),
        paragraph(proof(design)),
        table(("action", "share", ""), lines),
        paragraph(f"and {'; '.join(said)}", "soft") if said else "",
    )


def proof(design: Design) -> str:
    """The difficulty m of the design and how near it is to the least, in a sentence."""
    return (
        f"As hard as a bandit with {design.m:.3g} arms, of {counted(len(design.eta), 'action')} (m of the design); no design "
        f"has an m below {design.m / (1 + design.gap):.6g}: proven, by {design.certified}."
    )


def rows(design: Design) -> list[dict[str, Any]]:
    """A row for each action, with its share."""
    return [{"action": name, "eta": share} for name, share in zip(_names(design), design.eta.tolist(), strict=True)]


def figure(design: Design) -> Any:
    """The shares as bars, the largest first."""
    from bestdo.report.share_figure import share_figure

    return share_figure(dict(zip(_names(design), design.eta.tolist(), strict=True)), f"m = {design.m:.3g}")
