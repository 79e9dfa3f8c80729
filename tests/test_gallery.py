"""The gallery: every example runs and ends as its page says, and its picture is what the command draws."""

import importlib
import sys

import pytest

from bestdo import read
from support import ROOT

EXAMPLES = ROOT / "examples"
SHORTER = {
    "webshop": {"ROUNDS": 20},
    "orders": {"DAYS": 2, "EACH": 2},
    "moulding": {"BUDGET": 30},
    "school": {"ROUNDS": 12, "AT_ONCE": 6},
    "service": {"ROUNDS": 12},
    "psa": {"ROUNDS": 12},
    "paper": {"SIMULATIONS": 20, "MOST": 20},
    "shade": {"ROUNDS": 10},
    "harvest": {},
    "ads": {},
}
"""What is set in the tests, so that they are quick; the campaign runs the examples as they are."""
PAGES = {"orders": "webshop"}
"""Pages that are not named as their example."""


def run(name, folder, monkeypatch, capsys, **instead):
    """What an example prints."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    for module in (name, "simulated"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    example = importlib.import_module(name)
    for constant, value in instead.items():
        monkeypatch.setattr(example, constant, value)
    example.main(str(folder))
    return capsys.readouterr().out


@pytest.mark.parametrize("name", SHORTER)
def test_every_example_runs(name, tmp_path, monkeypatch, capsys):
    assert run(name, tmp_path, monkeypatch, capsys, **SHORTER[name])


@pytest.mark.campaign
@pytest.mark.parametrize("name", SHORTER)
def test_every_example_prints_what_its_page_shows(name, tmp_path, monkeypatch, capsys):
    printed = run(name, tmp_path, monkeypatch, capsys)
    assert printed.strip() in (ROOT / "docs" / "gallery" / f"{PAGES.get(name, name)}.md").read_text()


@pytest.mark.parametrize("name", SHORTER)
def test_the_picture_of_an_example_is_what_the_command_draws(name):
    from bestdo.report.drawing import draw

    example = read(EXAMPLES / f"{name}.toml")
    settable = set().union(*example.problem.actions)
    assert (
        draw(example.graph, settable, doubts=example.graphs.arrows)
        == (ROOT / "docs" / "images" / f"{name}.svg").read_text()
    )
