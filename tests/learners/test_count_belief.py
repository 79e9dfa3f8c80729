"""The belief from counts is one object for all threads of the page: what one asks must not answer another."""

import sys
import threading

import numpy as np

from bestdo.bandit.tally import Tally
from bestdo.learners.beliefs import count_belief
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.simulate import parallel
from bestdo.statistics.seen import Seen


def sums(problem, unseen):
    """A hundred rounds of do() in which so many actions were never seen."""
    n = np.full((1, len(problem.actions)), 50.0)
    n[0, -1], n[0, :unseen] = 100, 0
    return Tally.from_counts(n, n / 2), np.zeros_like(n)


def in_a_thread(run):
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def test_another_thread_may_ask_between_any_two_lines():
    problem = parallel([0.5] * 50).problem
    belief = CountBelief(problem, Seen(problem), 404)
    mine, other = sums(problem, 50), sums(problem, 2)
    alone = [CountBelief(problem, Seen(problem), 404)._strength(*s).item() for s in (mine, other)]
    assert alone[0] != alone[1]
    found, answers = [], []

    def asked_at(line):
        """What this thread is told when another one asks just before the line of this number."""
        passed = 0

        def between(frame, event, argument):
            nonlocal passed
            if frame.f_code.co_filename != count_belief.__file__:
                return None
            if event == "line":
                passed += 1
                if passed == line:
                    in_a_thread(lambda: answers.append(belief._strength(*other).item()))
            return between

        belief._strength(*mine)  # there is something to remember
        sys.settrace(between)
        strength = belief._strength(*mine).item()
        sys.settrace(None)
        found.append(strength)
        return passed >= line

    def all_lines():
        line = 1
        while asked_at(line):
            line += 1

    in_a_thread(all_lines)
    assert len(answers) >= 5
    assert set(answers) == {alone[1]}
    assert set(found) == {alone[0]}


def test_hard_actions_are_counted_once_for_the_same_sums(monkeypatch):
    calls = []

    def counted(p):
        calls.append(p)
        return np.full(len(p), 7)

    monkeypatch.setattr("bestdo.design.difficulty.difficulty", counted)
    problem = parallel([0.5] * 50).problem
    belief = CountBelief(problem, Seen(problem), 404)
    mine, other = sums(problem, 50), sums(problem, 2)
    for _ in range(3):
        belief.mean(*mine)
    assert len(calls) == 1
    belief.mean(*other)
    assert len(calls) == 2
