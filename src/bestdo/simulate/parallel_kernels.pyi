import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats, Ints

Keys = NDArray[np.uint64]
Labels = NDArray[np.uint32]

class SeenLaw:
    def __init__(
        self, watching: int, means: Floats, cells: Floats, match: Bools, two: Ints, chance: Floats, seen: Bools
    ) -> None: ...

class Lanes:
    def __init__(self, law: SeenLaw, lanes: int) -> None: ...

def add_seen_round(
    law: SeenLaw,
    lanes: Lanes,
    chosen: Ints,
    rng: np.random.Generator,
    weight: Floats,
    reward: Floats,
    played: Floats,
) -> None: ...
def watch_then_act(
    law: SeenLaw,
    contenders: Bools,
    first: int,
    second: int,
    key: Keys,
    label: Labels,
    rng: np.random.Generator,
    sums: Floats,
    best: Ints,
) -> None: ...
def weigh_all(
    plays: Ints,
    start: Ints,
    cells: Floats,
    entries: Ints,
    column: Ints,
    share: Floats,
    group: Ints,
    factor: Floats,
    two: Ints,
    chance: Floats,
    contenders: Bools,
    near: float,
    key: Keys,
    label: Labels,
    rng: np.random.Generator,
    sums: Floats,
    best: Ints,
) -> None: ...
def play_some(
    means: Floats,
    contenders: Bools,
    rounds: int,
    key: Keys,
    label: Labels,
    rng: np.random.Generator,
    best: Ints,
) -> None: ...
def reject(
    means: Floats,
    contenders: Ints,
    schedule: Ints,
    key: Keys,
    label: Labels,
    rng: np.random.Generator,
    memory: NDArray[np.int32],
    best: Ints,
) -> None: ...
