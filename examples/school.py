"""A school: five teachers at once, results that come weeks later and in any order, and a pupil who moves away.

    python examples/school.py [FOLDER]

Pupils are drawn from the tables of school.toml, which are made up. FOLDER (out/ when not given) gets the study, school.db.
"""

import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
from simulated import Row, draw, fresh, show

import bestdo
from bestdo.study import Finished, Waiting

SCHOOL = Path(__file__).with_suffix(".toml")
PUPILS = 0  # the seed of the pupils
ROUNDS, AT_ONCE = 120, 12
TEACHERS = ("Ada", "Ben", "Chloe", "David")
POINTS = {"before": (0.0, 100.0), "practice": (0.0, 240.0)}


def main(folder: str = "out") -> None:
    """Teachers ask whenever they like, three pupils each; tests are told in any order."""
    school, rng = bestdo.compose(SCHOOL), np.random.default_rng(PUPILS)
    study = bestdo.Study.create(SCHOOL, rounds=ROUNDS, at_once=AT_ONCE, lease=30, storage=fresh(folder, "school"))
    (emma,) = study.ask("Emma")  # she falls ill after the lesson, and tells nobody
    (moved,) = study.ask("Ben")
    study.withdraw(moved.number, "the pupil moved away", lost=False, who="Ben")  # never played: the round is free again
    tests: dict[int, tuple[str, Row]] = {}
    most = 0
    while study.status()["told"] < ROUNDS - 1:
        teacher = str(rng.choice(TEACHERS))
        with suppress(Finished, Waiting):  # no round is left, or twelve are out already
            for asked in study.ask(teacher, 3):  # those that the teacher has already come first
                if asked.number not in tests:
                    tests[asked.number] = teacher, draw(school.model, asked.action, rng, ends=POINTS)[0]
        most = max(most, len(study.status()["open"]))
        number = int(rng.choice(list(tests)))  # the next test is marked, in any order
        who, seen = tests.pop(number)
        study.tell(number, seen, who=who)
    study.tell(emma.number, draw(school.model, emma.action, rng, ends=POINTS)[0], who="Emma")  # she is back
    status = study.status()
    print(f"{status['told']} of {ROUNDS} rounds told, at most {most} out at once; Emma's, the first, came last")
    show(study, school.model)


if __name__ == "__main__":
    main(*sys.argv[1:])
