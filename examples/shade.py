"""Lettuce under a net: does shade act on the yield directly, or only by keeping the soil moist? Both arrows are in doubt.

    python examples/shade.py [FOLDER]

Beds are drawn from the tables below, which are made up: in truth shade acts through moisture alone. FOLDER (out/ when not
given) gets the study, shade.db.
"""

import sys
from pathlib import Path

import numpy as np
from simulated import draw, fresh, show

import bestdo

SHADE = Path(__file__).with_suffix(".toml")
BEDS = 0  # the seed of the beds
ROUNDS, LOOKS = 60, (10, 30, 60)
TRUE = ("watering -> moisture", "shade -> moisture", "moisture -> yield")
TABLES = {
    "watering": [0.5, 0.5],
    "shade": [0.8, 0.2],
    "moisture": [[[0.8, 0.2], [0.45, 0.55]], [[0.5, 0.5], [0.1, 0.9]]],  # by watering and shade
    "yield": [[0.8, 0.2], [0.15, 0.85]],  # by moisture
}
ENDS = {"moisture": (5.0, 40.0)}  # per cent


def main(folder: str = "out") -> None:
    """One bed after the other; some looks at the arrows and at what is recommended."""
    problem, rng = bestdo.compose(SHADE).problem, np.random.default_rng(BEDS)
    assert problem.doubts is not None
    true = next(g for g in problem.doubts.candidates if g.edges == TRUE)
    truth = bestdo.Model(true, {name: np.array(table) for name, table in TABLES.items()})
    study = bestdo.Study.create(SHADE, rounds=ROUNDS, storage=fresh(folder, "shade"))
    for bed in range(1, ROUNDS + 1):
        (asked,) = study.ask()
        study.tell(asked.number, draw(truth, asked.action, rng, ends=ENDS)[0])
        if bed in LOOKS:
            arrows = study.arrows()
            chances = ", ".join(f"{arrow} {arrow.now:.2f}" for arrow in arrows)
            depends = "depends" if any(arrow.matters for arrow in arrows) else "does not depend"
            print(f"{bed} beds: {chances}; keep {study.best().action}, which {depends} on them")
    show(study)
    means = truth.means(bestdo.Actions(true, problem.actions))
    three = sorted(zip(means, map(str, problem.actions), strict=True), reverse=True)[:3]
    print("in truth: " + ", ".join(f"{action} {mean:.3g}" for mean, action in three))


if __name__ == "__main__":
    main(*sys.argv[1:])
