"""The example farm, simulated, for tests of studies: what a season shows, and a study that plays it."""

import itertools
import json
import os

import numpy as np

import bestdo
from bestdo.bandit.rounds import Plan
from bestdo.errors import Finished
from bestdo.study import Study
from support import ROOT

FARM = bestdo.read(ROOT / "examples" / "farm.toml")
WORLD = bestdo.World(FARM.problem, FARM.model)
NAMES = itertools.count()


def created(url, learner="algorithm-1", horizon=20, **more):
    return Study.create(
        FARM.problem, horizon, learner=learner, name=f"study {os.getpid()} {next(NAMES)}", storage=url, **more
    )


def happened(action, rng):
    """What a season shows when this action is played."""
    counts = np.zeros((1, len(FARM.problem.actions)), int)
    counts[0, FARM.problem.actions.index(action)] = 1
    row = WORLD.rounds(Plan(counts), rng).x[0]
    return {n: FARM.graph.variable(n).values[v] for n, v in zip(FARM.graph.names, row, strict=True)}


def played(study, rng, most=10**9, worker="me"):
    """Asks and tells until it has finished; gives the actions."""
    actions = []
    while len(actions) < most:
        try:
            (asked,) = study.ask(worker)
        except Finished:
            break
        study.tell(asked.number, happened(asked.action, rng))
        actions.append(asked.action)
    return actions


def everything(study):
    found = study.estimates()  # as text: NaN equals NaN
    return json.dumps([part.tolist() for part in (*found[:5], found.p_best)]), str(study.best())
