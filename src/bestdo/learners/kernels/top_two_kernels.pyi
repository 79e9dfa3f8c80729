import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints

def top_pairs(
    good: Floats, all_: Floats, scale: Floats, quantiles: Floats, seed: int, leader: Ints, challenger: Ints
) -> None: ...
def top_normal_pairs(
    mean: Floats, spread: Floats, scale: Floats, quantiles: Floats, seed: int, leader: Ints, challenger: Ints
) -> None: ...
def normal_cells(
    n: Floats,
    s: Floats,
    q: Floats,
    strength: Floats,
    distinct: Floats,
    middle: float,
    most: float,
    unknown: float,
    total: Floats,
    rounds: Floats,
    variance: Floats,
    degrees: Floats,
) -> None: ...
def seen_gains(
    good: Floats,
    all_: Floats,
    spread: Floats,
    weight: Floats,
    counts: Floats,
    played: Floats,
    start: Ints,
    showing: Ints,
    shows: NDArray[np.bool_],
    leader: Ints,
    challenger: Ints,
    out: Floats,
) -> None: ...
def next_plays(
    weight: Floats,
    reward: Floats,
    played: Floats,
    watching: int,
    shown: NDArray[np.bool_],
    among: Ints,
    tuned: Floats,
    pairs: int,
    quantiles: Floats,
    seed: int,
    key: NDArray[np.uint64],
    label: NDArray[np.uint32],
    block: int,
    chosen: Ints,
) -> None: ...
