"""The effect on the regret of each choice that the paper leaves open or its authors' code makes differently.

`python -m benchmarks.deviations` prints the table of docs/explanation/paper.md: N = 50, T = 400, epsilon = 0.3 and
10,000 simulations.
"""

import math

from bestdo.learners.algorithm_1 import ParallelBandit as One
from bestdo.learners.algorithm_2 import GeneralAlgorithm as Two
from bestdo.simulate import paper_parallel, play

LANES, HORIZON, VARIABLES = 10_000, 400, 50
DIFFICULTIES = (2, 10, 24, 48)
ACTIONS = 2 * VARIABLES + 1


def authors_limit(m: int) -> float:
    """The limit B of the weights in the authors' code."""
    return math.sqrt(m * HORIZON / math.log(2 * HORIZON * ACTIONS))


def randomised(eta: str, **rest: object) -> Two:
    """Algorithm 2 with a design from which every round's action is drawn, and plain importance weights."""
    return Two(eta, estimator="importance", rounded=False, **rest)


VARIANTS = {
    "**Algorithm 1**, bestdo's defaults": lambda m: One(),
    "Algorithm 1 as in the paper": lambda m: One.as_in_paper(),
    "Algorithm 1 as in the authors' code": lambda m: One.as_in_authors_code(),
    "defaults, rare: p̂ ≤ 1/m̂ instead of <": lambda m: One(rare="at_most"),
    "defaults, rare: the m̂ rarest": lambda m: One(rare="rarest"),
    "defaults, m̂ as in the authors' code": lambda m: One(difficulty="authors"),
    "defaults, second phase only": lambda m: One(pooled=False),
    "defaults, leftover rounds not played": lambda m: One(leftover=False),
    "**Algorithm 2**, bestdo's defaults": lambda m: Two(),
    "Algorithm 2 as in the paper (eta*, zeroed above B, drawn)": lambda m: Two.as_in_paper(),
    "Algorithm 2 as in the authors' code": lambda m: Two.as_in_authors_code(),
    "authors' eta, ties at random": lambda m: randomised("authors"),
    "authors' eta, zeroed above B with m(q)": lambda m: randomised(
        "authors", truncation="zero", limit=authors_limit(m)
    ),
    "authors' eta, clipped at B with m(q)": lambda m: randomised("authors", truncation="clip", limit=authors_limit(m)),
    "authors' eta, zeroed above B with m(eta)": lambda m: randomised("authors", truncation="zero"),
    "hand-made eta with <, untruncated": lambda m: randomised("handmade"),
    "uniform eta, untruncated": lambda m: randomised("uniform"),
    "eta*, untruncated, drawn": lambda m: randomised("optimal"),
    "eta*, untruncated, T·eta* rounded": lambda m: Two(estimator="importance"),
    "eta*, self-normalised, drawn": lambda m: Two(rounded=False),
}


def main() -> None:
    """Prints the table, a line for each variant and a column for each m."""
    print("| | " + " | ".join(f"m = {m}" for m in DIFFICULTIES) + " |")
    print("|---|" + "---|" * len(DIFFICULTIES))
    for name, make in VARIANTS.items():
        cells = []
        for m in DIFFICULTIES:
            lanes = LANES if "uniform" not in name else 1000
            regret = play(paper_parallel(VARIABLES, m, 0.3), make(m), HORIZON, lanes, seed=m)
            cells.append(f"{regret.mean():.4f} ± {regret.std() / math.sqrt(lanes):.4f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
