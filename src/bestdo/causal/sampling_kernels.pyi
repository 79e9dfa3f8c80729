import numpy as np
from numpy.typing import NDArray

from bestdo.causal.sampling import Columns

def draw_rows(
    model: Columns,
    codes: NDArray[np.int16],
    plays: NDArray[np.int64],
    shift: NDArray[np.int64],
    seed: int,
    rows: NDArray[np.integer],
) -> None: ...
