"""Processes that ask and tell, made to be killed. Each writes into a file of its own what it was about to do and what it
was promised: a round is acknowledged when `tell` has returned and its line stands there."""

import multiprocessing
import os
import random
import signal
import time
from collections import Counter, defaultdict

import sqlalchemy as sa

from bestdo.errors import BestdoError, Finished, Waiting
from bestdo.study import Study
from bestdo.study.schema import events, rounds, studies
from bestdo.study.storage import Storage

PROCESSES = multiprocessing.get_context("forkserver")  # a fork of a small process: 20 ms instead of 500
PROCESSES.set_forkserver_preload(
    ["workers", "pytest", "bestdo.learners.causal_top_two", "numpy.random"]
    + [f"sqlalchemy.dialects.{dialect}" for dialect in ("sqlite", "postgresql.psycopg")]
)


def started(target, *arguments):
    """A process of its own that does this."""
    process = PROCESSES.Process(target=target, args=arguments, daemon=True)
    process.start()
    return process


def stop_in_the_middle(url, path):
    """Stands still while it holds the lock."""
    with Storage(url).writing():
        path.write_text("stopped")
        os.kill(os.getpid(), signal.SIGSTOP)


def work(url, study, worker, path, seconds=1e9, together=None):
    """Asks and tells until the study has finished or the time is over; `together` is a barrier to start at."""
    lines = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def write(*words):
        os.write(lines, (" ".join(map(str, words)) + "\n").encode())

    until, before = time.monotonic() + seconds, held_up()
    try:
        write("open")
        opened = Study.open(study, url)
        if together is not None:
            together.wait()
            until, before = time.monotonic() + seconds, held_up()
        while time.monotonic() < until:
            write("ask")
            start = time.monotonic()
            try:
                (asked,) = opened.ask(worker)
            except Waiting:
                write("waited", time.monotonic() - start)
                time.sleep(0.01)
                continue
            except Finished:
                write("finished")
                break
            reward = random.choice(["bad", "good"])
            write("asked", time.monotonic() - start, asked.number)
            write("tell")
            start = time.monotonic()
            opened.tell(asked.number, {"yield": reward})
            write("told", time.monotonic() - start, asked.number, reward)
        write("held-up", held_up() - before)
    except BestdoError as error:
        write("error", repr(error))
        raise


def held_up():
    """Seconds in which this process could have gone on and no processor was free for it; 0 where that is not known."""
    try:
        with open("/proc/self/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def die_at_every_statement(url, study, verb, arguments, more, path):
    """Does one thing to a study and dies by kill -9 just before its first statement to the database, its second and so on
    (a commit is one), until it comes through; every death must have changed nothing. Writes how many there were."""
    before, deaths = snapshot(url, study), 0
    while True:
        child = os.fork()
        if not child:
            _die_at(deaths + 1, url, study, verb, arguments, more)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            assert status == 0
            break
        deaths += 1
        assert snapshot(url, study) == before, f"{verb}, killed before statement {deaths}, left something behind"
    assert snapshot(url, study) != before
    path.write_text(str(deaths))


def _die_at(statement, url, study, verb, arguments, more):
    opened, left = Study.open(study, url), [statement]

    def count(*_):
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    sa.event.listen(opened.storage.engine, "before_cursor_execute", count)
    sa.event.listen(opened.storage.engine, "commit", count)
    getattr(opened, verb)(*arguments, **more)


def snapshot(url, study):
    """Everything that is kept of a study, its checkpoint included; nothing stays open."""
    storage = Storage(url)
    with storage.reading() as connection:
        (made,) = connection.execute(sa.select(studies).where(studies.c.name == study)).all()
        kept = [connection.execute(sa.select(t).where(t.c.study == made.id)).all() for t in (events, rounds)]
    storage.engine.dispose()
    return made, *map(sorted, kept)


def lines_of(paths):
    """What each worker wrote, as words."""
    return {path.name: [line.split() for line in path.read_text().splitlines()] for path in paths}


def audit(study, found):
    """Fails unless every promise was kept: `found` is what the workers wrote, by worker (`name.life`)."""
    asked, told = defaultdict(set), defaultdict(list)
    for worker, lines in found.items():
        for words in lines:
            assert words[0] != "error", words
            if words[0] == "asked":
                asked[int(words[2])].add(worker.partition(".")[0])
            if words[0] == "told":
                told[int(words[2])].append(words[3])
    assert all(len(workers) == 1 for workers in asked.values()), "a round was handed to two workers"
    assert all(len(values) == 1 for values in told.values()), "a round was acknowledged twice"
    rounds = {r["number"]: r for r in study.rounds()}
    for number, (reward,) in told.items():
        assert rounds[number]["status"] == "told", f"round {number} was acknowledged and is lost"
        assert rounds[number]["values"]["yield"] == reward, f"round {number} holds other values"
    assert list(rounds) == list(range(1, len(rounds) + 1))
    status = Counter(r["status"] for r in rounds.values())
    assert set(status) <= {"told", "expired"}, f"stuck: {status}"
    log = study.history()
    assert [e["number"] for e in log] == list(range(1, len(log) + 1))
    kinds = Counter((e["kind"], e.get("round")) for e in log)
    for number, each in rounds.items():
        assert kinds["asked", number] == 1
        assert kinds["told", number] == (each["status"] == "told"), "a round is doubled in the log"
    assert study.status()["used"] == status["told"]
    assert study.status()["finished"]
    assert study.estimates().played.sum() == status["told"]
    return len(told), status


def has_told(path):
    """Whether a worker has told a round in this life."""
    return path.exists() and "told" in path.read_text()


def last_words(path):
    """What a worker was doing when it died."""
    lines = path.read_text().splitlines() if path.exists() else []
    doing = {"open": "opening", "ask": "in ask", "tell": "in tell", "waited": "waiting"}
    return doing.get(lines[-1].split()[0], "between the two") if lines else "opening"
