"""Graphs in JSON, as networkx exports them."""

import json

import networkx as nx
import pytest

from bestdo import Graph, Number, Variable, read, write
from bestdo.errors import FileError, NoSuccess
from bestdo.files import parse

GRAPH = Graph.of(
    [
        Variable("dose", ("0", "2.5", "5"), unit="mg"),
        Variable("weight", ("light", "heavy"), cut=(75.0,), description="at the start"),
        Variable("pressure", number=Number(low=60.0, high=220.0)),
        Variable("stress", hidden=True),
    ],
    [("dose", "pressure"), ("weight", "pressure"), ("stress", "pressure")],
    [("dose", "weight")],
    reward="pressure",
    aim="minimise",
)


@pytest.mark.parametrize(
    "export", [nx.node_link_data, lambda g: nx.node_link_data(g, edges="links"), nx.adjacency_data]
)
def test_what_networkx_exports(tmp_path, export):
    (tmp_path / "g.json").write_text(json.dumps(export(GRAPH.to_networkx())))
    assert read(tmp_path / "g.json").graph == GRAPH


def test_networkx_reads_what_is_written(tmp_path):
    write(GRAPH, tmp_path / "g.json")
    back = nx.node_link_graph(json.loads((tmp_path / "g.json").read_text()))
    assert Graph.from_networkx(back) == GRAPH


def test_which_way_is_good_is_asked_and_hidden_as_dowhy_says_it():
    text = '{"directed": true, "graph": {"reward": "b"}, "nodes": [{"id": "a"}, {"id": "b"}, {"id": "u", "observed": "no"}],'
    text += '"links": [{"source": "a", "target": "b"}, {"source": "u", "target": "b"}]}'
    with pytest.raises(NoSuccess):
        parse(text.encode(), "g.json")
    graph = parse(text.encode(), "g.json", success="0").graph
    assert (graph.hidden, graph.success) == (("u",), "0")


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('{"directed": false, "nodes": []}', (1, 1), "the graph is undirected"),
        ('{"directed": true, "nodes": {}}', (1, 20), '"nodes" must be a list'),
        ('{"directed": true,\n "nodes": [{"name": "a"}]}', (2, 2), "a node looks like"),
        ('{"directed": true,\n "nodes": [{"id": "a"}, {"id": "a"}]}', (2, 19), "two nodes have the id 'a'"),
        ('{"directed": true, "nodes": [{"id": "a"}], "edges": [{"source": "a", "target": "c"}]}', (1, 80), "'c'"),
        ('{"directed": true, "nodes": [{"id": "a"}], "edges": [1]}', (1, 44), "an edge looks like"),
        (
            '{"directed": true, "nodes": [{"id": "a", "hidden": "maybe"}], "edges": []}',
            (1, 37),
            "must be true or false",
        ),
        ('{"directed": true,\n "nodes": [}', (2, 12), "this is no JSON"),
        (
            '{"graph": {"aim": "more", "reward": "a"}, "directed": true, "nodes": [{"id": "a"}], "edges": []}',
            (1, 12),
            "aim",
        ),
    ],
)
def test_mistakes_have_their_place(text, place, words):
    with pytest.raises(FileError) as error:
        parse(text.encode(), "g.json")
    assert (error.value.line, error.value.column) == place
    assert words in str(error.value)
