"""ask + tell in a large study, compared with Optuna: the paper's parallel world with 50 variables, SQLite, one process.

Optuna plays twice: with its random sampler, which thinks nothing, so that storage is compared with storage, and with its
default sampler (TPE), as most people have it.
"""

import tempfile
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Row
from bestdo.bandit.rounds import Plan
from bestdo.research.worlds.shop import shop
from bestdo.simulate import World, paper_parallel
from bestdo.study import Study

SIZES = (100, 1_000, 10_000)
VARIABLES, MEASURED, HORIZON = 50, 100, 20_000
VISITS = 300
"""Visits of the shop, of which the last hundred are measured."""
TRIALS = 1_000  # of Optuna: adding 10,000 of them takes minutes


def rows() -> Iterator[Row]:
    world = paper_parallel(VARIABLES, 10, 0.3)
    with tempfile.TemporaryDirectory() as folder:
        theirs, opened = optuna_takes(f"sqlite:///{folder}/theirs.db", TRIALS, "RandomSampler")
        default, _ = optuna_takes(f"sqlite:///{folder}/default.db", TRIALS, "TPESampler")
        for learner in ("algorithm-1", "causal-top-two"):
            taken, ours_opened = ours_takes(f"sqlite:///{folder}/{learner}.db", world, learner)
            largest = SIZES[-1]
            what = f"ask + tell of {learner} after {largest:,} rounds, {VARIABLES} variables"
            yield Row(what, taken[largest], f"Optuna's random sampler after {TRIALS:,}", theirs, 8)
            yield Row("", taken[largest], f"Optuna's default sampler after {TRIALS:,}", default, 8)
            yield Row("", taken[largest], "2 ms allowed", 0.002, 1)
            yield Row("the same, the first hundred rounds", taken[SIZES[0]], "5 ms allowed", 0.005, 1)
            for size in SIZES[:-1]:
                yield Row("", taken[largest], f"bestdo after {size:,} rounds", taken[size], 0.8)
            yield Row(f"opening it and the recommendation, {largest:,} rounds", ours_opened, "0.3 s allowed", 0.3, 1)
            yield Row("", ours_opened, f"Optuna: load_study and best_trial, {TRIALS:,}", opened, 1)
        ours, regression = (
            visit_takes(f"sqlite:///{folder}/{name}.db", name) for name in ("causal-top-two", "regression-top-two")
        )
        what = f"ask + tell of causal-top-two after {VISITS} visits, 6 contexts, 36 settings, a limit"
        yield Row(what, ours, "10 ms allowed", 0.010, 1)
        yield Row("", ours, "the regression with top-two draws", regression, 1)


def visit_takes(url: str, learner: str) -> float:
    """CPU seconds of one ask + tell in the shop, visitor by visitor."""
    world, rng = shop(), np.random.default_rng(0)
    study = Study.create(world.problem, 10 * VISITS, learner=learner, name="shop", storage=url)
    contexts, taken = list(world.problem.contexts), 0.0
    for number in range(VISITS):
        context = contexts[int(rng.integers(len(contexts)))]
        bought, wrote = rng.random(2) < (0.06, 0.03)
        values = {**context, "revenue": "60" if bought else "0", "support": "yes" if wrote else "no"}
        before = time.process_time()
        (asked,) = study.ask("me", context=context)
        study.tell(asked.number, {**values, **asked.action})
        if number >= VISITS - MEASURED:
            taken += time.process_time() - before
    return taken / MEASURED


def ours_takes(url: str, world: World, learner: str) -> tuple[dict[int, float], float]:
    """CPU seconds of one ask + tell at each size, and of opening the study at the largest."""
    study = Study.create(world.problem, HORIZON, learner=learner, name="large", storage=url)
    seen = seasons(world)
    told, taken = 0, {}
    for size in SIZES:
        while told < size - MEASURED:
            one_round(study, seen, told)
            told += 1
        before = time.process_time()
        while told < size:
            one_round(study, seen, told)
            told += 1
        taken[size] = (time.process_time() - before) / MEASURED
    before = time.process_time()
    Study.open("large", url).best()
    return taken, time.process_time() - before


def seasons(world: World) -> list[dict[str, str]]:
    """The values seen in 1,000 rounds of do(), which are told again and again."""
    plan = np.zeros((1, len(world.problem.actions)), int)
    plan[0, world.problem.actions.index("do()")] = 1_000
    graph = world.problem.graph
    return [
        {n: graph.variable(n).values[v] for n, v in zip(graph.names, row, strict=True)}
        for row in world.rounds(Plan(plan), np.random.default_rng(0)).x
    ]


def one_round(study: Study, seen: list[dict[str, str]], number: int) -> None:
    """Asks for a round and tells what was seen in it."""
    (asked,) = study.ask("me")
    study.tell(asked.number, {**seen[number % len(seen)], **asked.action})


def optuna_takes(url: str, size: int, sampler: str) -> tuple[float, float]:
    """CPU seconds of one ask + tell with 50 two-valued parameters, and of opening the study, after that many trials."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    choice = optuna.distributions.CategoricalDistribution(["0", "1"])
    space = {f"X{i + 1}": choice for i in range(VARIABLES)}
    study = optuna.create_study(storage=url, study_name="large", sampler=getattr(optuna.samplers, sampler)(seed=0))
    rng = np.random.default_rng(0)
    done = [
        optuna.trial.create_trial(params={n: "01"[rng.integers(2)] for n in space}, distributions=space, value=0.0)
        for _ in range(size - MEASURED)
    ]
    study.add_trials(done)
    before = time.process_time()
    for _ in range(MEASURED):
        trial = study.ask(space)
        study.tell(trial, 1.0)
    taken = (time.process_time() - before) / MEASURED
    before = time.process_time()
    _ = optuna.load_study(storage=url, study_name="large").best_trial
    return taken, time.process_time() - before
