"""A web shop: what its log says, what it does not say, and a study that begins with the log.

    python examples/webshop.py [FOLDER]

Visitors are drawn from the tables of webshop.toml, which are made up. FOLDER (out/ when not given) gets the log of 4,000
visits, webshop.csv, and the study, webshop.db.
"""

import sys
from pathlib import Path

import numpy as np
from simulated import draw, fresh, show, write_log

import bestdo

SHOP = Path(__file__).with_suffix(".toml")
VISITORS = 3  # the seed of the visitors
ROUNDS = 200


def main(folder: str = "out") -> None:
    """Looks at the log, then asks, plays and tells."""
    shop, rng = bestdo.compose(SHOP), np.random.default_rng(VISITORS)
    storage = fresh(folder, "webshop")
    old = Path(folder) / "webshop.csv"
    rows = draw(shop.model, bestdo.do(), rng, 4000)
    write_log(rows, old)

    print("photos: share of visitors with a basket in the log | adjusted for the device | the truth")
    truth = dict(zip(shop.problem.actions, shop.model.means(shop.problem.actions), strict=True))
    for answer in bestdo.check(shop.problem, data=old).data.answers:
        if "photos" in answer.action:
            saw = [row["basket"] for row in rows if row["photos"] == answer.action["photos"]]
            share = saw.count("yes") / len(saw)
            print(
                f"{share:.3f} | {answer.mean:.3f}, {answer.low:.3f} to {answer.high:.3f} | {truth[answer.action]:.3f}"
                f"  {answer.action}"
            )

    study = bestdo.Study.create(SHOP, rounds=ROUNDS, storage=storage)
    study.observe(old)
    print("\nafter the log, and no round:")
    show(study)
    for _ in range(ROUNDS // 10):
        for asked in study.ask("the shop", 10):  # ten visitors at a time
            (seen,) = draw(shop.model, asked.action, rng)
            study.tell(asked.number, seen)
    print(f"\nafter {ROUNDS} visits more:")
    show(study, shop.model)


if __name__ == "__main__":
    main(*sys.argv[1:])
