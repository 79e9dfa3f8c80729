"""A web shop, second question: which banner and price for whom, in euros, while few lamps may come back?

    python examples/orders.py [FOLDER]

Four servers show pages. Each sees the device and the country of a visitor, asks which banner and price to show, and learns a
day later what the visit brought and whether the lamp came back. Visitors are drawn from the tables of orders.toml, which
are made up; the study knows the graph alone. FOLDER (out/ when not given) gets the study, orders.db.
"""

import sys
from pathlib import Path

import numpy as np
from simulated import draw, fresh

import bestdo

SHOP = Path(__file__).with_suffix(".toml")
VISITORS = 0  # the seed of the visitors
SERVERS = ("one", "two", "three", "four")
DAYS, EACH = 15, 10  # and so many visits a day for each server


def main(folder: str = "out") -> None:
    """Asks on each day for the visitors of four servers, and tells in the evening what came of those of the day before."""
    shop, rng = bestdo.compose(SHOP), np.random.default_rng(VISITORS)
    rounds = DAYS * EACH * len(SERVERS)
    study = bestdo.Study.create(SHOP, rounds=rounds, graph_only=True, lease=2, storage=fresh(folder, "orders"))
    waiting: list[bestdo.Asked] = []
    for day in range(DAYS + 1):
        yesterday, waiting = waiting, []
        for server in SERVERS if day < DAYS else ():
            visitors = [{n: row[n] for n in ("device", "country")} for row in draw(shop.model, bestdo.do(), rng, EACH)]
            waiting += study.ask(server, context=visitors)
        for asked in yesterday:
            seen_and_done = bestdo.do({**asked.action, **asked.context})
            study.tell(asked.number, draw(shop.model, seen_and_done, rng)[0])

    rule = study.best().rule
    print(f"after {rounds} visits, told a day late:")
    for line in str(rule).split("; "):
        print(line)
    print(f"{rule.value.mean:.1f} EUR a visit ({rule.value.low:.1f} to {rule.value.high:.1f}); {rule.about_limits}")
    print(f"the best for everybody is {rule.single}: {rule.single_value.mean:.1f} EUR")
    means, shares = shop.model.means_given(shop.problem.actions, shop.problem.first)
    kept = means[np.arange(len(shares)), rule.actions]
    print(
        f"in truth the rule brings {shares @ kept:.1f} EUR, and without the limit the best {shares @ means.max(axis=1):.1f}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
