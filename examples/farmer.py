"""An example study of 60 seasons on a simulated farm, killed in the middle and continued, and its recommendation.

    python examples/farmer.py [FOLDER]

The study is stored in a file in FOLDER (out/ when not given). The seasons are drawn from the tables in farm.toml; the
study knows how often each soil occurs, and never sees the table of the harvest.
"""

import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import bestdo
from bestdo.study import Finished, Study

ROUNDS, WEATHER = 60, 0  # WEATHER is the seed of the seasons
FARM = bestdo.compose(Path(__file__).parent / "farm.toml")


def season(action: bestdo.Intervention, number: int) -> dict[str, str]:
    """The values that the farmer sees in a season with this action, drawn from the true tables."""
    chances = FARM.model.distribution(FARM.problem.graph.names, action)
    drawn = np.random.default_rng([WEATHER, number]).choice(chances.size, p=chances.ravel())
    seen = np.unravel_index(drawn, chances.shape)
    return {v.name: v.values[i] for v, i in zip(FARM.problem.graph.variables, seen, strict=True)}


def play(url: str, rounds: int, pause: float) -> None:
    """Asks for a round, plays a season and tells what was seen, so many times; prints the first and the last few."""
    study = Study.open("farm", url)
    for _ in range(rounds):
        try:
            (asked,) = study.ask("the farmer")
        except Finished:
            return
        seen = season(asked.action, asked.number)
        study.tell(asked.number, seen, who="the farmer")
        if asked.number <= 4 or asked.number >= ROUNDS - 1:
            print(f"  round {asked.number:2}: {asked.action} ({asked.reason})")
            print(f"            she sees {', '.join(f'{n} {v}' for n, v in seen.items())}")
        elif asked.number == 5:
            print("  …", flush=True)
        time.sleep(pause)


def main() -> None:
    """Runs the study, kills it half-way, continues it, and prints its recommendation beside the truth."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("farm.db*"):
        old.unlink()
    url = f"sqlite:///{folder}/farm.db"
    study = Study.create(FARM, ROUNDS, name="farm", storage=url)
    print(f"A study of {ROUNDS} seasons begins. The learner is {study.status()['learner']}: {study.why_learner}.\n")
    process = multiprocessing.get_context("fork").Process(target=play, args=(url, ROUNDS, 0.02))
    process.start()
    while Study.open("farm", url).status()["told"] < ROUNDS // 2:
        time.sleep(0.05)
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    told = Study.open("farm", url).status()["told"]
    print(f"\nIn season {told + 1} the laptop dies (kill -9). All {told} seasons that were told are in the file;")
    print("on another morning she opens it again and goes on:\n")
    play(url, ROUNDS, 0.0)
    study = Study.open("farm", url)
    print(f"\nAfter {study.status()['told']} seasons the farmer asks what to keep:\n")
    bestdo.show(study)
    means = dict(zip(map(str, study.problem.actions), FARM.model.means(FARM.problem.actions), strict=True))
    best, kept = max(means, key=lambda a: means[a]), str(study.best().action)
    print(f"\nThe truth, which only the simulation knows: {best} is best ({means[best]:.2f}); she keeps {kept}.")


if __name__ == "__main__":
    main()
