"""The shop of `bestdo figure shop`, one learner at a time; and Optuna on the same slots.

python -m benchmarks.shop "by segment" earn causal-thompson 40 11 [limit | hour]: a way, a goal, a learner, how many studies,
and a seed. Learners are those of the registry; for whole slots also optuna (its default sampler, which is TPE) and
optuna-each (TPE that models each setting by itself).
"""

import itertools
import sys
import time
from functools import partial

import numpy as np

from bestdo.bandit.goal import Goal
from bestdo.learners import learner
from bestdo.research.figures.shop import measure, shop_study
from bestdo.research.figures.shop_slots import SLOTS, VISITORS, WAYS, _drawn, _Play
from bestdo.research.worlds.shop import SETTINGS

WAY = "one action a slot"


def main(way: str, goal: str, name: str, lanes: int, seed: int, *more: str) -> dict[str, np.ndarray]:
    """Plays so many studies; the measures of each."""
    limited = "limit" in more
    study = shop_study(way, Goal(goal), limited=limited, hour="hour" in more, late=4 if limited else 0)
    rng = np.random.default_rng(seed)
    if name.startswith("optuna"):
        return optuna_of(study, name, lanes, rng)
    return dict(measure(study, learner(name), WAYS[way][1], lanes, rng))


def optuna_of(study, name, lanes, rng):
    """Studies of Optuna: it is told the mean revenue of each slot, and keeps the settings of its best trial."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = (
        partial(optuna.samplers.TPESampler, multivariate=False) if name == "optuna-each" else optuna.samplers.TPESampler
    )
    each = [
        optuna.create_study(direction="maximize", sampler=sampler(seed=int(rng.integers(2**31)))) for _ in range(lanes)
    ]
    play = _Play(study, study.broken, study.asked, learner("uniform"), SLOTS, lanes, rng, False)
    settings = {n: list(values) for n, values in SETTINGS.items()}
    joint = list(itertools.product(*settings.values()))
    for _ in range(SLOTS):
        trials = [
            one.ask({n: optuna.distributions.CategoricalDistribution(v) for n, v in settings.items()}) for one in each
        ]
        action = np.array([1 + joint.index(tuple(t.params[n] for n in settings)) for t in trials])  # 0 is do()
        lane = np.repeat(np.arange(lanes), VISITORS)
        visits = play.visits(lane, _drawn(play.shares, len(lane), rng), action[lane])
        for one, trial, total in zip(each, trials, np.bincount(lane, visits.numbers["revenue"]), strict=True):
            one.tell(trial, total / VISITORS)
    best = np.array([1 + joint.index(tuple(one.best_params[n] for n in settings)) for one in each])
    return {"kept": play.shares @ play.means[:, best], "earned": play.earned}


if __name__ == "__main__":
    given, took = sys.argv[1:], time.process_time()
    found = main(given[0], given[1], given[2], int(given[3]), int(given[4]), *given[5:])
    lanes = int(given[3])
    said = (f"{k} {v.mean():.3f} ± {v.std(ddof=1) / lanes**0.5:.3f}" for k, v in found.items())
    print(*given, *said, f"{time.process_time() - took:.0f} s", sep="; ", flush=True)
