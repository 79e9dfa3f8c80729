"""The style of pictures, and the colour and marker of each learner, the same in all pictures."""

from __future__ import annotations

from bestdo.learners import LEARNERS

__all__ = ["GREY", "MORE_COLOURS", "STYLE", "looks_of"]

_LOOKS = {entry.title: entry.look for entry in LEARNERS.values() if entry.look}
"""The colour and marker of each learner of the registry that has them, by its title."""
MORE_COLOURS = ("#000000", "#56B4E9", "#E69F00", "#CC79A7", "#009E73", "#0072B2", "#D55E00", "#7F7F7F")
"""The colours for learners that are not in the registry, and for lines of actions: those of Okabe & Ito, and grey."""
_MORE_MARKERS = ("<", "H", "8", "*", "d", ">", "h", "p", "X", "P")
GREY = "#555555"
"""The colour of captions, axes and their numbers."""
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": "#222222",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.8,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "svg.hashsalt": "bestdo",
}


def looks_of(learners: list[str]) -> dict[str, tuple[str, str]]:
    """The colour and marker of each learner: its own, or a pair that no other has, with a free colour as long as possible."""
    taken = {_LOOKS[name][0] for name in learners if name in _LOOKS}
    colours = sorted(MORE_COLOURS, key=taken.__contains__)
    markers = zip(*(_MORE_MARKERS[i:] + _MORE_MARKERS[:i] for i in range(len(colours))), strict=True)
    free = [look for row in markers for look in zip(colours, row, strict=True) if look not in _LOOKS.values()]
    others = [name for name in learners if name not in _LOOKS]
    return {name: _LOOKS[name] if name in _LOOKS else free[others.index(name) % len(free)] for name in learners}
