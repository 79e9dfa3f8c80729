"""Time to start the command line, to import the package and of whole commands, and the installed size, beside Optuna's."""

import json
import re
import resource
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

from benchmarks.timing import Row
from bestdo import World, read
from bestdo.research.figures.real_networks import network, random_worlds
from bestdo.study import Study

FARM = Path(__file__).parent.parent / "examples" / "farm.toml"
ROUNDS, TIMES = 30, 6
"""Rounds that the study has been told before, and how often each command is timed."""


def child(*command: str, repeat: int = 15) -> float:
    """CPU seconds of a process, the best of `repeat`."""
    best = float("inf")
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def rows() -> Iterator[Row]:
    python = sys.executable
    click = child(python, "-c", "import click")
    yield Row("bestdo --help", child(python, "-m", "bestdo", "--help"), "3 × python -c 'import click'", 3 * click, 1)
    ours = child(python, "-c", "import bestdo")
    yield Row("import bestdo", ours, "python -c 'import click'", click, 1)
    yield Row("", ours, "import optuna", child(python, "-c", "import optuna", repeat=TIMES), 1)
    ours = child(python, "-c", "from bestdo import Study, World, compose, play", repeat=TIMES)
    yield Row(
        "from bestdo import Study, World, compose, play", ours, "import optuna", child(python, "-c", "import optuna"), 1
    )
    size = installed_size("bestdo")
    yield Row("installed, with all that it needs", size, "allowed", 320, 1, "MB")
    yield Row("", size, "Optuna", installed_size("optuna"), 0.25, "MB")
    alarm = random_worlds(network("alarm"), np.random.default_rng(zlib.crc32(b"alarm")))[0]
    farm = read(FARM)
    assert farm.problem is not None
    assert farm.model is not None
    peers = optuna_commands()
    for name, world, allowed in (("farm", World(farm.problem, farm.model), 0.35), ("alarm", alarm, 0.6)):
        for command, taken in commands(name, world).items():
            yield Row(f"bestdo {command}, {name}", taken, "allowed", allowed, 1)
            other, takes = peers[command]
            yield Row("", taken, f"optuna {other}, 3 parameters", takes, 1)


def installed_size(name: str) -> float:
    """The size in MB of an installed distribution with all that it needs, without extras and compiled bytecode."""
    found: dict[str, float] = {}
    todo = [name]
    while todo:
        one = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if one in found:
            continue
        try:
            installed = distribution(one)
        except PackageNotFoundError:  # needed on other systems only
            continue
        files = [Path(str(f.locate())) for f in installed.files or ()]
        if one == "bestdo":  # it may be installed in place
            files = [f for f in (Path(__file__).parent.parent / "src" / "bestdo").rglob("*") if f.suffix != ".c"]
        found[one] = sum(f.stat().st_size for f in files if f.suffix != ".pyc" and f.is_file()) / 2**20
        todo += [re.match(r"[\w.-]+", r)[0] for r in installed.requires or () if "extra ==" not in r]  # type: ignore[index]
    return sum(found.values())


def optuna_commands() -> dict[str, tuple[str, float]]:
    """The command of Optuna that is most like each of ours, and its CPU seconds, with as many trials told."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    choice = optuna.distributions.CategoricalDistribution(["low", "high"])
    space = dict.fromkeys(("temperature", "nutrient", "moisture"), choice)
    data = {n: {"name": "CategoricalDistribution", "attributes": {"choices": ["low", "high"]}} for n in space}
    program, taken = str(Path(sys.executable).parent / "optuna"), {}
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/theirs.db"
        study = optuna.create_study(storage=url, study_name="farm", direction="maximize")
        for _ in range(ROUNDS):
            study.tell(study.ask(space), 1.0)
        where = ["--storage", url, "--study-name", "farm"]
        asking = [program, "ask", *where, "--sampler", "TPESampler", "--search-space", json.dumps(data)]
        taken["ask"] = "ask", child(*asking, repeat=TIMES)
        told = []
        for _ in range(TIMES):
            number = str(study.ask(space).number)
            told.append(child(program, "tell", *where, "--trial-number", number, "--values", "1.0", repeat=1))
        taken["tell"] = "tell", min(told)
        taken["status"] = "trials", child(program, "trials", *where, repeat=TIMES)
        taken["best"] = "best-trial", child(program, "best-trial", *where, repeat=TIMES)
    return taken


def commands(name: str, world: World) -> dict[str, float]:
    """CPU seconds of each command on a study of the default learner with some rounds told."""
    rng, taken = np.random.default_rng(0), {}
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/{name}.db"
        study = Study.create(world.problem, 1_000, learner="causal-top-two", name=name, storage=url)
        for _ in range(ROUNDS):
            (asked,) = study.ask("me")
            study.tell(asked.number, seen(world, asked.action, rng))
        run = [sys.executable, "-m", "bestdo"]
        taken["ask"] = child(*run, "ask", "--storage", url, repeat=TIMES)
        told = []
        for _ in range(TIMES):
            (asked,) = study.ask("me")
            values = [f"{n}={v}" for n, v in seen(world, asked.action, rng).items()]
            told.append(child(*run, "tell", str(asked.number), *values, "--storage", url, repeat=1))
        taken["tell"] = min(told)
        for command in ("status", "best"):
            taken[command] = child(*run, command, "--storage", url, repeat=TIMES)
    return taken


def seen(world: World, action: object, rng: np.random.Generator) -> dict[str, str]:
    """The values that one round of an action shows."""
    place = np.array([world.problem.actions.index(action)])  # type: ignore[arg-type]
    codes = world.model.sample(world.problem.actions, place, rng)[0]
    return {v.name: v.values[c] for v, c in zip(world.problem.graph.variables, codes, strict=True) if not v.hidden}
