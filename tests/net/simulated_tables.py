"""Result tables at small sizes: the figures, and learners in worlds of the suite."""

from dataclasses import replace
from unittest import mock

from bestdo.experiments import FIGURES, LARGE, experiment
from bestdo.experiments.engine.runner import rows
from bestdo.learners import LEARNERS, learner, title
from bestdo.research.suite import efforts
from bestdo.research.suite.suite_rows import SuiteRow, table_bytes
from bestdo.research.suite.suite_run import Player, play_suite
from bestdo.research.suite.suite_worlds import WORLDS

SIMS, SEED = 5, 0
"""Simulations of each learner and setting, and the seed of all."""
FIGURE_NAMES = tuple(FIGURES | LARGE)
FIRST_PANEL_ALONE = ("pomis",)  # its last panel takes 7 s with 10,000 rounds
SUITE_WORLDS = (
    "parallel-8", "confounded", "chain", "tree-7", "common-cause-7", "bow", "front-door", "napkin", "hidden-cause-6",
    "pomis-iv", "asia-1", "sachs-1", "child-1", "ccb-two-layers", "modl-1", "modl-settings", "psa", "psa-no-limit",
    "numbers-parallel", "numbers-hidden", "visits", "orders", "sachs-contexts", "alarm-contexts-earn", "casino-greedy",
    "costs-seldom-seen", "costs-never-seen", "moulding", "child-1-late", "doubt-1", "doubt-3", "unknown-causes-single",
    "unknown-tree", "nhefs", "lalonde",
)  # fmt: skip
"""Worlds of every kind that take less than 2 s with all learners. The others wait for the campaign: `open-bandit`,
`hac-benign`, `hac-contradicting`, `paper-parallel-late`, `covering-layers` and the like take 2 to 8 s each."""

WHOLE_SUITE = tuple(name for name, world in WORLDS.items() if world.available)
"""All worlds, for the campaign. The first 26, up to `insurance-1`, have digests; the others are skipped."""


def figure_table(name):
    """The rows of a figure in few settings and with few simulations: by panel and learner, all but the processor time."""
    whole = experiment(name)
    small = replace(whole, settings=tuple(whole.settings[i] for i in _chosen(name, whole)))
    panels = {}
    for row in rows(small, SIMS, SEED):
        kept = {column: value for column, value in row.items() if "cpu" not in column}
        panels.setdefault(row["panel"] or "rows", []).append(repr(kept))
    return {panel: "\n".join(lines) for panel, lines in panels.items()}


def _chosen(name, whole):
    """Places of the settings: of the first and the last panel the shortest horizon, for every learner that plays there."""
    panels = [setting.panel for setting in whole.settings]
    ends = [panels[0]] if name in FIRST_PANEL_ALONE else [panels[0], panels[-1]]
    found = set()
    for panel in ends:
        for label in whole.learners:
            there = [
                (setting.horizon, place)
                for place, setting in enumerate(whole.settings)
                if setting.panel == panel and label not in setting.left_out
            ]
            found |= {min(there)[1]} if there else set()
    return sorted(found)


def suite_table(name):
    """The rows of all learners in a world of the suite, at its first horizon and with few simulations."""
    world = replace(WORLDS[name], horizons=WORLDS[name].horizons[:1])
    with mock.patch.dict(efforts.EFFORTS, {"quick": efforts.Effort(1.0, SIMS, SIMS)}):
        found = play_suite([world], _players(), "quick", SEED)
    return {"rows": table_bytes(SuiteRow._fields, found.rows).decode()}


def quick_table(name):
    """The rows of a world in the table of `bestdo suite run all --quick`."""
    return {"rows": table_bytes(SuiteRow._fields, play_suite([WORLDS[name]], _players(), "quick", SEED).rows).decode()}


def _players():
    """All learners of the registry."""
    return [Player(name, title(name), learner(name)) for name in LEARNERS]
