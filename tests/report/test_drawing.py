"""The drawing is well-formed, complete, the same each time, and says what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestdo.causal.action import Intervention, do
from bestdo.causal.graph import Graph, Variable
from bestdo.errors import ActionError, GraphError, TooLarge
from bestdo.report.drawing import draw

SVG = "{http://www.w3.org/2000/svg}"
NAPKIN = Graph.parse("W -> R -> X -> Y; W <-> X; W <-> Y", reward="Y")
FARM = Graph.of(
    [
        Variable("moisture", ("dry", "wet"), description="of the <soil> & air\nat noon", unit="%"),
        Variable("temperature", ("low", "high")),
        Variable("yield", ("poor", "good")),
        Variable("luck", hidden=True),
    ],
    [("moisture", "yield"), ("temperature", "yield"), ("luck", "yield"), ("luck", "temperature")],
    reward="yield",
    success="good",
)


def groups(svg: str, kind: str) -> list[ET.Element]:
    return [g for g in ET.fromstring(svg).iter(f"{SVG}g") if f"bd-{kind}" in g.get("class", "").split()]


def nodes(svg: str, kind: str = "node") -> dict[str, ET.Element]:
    return {g.get("data-name", ""): g for g in groups(svg, kind) if g.get("data-name")}


def ends(svg: str, kind: str = "arrow") -> set[tuple[str, str]]:
    return {(g.get("data-from", ""), g.get("data-to", "")) for g in groups(svg, kind) if g.get("data-to")}


def words(element: ET.Element) -> str:
    return " ".join("".join(t.itertext()) for t in element.iter(f"{SVG}text"))


_QUOTES = set('"`\\')
NAMES = st.text(min_size=1, max_size=200).filter(
    lambda s: s == s.strip() and s.isprintable() and not set(s) & _QUOTES and "<->" not in s
)
VALUES = st.text(min_size=1, max_size=60).filter(lambda s: s == s.strip() and s.isprintable())
WORDS = st.text(max_size=40).filter(lambda s: all(c.isprintable() or c == "\n" for c in s))


@st.composite
def graphs(draw_: st.DrawFn) -> Graph:
    names = draw_(st.lists(NAMES, min_size=1, max_size=7, unique=True))
    variables = [
        Variable(
            name,
            tuple(draw_(st.lists(VALUES, min_size=1, max_size=4, unique=True))) if i else ("]]>", "<b>&"),
            hidden=bool(i) and draw_(st.booleans()),
            description=draw_(WORDS),
            unit=draw_(WORDS),
        )
        for i, name in enumerate(names)
    ]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    chosen = draw_(st.lists(st.sampled_from(pairs), max_size=12, unique=True)) if pairs else []
    both = draw_(st.lists(st.sampled_from(pairs), max_size=4, unique=True)) if pairs else []
    return Graph.of(variables, chosen, both, reward=names[0], success="<b>&")


@settings(derandomize=True, max_examples=120, deadline=None)
@given(graphs(), st.randoms(use_true_random=False))
def test_any_graph_gives_a_complete_document(graph: Graph, random: object) -> None:
    settable = graph.observed[1::2]
    action = Intervention({n: graph.variable(n).values[-1] for n in graph.observed[1:3]})
    svg = draw(graph, settable, action)
    assert svg == draw(graph, list(settable), action)
    shown = {n for n in graph.names if "<->" not in n}
    assert set(nodes(svg)) == shown
    assert set(nodes(svg, "settable")) == set(settable)
    assert set(nodes(svg, "set")) == set(action)
    assert set(nodes(svg, "hidden")) == {n for n in graph.hidden if n in shown}
    assert set(nodes(svg, "reward")) == {graph.reward}
    single = {(p, c) for c in shown for p in graph.parents[c] if p in shown}
    both = {frozenset(graph.children[h]) for h in graph.hidden if h not in shown}
    assert {frozenset(pair) for pair in ends(svg, "both")} == both
    assert single <= ends(svg)
    assert len(groups(svg, "arrow")) == len(single) + len(both)
    for name, node in nodes(svg).items():
        title = node.findtext(f"{SVG}title", "")
        assert title.startswith(name)
        assert graph.variable(name).description in title
        assert graph.variable(name).unit in title


def test_the_farm() -> None:
    svg = draw(FARM, settable=["moisture"])
    assert words(nodes(svg)["moisture"]) == "moisture dry · wet"
    assert words(nodes(svg)["yield"]) == "yield reward: good = success"
    assert nodes(svg)["moisture"].findtext(f"{SVG}title", "").startswith("moisture [%]: of the <soil> & air")
    assert words(groups(svg, "legend")[0]) == "reward can be set hidden variable"
    root = ET.fromstring(svg)
    assert root.findtext(f"{SVG}title") == "Causal graph of yield"
    assert "moisture -> yield" in root.findtext(f"{SVG}desc", "")
    assert "prefers-color-scheme:dark" in svg


def test_an_intervention_cuts_the_arrows_into_what_it_sets() -> None:
    svg = draw(NAPKIN, ["X", "R"], do(X=1))
    assert words(nodes(svg)["X"]) == "X set to 1"
    assert {frozenset(pair) for pair in ends(svg, "cut")} == {frozenset("RX"), frozenset("WX")}
    marks = [p for g in groups(svg, "arrow") for p in g.iter(f"{SVG}path") if p.get("class") == "bd-mark"]
    assert len(marks) == 2
    assert "set by do(X=1)" in words(groups(svg, "legend")[0])
    assert not ends(draw(NAPKIN, ["X", "R"]), "cut")
    assert {frozenset(pair) for pair in ends(draw(NAPKIN, ["W"], do(W=0)), "cut")} == {
        frozenset("WX"),
        frozenset("WY"),
    }


def test_setting_moves_nothing() -> None:
    before, after = draw(NAPKIN, ["X", "R"]), draw(NAPKIN, ["X", "R"], do(X=1))
    places = [{n: g.get("transform") for n, g in nodes(svg).items()} for svg in (before, after)]
    assert places[0] == places[1]


def test_the_legend_tells_only_what_is_there() -> None:
    assert not groups(draw(Graph.parse("A -> B")), "legend")
    assert words(groups(draw(Graph.parse("A <-> B")), "legend")[0]) == "share a hidden cause"


def test_a_hidden_variable_with_other_children_is_a_box() -> None:
    graph = Graph((Variable("A"), Variable("A<->B", hidden=True)), {"A": ("A<->B",)})
    assert set(nodes(draw(graph))) == {"A", "A<->B"}


@pytest.mark.parametrize("text", ["Y", "X -> Y; Z; Q", "X -> Y; X <-> Y", "A <-> B; B <-> C; A <-> C"])
def test_small_and_odd_graphs(text: str) -> None:
    graph = Graph.parse(text)
    assert set(nodes(draw(graph))) == set(graph.observed)


def test_long_labels_are_cut_and_told_in_full() -> None:
    name, value = "n" * 200, "v" * 200
    svg = draw(Graph((Variable(name, (value, "w")),), {}), [name], do({name: value}))
    node = nodes(svg)[name]
    assert all(len(part) < 60 for part in words(node).split())
    assert value in node.findtext(f"{SVG}title", "")
    assert float(ET.fromstring(svg).get("width", "")) < 520


def test_a_thousand_variables_are_drawn() -> None:
    names = [f"v{i}" for i in range(1000)]
    edges = [(names[i * 7 % (j or 1)], names[j]) for j in range(1, 1000) for i in (j // 2, j // 3)]
    svg = draw(Graph.of(map(Variable, names), edges))
    assert len(nodes(svg)) == 1000
    assert len(groups(svg, "arrow")) == len(set(edges))


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(TooLarge, match=r"5,001 variables"):
        draw(Graph(tuple(Variable(f"v{i}") for i in range(5001)), {}))
    with pytest.raises(GraphError, match="unknown variable 'Q'"):
        draw(NAPKIN, ["Q"])
    with pytest.raises(ActionError, match="unknown value"):
        draw(NAPKIN, (), do(X="7"))


def test_the_same_for_every_hash_seed() -> None:
    code = (
        "from bestdo.causal.graph import Graph; from bestdo.report.drawing import draw; import hashlib, sys;"
        "g = Graph.parse('A->B->C->Y;A->C;A->Y;D->B;D->Y;E->C;B<->Y;E<->Y;D<->E;A<->B;F->Y', reward='Y');"
        "s = draw(g, {'A', 'B', 'C', 'F'}); sys.stdout.write(hashlib.sha256(s.encode()).hexdigest());"
        "assert not {'numpy', 'networkx', 'matplotlib'} & set(sys.modules)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "17")
    }
    assert len(found) == 1


def test_arrows_in_doubt_are_dashed_and_say_their_probability() -> None:
    from bestdo.causal.doubts import Doubts

    doubts = Doubts.parse("Z -> X -> Y; Z ?0.3-> Y; Z ?-? W; X ?<-> Y", reward="Y", success="1")
    svg = draw(doubts.graph, doubts=doubts.arrows)
    assert svg.count('class="bd-arrow bd-doubt"') == 2
    assert svg.count('class="bd-arrow bd-both bd-doubt"') == 1
    assert sorted(re.findall(r'class="bd-chance"[^>]*>([^<]+)<', svg)) == ["0.30", "0.50", "0.67"]
    assert "in doubt, with its probability" in svg
    (either,) = re.findall(r"<title>(?:Z – W|W – Z)[^<]*</title>.*?</g>", svg)
    assert "bd-head" not in either
    now = draw(doubts.graph, doubts=doubts.arrows, chances={("Z", "Y", False): 0.9})
    assert sorted(re.findall(r'class="bd-chance"[^>]*>([^<]+)<', now)) == ["0.50", "0.67", "0.90"]
    won = draw(doubts.graph, doubts=doubts.arrows, chances={("W", "Z", False): 0.99997, ("Z", "W", False): 0.00002})
    assert re.search(r"<title>(Z ← W|W → Z), in doubt: probability &gt;0.999</title>.*?bd-head.*?</g>", won)
    assert "Z ?-? W" in re.findall("<desc>.*?</desc>", won)[0]
    assert "bd-doubt" not in draw(doubts.graph, styled=False)
