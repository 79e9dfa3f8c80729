"""Which of two medicines keep a man's PSA low? A simulated trial, and the tables of psa.toml worked out from equations.

    python examples/psa.py [FOLDER]           a trial with 200 patients, stored in FOLDER; says what to keep
    python examples/psa.py --write FILE.toml  writes the problem with its tables: this is how psa.toml was made

The equations are those of Aglietti, Lu, Paleyes & González (2020): age is uniform between 55 and 75 years, BMI is
N(27 - 0.01 age, 0.7), and with L(x) = 1 / (1 + exp(-x))

    aspirin  L(-8 + 0.1 age + 0.03 BMI)    and statin  L(-13 + 0.1 age + 0.2 BMI)    where nobody sets them,
    cancer   L(2.2 - 0.05 age + 0.01 BMI - 0.04 statin + 0.02 aspirin),
    PSA      N(6.8 + 0.04 age - 0.15 BMI - 0.6 statin + 0.55 aspirin + cancer, 0.4).

PSA is to be small, and at most 45 % of the men may get cancer. Age and BMI are told as measured, and cut into three and two
values; the tables are integrals over what is within each, so that the means of the four ways to set both are exact.
"""

import sys
from itertools import product

import numpy as np
from numpy.typing import NDArray
from simulated import fresh, show

import bestdo

Floats = NDArray[np.float64]

AGES, BMIS = (62.0, 68.0), (26.4,)
MOST_CANCER = 0.45
ROUNDS, PATIENTS = 200, 0  # PATIENTS is the seed of the trial


def problem() -> bestdo.Problem:
    """The graph, the medicines that can be set, and the limit on cancer."""
    yes = ("no", "yes")
    variables = [
        bestdo.Variable("age", ("below 62", "62 to 68", "68 and more"), cut=AGES, unit="years"),
        bestdo.Variable("BMI", ("low", "high"), cut=BMIS, unit="kg/m²", description="Body mass index."),
        bestdo.Variable("aspirin", yes, description="Whether he takes aspirin every day."),
        bestdo.Variable("statin", yes, description="Whether he takes a statin every day."),
        bestdo.Variable("cancer", yes, description="Whether cancer is found."),
        bestdo.Variable(
            "PSA", number=bestdo.Number(spread=1.0), unit="ng/ml", description="Prostate-specific antigen."
        ),
    ]
    arrows = [("age", "BMI")]
    arrows += [(cause, medicine) for medicine in ("aspirin", "statin") for cause in ("age", "BMI")]
    arrows += [(cause, "cancer") for cause in ("age", "BMI", "aspirin", "statin")]
    arrows += [(cause, "PSA") for cause in ("age", "BMI", "aspirin", "statin", "cancer")]
    graph = bestdo.Graph.of(variables, arrows, reward="PSA", aim="minimise")
    limit = bestdo.Limit("cancer", "yes", at_most=MOST_CANCER)
    return bestdo.Problem(graph, set=["aspirin", "statin"], at_most=2, limits=[limit])


def truth(graph: bestdo.Graph, points: int = 400) -> bestdo.Model:
    """The model behind the trial: integrals over ages and BMIs by the midpoint rule, with so many points of each."""
    age = 55 + 20 * (np.arange(points) + 0.5) / points
    deviation = 6 * (2 * (np.arange(points) + 0.5) / points - 1)
    ages, away = (part.ravel() for part in np.meshgrid(age, deviation, indexing="ij"))
    bmi = 27 - 0.01 * ages + 0.7 * away
    weight = np.exp(-(away**2) / 2)
    weight /= weight.sum()
    cell = np.searchsorted(AGES, ages, side="right") * 2 + np.searchsorted(BMIS, bmi, side="right")

    def within(share: Floats) -> Floats:
        """The sums of weights × shares over each cell of age and BMI: float[3, 2]."""
        return np.bincount(cell, weight * share, minlength=6).reshape(3, 2)

    def two(p: Floats) -> Floats:
        return np.stack([1 - p, p], axis=-1)

    whole = within(np.ones_like(bmi))
    cancer, mean, spread = np.empty((3, 2, 2, 2)), np.empty((3, 2, 2, 2, 2)), np.empty((3, 2, 2, 2, 2))
    for aspirin, statin in product((0, 1), repeat=2):
        chance = _logistic(2.2 - 0.05 * ages + 0.01 * bmi - 0.04 * statin + 0.02 * aspirin)
        cancer[:, :, aspirin, statin] = within(chance) / whole
        for sick in (0, 1):
            share = chance if sick else 1 - chance
            psa = 6.8 + 0.04 * ages - 0.15 * bmi - 0.6 * statin + 0.55 * aspirin + sick
            first, second = within(share * psa) / within(share), within(share * psa**2) / within(share)
            mean[:, :, aspirin, statin, sick] = first
            spread[:, :, aspirin, statin, sick] = np.sqrt(second - first**2 + 0.4**2)
    tables = {
        "age": whole.sum(axis=1),
        "BMI": whole / whole.sum(axis=1, keepdims=True),
        "aspirin": two(within(_logistic(-8 + 0.1 * ages + 0.03 * bmi)) / whole),
        "statin": two(within(_logistic(-13 + 0.1 * ages + 0.2 * bmi)) / whole),
        "cancer": two(cancer),
    }
    return bestdo.Model(
        graph, {n: _rounded(t) for n, t in tables.items()}, {"PSA": bestdo.Outcome(mean.round(4), spread.round(4))}
    )


def _logistic(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))


def _rounded(table: Floats) -> Floats:
    """The table with six decimals; the last value of each row has what is left to 1."""
    table = table.round(6)
    table[..., -1] = (1 - table[..., :-1].sum(axis=-1)).round(6)
    return table


def patient(action: bestdo.Intervention, number: int) -> dict[str, str]:
    """What is measured of a patient who is treated in this way, drawn by the equations."""
    rng = np.random.default_rng([PATIENTS, number])
    age = rng.uniform(55, 75)
    bmi = rng.normal(27 - 0.01 * age, 0.7)
    chances = {"aspirin": -8 + 0.1 * age + 0.03 * bmi, "statin": -13 + 0.1 * age + 0.2 * bmi}
    takes = {n: action.get(n, "yes" if rng.random() < _logistic(np.asarray(x)) else "no") for n, x in chances.items()}
    aspirin, statin = takes["aspirin"] == "yes", takes["statin"] == "yes"
    cancer = rng.random() < _logistic(np.asarray(2.2 - 0.05 * age + 0.01 * bmi - 0.04 * statin + 0.02 * aspirin))
    psa = rng.normal(6.8 + 0.04 * age - 0.15 * bmi - 0.6 * statin + 0.55 * aspirin + cancer, 0.4)
    measured = {"age": f"{age:.1f}", "BMI": f"{bmi:.1f}", "PSA": f"{psa:.2f}"}
    return {**measured, **takes, "cancer": "yes" if cancer else "no"}


def main(folder: str = "out") -> None:
    """Plays the trial and prints its recommendation beside the truth."""
    known = problem()
    study = bestdo.Study.create(known, ROUNDS, name="psa", storage=fresh(folder, "psa"))
    for _ in range(ROUNDS):
        (asked,) = study.ask("the clinic")
        study.tell(asked.number, patient(asked.action, asked.number), who="the clinic")
    show(study, truth(known.graph))


def write(path: str) -> None:
    """Writes the problem with its tables."""
    known = problem()
    bestdo.write(bestdo.Contents(known.graph, known, truth(known.graph)), path)


if __name__ == "__main__":
    write(sys.argv[2]) if sys.argv[1:2] == ["--write"] else main(*sys.argv[1:])
