"""Writes a document as one HTML file that needs nothing else: light and dark, on a telephone and on paper."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from bestdo.report.document_blocks import (
    Block,
    Bullets,
    Document,
    Gallery,
    Heading,
    Paragraph,
    Picture,
    Remark,
    Table,
    Words,
    written,
)

__all__ = ["html_of"]

_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #16202e; --soft: #566374; --line: #dbe2ea; --grid: #e6e6e6;
  --faint: #b9c2cc; --mark: #fff4d6; --blue: #1d55b0; --panel: #f7f9fb; }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1318; --ink: #e8edf3; --soft: #9ba7b5; --line: #2b333d;
  --grid: #262e38; --faint: #4a5561; --mark: #3a2f12; --blue: #86b4f5; --panel: #151a21; } }
* { box-sizing: border-box; }
html { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); }
main { max-width: 70rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.15; letter-spacing: -0.02em; margin: 0 0 1rem; text-wrap: balance; }
h2 { font-size: 1.25rem; margin: 2.8rem 0 0.5rem; padding-top: 0.9rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.8rem 0 0.3rem; }
p, li { max-width: 46rem; }
p { margin: 0.6rem 0; }
.lead { font-size: 1.12rem; }
.note, figcaption, caption, summary { color: var(--soft); font-size: 0.88rem; }
code { font: 0.9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
nav { font-size: 0.9rem; display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; margin: 1.2rem 0 0; }
a { color: var(--blue); }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: 0.4rem; max-width: 46rem; }
th { font-weight: 600; text-align: right; vertical-align: bottom; border-bottom: 1.5px solid var(--ink); }
td { text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); white-space: nowrap; }
th, td { padding: 0.28rem 0.7rem 0.28rem 0; }
th:last-child, td:last-child { padding-right: 0.3rem; }
.w, .s { text-align: left; } td.s { white-space: normal; min-width: 15rem; }
td.w:not(:first-child) { white-space: normal; }
tr.m td { background: var(--mark); font-weight: 600; }
figure { margin: 1.2rem 0; } figure svg { max-width: 100%; height: auto; display: block; }
figcaption { max-width: 46rem; margin-top: 0.3rem; }
.gallery { display: grid; gap: 1rem 1.4rem; grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr)); }
.gallery figure { margin: 0; min-width: 0; }
details { margin: 1rem 0; } summary { cursor: pointer; }
svg text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif !important; }
@media print { h2 { break-after: avoid; } figure, tr { break-inside: avoid; } details > * { display: block; } }
"""


def html_of(document: Document, pictures: Mapping[str, str]) -> str:
    """The document as HTML; pictures: the SVG of each picture by its name."""
    title = escape(document.title)
    links = "".join(
        f'<a href="#{_slug(block.text)}">{escape(block.text)}</a>'
        for block in document.blocks
        if isinstance(block, Heading) and block.level == 2
    )
    body = "\n".join(_block(block, pictures) for block in document.blocks)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        f"<nav>{links}</nav>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _block(block: Block, pictures: Mapping[str, str]) -> str:
    """The HTML of one block."""
    if isinstance(block, Heading):
        return f'<h{block.level} id="{_slug(block.text)}">{escape(block.text)}</h{block.level}>'
    if isinstance(block, Remark):
        block = block.paragraph
    if isinstance(block, Paragraph):
        look = f' class="{block.look}"' if block.look else ""
        return f"<p{look}>{_words(block.words)}</p>"
    if isinstance(block, Bullets):
        return f"<ul>{''.join(f'<li>{_words(item)}</li>' for item in block.items)}</ul>"
    if isinstance(block, Gallery):
        return f'<div class="gallery">{"".join(_block(picture, pictures) for picture in block.pictures)}</div>'
    if isinstance(block, Picture):
        return f"<figure>{_svg(block, pictures[block.name])}<figcaption>{_words(block.caption)}</figcaption></figure>"
    return _table(block)


def _table(table: Table) -> str:
    """A table, which a narrow screen can move sideways."""

    def kind(k: int) -> str:
        return ' class="s"' if k in table.wraps else ' class="w"' if k in table.words else ""

    heads = "".join(f'<th scope="col"{kind(k)}>{escape(head)}</th>' for k, head in enumerate(table.heads))
    rows = "".join(
        f"<tr{' class=m' if i in table.marked else ''}>"
        + "".join(f"<td{kind(k)}>{_words(cell)}</td>" for k, cell in enumerate(row))
        + "</tr>\n"
        for i, row in enumerate(table.rows)
    )
    caption = _words(table.caption)
    inside = "" if table.folded else f"<caption>{caption}</caption>"
    inner = f"{inside}<thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody>"
    whole = f'<div class="wide" tabindex="0"><table>{inner}</table></div>'
    return f"<details><summary>{caption}</summary>{whole}</details>" if table.folded else whole


def _svg(picture: Picture, svg: str) -> str:
    """The picture to stand in the page: its names are its own, and it has a label."""
    start = svg.index("<svg")
    body = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{picture.name}-", svg[start:])
    return body.replace("<svg", f'<svg role="img" aria-label="{escape(picture.says)}"', 1)


def _words(words: Words) -> str:
    """A text with its marks."""
    return written(
        words, escape, lambda text: f"<code>{escape(text)}</code>", lambda text: f"<strong>{escape(text)}</strong>"
    )


def _slug(text: str) -> str:
    """The name of a heading in links."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
