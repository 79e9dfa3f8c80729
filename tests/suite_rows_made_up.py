"""Rows of results of the suite that were made up, for tests of what is worked out from them."""

from bestdo.research.suite.archive import Archive
from bestdo.research.suite.suite_rows import Cost, SuiteRow

__all__ = ["archive_of", "row"]


def row(world, learner, regret, error=0.01, **more):
    """A row; a regret of None is a refusal."""
    goal = more.get("goal", "find")
    values = {
        "version": 1,
        "kind": "parallel",
        "goal": goal,
        "title": learner.capitalize(),
        "horizon": 100.0,
        "measure": "regret" if goal == "find" else "summed regret",
        "standard_error": None if regret is None else error,
        "best_chance": None,
        "simulations": 400,
        "refused": "" if regret is not None else "it needs x_1 & 50 % {more}",
    }
    return SuiteRow(world=world, learner=learner, regret=regret, **(values | more))


def archive_of(rows):
    """An archive of these rows, with a cost for each."""
    costs = [Cost(r.world, r.version, r.learner, r.horizon, r.simulations, 1e-3) for r in rows if r.regret is not None]
    return Archive(list(rows), {"commit": "made-up", "seed": 0}, costs)
