"""Writes a document as Markdown."""

from __future__ import annotations

import re

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

__all__ = ["markdown_of", "site_markdown_of"]


def markdown_of(document: Document, pictures: str = "pictures") -> str:
    """The document as Markdown; its pictures are the SVG files in the folder `pictures`."""
    blocks = "\n\n".join(_block(block, pictures) for block in document.blocks)
    return f"# {_plain(document.title)}\n\n{blocks}\n"


def site_markdown_of(document: Document, pictures: str) -> str:
    """The document without its title, for a page of the documentation: small pictures in a grid, folded tables closed."""
    parts = []
    for block in document.blocks:
        text = _block(block, pictures)
        if isinstance(block, Gallery):
            cells = (f":::{{grid-item}}\n{_block(picture, pictures)}\n:::" for picture in block.pictures)
            text = "\n".join(["::::{grid} 1 1 2 2", *cells, "::::"])
        elif isinstance(block, Table) and block.folded:
            text = f":::{{dropdown}} {_words(block.caption)}\n{_table(block, caption=False)}\n:::"
        parts.append(text)
    return "\n\n".join(parts) + "\n"


def _block(block: Block, folder: str) -> str:
    """The Markdown of one block."""
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_plain(block.text)}"
    if isinstance(block, Remark):
        block = block.paragraph
    if isinstance(block, Paragraph):
        return _words(block.words)
    if isinstance(block, Bullets):
        return "\n".join(f"* {_words(item)}" for item in block.items)
    if isinstance(block, Gallery):
        return "\n\n".join(_block(picture, folder) for picture in block.pictures)
    if isinstance(block, Picture):
        return f"![{_plain(block.says)}]({folder}/{block.name}.svg)\n\n{_words(block.caption)}"
    return _table(block)


def _table(table: Table, *, caption: bool = True) -> str:
    """A table, below its caption."""
    rows = [
        [_bold(_words(cell)) if i in table.marked else _words(cell) for cell in row] for i, row in enumerate(table.rows)
    ]
    lines = [
        [_plain(head) for head in table.heads],
        [":---" if k in table.words or k in table.wraps else "---:" for k in range(len(table.heads))],
        *rows,
    ]
    above = f"{_words(table.caption)}\n\n" if caption else ""
    return above + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _bold(text: str) -> str:
    """The text in bold, unless it is empty or already so."""
    return text if not text or "**" in text else f"**{text}**"


def _words(words: Words) -> str:
    """A text with its marks."""
    return written(words, _plain, lambda text: f"`{text.replace('|', '/')}`", lambda text: f"**{_plain(text)}**")


def _plain(text: str) -> str:
    """The text with the signs that mean something in Markdown made harmless."""
    return re.sub(r"([\\`*_<>|\[\]{}$])", r"\\\1", " ".join(text.split("\n")))
