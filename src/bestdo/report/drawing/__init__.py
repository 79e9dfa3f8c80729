"""Draws a graph as SVG, without any drawing program installed."""

from bestdo.report.drawing.document import arrange, draw
from bestdo.report.drawing.nodes import Remark
from bestdo.report.drawing.style import STYLE

__all__ = ["STYLE", "Remark", "arrange", "draw"]
