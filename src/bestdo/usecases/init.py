"""Makes a problem from a graph and a table of old data: proposes what can be seen in them, and asks for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from bestdo.arguments import listed
from bestdo.bandit.reading import Reading
from bestdo.data.problem_options import DraftOptions, check_names
from bestdo.errors import BestdoError
from bestdo.files import Contents
from bestdo.usecases.init_draft import Draft, Wishes, contents_of_draft, drafted
from bestdo.usecases.init_questions import Question, open_questions, refusal
from bestdo.usecases.init_source import Base, base_of, base_of_columns

if TYPE_CHECKING:
    from bestdo.data.profile import TableProfile

__all__ = ["begun", "init", "opened_table", "settled"]

Ask = Callable[[Question, Draft], tuple[str, ...]]
"""Asks a person, and returns the answer: some of the question's choices, or the default."""


def opened_table(data: object, reading: Reading, base: Base | None = None) -> TableProfile:
    """The contents of the columns of a table: the path of a CSV, Excel or Parquet file, or a data frame.

    Where there is a graph, `base`, it tells where the heading is, and may say how tables are read.
    """
    from bestdo.data.frames import open_watched
    from bestdo.data.profile import profile

    if base is None:
        return profile(*open_watched(data, reading))
    return profile(*open_watched(data, base.contents.reading.over(reading), base.graph.observed))


def settled(base: Base | None, table: TableProfile | None, wishes: Wishes, ask: Ask | None = None) -> Draft:
    """A draft in which nothing has to be asked any more; without somebody to ask, what is missing is an error.

    A person is asked what may be said as well, but only where something has to be asked.
    """
    if base is None:
        if table is None:
            raise BestdoError("give a graph, or a table of old data, or both")
        base = base_of_columns(table, wishes.reading.ignore)
    asked: set[tuple[str, ...]] = set()
    talking = False
    while True:
        draft = drafted(base, table, wishes)
        todo = [q for q in open_questions(draft) if q.identity not in asked]
        needed = [q for q in todo if q.needed]
        talking = talking or bool(needed)
        if needed and ask is None:
            raise refusal(needed)
        if not todo or ask is None or not talking:
            return draft
        asked.add(todo[0].identity)
        wishes = todo[0].answered(wishes, ask(todo[0], draft))


def begun(base: Base | None, table: TableProfile) -> Draft:
    """A draft in which similar columns are taken as they are proposed, and what else is to be asked is left open."""
    base = base or base_of_columns(table, ())
    draft = drafted(base, table, Wishes())
    proposals = {name: match.column for name, match in draft.matches.items() if match.column is not None}
    return drafted(base, table, Wishes(reading=Reading(columns=proposals)))


def init(
    graph: object = None,
    data: object = None,
    *,
    hidden: Iterable[str] | None = None,
    values: Mapping[str, Iterable[str]] | None = None,
    cuts: Mapping[str, Iterable[float]] | None = None,
    reading: Reading | Mapping[str, Any] | None = None,
    **options: Unpack[DraftOptions],
) -> Contents:
    """The problem of a graph and a table of old data, as `bestdo init` writes it into a file.

    `graph` is the path of a file, text such as "a -> b; b <-> c", or a network of another library; without it there is a
    variable for each column, and no arrows. `data` is the path of a table or a data frame. The values of variables are
    those found in their columns; numbers are cut near their median unless `cuts` says where. `reading` says how the table
    is read: columns, same, missing, ignore, sheet. `hidden` names what nobody sees. options: `reward`, `success`, `worth`
    and `aim` are as in `bestdo.read`; `set`, `at_most` and `first` as in `Problem`. What is not said and has to be is an
    error that names it.

    >>> import bestdo
    >>> found = bestdo.init("price -> sale", reward="sale", success="1", set=["price"], values={"price": ["8", "9"]})
    >>> [str(action) for action in found.problem.actions]
    ['do()', 'do(price=8)', 'do(price=9)']
    """
    check_names(init, options, DraftOptions.__annotations__)
    settable, first = options.get("set"), options.get("first")
    wishes = Wishes(
        options.get("reward"),
        options.get("success"),
        options.get("worth"),
        options.get("aim"),
        None if settable is None else tuple(listed("set", settable, "['price']")),
        options.get("at_most"),
        None if hidden is None else tuple(hidden),
        None if first is None else tuple(listed("first", first, "['device']")),
        {name: tuple(map(str, given)) for name, given in (values or {}).items()},
        {name: tuple(map(float, given)) for name, given in (cuts or {}).items()},
        Reading.of(reading),
    )
    base = None if graph is None else base_of(graph)
    table = None if data is None else opened_table(data, wishes.reading, base)
    return contents_of_draft(settled(base, table, wishes))
