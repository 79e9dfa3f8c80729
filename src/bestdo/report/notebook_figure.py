"""Figures of matplotlib that notebooks show, and that no global list keeps open."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from bestdo.data.optional_libraries import matplotlib
from bestdo.report.figure_style import STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["notebook_figure"]

_DPI = 110
"""The resolution in a notebook, in pixels per inch."""


def notebook_figure(size: tuple[float, float]) -> Figure:
    """An empty figure of this width and height in inches; pyplot does not know it, and notebooks show it all the same."""
    matplotlib()
    from matplotlib.figure import Figure

    class Picture(Figure):
        """A figure that a notebook shows without pyplot."""

        def _repr_png_(self) -> bytes:
            stream = io.BytesIO()
            with matplotlib().rc_context(STYLE):
                self.savefig(stream, format="png", dpi=_DPI)
            return stream.getvalue()

    return Picture(figsize=size, layout="constrained")
