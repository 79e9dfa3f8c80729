"""A farm: all plots are sown in the same week, so the whole plan is made beforehand, on a sheet, and evaluated once.

    python examples/harvest.py [FOLDER]

The plots are drawn from the tables of harvest.toml, which are made up. FOLDER (out/ when not given) gets the sheet as it
is handed out, harvest-sheet.csv, and as it comes back, harvest-filled.csv.
"""

import csv
import io
import sys
from pathlib import Path

import numpy as np
from simulated import draw

import bestdo

FARM = Path(__file__).with_suffix(".toml")
WEATHER = 0  # the seed of the plots
PLOTS = 120
EATEN = (17, 44, 45, 101)  # plots that deer have eaten: their lines stay empty


def main(folder: str = "out") -> None:
    """Plans, fills the sheet in, and evaluates it."""
    farm, rng = bestdo.compose(FARM), np.random.default_rng(WEATHER)
    plan = bestdo.fixed_plan(farm.problem, rounds=PLOTS, seed=0)
    Path(folder).mkdir(parents=True, exist_ok=True)
    sheet, filled = Path(folder) / "harvest-sheet.csv", Path(folder) / "harvest-filled.csv"
    sheet.write_bytes(plan.sheet())

    lines = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"))))
    for line in lines:
        (seen,) = draw(farm.model, bestdo.Intervention.parse(line["action"]), rng, ends={"moisture": (8.0, 30.0)})
        if int(line["round"]) not in EATEN:
            line.update({name: str(value) for name, value in seen.items()})
    with filled.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, lines[0])
        writer.writeheader()
        writer.writerows(lines)

    best, _, back = bestdo.estimate(farm.problem, filled)
    print(f"{PLOTS} plots, {back.empty} lines empty; m = {plan.design.m:.2f}")
    print(f"keep {best.action}: {best.mean:.2f} t/ha, 95 % interval {best.low:.2f} to {best.high:.2f}")
    means = farm.model.means(farm.problem.actions)
    print(f"the truth: {farm.problem.actions[int(means.argmax())]} {means.max():.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
