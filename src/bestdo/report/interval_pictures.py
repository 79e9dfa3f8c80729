"""Draws small SVG pictures of estimates: intervals, shares, and means over the rounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bestdo.report.reward_scale import Axis

__all__ = ["COLOURS", "interval_svg", "lines_svg", "share_svg"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#8C6D31")
"""The colours of Okabe & Ito, which colour-blind people can tell apart, grey and brown."""

_WIDE, _HIGH = 240, 22
"""The size of the picture of an interval, in pixels."""
_EDGE = 4
"""The space at its left and right edges, in pixels."""
_SCALE = _WIDE - 2 * _EDGE
"""Pixels from one end of the scale to the other."""


def interval_svg(low: float, mean: float, high: float, best: bool, axis: Axis) -> str:
    """The SVG of an interval and its mean on an axis; that of the recommended action is stronger.

    What lies outside the axis is cut off, and an interval without ends is not drawn.
    """
    least, most = axis.span
    at = [_EDGE + _SCALE * min(max((n - least) / (most - least), 0.0), 1.0) for n in (low, mean, high)]
    ticks = "".join(
        f'<line class="iv-tick" x1="{x:.0f}" y1="2" x2="{x:.0f}" y2="20"/>'
        for x in (_EDGE + _SCALE * (tick - least) / (most - least) for tick in axis.ticks)
    )
    bar = (
        f'<rect class="iv-bar" x="{at[0]:.1f}" y="7" width="{max(at[2] - at[0], 1):.1f}" height="8" rx="4"/>'
        if math.isfinite(low) and math.isfinite(high)
        else ""
    )
    dot = (
        f'<rect class="iv-mean" x="{at[1] - 2:.1f}" y="2" width="4" height="18" rx="1.5"/>'
        if math.isfinite(mean)
        else ""
    )
    return (
        f'<svg class="iv{" iv-best" if best else ""}" viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" height="{_HIGH}" '
        f'aria-hidden="true" preserveAspectRatio="none">{ticks}{bar}{dot}</svg>'
    )


def share_svg(share: float) -> str:
    """The SVG of a share from 0 to 1 as a bar."""
    return (
        '<svg class="share" viewBox="0 0 60 10" width="60" height="10" aria-hidden="true">'
        '<rect class="share-all" width="60" height="10" rx="3"/>'
        f'<rect class="share-part" width="{60 * min(max(share, 0), 1):.1f}" height="10" rx="3"/></svg>'
    )


def lines_svg(
    rounds: Sequence[int],
    lines: Sequence[tuple[str, Sequence[float | None]]],
    label: str,
    axis: Axis,
) -> str:
    """The SVG of the means over the rounds, a line for each action; for browsers without scripts."""
    least, length = axis.span[0], axis.span[1] - axis.span[0]
    wide, high, left, top = 640, 260, 10 + 7 * max(4, *map(len, axis.labels)), 10
    most = max(rounds, default=1) or 1
    x = [left + (wide - left - 8) * r / most for r in rounds]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="moves" viewBox="0 0 {wide} {high + 20 * ((len(lines) + 2) // 3)}" '
        f'role="img" font-family="system-ui,sans-serif" font-size="11"><title>{escape(label)}</title>'
    ]
    for tick, mark in zip(axis.ticks, axis.labels, strict=True):
        y = top + (high - 40) * (1 - (tick - least) / length)
        parts.append(f'<line x1="{left}" y1="{y:.1f}" x2="{wide - 8}" y2="{y:.1f}" stroke="#8884" stroke-width="1"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#888">{mark}</text>')
    parts.append(f'<text x="{left}" y="{high - 12}" fill="#888">0</text>')
    parts.append(f'<text x="{wide - 8}" y="{high - 12}" text-anchor="end" fill="#888">{most} rounds</text>')
    for i, (name, means) in enumerate(lines):
        colour = COLOURS[i % len(COLOURS)]
        points = " ".join(
            f"{a:.1f},{top + (high - 40) * (1 - (m - least) / length):.1f}"
            for a, m in zip(x, means, strict=True)
            if m is not None
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        at = left + 200 * (i % 3), high + 6 + 20 * (i // 3)
        parts.append(f'<rect x="{at[0]}" y="{at[1] - 8}" width="10" height="10" rx="2" fill="{colour}"/>')
        parts.append(f'<text x="{at[0] + 15}" y="{at[1] + 1}" fill="#888">{escape(name[:30])}</text>')
    return "".join([*parts, "</svg>"])
