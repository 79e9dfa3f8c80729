import numpy as np
from numpy.typing import NDArray

def binomials(
    n: NDArray[np.int64], p: NDArray[np.float64], seed: int, rng: np.random.Generator, out: NDArray[np.float64]
) -> None: ...
def add_seen_round(
    chosen: NDArray[np.int64],
    watching: int,
    means: NDArray[np.float64],
    cells: NDArray[np.float64],
    match: NDArray[np.bool_],
    two: NDArray[np.int64],
    chance: NDArray[np.float64],
    seen: NDArray[np.bool_],
    rng: np.random.Generator,
    weight: NDArray[np.float64],
    reward: NDArray[np.float64],
    played: NDArray[np.float64],
) -> None: ...
