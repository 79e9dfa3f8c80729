"""Traces of learners: every plan and the last estimates in small worlds, with three lanes and a fixed generator."""

import numpy as np

import bestdo
from bestdo.errors import BestdoError
from bestdo.learners import LEARNERS
from bestdo.learners.game import game_of
from bestdo.research.suite.suite_worlds import WORLDS
from bestdo.simulate.driver import play_out

LANES = 3
WORLD_NAMES = {"parallel-8": 40, "front-door": 30, "moulding": 40, "orders": 24, "psa": 24, "ccb-two-layers": 40}
"""Worlds of the suite, and the horizon: success, hidden causes, worth and costs, contexts and limits, numbers and limits."""
IN_FLIGHT = {"front-door": 4}
"""Worlds in which so many rounds are out at once as well."""


def trace(name):
    """What a learner plays and ends with in every world, or its refusal."""
    texts = {world: _trace(name, world, 1) for world in WORLD_NAMES}
    return texts | {f"{world}, {out} in flight": _trace(name, world, out) for world, out in IN_FLIGHT.items()}


def _trace(name, world_name, in_flight):
    """The lines of a trace: a line for each plan, then the action kept and the estimates."""
    world, lines = WORLDS[world_name].world, []

    def played(plan, context):
        lanes = [" ".join(f"{a}:{counts[a]}" for a in np.flatnonzero(counts)) for counts in plan.counts]
        seen = "" if context is None else f" in {context.tolist()}"
        lines.append(" | ".join(lanes) + seen)

    try:
        game = game_of(bestdo.learner(name), world.problem)
        state = play_out(world, game, WORLD_NAMES[world_name], LANES, np.random.default_rng(7), in_flight, played)
    except BestdoError as error:
        return f"{type(error).__name__}: {error}"
    return "\n".join([*lines, *_ended(game, state)])


def _ended(game, state):
    """The action kept and the estimates, a line for each part; with contexts, the rule as well."""
    kept = {"kept": game.best(state), **({"rule": game.recommended(state)[0]} if game.problem.first else {})}
    found = game.estimates(state)
    parts = {
        part: getattr(found, part) for part in ("mean", "low", "high", "p_best", "played", "seen", "dropped", "keeps")
    }
    if not found.limits:
        del parts["keeps"]
    return [f"{part} {_numbers(value)}" for part, value in (kept | parts).items() if value is not None]


def _numbers(value):
    """Numbers by their `repr`."""
    return repr(np.asarray(value).tolist())


TRACED = tuple(LEARNERS)
