"""A small experiment for tests; as a script: runs it slowly, and says how far it is."""

import sys
import time

from bestdo.experiments import Experiment, Setting, run
from bestdo.learners import by_title
from bestdo.simulate import parallel

SIMS = 2500  # three chunks, the last one smaller


def small(name="small"):
    world = parallel([0.0, 0.5, 0.3], epsilon=0.2)
    return Experiment(
        name=name,
        title="Small",
        x_label="T",
        settings=tuple(Setting(t, world, t) for t in (10, 20, 40)),
        learners=by_title("successive-rejects", "uniform"),
    )


def slowly(done, total):
    sys.stdout.write(f"{done}\n")
    sys.stdout.flush()
    time.sleep(0.03)


if __name__ == "__main__":
    from bestdo.experiments.engine import runner

    runner.SECONDS_BEFORE_WORKERS = 0.0
    run(small(), SIMS, 7, sys.argv[1], workers=int(sys.argv[2]), progress=slowly)
