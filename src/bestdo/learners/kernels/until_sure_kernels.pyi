import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats

def unbeaten_rivals(
    n: Floats,
    s: Floats,
    both_n: Floats,
    both_s: Floats,
    leader: NDArray[np.int64],
    limit: float,
    within: float,
    first: bool,
    out: NDArray[np.bool_],
) -> None: ...
