"""The paper's own experiment: regret against m, the number of causes that watching teaches nothing about.

    python examples/paper.py [FOLDER]

Lattimore, Lattimore & Reid (2016), section 4: fifty independent causes, of which the first m are never 1 by themselves,
and the reward depends on the first one alone. paper.toml is the same with three causes, small enough to be written down;
FOLDER (out/ when not given) gets a study of it, paper.db, that stops as soon as it is sure.
"""

import sys
from pathlib import Path

import numpy as np
from simulated import draw, fresh, show

import bestdo

ROUNDS, GAP, SIMULATIONS = 400, 0.3, 1000
MOST, SURE = 1000, 0.95
LEARNERS = ("algorithm-1", "algorithm-2", "successive-rejects")


def main(folder: str = "out") -> None:
    """Prints the mean regret and its standard error for each m, and plays a study until it is sure."""
    print(f"fifty causes, {ROUNDS} rounds, {SIMULATIONS} simulations: " + ", ".join(LEARNERS))
    for m in (2, 10, 24, 48):
        world = bestdo.world("paper-parallel", 50, m, GAP)
        found = [bestdo.play(world, name, rounds=ROUNDS, lanes=SIMULATIONS, seed=0) for name in LEARNERS]
        cells = (f"{regret.mean():.3f} ± {regret.std() / SIMULATIONS**0.5:.3f}" for regret in found)
        print(f"m = {m:2}:  " + "   ".join(cells))

    file, rng = Path(__file__).with_suffix(".toml"), np.random.default_rng(0)
    model = bestdo.compose(file).model
    study = bestdo.Study.create(file, rounds=MOST, until_sure=SURE, storage=fresh(folder, "paper"))
    while not study.status()["finished"]:
        for asked in study.ask(n=10):
            study.tell(asked.number, draw(model, asked.action, rng)[0])
    print(f"\nthree causes: sure at {SURE:.0%} after {study.status()['told']} rounds, of at most {MOST}")
    show(study, model)


if __name__ == "__main__":
    main(*sys.argv[1:])
