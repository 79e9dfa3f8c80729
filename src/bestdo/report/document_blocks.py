"""A document as a list of blocks, which is written as HTML, Markdown or LaTeX.

Texts are plain: each writer makes the signs harmless that mean something in its language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bestdo.text import sentence

__all__ = [
    "Block",
    "Bullets",
    "Code",
    "Document",
    "Gallery",
    "Heading",
    "Line",
    "Paragraph",
    "Picture",
    "Remark",
    "Strong",
    "Table",
    "Words",
    "plain",
    "with_code",
    "written",
]


@dataclass(frozen=True)
class Code:
    """Words that a person types, or a name in the code."""

    text: str


@dataclass(frozen=True)
class Strong:
    """Words that stand out."""

    text: str


_Span = str | Code | Strong
Words = _Span | Sequence[_Span]
"""A text: plain, or made of parts."""


@dataclass(frozen=True)
class Heading:
    """A heading below the title of the document."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; a note is set in a quieter way, a lead in a larger one."""

    words: Words
    look: str = ""
    """`lead`, `note` or nothing."""


@dataclass(frozen=True)
class Remark:
    """A remark on what stands above it, without capital and full stop: pages add both, terminals move it to the right."""

    text: str
    look: str = ""
    """`quiet`, `note`, `problem` or nothing."""

    @property
    def sentence(self) -> str:
        """The remark with a capital and a full stop."""
        return sentence(self.text)

    @property
    def paragraph(self) -> Paragraph:
        """The remark as a paragraph of a document."""
        return Paragraph(self.sentence, self.look)


@dataclass(frozen=True)
class Bullets:
    """A list of points."""

    items: Sequence[Words]


@dataclass(frozen=True)
class Table:
    """A table of numbers, which are aligned to the right, beside words."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Words]]
    caption: Words = ""
    words: frozenset[int] = frozenset({0})
    """The columns that hold words."""
    marked: frozenset[int] = frozenset()
    """The rows that stand out."""
    folded: bool = False
    """Whether HTML shows the caption alone until it is opened."""
    wraps: frozenset[int] = frozenset()
    """The columns that hold sentences, which are broken into lines where they are long."""
    name: str = ""
    """The name by which a text refers to the table; empty where none does."""


@dataclass(frozen=True)
class Picture:
    """A picture by the name of its files, without their endings."""

    name: str
    caption: Words
    says: str
    """The picture in words, for those who do not see it."""


@dataclass(frozen=True)
class Gallery:
    """Small pictures beside each other, which are the pages of one PDF."""

    name: str
    """The PDF's name, without its ending."""
    pictures: Sequence[Picture]


Line = Paragraph | Remark | Bullets | Table
"""A block of a section of an answer, which terminals print, too."""
Block = Heading | Paragraph | Remark | Bullets | Table | Picture | Gallery


@dataclass(frozen=True)
class Document:
    """A title and what is below it."""

    title: str
    blocks: Sequence[Block]


def with_code(text: str) -> list[_Span]:
    """A text in which names of the code stand between backticks, as its parts."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return [text]
    return [Code(part) if k % 2 else part for k, part in enumerate(parts) if part]


def plain(words: Words) -> str:
    """A text without its marks."""
    return written(words, str, str, str)


def written(words: Words, plain: Callable[[str], str], code: Callable[[str], str], strong: Callable[[str], str]) -> str:
    """A text in one language; the functions write plain words, code, and words that stand out."""
    parts = [words] if isinstance(words, str | Code | Strong) else words
    return "".join(
        code(part.text) if isinstance(part, Code) else strong(part.text) if isinstance(part, Strong) else plain(part)
        for part in parts
    )
