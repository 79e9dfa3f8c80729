"""The parts of what notebooks show: a card with its style sheet, sentences, tables and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from bestdo.report.drawing.style import style_for

__all__ = ["Raw", "bullets", "card", "code", "listed", "paragraph", "table", "wide"]

_MOST_LISTED = 12
"""The most names in a sentence. Chosen, not measured."""

# Notebooks have light and dark themes of their own, whatever the browser prefers. So all colours are those of the text
# (currentColor), more or less transparent, and a few in the middle between light and dark.
_STYLE = """
.bestdo{--bd-blue:#3f83e0;--bd-green:#2a9d63;--bd-gold:#c98f10;--bd-red:#d84f61;
--bd-soft:color-mix(in srgb,currentColor 68%,transparent);--bd-line:color-mix(in srgb,currentColor 16%,transparent);
font-size:13px;line-height:1.5;max-width:62rem;padding:2px 0}
.bestdo p{margin:0 0 6px}
.bestdo .bd-title{font-size:15px;font-weight:600}
.bestdo .bd-soft,.bestdo caption,.bestdo thead th{color:var(--bd-soft)}
.bestdo .bd-good{color:color-mix(in srgb,var(--bd-green) 75%,currentColor);font-weight:600}
.bestdo ul{margin:0 0 6px;padding-left:18px}
.bestdo code{font-family:var(--jp-code-font-family,ui-monospace,Menlo,Consolas,monospace);font-size:.94em;
background:none!important;padding:0!important;border:0;color:inherit!important}
.bestdo td code{white-space:nowrap}
.bestdo .bd-wide{overflow-x:auto;margin:0 0 6px}
.bestdo table{border-collapse:collapse;margin:0;font-size:13px;border:0;table-layout:auto}
.bestdo caption{caption-side:top;text-align:left;padding:0 0 2px;font-size:13px}
.bestdo th,.bestdo td{padding:3px 10px 3px 0;font-size:13px;text-align:right;border:0;border-bottom:1px solid var(--bd-line);
background:none;font-weight:400;vertical-align:middle;white-space:nowrap;max-width:none;color:inherit}
.bestdo tbody tr,.bestdo thead tr{background:none!important;border:0}
.bestdo th:first-child,.bestdo td:first-child,.bestdo th.bd-text,.bestdo td.bd-text{text-align:left}
.bestdo td.bd-long{white-space:normal;min-width:12rem}
.bestdo tr.bd-first td,.bestdo td.bd-least{font-weight:600}
.bestdo svg{vertical-align:middle}
.bestdo .iv{width:160px;height:16px}
.bestdo .bd-axis{display:flex;justify-content:space-between;width:160px}
.bestdo .iv-tick{stroke:var(--bd-line)}
.bestdo .iv-bar{fill:var(--bd-blue);fill-opacity:.4}.bestdo .iv-mean{fill:var(--bd-blue)}
.bestdo .iv-best .iv-bar{fill:var(--bd-green);fill-opacity:.45}.bestdo .iv-best .iv-mean{fill:var(--bd-green)}
.bestdo .share-all{fill:currentColor;fill-opacity:.12}.bestdo .share-part{fill:var(--bd-blue)}
.bestdo .bd-drawing svg{min-width:var(--bd-least)}
.bestdo .moves{width:100%;min-width:440px;max-width:640px;height:auto;display:block}
"""


class Raw(str):
    """HTML that stands as it is; every other text is escaped."""

    __slots__ = ()


def _html(text: str) -> str:
    return text if isinstance(text, Raw) else escape(text)


def card(*parts: str, drawing: bool = False) -> str:
    """The HTML that a notebook shows: the parts below each other, with the style sheet that they need."""
    style = _STYLE + (style_for(".bestdo .bestdo-graph") if drawing else "")
    return f'<div class="bestdo"><style>{style}</style>{"".join(map(_html, filter(None, parts)))}</div>'


def paragraph(text: str, kind: str = "") -> Raw:
    """A paragraph: an ordinary one, or a `title`, `soft` or `good` one."""
    return Raw(f'<p class="bd-{kind}">{_html(text)}</p>' if kind else f"<p>{_html(text)}</p>")


def code(thing: object) -> Raw:
    """A name or an action, in the font of code."""
    return Raw(f"<code>{escape(str(thing))}</code>")


def listed(things: Iterable[object], most: int = _MOST_LISTED) -> Raw:
    """Names or actions with commas between them; how many are left out is said."""
    found = list(things)
    more = f" and {len(found) - most:,} more" if len(found) > most else ""
    return Raw(", ".join(map(code, found[:most])) + more)


def bullets(lines: Iterable[str]) -> Raw:
    """A list; empty where there are no lines."""
    found = "".join(f"<li>{_html(line)}</li>" for line in lines)
    return Raw(f"<ul>{found}</ul>" if found else "")


def table(
    heading: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str = "",
    first: bool = False,
    texts: Sequence[int] = (),
) -> Raw:
    """A table that scrolls where it is too wide; with `first` the first row stands out; `texts` are columns of sentences."""

    def row(cells: Sequence[str], tag: str, kind: str = "") -> str:
        marks = (
            f' class="bd-text{" bd-long" if tag == "td" else ""}"' if i in texts else "" for i in range(len(cells))
        )
        inner = "".join(f"<{tag}{mark}>{_html(c)}</{tag}>" for c, mark in zip(cells, marks, strict=True))
        return f"<tr{kind}>{inner}</tr>"

    marked = ' class="bd-first"' if first else ""
    body = "".join(row(cells, "td", "" if i else marked) for i, cells in enumerate(rows))
    above = f"<caption>{_html(caption)}</caption>" if caption else ""
    return wide(f"<table>{above}<thead>{row(heading, 'th')}</thead><tbody>{body}</tbody></table>")


def wide(inner: str) -> Raw:
    """HTML that scrolls where it is wider than the notebook."""
    return Raw(f'<div class="bd-wide">{inner}</div>')
