"""Writes a document as LaTeX."""

from __future__ import annotations

import re
import unicodedata

from bestdo.report.document_blocks import (
    Block,
    Bullets,
    Document,
    Gallery,
    Heading,
    Paragraph,
    Picture,
    Table,
    Words,
    written,
)

__all__ = ["latex_of"]

_GREEK = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "eta",
    "theta",
    "lambda",
    "mu",
    "pi",
    "sigma",
    "tau",
    "phi",
    "chi",
)
_SIGNS = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # after the end of a row it would be a length, and * a sign for no break
    "*": "{*}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': "''",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "→": r"$\to$",
    "·": r"$\cdot$",
    "\u00a0": "~",
    "’": "'",
    "“": "``",
    "”": "''",
    "⚠": r"\textbf{!}",
    "µ": r"$\mu$",  # the sign for a millionth, which is another than the letter
    **{letter: f"${{\\{name}}}$" for letter, name in zip("αβγδεηθλμπστφχ", _GREEK, strict=True)},
}
"""What stands for signs that mean something in LaTeX, or that its usual fonts do not have."""
_PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage[a4paper,margin=22mm]{geometry}
\usepackage{booktabs,graphicx,longtable,array,caption}
\captionsetup{font=small,labelfont=bf}
\setlength{\tabcolsep}{4pt}
\emergencystretch=2em
"""
_SENTENCES = 0.42
"""The share of the line's width that columns of sentences have together."""
_MANY_COLUMNS = 8
"""A table with more columns is set in smaller letters."""


def latex_of(document: Document, pictures: str = "pictures") -> str:
    """The document as LaTeX; its pictures are the PDF files in the folder `pictures`."""
    lines = [
        _PREAMBLE,
        rf"\title{{{_plain(document.title)}}}",
        r"\author{}\date{}",
        r"\begin{document}",
        r"\maketitle",
        *(_block(block, pictures) for block in document.blocks),
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def _block(block: Block, folder: str) -> str:
    """One block."""
    if isinstance(block, Heading):
        return rf"\{'sub' * (block.level - 2)}section*{{{_plain(block.text)}}}"
    if isinstance(block, Paragraph):
        size = {"lead": r"\large ", "note": r"\small "}.get(block.look, "")
        return f"\n{{{size}{_words(block.words)}\\par}}\n" if size else f"\n{_words(block.words)}\n"
    if isinstance(block, Bullets):
        items = "\n".join(rf"  \item {_words(item)}" for item in block.items)
        return f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
    if isinstance(block, Gallery):
        pages = enumerate(block.pictures, 1)
        return (
            "\n".join(_small(picture, f"page={page}]{{{folder}/{block.name}.pdf}}") for page, picture in pages) + "\n"
        )
    if isinstance(block, Picture):
        return (
            "\\begin{figure}[htbp]\n  \\centering\n"
            f"  \\includegraphics[width=\\linewidth,height=0.85\\textheight,keepaspectratio]{{{folder}/{block.name}.pdf}}\n"
            f"  \\caption{{{_words(block.caption)}}}\\label{{fig:{block.name}}}\n\\end{{figure}}"
        )
    return _table(block)


def _small(picture: Picture, page: str) -> str:
    """A picture of half the width, with its caption; two stand beside each other. page: of the PDF, and its path."""
    says = _plain(picture.says[:1].upper() + picture.says[1:])
    caption = rf"\captionof{{figure}}{{{says}. {_words(picture.caption)}}}\label{{fig:{picture.name}}}"
    return (
        "\\noindent\\begin{minipage}[t]{0.48\\linewidth}\n"
        f"  \\includegraphics[width=\\linewidth,{page}\n  {caption}\n  \\par\\vspace{{2ex}}\n\\end{{minipage}}\\hfill"
    )


def _table(table: Table) -> str:
    """A table that may go over several pages."""
    width = _SENTENCES / max(1, len(table.wraps))
    columns = "".join(
        rf">{{\raggedright\arraybackslash}}p{{{width:.2f}\linewidth}}"
        if k in table.wraps
        else "l"
        if k in table.words
        else "r"
        for k in range(len(table.heads))
    )
    heads = " & ".join(_plain(head) for head in table.heads) + r" \\"
    rows = []
    for i, row in enumerate(table.rows):
        cells = [_words(cell) for cell in row]
        rows.append(" & ".join(rf"\textbf{{{c}}}" if i in table.marked and c else c for c in cells) + r" \\")
    size = r"\footnotesize" if len(table.heads) <= _MANY_COLUMNS else r"\scriptsize"
    label = rf"\label{{tab:{table.name}}}" if table.name else ""
    return "\n".join(
        [
            rf"{{{size}\begin{{longtable}}{{@{{}}{columns}@{{}}}}",
            rf"\caption{{{_words(table.caption)}}}{label}\\",
            rf"\toprule {heads} \midrule \endfirsthead",
            rf"\toprule {heads} \midrule \endhead",
            r"\bottomrule \endfoot",
            *rows,
            r"\end{longtable}}",
        ]
    )


def _words(words: Words) -> str:
    """A text with its marks."""
    return written(
        words,
        _plain,
        lambda text: rf"\texttt{{{_plain(text).replace('-', '{-}')}}}",  # two would become a dash
        lambda text: rf"\textbf{{{_plain(text)}}}",
    )


def _plain(text: str) -> str:
    """The text with all signs in a form that LaTeX prints; what its fonts do not have becomes the nearest letter or `?`."""
    return re.sub(r"[^A-Za-z0-9 .,;:()/=+'!?@-]", lambda found: _sign(found[0]), " ".join(text.split("\n")))


def _sign(sign: str) -> str:
    """One sign for LaTeX."""
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign.isascii() or "À" <= sign <= "ſ":  # letters with accents, which T1 fonts have
        return sign
    return unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode() or "?"
