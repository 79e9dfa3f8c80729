"""The time to start the command line, to import the package, and of whole commands of a study."""

import resource
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.timing import Row
from bestdo import World, read
from bestdo.experiments.figures.real_networks import network, random_worlds
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
    yield Row("import bestdo", child(python, "-c", "import bestdo"), "python -c 'import click'", click, 1)
    alarm = random_worlds(network("alarm"), np.random.default_rng(zlib.crc32(b"alarm")))[0]
    farm = read(FARM)
    assert farm.problem is not None
    assert farm.model is not None
    for name, world, allowed in (("farm", World(farm.problem, farm.model), 0.35), ("alarm", alarm, 0.6)):
        for command, taken in commands(name, world).items():
            yield Row(f"bestdo {command}, {name}", taken, "allowed", allowed, 1)


def commands(name: str, world: World) -> dict[str, float]:
    """CPU seconds of each command on a study of the default learner with some rounds told."""
    rng, taken = np.random.default_rng(0), {}
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/{name}.db"
        study = Study.create(url, name, world.problem, "causal-top-two", 1_000)
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
    """What one round of an action shows."""
    place = np.array([world.problem.actions.index(action)])  # type: ignore[arg-type]
    codes = world.model.sample(world.problem.actions, place, rng)[0]
    return {v.name: v.values[c] for v, c in zip(world.problem.graph.variables, codes, strict=True) if not v.hidden}
