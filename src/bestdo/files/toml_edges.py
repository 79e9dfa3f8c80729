"""Reads what a TOML file says of arrows under [graph]: `edges`, an `order` in time, and listed `candidates`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bestdo.bandit.combinations import DOUBTS_AND_TABLES_IN_FILE
from bestdo.causal import arrows
from bestdo.causal.doubtful_arrows import doubts_in_order
from bestdo.causal.doubts import Doubts
from bestdo.causal.graphs import Graphs
from bestdo.errors import DoubtError, shown, unknown
from bestdo.files.declarations import MOST_ARROWS, Declarations, Source, Wanted, graph_of
from bestdo.files.toml_positions import Path
from bestdo.files.toml_values import number, sequence, table, text
from bestdo.text import quoted

__all__ = ["listed_graphs", "read_edges", "read_order", "refuse_tables"]

_UNKNOWN = "unknown"
_ROUNDING = 1e-5
"""The rounding error by which the probabilities of candidates may exceed 1, as rows of tables. Chosen."""


def read_edges(source: Source, path: Path, given: object, declared: Declarations) -> None:
    """Adds the arrows of a list such as ["a -> b", "b ?-> c"] to `declared`."""
    count = 0
    for i, edge in enumerate(sequence(source, path, given)):
        place = (*path, i)
        line = text(source, place, edge)
        count += sum(line.count(sign) for sign in (*arrows.SIGNS, "--"))
        if count > MOST_ARROWS:
            raise source.error(f"these are more than {MOST_ARROWS:,} arrows, which is the most allowed", place)
        with source.at(place, line):
            arrows_read = arrows.parse(line)
        for name in arrows_read.names:
            if name not in declared.variables:
                raise source.error(unknown("variable", name, declared.variables), place)
        for a, b in arrows_read.directed:
            declared.arrows.setdefault(("->", a, b), place)
        for a, b in arrows_read.both:
            declared.arrows.setdefault(("<->", a, b), place)
        declared.doubts += [(doubt, place) for doubt in arrows_read.doubts]


def read_order(source: Source, given: object, declared: Declarations) -> None:
    """Adds a doubtful arrow for every pair that an order in time allows, and of which nothing else is said.

    The order is a list of names, those of the same time in a list of their own; or "unknown": any variable may cause any.
    """
    path: Path = ("graph", "order")
    if isinstance(given, str):
        if given != _UNKNOWN:
            raise source.error(
                f'order is a list of names, earlier ones first, or "{_UNKNOWN}", not {shown(given)}', path
            )
        times = [[n for n, variable in declared.variables.items() if not variable.hidden]]
    else:
        times = [
            [text(source, (*path, i, j), n) for j, n in enumerate(item)]
            if isinstance(item, list)
            else [text(source, (*path, i), item)]
            for i, item in enumerate(sequence(source, path, given))
        ]
    in_order = set[str]()
    for i, names in enumerate(times):
        for name in names:
            if name not in declared.variables:
                raise source.error(unknown("variable", name, declared.variables), (*path, i))
            if name in in_order:
                raise source.error(f"{shown(name)} is in the order twice", (*path, i))
            in_order.add(name)
    known = [((a, mark, b), where) for (mark, a, b), where in declared.arrows.items()]
    known += [(doubt[:3], where) for doubt, where in declared.doubts]
    try:
        left_open = doubts_in_order(times, [arrow for arrow, _ in known])
    except DoubtError as error:
        raise source.error(str(error), known[error.place][1]) from None
    declared.doubts += [((*doubt, None), path) for doubt in left_open]


def listed_graphs(source: Source, data: dict[str, Any], declared: Declarations, wanted: Wanted) -> Doubts | None:
    """The graphs of [[graph.candidates]], each with `edges` beside those of [graph] and a `probability`; else None."""
    path: Path = ("graph", "candidates")
    given = sequence(source, path, data.get("graph", {}).get("candidates", []))
    if given and declared.doubts:
        (a, kind, b, _), where = declared.doubts[0]
        raise source.error(
            f"[[graph.candidates]] lists each possible graph, and {quoted(a)} {kind} {quoted(b)} is in doubt beside them: "
            "write all possible graphs as candidates, or all doubts as arrows",
            where,
        )
    graphs, probabilities = [], []
    for i, item in enumerate(given):
        about = table(source, (*path, i), item, ("edges", "probability"))
        own = replace(declared, arrows=dict(declared.arrows), doubts=[])
        read_edges(source, (*path, i, "edges"), about.get("edges", []), own)
        if own.doubts:
            raise source.error("a candidate has arrows that are there: write each possible graph", (*path, i, "edges"))
        graphs.append(graph_of(source, own, wanted))
        if "probability" in about:
            probabilities.append(_probability(source, (*path, i, "probability"), about["probability"]))
        if len(probabilities) not in (0, i + 1):
            raise source.error(
                "some candidates have a probability and others have none: say one of each, or none", (*path, i)
            )
    if not graphs:
        return None
    if sum(probabilities) > 1 + _ROUNDING:
        raise source.error(f"the probabilities of the candidates sum to {sum(probabilities):g}; they sum to 1", path)
    with source.at(path):
        return Doubts.among(graphs, probabilities or None)


def _probability(source: Source, path: Path, given: object) -> float:
    """The probability of a candidate, checked."""
    part = number(source, path, given)
    if not 0 < part <= 1:  # 1 is what is written where all others are less probable than a rounding error
        raise source.error(
            f"the probability of a candidate is {part:g}; it is above 0 and below 1: leave out a graph that is not possible",
            path,
        )
    return part


def refuse_tables(source: Source, data: dict[str, Any], graphs: Graphs) -> None:
    """Raises an error where a file with doubtful arrows has tables, which belong to one graph."""
    for section in ("tables", "numbers", "law"):
        if section in data:
            graphs.only(source.error(DOUBTS_AND_TABLES_IN_FILE.why(section), (section,)))
