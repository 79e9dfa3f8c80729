"""Reading a network, compared with pgmpy."""

from collections.abc import Iterator

from benchmarks import networks
from benchmarks.timing import Row, cpu


def rows() -> Iterator[Row]:
    ours = cpu(lambda: networks.ours("alarm"), 10)
    yield Row("reading alarm.bif", ours, "pgmpy BIFReader", cpu(lambda: networks.pgmpys("alarm"), 2), 10)
