"""Other shops of the kind of `research/worlds/shop.py`, with random sizes and effects: learners beside each other.

python -m benchmarks.other_shops "by segment" 30 60 6 find:causal-top-two earn:regression-thompson …: a way, the first shop
and the one after the last, how many studies of each, and goals with learners. Shops 0 to 29 are those on which the prior of
`learners/beliefs/column_members.py` for what is seen first was chosen.
"""

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from bestdo.bandit.goal import Goal
from bestdo.learners import learner
from bestdo.research.figures.shop import shop_study
from bestdo.research.figures.shop_slots import SLOTS, WAYS, _Play
from bestdo.research.worlds import shop

SIZES = [
    ((2, 3), (3, 3, 2, 2)),
    ((2, 2), (3, 2, 2, 2)),
    ((4,), (4, 3, 2)),
    ((3, 2), (2, 2, 2, 2, 2)),
    ((2, 2, 2), (3, 3, 2)),
    ((3,), (4, 3, 3)),
    ((2, 3), (3, 2, 2)),
    ((5,), (5, 4)),
    ((2, 2), (3, 3, 3)),
    ((6,), (6, 2, 2)),
]
"""The numbers of values of what is seen first, and of what is set."""
KINDS = [(0.05, 0.8, 0.07, 0), (0.08, 0.2, 0.18, 0), (0.06, 0.4, 0.11, 4)]
"""The spread of effects of what is set; how many pairs of values interact, and how much; threes that do."""
ORDERS = (150.0, 60.0, 300.0)
"""Twice the worth of an order, which says how many buy nothing."""


def drawn(seed: int) -> dict[str, object]:
    """The numbers of a shop, by the names in `research/worlds/shop.py`."""
    rng = np.random.default_rng(7000 + seed)
    sizes = SIZES[seed % len(SIZES)]
    first, settings = (
        {f"{mark}{k}": tuple(f"{mark}{k}v{v}" for v in range(n)) for k, n in enumerate(some)}
        for mark, some in zip("fs", sizes, strict=True)
    )
    spread, share, size, threes = KINDS[seed // len(SIZES) % len(KINDS)]
    revenue = {(v,): 0.15 * rng.standard_normal() for values in first.values() for v in values}
    revenue |= {(v,): spread * rng.standard_normal() for values in settings.values() for v in values[1:]}
    for one, other in itertools.product(first.values(), settings.values()):
        for pair in itertools.product(one, other):
            if rng.random() < share:
                revenue[pair] = size * rng.standard_normal()
    for one, other in itertools.combinations(settings.values(), 2):
        for pair in itertools.product(one[1:], other[1:]):
            if rng.random() < share / 2:
                revenue[pair] = size * rng.standard_normal()
    seen, every = list(first.values()), list(settings.values())
    for _ in range(threes):
        chosen = seen[rng.integers(len(seen))], *(every[k] for k in rng.choice(len(every), 2, replace=False))
        revenue[tuple(str(values[rng.integers(len(values))]) for values in chosen)] = 0.12 * rng.standard_normal()
    support = {(v,): 0.12 * rng.standard_normal() for values in first.values() for v in values}
    support |= {(v,): 0.2 * rng.standard_normal() for values in settings.values() for v in values[1:]}
    before, names = {}, list(first)
    for k, (name, values) in enumerate(settings.items()):
        by = names[k % len(names)]
        before[name] = by, rng.dirichlet(np.full(len(values), 1.5), len(first[by])) * 0.9 + 0.1 / len(values)
    return {
        "FIRST": first,
        "SETTINGS": settings,
        "_ON_REVENUE": revenue,
        "_ON_SUPPORT": support,
        "_BEFORE": before,
        "_SHARES": {name: rng.dirichlet(np.full(len(values), 4.0)) for name, values in first.items()},
        "_ORDER": ORDERS[seed % len(ORDERS)],
        "_REVENUE": float(rng.uniform(2, 6)),
    }


@contextmanager
def other_shop(seed: int) -> Iterator[None]:
    """Another shop in the place of the one of the module."""
    new = drawn(seed)
    old = {name: getattr(shop, name) for name in new}
    vars(shop).update(new)
    try:
        yield
    finally:
        vars(shop).update(old)


def shares_of_the_best(way: str, goal: str, name: str, seed: int, lanes: int) -> tuple[float, float]:
    """What is kept and what is earned, on average over some studies of a shop, beside the value of the best rule."""
    with other_shop(seed):
        study = shop_study(way, Goal(goal), limited=False)
        follow, rounds = WAYS[way]
        rounds = SLOTS * len(study.asked.contexts) if way == "by segment" else rounds
        rng = np.random.default_rng(seed + 500)
        play = _Play(study, study.broken, study.asked, learner(name), rounds, lanes, rng, bool(study.asked.first))
        follow(play, 0)
        play.tell(0)
        means, shares = study.means_by_context
        rule = play.game.recommended(play.state)[0].reshape(lanes, -1)
        kept = (shares * means[np.arange(len(shares)), rule]).sum(axis=1)
        return float(kept.mean() / study.most), float(play.earned.mean() / study.most)


def main(way: str, first: int, last: int, lanes: int, learners: list[str]) -> None:
    """Prints what each learner keeps and earns, and the difference to the first one, ± standard errors over shops."""
    found = {
        each: 100 * np.array([shares_of_the_best(way, *each.split(":"), seed, lanes) for seed in range(first, last)])
        for each in learners
    }
    root = (last - first) ** 0.5
    for each, values in found.items():
        less = values - found[learners[0]]
        said = (
            f"{what} {values[:, k].mean():.2f} ({less[:, k].mean():+.2f} ± {less[:, k].std(ddof=1) / root:.2f})"
            for k, what in enumerate(("kept", "earned"))
        )
        print(way, f"{each}:", ", ".join(said), "% of the best rule", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5:])
