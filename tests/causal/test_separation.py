import itertools

import networkx as nx
import numpy as np
import pytest

from bestdo.causal.separation import separated, smallest_separator
from support import random_graph


@pytest.mark.parametrize("seed", range(60))
def test_agrees_with_networkx(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 7, arrows=0.35, both=0.1)
    names = list(rng.permutation(graph.names))
    a, b, given = {names[0]}, {names[1], names[2]}, set(names[3 : 3 + rng.integers(0, 4)])
    into, out = set(rng.permutation(names)[:1]), set(rng.permutation(names)[:1])
    network = graph.to_networkx()
    assert separated(graph, a, b, given) == nx.is_d_separator(network, a, b, given)
    network.remove_edges_from([(p, c) for p, c in network.edges if c in into or p in out])
    assert separated(graph, a, b, given, into, out) == nx.is_d_separator(network, a, b, given)


@pytest.mark.parametrize("seed", range(60))
def test_the_smallest_separator_is_one_and_the_smallest(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 7, arrows=0.4, both=0.1)
    allowed = {n for n in graph.observed if n not in ("V0", "Y")}
    cut = [("V0", c) for c in graph.children["V0"]][:1]
    found = smallest_separator(graph, ["V0"], ["Y"], allowed, cut)
    network = graph.to_networkx()
    network.remove_edges_from(cut)
    sizes = [
        k
        for k in range(len(allowed) + 1)
        for z in itertools.combinations(sorted(allowed), k)
        if nx.is_d_separator(network, {"V0"}, {"Y"}, set(z))
    ]
    if found is None:
        assert not sizes
    else:
        assert nx.is_d_separator(network, {"V0"}, {"Y"}, set(found))
        assert len(found) == min(sizes)
