"""The progress bar: in a terminal and in a notebook, and nothing elsewhere."""

import io
import sys
from types import SimpleNamespace

import pytest

from bestdo.usecases import progress_bar as module
from bestdo.usecases.progress_bar import progress_bar


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def notebook(monkeypatch):
    """What a notebook would show, in order."""
    pages = []
    handle = SimpleNamespace(update=pages.append)
    shown = SimpleNamespace(HTML=str, display=lambda page, display_id: pages.append(page) or handle)
    monkeypatch.setattr(module, "_notebook", lambda: shown)
    return pages


def run(progress=True, steps=3):
    with progress_bar("compare", progress) as update:
        for done in range(steps + 1):
            update(done, steps)


def test_nothing_is_shown_where_there_is_neither_a_terminal_nor_a_notebook(capsys):
    run()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_a_bar_on_standard_error(monkeypatch, capsys):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    run()
    assert screen.getvalue() == ""  # done soon
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    run()
    assert "compare" in screen.getvalue()
    assert capsys.readouterr().out == ""


def test_a_notebook_shows_a_bar_that_vanishes(notebook, monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    run()
    assert '<progress value="0" max="3"' in notebook[0]
    assert "3 of 3" in notebook[-2]
    assert notebook[-1] == ""


def test_what_is_done_soon_leaves_nothing_in_a_notebook(notebook):
    run()
    assert notebook == []


def test_a_bar_can_be_switched_off_or_be_a_function_of_ones_own(notebook, monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    run(progress=False)
    assert notebook == []
    told = []
    run(progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_kernel_is_a_notebook_and_an_ordinary_shell_is_not(monkeypatch):
    for shell, expected in ((None, False), (SimpleNamespace(), False), (SimpleNamespace(kernel=object()), True)):
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda shell=shell: shell))
        monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace())
        sys.modules["IPython"].display = sys.modules["IPython.display"]
        assert (module._notebook() is not None) == expected
