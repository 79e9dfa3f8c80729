"""A graph as a picture, without any drawing program installed."""

from bestdo.report.drawing.document import draw

__all__ = ["draw"]
