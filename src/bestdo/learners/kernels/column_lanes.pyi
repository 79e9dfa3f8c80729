import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.learners.beliefs.column_members import Members

class Posterior:
    size: int
    main: int
    base: float
    variance: float
    degrees: float
    squares: float
    none: float
    arrays: dict[str, Floats]

    def __init__(self, members: Members) -> None: ...
    def told(self, half: Floats, xy: Floats, yy: float) -> Posterior: ...
    def covariance_with(self, sums: Floats) -> Floats: ...
    def drawn(self, draws: int, rng: np.random.Generator, some: bool = False) -> Floats: ...
    def noise(self) -> float: ...

class Columns:
    def __init__(self, rows: Floats, varying: Ints) -> None: ...

def gains(
    members: Members,
    half: Floats,
    xy: Floats,
    yy: Floats,
    made: Columns,
    own: Floats,
    some: Ints,
    of: Ints,
    two_valued: NDArray[np.uint8],
    blocks: Ints,
    products: Ints,
    pairs: int,
    draws: int,
    rng: np.random.Generator,
    out: Floats,
) -> None: ...
def mean_effects(members: Members, half: Floats, xy: Floats, yy: Floats, effects: Floats) -> tuple[Floats, Floats]: ...
def draw_by_lane(
    members: Members, half: Floats, xy: Floats, yy: Floats, rng: np.random.Generator, effects: Floats
) -> Floats: ...
def posterior_of(members: Members) -> Posterior: ...
