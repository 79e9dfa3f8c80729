"""Work that takes long says so on standard error; short work says nothing."""

import sys
import time

from bestdo.cli import _OWN_WORDS, _words, bestdo
from bestdo.usecases.progress_bar import progress_bar
from bestdo.usecases.still_working import _seconds, still_working


def test_it_says_that_it_goes_on_and_stops_at_the_end(capsys):
    with still_working(lambda seconds: f"still here, {seconds >= 0}", first=0.01):
        deadline = time.monotonic() + 30
        while not (said := capsys.readouterr().err) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert said.startswith("still here, True\n")
    capsys.readouterr()
    time.sleep(0.05)
    assert not capsys.readouterr().err


def test_a_bar_without_a_terminal_writes_lines(capsys, monkeypatch):
    monkeypatch.setattr("bestdo.usecases.still_working.still_working.__wrapped__.__defaults__", (0.01,))
    with progress_bar("rehearse") as update:
        update(3, 8)
        deadline = time.monotonic() + 30
        while not (said := capsys.readouterr().err) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert said.startswith("rehearse: still working after 0 s, 3 of 8 done, about 0 s left\n")


def test_every_command_says_so_or_has_words_of_its_own(monkeypatch):
    assert set(_OWN_WORDS) <= set(bestdo.commands)
    for name, silent in (("check", False), ("serve", True), ("nonsense", True)):
        monkeypatch.setattr(sys, "argv", ["bestdo", name])
        assert (type(_words()).__name__ == "nullcontext") == silent


def test_a_first_word_that_is_no_number_is_the_usual_one():
    assert [_seconds(text) for text in ("0", "2.5", "", "soon", "-1", "nan", "inf")] == [
        0,
        2.5,
        4,
        4,
        4,
        4,
        4,
    ]
