"""Worlds that are files of the package: the examples, and models that were fitted to published logs."""

from __future__ import annotations

from pathlib import Path

from bestdo.data.compose import compose
from bestdo.simulate import World

__all__ = ["example_path", "example_world", "fitted_world"]

_HERE = Path(__file__).parent


def example_path(name: str) -> Path:
    """The file of an example."""
    return _HERE / "examples" / f"{name}.toml"


def example_world(name: str) -> World:
    """The world of an example; the tables of all variables but the reward are known to learners."""
    return _world(example_path(name))


def fitted_world(name: str) -> World:
    """The world of a model that was fitted to a log; learners know the graph only."""
    return _world(_HERE / "data" / f"{name}.toml", graph_only=True)


def _world(path: Path, graph_only: bool = False) -> World:
    """The world of a file with all tables."""
    composed = compose(path, graph_only=graph_only)
    assert composed.model is not None
    return World(composed.problem, composed.model)
