"""The net: digests of what the library answers today, so that any change of it shows at once.

It is for the duration of the refactoring "one question, one game, one answer", and is deleted with its end. Whatever is
moved or renamed, tables of results, REST answers, pages, printed texts, replayed logs and traces of learners stay as they
are, byte for byte; times, tokens and folders are replaced by words. `digests.json` holds a digest of each text, the text
itself where it is short, and a mark of each line where it is long, so that a failure says what is new.

    pytest -m campaign tests/net -k "not whole_suite" -n 2    compares, 90 s of one core
    BESTDO_NET=write pytest -m campaign tests/net …           keeps what is answered now; say in the commit why it may differ
    BESTDO_NET_TEXTS=/tmp/now pytest -m campaign tests/net …  also writes all texts whole, for `diff -r` between two commits
    pytest -m campaign tests/net -k whole_suite -n 2          `suite run all --quick`, 16 minutes of one core

It is no part of `make test`: digests hold numbers to the last bit, which another processor or another version of NumPy may
round differently.

Calls of functions that the refactoring may rename are in the modules beside this one.
"""

import inspect
from functools import partial

import pytest

from net import answers, example_studies, kept, old_versions, simulated_tables, traces, verbs

pytestmark = pytest.mark.campaign


def cases():
    """Functions that return the texts of a case, by the names of the cases; some want a folder."""
    found = {f"figure {name}": partial(simulated_tables.figure_table, name) for name in simulated_tables.FIGURE_NAMES}
    found |= {f"suite {name}": partial(simulated_tables.suite_table, name) for name in simulated_tables.SUITE_WORLDS}
    found |= {f"study {name}": partial(answers.study_answers, name) for name in example_studies.STUDIES}
    found |= {f"export {stem}": partial(old_versions.export_read, stem) for stem in old_versions.EXPORTS}
    for file, names in (("studies", old_versions.STUDIES_THEN), ("learners", old_versions.LEARNERS_THEN)):
        found |= {f"database {file}, {name}": partial(old_versions.database_read, file, name) for name in names}
    found |= {f"trace {name}": partial(traces.trace, name) for name in traces.TRACED}
    found |= {f"command {command}": partial(verbs.beside_studies, command) for command in verbs.COMMANDS}
    found |= {f"check {name}": partial(verbs.checked, name) for name in verbs.FILES}
    found |= {"first schema": old_versions.first_schema_read, "rest described": answers.described}
    return found | {"verbs over rest": verbs.over_rest, "verbs in the terminal": verbs.in_terminal}


CASES = cases()
WHOLE_SUITE = {f"quick suite {name}": name for name in simulated_tables.WHOLE_SUITE}


@pytest.mark.parametrize("case", CASES)
def test_answers_are_as_before(case, tmp_path):
    texts = CASES[case]
    kept.check(case, texts(folder=tmp_path) if "folder" in inspect.signature(texts).parameters else texts())


@pytest.mark.parametrize("case", WHOLE_SUITE)
def test_the_whole_suite_is_as_before(case):
    if case not in kept.kept_digests() and not kept.WRITES:
        pytest.skip("no digest was written yet")
    kept.check(case, simulated_tables.quick_table(WHOLE_SUITE[case]))


def test_no_case_is_kept_that_is_none():
    if kept.WRITES:
        kept.forget({*CASES, *WHOLE_SUITE})
    assert set(kept.digests()) <= {*CASES, *WHOLE_SUITE}
