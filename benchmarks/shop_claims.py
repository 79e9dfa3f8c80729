"""Real studies of the shop: whether what `bestdo best` says of the rule holds the truth.

python -m benchmarks.shop_claims visitors 20 900 300: single visitors (or segments: means of 80), so many studies, rounds, and
a look after every so many of them.
"""

import sys
import tempfile
from collections.abc import Iterator

import numpy as np

from bestdo import Study
from bestdo.research.worlds.shop import segments_of_shop, shop
from bestdo.simulate.world import World

AT_ONCE = 30


def looks(world: World, rounds: int, every: int, seed: int) -> Iterator[tuple[float, ...]]:
    """After every so many rounds: the value and the gain that a study says, each with the truth, and P(worth having)."""
    problem, graph = world.problem, world.problem.graph
    means, shares = world.means_by_context
    rng, contexts = np.random.default_rng(seed), list(problem.contexts)
    with tempfile.TemporaryDirectory() as folder:
        study = Study.create(problem, rounds=rounds, storage=f"sqlite:///{folder}/shop.db", name="shop")
        for told in range(every, rounds + 1, every):
            for first in range(told - every, told, AT_ONCE):
                drawn = rng.choice(len(shares), min(AT_ONCE, told - first), p=shares)
                seen = [dict(contexts[c]) for c in drawn]
                for asked, context in zip(study.ask("me", context=seen), seen, strict=True):
                    codes = np.full((1, len(graph.names)), -1, np.int16)
                    for name, value in {**context, **dict(asked.action)}.items():
                        codes[0, graph.names.index(name)] = graph.variable(name).code(value)
                    x, numbers = world.sample_given(codes, np.zeros(1, np.int64), rng)
                    row = {n: graph.variable(n).values[x[0, k]] for k, n in enumerate(graph.names) if n not in numbers}
                    study.tell(asked.number, row | {n: float(y[0]) for n, y in numbers.items()}, sure=True)
            rule = study.best().rule
            value = float(shares @ means[np.arange(len(shares)), rule.actions])
            gain = value - float(shares @ means[:, problem.actions.index(rule.single)])
            yield told, *rule.value, value, *rule.gain, gain, rule.p_worth


def main(kind: str, studies: int, rounds: int, every: int) -> None:
    """Prints what is said and what is true, on average over studies."""
    world = (shop if kind == "visitors" else segments_of_shop)(limited=False)
    found = np.array([list(looks(world, rounds, every, 900 + seed)) for seed in range(studies)])  # [studies, looks, 10]
    for look in found.swapaxes(0, 1):
        told, said, low, high, value, gain, least, most, true, worth = look.T
        sure = worth > 0.9
        print(
            f"{kind}, {told[0]:.0f} rounds: rule said {said.mean():.2f}, true {value.mean():.2f}, interval holds in",
            f"{((low <= value) & (value <= high)).mean():.2f}; gain said {gain.mean():.2f} (at most {gain.max():.2f}), true",
            f"{true.mean():.2f}, holds in {((least <= true + 1e-9) & (true <= most + 1e-9)).mean():.2f}; worth having said",
            f"{worth.mean():.2f}, true {(true > 0).mean():.2f}; said with more than 0.9:",
            f"{sure.sum()}, of which true {(true > 0)[sure].sum()}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
