"""Networks of other libraries, and that none of them is imported."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.errors import BestdoError, GraphError, NoSuccess
from bestdo.files import read


def test_networkx():
    import networkx as nx

    network = nx.DiGraph([("Z", "X"), ("X", "Y")])
    network.nodes["Z"]["values"] = ("low", "high")
    with pytest.raises(NoSuccess, match="which value of the reward 'Y' is success, '0' or '1'"):
        read(network, "Y")
    assert read(Graph.parse("X -> Y", "Y").to_networkx()).graph.success == "1"
    contents = read(network, "Y", "0")
    assert contents.graph.parents["Y"] == ("X",)
    assert contents.graph.variable("Z").values == ("low", "high")
    assert contents.graph.success == "0"
    assert contents.model is None
    with pytest.raises(GraphError, match="undirected"):
        read(nx.Graph([("Z", "X")]))
    with pytest.raises(GraphError, match="cycle"):
        read(nx.DiGraph([("Z", "X"), ("X", "Z")]))


def test_pgmpy():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork

        network = DiscreteBayesianNetwork([("A", "C"), ("B", "C")], latents={"A"})
        assert read(network, "C", "1").graph.hidden == ("A",)
        a = TabularCPD("A", 2, [[0.3], [0.7]], state_names={"A": ["no", "yes"]})
        network.add_cpds(a)
        with pytest.raises(GraphError, match="has tables, but none for"):
            read(network)
        b = TabularCPD("B", 3, [[0.2], [0.3], [0.5]], state_names={"B": ["x", "y", "z"]})
        rows = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]])
        names = {"C": ["bad", "good"], "A": ["yes", "no"], "B": ["x", "y", "z"]}  # A the other way round
        network.add_cpds(b, TabularCPD("C", 2, rows, ["A", "B"], [2, 3], state_names=names))
    contents = read(network, "C", "good")
    assert contents.graph.parents["C"] == ("A", "B")
    assert contents.model.tables["A"].tolist() == [0.3, 0.7]
    np.testing.assert_allclose(contents.model.tables["C"][0, :, 1], [0.6, 0.5, 0.4])
    np.testing.assert_allclose(contents.model.tables["C"][1, :, 1], [0.9, 0.8, 0.7])


def test_pyagrum():
    import pyagrum as gum

    network = gum.fastBN("a[4]->c{bad|good}<-b[3]")
    contents = read(network, "c", "good")
    graph = contents.graph
    assert graph.success == "good"
    assert graph.variable("b").values == ("0", "1", "2")
    assert set(graph.parents["c"]) == {"a", "b"}
    for i in range(4):
        for j in range(3):
            place = {"a": i, "b": j}
            ours = contents.model.tables["c"][tuple(place[p] for p in graph.parents["c"])]
            theirs = [network.cpt("c")[{"a": i, "b": j, "c": k}] for k in range(2)]
            np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_something_else():
    with pytest.raises(BestdoError, match="cannot read a int"):
        read(5)


def test_no_network_library_is_imported():
    code = (
        "import sys, bestdo; bestdo.read(sys.argv[1]);"
        "print({'networkx', 'pgmpy', 'pyagrum', 'pyAgrum'} & set(sys.modules))"
    )
    from support import ROOT

    farm = str(ROOT / "examples" / "farm.toml")
    done = subprocess.run([sys.executable, "-c", code, farm], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_pgmpy_network_whose_arrows_and_tables_differ_is_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork

        network = DiscreteBayesianNetwork([("A", "B"), ("C", "B")])
        half = [[0.5], [0.5]]
        table = TabularCPD("B", 2, [[0.5, 0.5], [0.5, 0.5]], evidence=["A"], evidence_card=[2])
        network.add_cpds(TabularCPD("A", 2, half), TabularCPD("C", 2, half), table)
        with pytest.raises(GraphError, match="arrows into 'B' come from 'A', 'C', but its table is given 'A'"):
            read(network)


def test_pgmpy_with_a_reward_of_five_values():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork
    network = DiscreteBayesianNetwork([("dose", "pain")])
    names = {"dose": ["low", "high"], "pain": ["NO", "MILD", "SEVERE", "AWFUL", "WORST"]}
    network.add_cpds(
        TabularCPD("dose", 2, [[0.5], [0.5]], state_names={"dose": names["dose"]}),
        TabularCPD("pain", 5, [[0.2, 0.6], [0.2, 0.1], [0.2, 0.1], [0.2, 0.1], [0.2, 0.1]], ["dose"], [2], names),
    )
    worth = dict(zip(names["pain"], (0, -1, -4, -6, -9), strict=True))
    network.nodes["dose"]["cut"], network.nodes["dose"]["unit"] = (2.5,), "mg"
    contents = read(network, reward="pain", worth=worth)
    assert dict(contents.graph.worth) == worth
    assert (contents.graph.variable("dose").cut, contents.graph.variable("dose").unit) == ((2.5,), "mg")
    assert np.allclose(contents.model.means(Actions.single(contents.graph)), [-3, -4, -2])
    network.graph.update(reward="pain", worth=worth, aim="minimise")
    assert read(network).graph == contents.graph.rewarding("pain", worth=worth, aim="minimise")
    assert read(network, success="NO").graph.success == "NO"
    with pytest.raises(GraphError, match="which value"):
        read(network, reward="pain")
