"""What is shown of a study is of one moment: read in one transaction, and worked out once for each state of the log."""

import contextlib

import pytest

import bestdo
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.successive_rejects import SuccessiveRejects
from bestdo.study import Study
from bestdo.study.storage import Storage
from bestdo.web import study_snapshot
from bestdo.web.study_snapshot import take_snapshot

SHOP = bestdo.Graph.parse("device -> sale; banner -> sale; banner -> refund", reward="sale", success="1")
LIMIT = bestdo.Limit("refund", "1", at_most=0.5)
DOUBTS = bestdo.Doubts.parse("device -> sale; banner -> sale; banner ?0.3-> refund", reward="sale", success="1")
PROBLEMS = {
    "plain": bestdo.Problem(SHOP, set=["banner"]),
    "rule": bestdo.Problem(SHOP, set=["banner"], first=["device"], limits=LIMIT),
    "earning": bestdo.Problem(SHOP, set=["banner"], first=["device"], goal="earn"),
    "doubts": bestdo.Problem(DOUBTS, set=["banner"], goal="earn"),
}


def played(problem, url, told=6, **more):
    """A study of which so many rounds were told."""
    study = Study.create(problem, 40, name="shop", storage=url, **more)
    for i in range(told):
        tell(study, i)
    return study


def tell(study, i):
    seen = {"device": str(i % 2)}
    (asked,) = study.ask("Ada", **({"context": seen} if study.problem.first else {}))
    study.tell(asked, {**seen, "banner": str(i // 2 % 2), **asked.action, "sale": i % 2, "refund": 0})


@pytest.fixture
def reads(monkeypatch):
    """The read transactions so far, one entry each."""
    found, original = [], Storage.reading

    @contextlib.contextmanager
    def counted(storage):
        found.append(storage)
        with original(storage) as connection:
            yield connection

    monkeypatch.setattr(Storage, "reading", counted)
    return found


def calls(monkeypatch, cls, name):
    """The states for which a method was called so far."""
    found, original, alone = [], getattr(cls, name), isinstance(vars(cls)[name], staticmethod)

    def counted(*of):
        found.append(of[-1])
        return original(of[-1]) if alone else original(*of)

    monkeypatch.setattr(cls, name, counted)
    return found


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("ask", ["best", "findings", "estimates", "status"])
def test_an_answer_is_read_in_one_transaction(url, reads, kind, ask):
    played(PROBLEMS[kind], url)
    study = Study.open("shop", url)
    reads.clear()
    getattr(study, ask)()
    assert len(reads) == 1


@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_page_is_read_in_three_transactions_at_most(client, url, reads, kind):
    """The versions of all studies, the study as it is opened, and what is shown; before, there were up to sixteen."""
    study = played(PROBLEMS[kind], url)
    study.ask("somebody", **({"context": {"device": "1"}} if study.problem.first else {}))
    reads.clear()
    page = client.get("/studies/shop?round=7&told=6").text
    assert "Round 6 is recorded" in page
    assert "Why:" in page
    assert len(reads) <= 3
    reads.clear()
    client.get("/studies/shop")
    assert len(reads) <= 1  # whether anything has happened


def test_what_happens_while_a_page_is_made_is_not_on_it(url, monkeypatch):
    study = played(PROBLEMS["earning"], url)
    original = study_snapshot.answer_of

    def meanwhile(one, moment):
        monkeypatch.setattr(study_snapshot, "answer_of", original)
        tell(study, 7)
        study.findings()
        return original(one, moment)

    monkeypatch.setattr(study_snapshot, "answer_of", meanwhile)
    before = study.history()[-1]["number"]
    found = take_snapshot(study)
    assert found.version == f"{study.journal.id}.{before}"
    assert found.status["told"] == found.status["earned"]["rounds"] == sum(line.played for line in found.lines) == 6
    assert max(row["number"] for row in found.rounds) == 6
    assert take_snapshot(study).status["earned"]["rounds"] == 7


def test_posterior_means_are_worked_out_once(url, monkeypatch):
    """In contexts, with limits: before, seven times for `best`, and again by each further question."""
    study = played(PROBLEMS["rule"], url)
    found = calls(monkeypatch, CausalTopTwo, "means")
    study.best()
    assert len(found) == 1
    study.best(), study.findings(), study.estimates(), study.rule()
    assert len(found) == 1
    tell(study, 7)
    found.clear()
    study.best()
    assert len(found) == 1


def test_estimates_are_worked_out_once_inside_a_block(url, monkeypatch):
    study = played("examples/farm.toml", url, 0, learner="successive-rejects")
    for asked in study.ask("Ada", 3):
        study.tell(asked, {"yield": "good"})
    found = calls(monkeypatch, SuccessiveRejects, "estimates")
    study.best(), study.estimates(), study.findings(), study.status()
    assert len(found) == 1
