"""Which tests are the slow half: `make check` leaves them out, `make test` runs them."""

from pathlib import Path

import pytest

SLOW = (
    "cli/",
    "contracts/test_learners.py",
    "evidence/test_answers.py",
    "experiments/test_figures.py",
    "experiments/test_version_0_1_tables.py",
    "files/test_bif.py",
    "files/test_resources.py",
    "journeys/",
    "learners/test_causal_top_two.py",
    "learners/test_until_sure.py",
    "learners/test_watch_then_act.py",
    "paper/",
    "report/test_figure.py",
    "study/test_disk.py",
    "study/test_estimate_history.py",
    "study/test_fair.py",
    "study/test_kills.py",
    "study/test_machine.py",
    "study/test_nobody_waits.py",
    "study/test_regret.py",
    "study/test_script.py",
    "study/test_torn.py",
    "study/test_version_0_1.py",
    "test_docs.py",
    "usecases/test_same_everywhere.py",
    "web/",
)
"""Files and folders with most of the time of the suite: they start processes, servers, browsers, or simulate much."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the slow ones."""
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).as_posix().startswith(SLOW):
            item.add_marker(pytest.mark.slow)
