"""Pictures of graphs whose variables a person has placed: as placed, nothing overlaps, or it is said why not."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from bestdo.causal.action import Intervention
from bestdo.causal.graph import Graph, Variable
from bestdo.report.drawing import arrange, draw
from bestdo.report.drawing.layout import Layout


def laid_out(graph: Graph, positions: dict[str, tuple[float, float]]) -> Layout:
    return arrange(graph, set(), Intervention({}), 960.0, None, positions).layout


def overlaps(layout: Layout) -> list[tuple[int, int]]:
    pairs = itertools.combinations(enumerate(layout.boxes), 2)
    return [
        (i, j)
        for (i, a), (j, b) in pairs
        if abs(a.x - b.x) < (a.width + b.width) / 2 and abs(a.y - b.y) < (a.height + b.height) / 2
    ]


@pytest.mark.parametrize("seed", range(40))
def test_boxes_stand_as_placed_and_never_overlap(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(1, 14)
    names = [f"v{i}" * rng.randint(1, 6) + str(i) for i in range(count)]
    pairs = list(itertools.combinations(names, 2))
    chosen = rng.sample(pairs, rng.randint(0, len(pairs)) // 2)
    graph = Graph.of([Variable(n) for n in names], chosen, rng.sample(pairs, min(2, len(pairs))))
    unit = 10 ** rng.uniform(-3, 3)
    at = {n: (rng.uniform(-1, 1) * unit, rng.uniform(-1, 1) * unit) for n in names}
    layout = laid_out(graph, at)
    assert not overlaps(layout)
    if not layout.by_hand:  # two happened to be so close that the picture would be too large
        assert "at the same place, or too close" in layout.note
        return
    places = dict(zip(names, layout.boxes, strict=True))
    for a, b in pairs:
        for axis in (0, 1):
            given, drawn = at[a][axis] - at[b][axis], places[a][axis] - places[b][axis]
            assert given * drawn >= 0
    for box in layout.boxes:
        assert box.x - box.width / 2 >= -0.1
        assert box.x + box.width / 2 <= layout.width + 0.1
        assert box.top >= -0.1
        assert box.bottom <= layout.height + 0.1
    for route in layout.routes:
        for end in (route[0], route[-1]):  # on the border of a box
            far = [max(abs(end.x - b.x) - b.width / 2, abs(end.y - b.y) - b.height / 2) for b in layout.boxes]
            assert min(map(abs, far)) < 0.01


def test_most_random_placements_are_used() -> None:
    rng = random.Random(5)
    graph = Graph.parse("a -> b -> c -> d; a <-> d; b -> d; e -> d; f -> d; g -> a")
    drawn = [laid_out(graph, {n: (rng.random(), rng.random()) for n in "abcdefg"}).by_hand for _ in range(50)]
    assert sum(drawn) > 25


def test_an_arrow_bends_around_a_box_in_its_way() -> None:
    graph = Graph.parse("a -> c; b")
    layout = laid_out(graph, {"a": (0, 0), "b": (1, 0), "c": (2, 0)})
    (route,) = layout.routes
    box = layout.boxes[graph.names.index("b")]
    assert max(abs(p.y - box.y) for p in route[1:3]) * 0.75 > box.height / 2
    straight = laid_out(graph, {"a": (0, 0), "b": (1, 5), "c": (2, 0)}).routes[0]
    assert len({round(p.y, 3) for p in straight}) == 1


GRAPH = Graph.parse("a -> b -> c", reward="c")


@pytest.mark.parametrize(
    ("positions", "why"),
    [
        ({"a": (0, 0), "b": (0, 0), "c": (1, 1)}, "'a' and 'b' are at the same place, or too close"),
        ({"a": (0, 0), "b": (1e-9, 0), "c": (1, 1)}, "'a' and 'b' are at the same place, or too close"),
        ({"a": (0, 0), "b": (0, 1)}, "'c' without a position"),
        ({"b": (0, 1)}, "'a' and 1 more without a position"),
    ],
)
def test_what_cannot_be_used_is_said_in_the_picture(positions: dict[str, tuple[float, float]], why: str) -> None:
    picture = draw(GRAPH, positions=positions)
    assert f"Positions are not used: {why}." in "".join(ET.fromstring(picture).itertext())
    assert not overlaps(laid_out(GRAPH, positions))
    assert laid_out(GRAPH, positions).boxes == laid_out(GRAPH, {}).boxes
    assert "ositions" not in draw(GRAPH)


def test_the_command_draws_what_a_file_places_and_says_what_it_does_not(tmp_path: object) -> None:
    for second, note in (
        ("5,5", ""),
        ("0,0", "positions are not used: 'a' and 'b' are at the same place, or too close\n"),
    ):
        text = f'dag {{ a [pos="0,0"] b [pos="{second}"] a -> b }}'
        with open(f"{tmp_path}/g.txt", "w") as stream:
            stream.write(text)
        command = [sys.executable, "-m", "bestdo", "draw", f"{tmp_path}/g.txt"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stderr == note
        assert ("placed by hand" in done.stdout) == (not note)
