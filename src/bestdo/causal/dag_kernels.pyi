import numpy as np
from numpy.typing import NDArray

class DagSums:
    variables: int
    log_total: float

    def __init__(self, weight: NDArray[np.float64]) -> None: ...
    def draw(self, draws: int, rng: np.random.Generator) -> NDArray[np.int64]: ...
    def arrows(self) -> NDArray[np.float64]: ...
