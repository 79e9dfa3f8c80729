"""The picture of a graph, a problem or a file, as SVG that notebooks show."""

from __future__ import annotations

import os

from bestdo.arguments import path_of
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.doubts import Doubts
from bestdo.causal.graph import Graph
from bestdo.causal.model import Model
from bestdo.data.compose import Composed
from bestdo.errors import BestdoError, shown
from bestdo.files import Contents, Wanted, read
from bestdo.files.atomic_io import write_bytes
from bestdo.report.drawing import draw as drawn
from bestdo.report.views.graph_view import drawing_card
from bestdo.simulate.world import World
from bestdo.study import Study

__all__ = ["Picture", "contents_of", "draw"]


class Picture(str):
    """The text of an SVG picture, which a notebook shows as a picture."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Picture(SVG, {len(self):,} characters)"

    def _repr_html_(self) -> str:
        return drawing_card(self)


def draw(
    source: object,
    output: str | os.PathLike[str] | None = None,
    *,
    do: Intervention | str | None = None,
    reward: str | None = None,
    success: str | None = None,
) -> Picture:
    """The graph as SVG: causes above effects, the reward and what may be set marked, hidden variables dashed.

    source: a Graph, Problem, Model, World or Study, the contents of a file, or the path of one. output: also write it into
    this file, whose name ends in .svg. do: draw the graph after an intervention, as ``do(rain="no")``. reward and success: as
    in `bestdo.read`, for a file that does not say them.

    Raises BestdoError where the source cannot be read, or the file not written.

    >>> import bestdo
    >>> graph = bestdo.Graph.parse("rain -> wet; sprinkler -> wet", reward="wet", success="1")
    >>> bestdo.draw(graph, do="do(rain=1)")[:4]
    '<svg'
    """
    contents = contents_of(source, Wanted(reward, success))
    action = None if do is None else Intervention.of(do)
    if action:
        Actions(contents.graph, [action])  # raises an error about what cannot be set
    settable = set[str]().union(*contents.problem.actions) if contents.problem else set()
    picture = Picture(
        drawn(contents.graph, settable, action, positions=contents.positions, doubts=contents.graphs.arrows)
    )
    if output is not None:
        path = path_of("where a picture is written", output)
        if not path.lower().endswith(".svg"):
            raise BestdoError(f"{shown(path, 300)}: the picture is SVG; give a name that ends in .svg")
        write_bytes(path, picture.encode())
    return picture


def contents_of(source: object, wanted: Wanted) -> Contents:
    """The contents of an object or a file that can be drawn."""
    if isinstance(source, Composed):
        return source.contents
    if isinstance(source, Contents):
        return source
    if isinstance(source, World | Study):
        source = source.problem
    if isinstance(source, Problem):
        return Contents(source.graph, source, positions=source.positions)
    if isinstance(source, Model):
        return Contents(source.graph, None, source)
    if isinstance(source, Graph):
        return Contents(source)
    if isinstance(source, Doubts):
        return Contents(source.graph, doubts=source)
    return read(source, *wanted)
