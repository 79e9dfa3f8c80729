"""Which tests are the slow half: `make check` leaves them out, `make test` runs them. Where their files are."""

import gc
import os
import signal
from pathlib import Path

import pytest

import fork_server
from memory_files import MEMORY, has_memory_for_files

os.environ["BESTDO_FIRST_WORD"] = "600"  # a busy machine adds no lines to what commands print

SLOW = (
    "cli/",
    "contracts/test_dominated.py",
    "contracts/test_learners.py",
    "contracts/test_retired.py",
    "contracts/test_sums.py",
    "evidence/test_answers.py",
    "evidence/test_table_tests.py",
    "experiments/test_figures.py",
    "experiments/test_runner.py",
    "experiments/test_version_0_1_tables.py",
    "files/test_bif.py",
    "files/test_resources.py",
    "files/test_round_trip.py",
    "journeys/",
    "learners/test_causal_top_two.py",
    "learners/test_contenders.py",
    "learners/test_exact_play.py",
    "learners/test_fixed_plan.py",
    "learners/test_hard_worlds.py",
    "learners/test_intervals.py",
    "learners/test_limited.py",
    "learners/test_limits_are_not_believed_early.py",
    "learners/test_numbers.py",
    "learners/test_reward_of_many_values.py",
    "learners/test_rule_game.py",
    "learners/test_tails_are_not_believed_early.py",
    "learners/test_until_sure.py",
    "learners/test_watch_then_act.py",
    "learners/test_worth.py",
    "matrix/",
    "paper/",
    "report/test_drawing.py",
    "report/test_figure.py",
    "report/test_recommendation.py",
    "research/learners/test_algorithm_2_phases.py",
    "research/learners/test_bbb_play.py",
    "simulate/test_in_flight.py",
    "simulate/test_prior.py",
    "study/test_alarm_repairs.py",
    "study/test_any_time.py",
    "study/test_connections.py",
    "study/test_disk.py",
    "study/test_estimate_history.py",
    "study/test_kills.py",
    "study/test_machine.py",
    "study/test_nobody_waits.py",
    "study/test_numbers.py",
    "study/test_old_data.py",
    "study/test_one_answer.py",
    "study/test_regret.py",
    "study/test_script.py",
    "study/test_sure_and_alarm.py",
    "study/test_version_0_1.py",
    "test_docs.py",
    "usecases/test_rehearse.py",
    "usecases/test_same_everywhere.py",
    "web/",
)
"""Files and folders with most of the time of the suite: they start processes, servers, browsers, or simulate much.

By measurement: each file that is not here takes seven seconds of processor or less.
"""


LONGEST = (
    "web/test_browser.py",
    "journeys/",
    "study/test_nobody_waits.py",
    "paper/test_authors_figures.py",
    "web/",
)
"""These begin first, the longest before the others: workers without tests take the tests at the end from busy ones."""


def pytest_configure(config: pytest.Config) -> None:
    """Puts the files of tests into memory, where a commit waits for no disk; those of the campaign stay on the disk.

    Commands of the campaign load all of bestdo by themselves.
    """
    if config.option.markexpr == "campaign":
        os.environ[fork_server.WHOLE] = "1"
    elif has_memory_for_files():
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the slow ones, and lets the longest begin first."""
    here = Path(__file__).parent
    order = {}
    for item in items:
        path = item.path.relative_to(here).as_posix()
        if path.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
        order[item] = next((place for place, name in enumerate(LONGEST) if path.startswith(name)), len(LONGEST))
    items.sort(key=order.__getitem__)


def pytest_collection() -> None:
    """Garbage is not looked for while tests are collected, of which none go away: that takes half a second in each worker."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What was loaded so far stays to the end: garbage is not looked for among it, which would take 0.2 s each time."""
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Libraries complain of what is left when the process ends."""
    gc.unfreeze()


@pytest.fixture
def interruptible():
    """Ctrl-C interrupts this process and those that the test starts.

    In the background of a script, as after `nohup make test &`, it would be ignored by all of them.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
