"""A digest of the code on which the results of one learner depend, so that a change of another does not matter."""

from __future__ import annotations

import ast
import hashlib
import sys
from functools import lru_cache
from pathlib import Path

__all__ = ["code_digest"]

_ROOT = Path(__file__).parents[2]
_ENGINE = "bestdo.experiments.engine.runner"
_NAMES_ONLY = "bestdo.learners.entries"
"""The module that lists all learners: a further entry changes no result."""


@lru_cache(maxsize=256)
def code_digest(module: str) -> str:
    """A digest of a learner's module, of the engine, and of all modules of the library that these import.

    A module of another package is taken without those that it imports.
    """
    files = _files_of(_ENGINE) | (_files_of(module) if module.partition(".")[0] == "bestdo" else _own_file(module))
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


def _own_file(module: str) -> set[Path]:
    """The file of a module of another package; none where it was typed into a session."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return {Path(file)} if file and Path(file).is_file() else set()


@lru_cache(maxsize=256)
def _files_of(module: str) -> set[Path]:
    """The files of a module of the library and of all that it imports, at once or later, directly or through others."""
    files: dict[str, set[Path]] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in files or name == _NAMES_ONLY:
            continue
        file = _file(name)
        if file is None:  # a compiled module, or a name in one
            folder = _ROOT.joinpath(*name.split(".")[1:]).parent
            files[name] = {part for ending in ("*.pyx", "*.pxi", "*.pxd") for part in folder.glob(ending)}
            continue
        files[name] = {file}
        waiting += _imported(file)
    return set().union(*files.values())


def _file(module: str) -> Path | None:
    """The Python file of a module of the library, or of a package; None where there is none."""
    path = _ROOT.joinpath(*module.split(".")[1:])
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@lru_cache(maxsize=1024)
def _imported(file: Path) -> list[str]:
    """The modules of the library that a file imports."""
    modules = []
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            modules += [node.module, *(name for name in inner if node.module.startswith("bestdo") and _is_module(name))]
    return [name for name in modules if name.partition(".")[0] == "bestdo"]


def _is_module(name: str) -> bool:
    """Whether a name is that of a module of the library, compiled ones included."""
    return _file(name) is not None or _ROOT.joinpath(*name.split(".")[1:]).with_suffix(".pyi").is_file()
