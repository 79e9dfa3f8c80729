"""The 24 bnlearn networks that the pgmpy wheel ships: read, and asked under random interventions."""

import gzip
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import bestdo
from support import brute_force, random_intervention

FOLDER = Path(importlib.util.find_spec("pgmpy").origin).parent / "utils" / "example_models"
NETWORKS = sorted(p.name.removesuffix(".bif.gz") for p in FOLDER.glob("*.bif.gz"))
SMALL = ["asia", "cancer", "earthquake", "sachs", "survey"]
UNREADABLE_BY_PYAGRUM = ["child"]
QUERIES = 5


def model_of(name):
    return bestdo.read(FOLDER / f"{name}.bif.gz").model


def test_there_are_24():
    assert len(NETWORKS) == 24


@pytest.fixture
def pyagrums(tmp_path):
    import pyagrum

    def load(name):
        file = tmp_path / f"{name}.bif"
        file.write_bytes(gzip.decompress((FOLDER / f"{name}.bif.gz").read_bytes()))
        return pyagrum.loadBN(str(file))

    return load


def posterior(network, of, action):
    """P(of | do) by pyAgrum: the network with its arcs cut, by lazy propagation."""
    import pyagrum

    cut = pyagrum.BayesNet(network)
    for name, value in action.items():
        for parent in list(cut.parents(name)):
            cut.eraseArc(parent, cut.idFromName(name))
        cut.cpt(name).fillWith(0)
        cut.cpt(name)[{name: value}] = 1
    inference = pyagrum.LazyPropagation(cut)
    inference.addTarget(of)
    inference.makeInference()
    return inference.posterior(of).toarray()


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_is_read_and_agrees_with_pyagrum_under_random_interventions(name, pyagrums):
    model, rng = model_of(name), np.random.default_rng(0)
    network = pyagrums(name) if name not in UNREADABLE_BY_PYAGRUM else None
    for _ in range(QUERIES):
        of = str(rng.choice(model.graph.names))
        action = random_intervention(rng, model.graph, most=3)
        answer = model.distribution([of], action)
        assert answer.sum() == pytest.approx(1, abs=1e-9)
        if network is not None:
            labels = list(network.variable(of).labels())
            order = [labels.index(v) for v in model.graph.variable(of).values]
            assert answer == pytest.approx(posterior(network, of, action)[order], abs=1e-6)


@pytest.mark.parametrize("name", SMALL)
def test_small_networks_agree_with_brute_force(name):
    model, rng = model_of(name), np.random.default_rng(1)
    for _ in range(20):
        of = [str(n) for n in rng.choice(model.graph.names, size=2, replace=False)]
        action = random_intervention(rng, model.graph, most=3)
        assert model.distribution(of, action) == pytest.approx(brute_force(model, of, action), abs=1e-12)


@pytest.mark.campaign
@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_fits(name):
    """Every variable's law: alone, with five leaves given, with all leaves given: the table in docs/results/networks.md."""
    model = model_of(name)
    graph = model.graph
    row = model.sample(bestdo.Actions(graph, [bestdo.do()]), np.zeros(1, int), np.random.default_rng(0))[0]
    value = {n: graph.variable(n).values[c] for n, c in zip(graph.names, row, strict=True)}
    leaves = [n for n in graph.names if not graph.children[n]]
    for seen, asked in (([], graph.names), (leaves[-5:], graph.names), (leaves, graph.names[:1])):
        for of in asked:  # none is TooLarge
            answer = model.distribution([of], given={n: value[n] for n in seen if n != of})
            assert answer.sum() == pytest.approx(1, abs=1e-9)
