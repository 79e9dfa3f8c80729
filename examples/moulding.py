"""Injection moulding: parts that are worth different amounts, trials that cost different amounts, and a budget.

    python examples/moulding.py [FOLDER]

Parts are drawn from the tables of moulding.toml, which are made up. FOLDER (out/ when not given) gets the study, moulding.db.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
from simulated import draw, fresh, show

import bestdo

MACHINE = Path(__file__).with_suffix(".toml")
PARTS = 0  # the seed of the parts
BUDGET = 250


def main(folder: str = "out") -> None:
    """Asks, plays and tells until the budget is spent."""
    machine, rng = bestdo.compose(MACHINE), np.random.default_rng(PARTS)
    study = bestdo.Study.create(MACHINE, budget=BUDGET, storage=fresh(folder, "moulding"))
    played: Counter[str] = Counter()
    while not study.status()["finished"]:
        (asked,) = study.ask("the machine")
        (seen,) = draw(machine.model, asked.action, rng, ends={"moisture": (0.0, 0.08)})
        study.tell(asked.number, seen)
        played[str(asked.action)] += 1
    spent = study.status()["used"]
    print(f"{sum(played.values())} parts for {spent:g} of {BUDGET}:")
    print("  " + ", ".join(f"{action} {n}" for action, n in played.most_common(4)))
    print("  " + ", ".join(f"{action} {n}" for action, n in played.most_common()[4:]))
    show(study, machine.model)


if __name__ == "__main__":
    main(*sys.argv[1:])
