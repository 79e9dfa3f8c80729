"""Writes a document as LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

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
from bestdo.report.writers.latex_columns import column_shape

__all__ = ["latex_of"]

_GREEK = "αβγδεζηθκλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ"
"""The letters that LaTeX has a command for, which is their name."""


def _letter(sign: str) -> str:
    """A Greek letter for LaTeX."""
    name = unicodedata.name(sign).split()[-1].replace("LAMDA", "LAMBDA").lower()
    return rf"${{\{name.capitalize() if sign.isupper() else name}}}$"


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
    "≈": r"$\approx$",
    "≠": r"$\ne$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "²": "$^2$",
    "³": "$^3$",
    "→": r"$\to$",
    "·": r"$\cdot$",
    "\u00a0": "~",
    "’": "'",
    "“": "``",
    "”": "''",
    "⚠": r"\textbf{!}",
    "†": r"\textdagger{}",
    "µ": r"$\mu$",  # the sign for a millionth, which is another than the letter
    **{sign: _letter(sign) for sign in _GREEK},
}
"""The replacements of signs that mean something in LaTeX, or that its usual fonts do not have."""
_PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage[a4paper,margin=22mm]{geometry}
\usepackage{booktabs,graphicx,longtable,array,caption,pdflscape}
\usepackage[section]{placeins} % pictures stay in their section
\captionsetup{font=small,labelfont=bf}
\setlength{\tabcolsep}{4pt}
\emergencystretch=2em
% The width of a picture, but at most that of the line.
\makeatletter
\newcommand{\atmostline}{\ifdim\Gin@nat@width>\linewidth \linewidth\else \Gin@nat@width\fi}
\newcommand{\atmostpage}{\ifdim\Gin@nat@height>0.85\textheight 0.85\textheight\else \Gin@nat@height\fi}
\makeatother
"""
_TURN = r"\begin{landscape}"


def latex_of(document: Document, pictures: str = "pictures") -> str:
    """The document as LaTeX; its pictures are the PDF files in the folder `pictures`."""
    lines = [
        _PREAMBLE,
        rf"\title{{{_plain(document.title)}}}",
        r"\author{}\date{}",
        r"\begin{document}",
        r"\maketitle",
        *_turned_with_heading([_block(block, pictures) for block in document.blocks]),
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def _turned_with_heading(blocks: Sequence[str]) -> list[str]:
    """The blocks, with headings on the turned page of the table below them, not alone at the end of the page before."""
    found: list[str] = []
    for block in blocks:
        above = 0
        while block.startswith(_TURN) and found[-1 - above :] and re.match(r"\\(sub)*section", found[-1 - above]):
            above += 1
        if above:
            found[-above:] = ["\n".join([_TURN, *found[-above:], block.removeprefix(_TURN).lstrip()])]
        else:
            found.append(block)
    return found


def _block(block: Block, folder: str) -> str:
    """The LaTeX of one block."""
    if isinstance(block, Heading):
        return rf"\{'sub' * (block.level - 2)}section*{{{_plain(block.text)}}}"
    if isinstance(block, Remark):
        block = block.paragraph
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
            f"  \\includegraphics[width=\\atmostline,height=\\atmostpage,keepaspectratio]{{{folder}/{block.name}.pdf}}\n"
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
    """A table that may go over several pages, which lie on their side where it is wider than a page."""
    shape = column_shape(table)
    columns = "".join(
        rf">{{\raggedright\arraybackslash}}p{{{shape.shares[k]:.3f}\linewidth}}"
        if k in shape.shares
        else "l"
        if k in table.words
        else "r"
        for k in range(len(table.heads))
    )
    heads = " & ".join(_head(lines, k in table.words) for k, lines in enumerate(shape.heads)) + r" \\"
    rows = []
    for i, row in enumerate(table.rows):
        cells = [_words(cell) for cell in row]
        rows.append(" & ".join(rf"\textbf{{{c}}}" if i in table.marked and c else c for c in cells) + r" \\")
    label = rf"\label{{tab:{table.name}}}" if table.name else ""
    return "\n".join(
        [
            *([_TURN] if shape.turned else []),
            rf"{{\{shape.size}\begin{{longtable}}{{@{{}}{columns}@{{}}}}",
            rf"\caption{{{_words(table.caption)}}}{label}\\",
            rf"\toprule {heads} \midrule \endfirsthead",
            rf"\toprule {heads} \midrule \endhead",
            r"\bottomrule \endfoot",
            *rows,
            r"\end{longtable}}",
            *([r"\end{landscape}"] if shape.turned else []),
        ]
    )


def _head(lines: Sequence[str], words: bool) -> str:
    """The head of a column in one line or several."""
    if len(lines) == 1:
        return _plain(lines[0])
    text = r" \\ ".join(map(_plain, lines))
    return rf"\shortstack[{'l' if words else 'r'}]{{{text}}}"


def _words(words: Words) -> str:
    """A text with its marks."""
    return written(
        words,
        _plain,
        lambda text: rf"\texttt{{{_plain(text)}}}",
        lambda text: rf"\textbf{{{_plain(text)}}}",
    )


def _plain(text: str) -> str:
    """The text with all signs in a form that LaTeX prints; what its fonts do not have becomes the nearest letter or `?`."""
    found = re.sub(r"[^A-Za-z0-9 .,;:()/=+'!?@-]", lambda sign: _sign(sign[0]), " ".join(text.split("\n")))
    found = re.sub(r"(?<=\w)/(?=\w)", r"/\\allowbreak{}", found)  # a path may be broken into lines
    return re.sub(r"-(?=-)", "-{}", found) if "--" in text else found  # two would become a dash


def _sign(sign: str) -> str:
    """A sign for LaTeX."""
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign.isascii() or "À" <= sign <= "ſ":  # letters with accents, which T1 fonts have
        return sign
    return unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode() or "?"
