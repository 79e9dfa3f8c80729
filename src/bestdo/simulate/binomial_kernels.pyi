import numpy as np
from numpy.typing import NDArray

def binomials(
    n: NDArray[np.int64], p: NDArray[np.float64], seed: int, rng: np.random.Generator, out: NDArray[np.float64]
) -> None: ...
