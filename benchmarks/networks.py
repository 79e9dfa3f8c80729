"""The bnlearn networks in the package pgmpy, read by bestdo, pgmpy and pyAgrum."""

import gzip
import importlib.util
import tempfile
from pathlib import Path

import bestdo


def path(name: str) -> Path:
    """The file of a network."""
    spec = importlib.util.find_spec("pgmpy")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "utils" / "example_models" / f"{name}.bif.gz"


def ours(name: str, reward: str | None = None, success: str | None = None) -> bestdo.Contents:
    """The network read by bestdo."""
    return bestdo.read(path(name), reward=reward, success=success)


def pgmpys(name: str):  # type: ignore[no-untyped-def]
    """The network read by pgmpy."""
    from pgmpy.readwrite import BIFReader

    return BIFReader(string=gzip.decompress(path(name).read_bytes()).decode()).get_model()


def pyagrums(name: str):  # type: ignore[no-untyped-def]
    """The network read by pyAgrum."""
    import pyagrum

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.bif"
        file.write_bytes(gzip.decompress(path(name).read_bytes()))
        return pyagrum.loadBN(str(file))
