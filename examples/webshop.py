"""A web shop: what its log says, a study that begins with the log, and one that sees the visitor's device first.

    python examples/webshop.py [FOLDER]

Visitors are drawn from the tables of webshop.toml, which are made up. FOLDER (out/ when not given) gets the log of 4,000
visits, webshop.csv, and both studies, webshop.db.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from simulated import draw, fresh, show, write_log

import bestdo

SHOP = Path(__file__).with_suffix(".toml")
VISITORS = 3  # the seed of the visitors
ROUNDS = 300


def main(folder: str = "out") -> None:
    """Looks at the log, then asks, plays and tells: first the same for everybody, then by device."""
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
            interval = f"{answer.mean:.3f}, {answer.low:.3f} to {answer.high:.3f}"
            print(f"{saw.count('yes') / len(saw):.3f} | {interval} | {truth[answer.action]:.3f}  {answer.action}")

    study = bestdo.Study.create(SHOP, rounds=ROUNDS, storage=storage)
    study.observe(old)
    print("\nafter the log, and no round:")
    show(study)
    for _ in range(ROUNDS // 10):
        for asked in study.ask("the shop", 10):  # ten visitors at a time
            study.tell(asked.number, draw(shop.model, asked.action, rng)[0])
    print(f"\nafter {ROUNDS} visits more:")
    show(study, shop.model)

    by_device = replace(shop.problem, first=("device",))
    study = bestdo.Study.create(by_device, rounds=ROUNDS, name="by device", storage=storage)
    study.observe(old)
    for _ in range(ROUNDS):
        device = draw(shop.model, bestdo.do(), rng)[0]["device"]  # seen before the page is shown
        (asked,) = study.ask("the shop", context={"device": device})
        study.tell(asked.number, draw(shop.model, bestdo.do({**asked.action, "device": device}), rng)[0])
    rule = study.best().rule
    print(f"\nafter {ROUNDS} visits whose device was seen first:")
    print(f"{rule}: {rule.value.mean:.2f} ({rule.value.low:.2f} to {rule.value.high:.2f});")
    print(f"the best for everybody is {rule.single}: {rule.single_value.mean:.2f}")
    means, shares = shop.model.means_given(shop.problem.actions, ("device",))
    rule_mean, single_mean = means.max(axis=1) @ shares, (shares @ means).max()
    print(f"in truth the best rule has {rule_mean:.3f}, the best single action {single_mean:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
