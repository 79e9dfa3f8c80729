"""Rows follow the arrows, nothing overlaps, few arrows cross."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestdo.report.drawing.crossings import crossings, order_rows
from bestdo.report.drawing.layers import Arrow, assign_rows, layered_graph
from bestdo.report.drawing.layout import Layout, lay_out
from bestdo.report.drawing.lettering import elide, join_values, text_width
from bestdo.report.drawing.positions import place_apart
from bestdo.report.drawing.routes import Box, Point

SIZE = (80.0, 50.0)


def arrows(text: str) -> tuple[list[str], list[Arrow]]:
    """Boxes and arrows from `a>b c=d`, where = has two heads."""
    pairs = [(w[0], w[2], w[1] == "=") for w in text.split()]
    names = sorted({n for a, b, _ in pairs for n in (a, b)})
    return names, [Arrow(names.index(a), names.index(b), both) for a, b, both in pairs]


@st.composite
def mixed(draw: st.DrawFn) -> tuple[int, list[Arrow]]:
    count = draw(st.integers(1, 11))
    pairs = list(itertools.combinations(range(count), 2))
    kinds = draw(st.lists(st.sampled_from("...>>=2"), min_size=len(pairs), max_size=len(pairs)))
    found = [Arrow(a, b) for (a, b), kind in zip(pairs, kinds, strict=True) if kind in ">2"]
    return count, found + [Arrow(a, b, True) for (a, b), kind in zip(pairs, kinds, strict=True) if kind in "=2"]


def curve(route: tuple[Point, ...], steps: int = 8) -> list[Point]:
    points = []
    for i in range(0, len(route) - 1, 3):
        for t in (k / steps for k in range(steps + 1)):
            weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3)
            four = list(zip(weights, route[i : i + 4], strict=True))
            points.append(Point(sum(w * p.x for w, p in four), sum(w * p.y for w, p in four)))
    return points


def inside(point: Point, box: Box, slack: float) -> bool:
    return abs(point.x - box.x) < box.width / 2 - slack and abs(point.y - box.y) < box.height / 2 - slack


def check_apart(layout: Layout) -> None:
    for a, b in itertools.combinations(layout.boxes, 2):
        apart = abs(a.x - b.x) >= (a.width + b.width) / 2 + 10 or abs(a.y - b.y) >= (a.height + b.height) / 2 + 10
        assert apart, (a, b)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(mixed(), st.sampled_from([200.0, 960.0]))
def test_boxes_do_not_overlap_and_arrows_keep_clear_of_them(graph: tuple[int, list[Arrow]], width: float) -> None:
    count, joined = graph
    sizes = [(72.0 + 17 * (i % 5), 50.0) for i in range(count)]
    layout = lay_out(sizes, joined, count - 1, width)
    check_apart(layout)
    for arrow, route, top in zip(joined, layout.routes, layout.tops, strict=True):
        assert top == arrow.tail or (arrow.both and top == arrow.head)
        first, last = (layout.boxes[v] for v in ((arrow.tail, arrow.head) if top == arrow.tail else arrow[1::-1]))
        for box, end in ((first, route[0]), (last, route[-1])):
            assert abs(end.x - box.x) <= box.width / 2 - 10
            assert min(abs(end.y - box.top), abs(end.y - box.bottom)) < 1e-6
        for point in curve(route):
            assert not any(inside(point, box, 1.0) for box in layout.boxes)
            assert -20 <= point.x <= layout.width + 20
            assert -1 <= point.y <= layout.height + 1


@settings(derandomize=True, max_examples=60, deadline=None)
@given(mixed(), st.sampled_from([200.0, 960.0]))
def test_causes_stand_above_their_effects(graph: tuple[int, list[Arrow]], width: float) -> None:
    count, joined = graph
    layout = lay_out([SIZE] * count, joined, None, width)
    for tail, head, both in joined:
        assert both or layout.boxes[tail].bottom < layout.boxes[head].top


def test_rows_are_as_near_as_the_arrows_allow() -> None:
    names, joined = arrows("a>b b>c c>y s>y t>c")
    row = dict(zip(names, assign_rows(len(names), joined, names.index("y")), strict=True))
    assert row == {"a": 0, "b": 1, "c": 2, "y": 3, "s": 2, "t": 1}


def test_a_group_moves_to_what_it_leads_to() -> None:
    names, joined = arrows("a>b b>c c>d d>y p>q p>r q>y")
    row = dict(zip(names, assign_rows(len(names), joined, None), strict=True))
    assert row["q"] == row["d"]
    assert row["p"] == row["q"] - 1
    assert row["r"] == row["q"]


def test_the_reward_is_at_the_bottom_when_it_causes_nothing() -> None:
    names, joined = arrows("a>y a>b b>c c>d")
    row = assign_rows(len(names), joined, names.index("y"))
    assert row[names.index("y")] == max(row)


def test_a_bow_beside_an_arrow_has_room() -> None:
    names, joined = arrows("x>y x=y")
    layout = lay_out([SIZE] * 2, joined, names.index("y"), 960)
    straight, bow = layout.routes
    assert {p.x for p in straight} == {layout.boxes[0].x}
    assert max(p.x for p in curve(bow)) > layout.boxes[0].x + 25


def test_bows_are_single_curves_around_what_they_pass() -> None:
    names, joined = arrows("w>r r>x x>y w=y")
    layout = lay_out([SIZE] * len(names), joined, names.index("y"), 960)
    for arrow, route in zip(joined, layout.routes, strict=True):
        if arrow.both:
            assert len(route) == 4
            ends = {layout.boxes[arrow.tail], layout.boxes[arrow.head]}
            for point in curve(route, steps=40):
                beside = [b for b in layout.boxes if b not in ends and b.top < point.y < b.bottom]
                assert all(abs(point.x - b.x) > b.width / 2 + 30 for b in beside)


PLANAR = {
    "farm": "a>y b>y c>y",
    "chain": "a>b b>c c>d",
    "confounded": "z>a z>b z>c z>d z>e a>y b>y c>y d>y e>y",
    "front door": "x>m m>y x=y",
    "napkin": "w>r r>x x>y w=x w=y",
    "bow": "x>y x=y",
    "tree": "a>b a>c b>d b>e c>f c>g d>h d>i e>j f>k g>l",
    "tangled pairs": "a>f b>e c>d d>y e>y f>y",
    "ladder": "a>b b>c c>d p>q q>r r>s a>q b>r c>s",
    "caterpillar": "b>q c>r d>t h>u a>p e>u f>s e>r g>s a>s f>q b>u c>t b>v",
    "nested": "a>b b>c c>d d>e a>e b>d a>d",
}


@pytest.mark.parametrize("text", PLANAR.values(), ids=PLANAR)
def test_planar_graphs_are_drawn_without_crossings(text: str) -> None:
    names, joined = arrows(text)
    graph = layered_graph(assign_rows(len(names), joined, None), joined)
    assert crossings(order_rows(graph), graph) == 0


def test_crossings_are_counted() -> None:
    names, joined = arrows("a>x a>y a>z b>x b>y b>z")  # K(2,3) in two rows: 3 crossings
    graph = layered_graph(assign_rows(len(names), joined, None), joined)
    assert crossings(order_rows(graph), graph) == 3
    assert crossings([[0, 1], [4, 3, 2]], graph) == 3
    assert crossings([[0], [1]], layered_graph([0, 1], [Arrow(0, 1)])) == 0


def test_chains_are_straight() -> None:
    for text in ("a>b b>c c>d", "w>r r>x x>y w=x w=y", "x>m m>y x=y"):
        names, joined = arrows(text)
        layout = lay_out([(70.0 + 20 * i, 50.0) for i in range(len(names))], joined, None, 960)
        assert len({box.x for box in layout.boxes}) == 1


def test_many_parallel_causes_are_wrapped() -> None:
    joined = [Arrow(i, 50) for i in range(50)]
    layout = lay_out([SIZE] * 51, joined, 50, 960)
    check_apart(layout)
    assert layout.width < 1700
    assert 4 <= len({box.y for box in layout.boxes}) <= 10
    assert layout.boxes[50].y == max(box.y for box in layout.boxes)


def test_parts_stand_side_by_side() -> None:
    layout = lay_out([SIZE] * 4, [Arrow(2, 3)], 3, 960)
    check_apart(layout)
    assert layout.boxes[2].x < layout.boxes[0].x < layout.boxes[1].x  # the part of the reward comes first


@settings(derandomize=True, max_examples=200)
@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(0.1, 10), st.floats(0, 30)), min_size=1, max_size=12))
def test_settling_keeps_order_and_distance(items: list[tuple[float, float, float]]) -> None:
    wanted, weight, apart = map(list, zip(*items, strict=True))
    found = place_apart(wanted, weight, apart[1:])
    for a, b, distance in zip(found, found[1:], apart[1:], strict=False):
        assert b - a >= distance - 1e-9
    pulled = sum(w * (x - want) for x, want, w in zip(found, wanted, weight, strict=True))
    assert abs(pulled) < 1e-6  # moving all together would not help


def test_settling_moves_nothing_that_is_apart() -> None:
    assert place_apart([0.0, 50.0, 90.0], [1, 1, 1], [20, 20]) == [0.0, 50.0, 90.0]
    assert place_apart([0.0, 0.0], [1, 1], [20]) == [-10.0, 10.0]


def test_long_text_is_cut() -> None:
    assert elide("short", 100, 14) == "short"
    cut = elide("a name of many words and letters", 100, 14)
    assert cut.endswith("…")
    assert text_width(cut, 14) <= 100
    assert text_width("漢字", 10) > text_width("ab", 10) > text_width("il", 10)
    assert join_values(("low", "high"), 100, 12) == "low · high"
    many = join_values(tuple(f"value {i}" for i in range(40)), 150, 12)
    assert many.endswith("… (40)")
    assert text_width(many, 12) <= 150
    assert text_width(join_values(("x" * 200, "y"), 150, 12), 12) <= 150
    assert text_width(join_values(("x" * 200,), 150, 12), 12) <= 150
