"""Rounds that are drawn from the tables of a file, in the place of a real field, shop or clinic.

The examples of the gallery import this; a study never sees the tables of its reward.
"""

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import bestdo

Row = dict[str, str | float]


def draw(
    model: bestdo.Model,
    action: bestdo.Intervention,
    rng: np.random.Generator,
    rows: int = 1,
    ends: Mapping[str, tuple[float, float]] | None = None,
) -> list[Row]:
    """What is seen in so many rounds of an action; hidden variables are left out.

    Where a variable is cut into values, `ends` can give its least and largest number: then a number within the value is
    drawn.
    """
    graph = model.graph
    codes = model.sample(bestdo.Actions(graph, [action]), np.zeros(rows, int), rng)
    numbers = model.draw_numbers(codes, rng)
    found: list[Row] = [{} for _ in range(rows)]
    for place, variable in enumerate(graph.variables):
        if variable.hidden:
            continue
        for row, code in enumerate(codes[:, place]):
            if variable.name in numbers:
                found[row][variable.name] = round(float(numbers[variable.name][row]), 2)
            elif variable.name in (ends or {}) and variable.name not in action:
                low, high = (ends or {})[variable.name]
                borders = (low, *(variable.cut or ()), high)
                found[row][variable.name] = round(float(rng.uniform(borders[code], borders[code + 1])), 3)
            else:
                found[row][variable.name] = variable.values[code]
    return found


def write_log(rows: list[Row], path: Path) -> None:
    """Writes rows as a table of old data."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def fresh(folder: str | Path, name: str) -> str:
    """The address of a new database in a folder; one that an earlier run left there is removed."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{name}.db*"):
        old.unlink()
    return f"sqlite:///{folder}/{name}.db"


def show(study: bestdo.Study, truth: bestdo.Model | None = None) -> None:
    """Prints the recommendation of a study, and beside it the truth where it is given."""
    best, graph = study.best(), study.problem.graph
    unit = graph.variable(str(graph.reward)).unit
    unit = f"in {unit}, " if unit else ""
    print(f"keep {best.in_words};")
    print(f"{unit}played {best.played} times. {best.about_limits}".rstrip())
    if truth is not None:
        means = dict(zip(map(str, study.problem.actions), truth.means(study.problem.actions), strict=True))
        sign = -1 if graph.aim == "minimise" else 1
        three = sorted(means, key=lambda action: sign * means[action], reverse=True)[:3]
        print("in truth: " + ", ".join(f"{a} {means[a]:.3g}" for a in three))
