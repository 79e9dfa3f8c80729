import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.learners.beliefs.families import Families
from bestdo.learners.beliefs.graph_layout import Layout
from bestdo.learners.beliefs.passes import Passes

class Posterior:
    arrays: dict[str, NDArray[np.float64 | np.int64]]

    def __init__(self, families: Families) -> None: ...
    def update(self, counts: Floats) -> None: ...
    def mean_tables(self, exact: bool, table: Floats) -> None: ...
    def add_gains(self, slope: Floats, gain: Floats) -> None: ...

def told_by_circuit(
    passes: Passes, families: Families, counts: Floats, among: Ints, pairs: int, rng: np.random.Generator, out: Floats
) -> None: ...
def told_by_law(
    law: Floats,
    payoff: Floats,
    families: Families,
    counts: Floats,
    among: Ints,
    pairs: int,
    rng: np.random.Generator,
    out: Floats,
) -> None: ...
def told_in_doubt(
    layout: Layout,
    families: Families,
    counts: Floats,
    predicted: Floats,
    drawn: Ints,
    among: Ints,
    pairs: int,
    rng: np.random.Generator,
    out: Floats,
) -> None: ...
def tables_of_lanes(families: Families, counts: Floats, tables: Floats) -> None: ...
def drawn_tables(families: Families, counts: Floats, rng: np.random.Generator, tables: Floats) -> None: ...
def drawn_by_lane(families: Families, counts: Floats, rng: np.random.Generator, tables: Floats) -> None: ...
def means_by_circuit(passes: Passes, tables: Floats, out: Floats) -> None: ...
