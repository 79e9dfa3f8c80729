"""Reads and writes graphs, models and problems in files, with one module for each format."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, cast

from bestdo.arguments import path_of
from bestdo.bandit.problem import Problem
from bestdo.causal.arrows import HEADLESS
from bestdo.causal.doubts import Doubts
from bestdo.causal.graph import Graph
from bestdo.errors import BestdoError, FileError, shown
from bestdo.files.atomic_io import read_bytes, too_large, unpack, write_bytes
from bestdo.files.declarations import Contents, Source, Wanted
from bestdo.formats import FORMATS

if TYPE_CHECKING:
    from bestdo.causal.model import Model

__all__ = ["Contents", "Format", "Wanted", "extensions", "is_text", "parse", "read", "write"]


class Format(Protocol):
    """The names that the module of each format must define."""

    NAME: str
    """The name of the format in messages."""
    EXTENSIONS: tuple[str, ...]
    """The extensions of its files, in lower case, with the dot."""
    STARTS: re.Pattern[str]
    """Matches the beginning of its texts, after white space and comments."""

    def read(self, source: Source, wanted: Wanted) -> Contents:
        """Reads a text; what is wanted of the reward goes before what the text says."""
        ...

    def write(self, contents: Contents) -> str:
        """The contents as text, without what the format cannot hold."""
        ...


class _Posed(Protocol):
    """A problem with its tables where they are known: a World, or what `bestdo.compose` gives."""

    @property
    def problem(self) -> Problem:
        """The problem."""
        ...

    @property
    def model(self) -> Model | None:
        """The model's tables."""
        ...


_BLANK = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*|/\*.*?\*/)*+", re.DOTALL)
_TEXT = re.compile(rf"\n|->|<-|\s{HEADLESS}\s|@-@|\A[^./\\]+ -- [^./\\]+\Z|\{{.*\}}", re.DOTALL)
"""The characters that are in the text of a graph and not in a path."""
_MOST_BYTES = 16 * 2**20
"""The largest file of any format but BIF, whose tables are long. Time and memory per megabyte are measured in
tests/files/test_resources.py: at most 10 s and 300 MB for the worst ones."""


@lru_cache(maxsize=1)
def _formats() -> tuple[Format, ...]:
    """The modules of all formats, imported when a file is read: studies need TOML alone."""
    return tuple(cast("Format", importlib.import_module(f"bestdo.files.{name}")) for name in FORMATS)


def extensions() -> tuple[str, ...]:
    """The extensions of the files of all formats."""
    return tuple(extension for known in _formats() for extension in known.EXTENSIONS)


def _with_extension(extension: str) -> Format | None:
    """The format of files with this extension; None where there is none."""
    return next((known for known in _formats() if extension in known.EXTENSIONS), None)


def _guessed(text: str) -> Format | None:
    """DAGitty's format where the text has arrows, or variables with positions; None otherwise."""
    from bestdo.files import dagitty

    return cast("Format", dagitty) if dagitty.GUESS.search(text) else None


def _known() -> str:
    """The names and extensions of all formats, for messages."""
    return ", ".join(f"{known.NAME} ({', '.join(known.EXTENSIONS)})" for known in _formats())


def read(
    source: object,
    reward: str | None = None,
    success: str | None = None,
    worth: Mapping[str, float] | None = None,
    aim: str | None = None,
    *,
    names: Sequence[str] | None = None,
) -> Contents:
    """Reads a file, the text of one, or a graph of another library.

    The source is the path of a file; its text, as copied from DAGitty; a network of networkx (as DoWhy takes it), pgmpy or
    pyAgrum; a graph of causal-learn; or a matrix, whose columns have names or are given `names`: 1 where the row causes the
    column, as gCastle has it, or causal-learn's marks.

    source: the path, or the object. `reward` names the reward and `success` its wanted value, where the file does not
    give them or others are wanted; instead of a success, `worth` has a number for each of its values, and `aim` says
    whether the mean of a reward that is a number, or of its worth, is to be maximised or minimised. The format is
    recognised by the contents of the file, otherwise by its extension. A file may be compressed with gzip.

    Raises FileError with line and column where a file is wrong, and BestdoError where there is none.

    >>> import bestdo
    >>> bestdo.read("examples/farm.toml").graph.reward
    'yield'
    """
    if not isinstance(source, (str, os.PathLike)):
        from bestdo.files import networks

        return networks.read(source, Wanted(reward, success, worth, aim), names)
    if names is not None:
        raise BestdoError("names are for a matrix; a file has its own")
    if is_text(source):
        return parse(str(source).encode("utf-8", "replace"), "text", reward, success, worth, aim)
    name = os.fsdecode(source)
    return parse(read_bytes(name), name, reward, success, worth, aim)


def is_text(source: object) -> bool:
    """Whether a source is the text of a graph, not a path: there is no such file, and it has lines, braces or arrows."""
    return isinstance(source, str) and not os.path.lexists(source) and bool(_TEXT.search(source))


def parse(
    data: bytes,
    name: str,
    reward: str | None = None,
    success: str | None = None,
    worth: Mapping[str, float] | None = None,
    aim: str | None = None,
) -> Contents:
    """Reads the bytes of a file; `name` is for error messages, and its extension tells the format if the text does not."""
    data = unpack(name, data)
    text = _decode(name, data)
    start = _BLANK.match(text)
    matching = (known for known in _formats() if known.STARTS.match(text, start.end() if start else 0))
    reader = next(matching, None) or _with_extension(_extension(name)) or _guessed(text)
    if reader is None:
        raise FileError(f"the format of this file is unknown; known formats are {_known()}", name, 1, 1)
    if len(data) > _MOST_BYTES and reader.NAME != "BIF":
        raise too_large(name, _MOST_BYTES)
    return reader.read(Source(name, text), Wanted(reward, success, worth, aim))


def _extension(name: str) -> str:
    """The extension in lower case, without .gz."""
    stem = name[:-3] if name.lower().endswith(".gz") else name
    return os.path.splitext(stem)[1].lower()


def _decode(name: str, data: bytes) -> str:
    """The text of a file in UTF-8, with Unix line ends; a byte that is not UTF-8 is an error with its place."""
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raw, start = error.object, error.start
        line = raw.rfind(b"\n", 0, start) + 1
        column = len(raw[line:start].decode("utf-8")) + 1
        message = f"the byte 0x{raw[start]:02x} is not UTF-8; save the file as UTF-8 text"
        raise FileError(message, name, raw.count(b"\n", 0, start) + 1, column) from None


def write(contents: Contents | Graph | Doubts | Problem | Model | _Posed, path: str | os.PathLike[str]) -> None:
    """Writes a file in the format of its extension, atomically: after a crash the old file is still complete.

    TOML holds everything; `docs/reference/files.md` says what the others cannot hold.

    contents: a Graph, Doubts, a Problem, Model or Contents, or a World, of which problem and tables are written. path: its
    extension says the format. Raises BestdoError where that is unknown, or the file cannot be written.

    >>> import bestdo
    >>> bestdo.write(bestdo.Graph.parse("price -> sales"), "sales.dot")
    >>> print(bestdo.read("sales.dot").graph)
    price -> sales
    """
    contents = _contents(contents)
    name = path_of("where a file is written", path)
    extension = os.path.splitext(name)[1].lower()
    writer = _with_extension(extension)
    if writer is None:
        raise BestdoError(f"cannot write {shown(name, 300)}: its extension is none of {_known()}")
    data = writer.write(contents).encode("utf-8")
    write_bytes(name, data)


def _contents(what: Contents | Graph | Doubts | Problem | Model | _Posed) -> Contents:
    """The contents to write: these, or those that hold this graph, problem or model."""
    from bestdo.causal.model import Model

    if isinstance(what, Graph):
        return Contents(what)
    if isinstance(what, Problem):
        return Contents(what.graph, what)
    if isinstance(what, Doubts):
        return Contents(what.graph, doubts=what)
    if isinstance(what, Model):
        return Contents(what.graph, model=what)
    if isinstance(what, Contents):
        return what
    problem, model = getattr(what, "problem", None), getattr(what, "model", None)  # a World, what compose gives
    if isinstance(problem, Problem) and isinstance(model, Model | None):
        return Contents(problem.graph, problem, model)
    raise BestdoError(
        f"a graph, a problem, a model, a world or the contents of a file can be written, not {what!r:.60}"
    )
