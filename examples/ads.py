"""An advertising campaign: a hidden common cause, what the plain comparison says, and what the front door says.

    python examples/ads.py [FOLDER]

People are drawn from the tables of ads.toml, which are made up. FOLDER (out/ when not given) gets the log of 20,000
people, ads.csv.
"""

import sys
from pathlib import Path

import numpy as np
from simulated import draw, fresh, write_log

import bestdo

CAMPAIGN = Path(__file__).with_suffix(".toml")
PEOPLE = 0  # the seed of the people


def main(folder: str = "out") -> None:
    """Compares shares in the log, the front-door formula and the truth."""
    ads, rng = bestdo.compose(CAMPAIGN), np.random.default_rng(PEOPLE)
    fresh(folder, "ads")
    rows = draw(ads.model, bestdo.do(), rng, 20_000)
    write_log(rows, Path(folder) / "ads.csv")
    truth = dict(zip(ads.problem.actions, ads.model.means(ads.problem.actions), strict=True))
    print(f"P(purchase | do(ad)) = {bestdo.identify(ads.problem.graph, bestdo.do(ad='video')).formula}")

    outlook = bestdo.check(ads.problem, data=Path(folder) / "ads.csv")
    print("\nwho was shown what, and bought | by the formula, 95 % interval | the truth")
    for answer in outlook.data.answers:
        shown = [row for row in rows if all(row[n] == v for n, v in answer.action.items())]
        share = sum(row["purchase"] == "yes" for row in shown) / len(shown)
        interval = f"{answer.mean:.3f}, {answer.low:.3f} to {answer.high:.3f}"
        print(f"{share:.3f} | {interval} | {truth[answer.action]:.3f}  {answer.action}")


if __name__ == "__main__":
    main(*sys.argv[1:])
