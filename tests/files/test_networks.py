"""Networks of other libraries, and that none of them is imported."""

import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest

from bestdo import compose
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
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


# to other libraries and back


def with_everything():
    variables = [
        Variable("dose", ("low", "mid", "high"), unit="mg", description="of the drug"),
        Variable("age's group", ("<50", ">=50")),
        Variable("gene", ("a & b", "c"), hidden=True),
        Variable("pain", ("no", "yes")),
    ]
    arrows = [("dose", "pain"), ("age's group", "dose"), ("age's group", "pain"), ("gene", "pain"), ("gene", "dose")]
    return Graph.of(variables, arrows, [("dose", "age's group")], "pain", "no")


def random_model(graph, seed=0):
    rng = np.random.default_rng(seed)
    return Model(
        graph,
        {n: rng.dirichlet(np.ones(graph.size(n)), [graph.size(p) for p in ps]) for n, ps in graph.parents.items()},
    )


def same(one, other):
    """Whether two graphs are the same up to the order of variables and parents."""
    return (
        set(one.variables) == set(other.variables)
        and {n: set(p) for n, p in one.parents.items()} == {n: set(p) for n, p in other.parents.items()}
        and (one.reward, one.success, one.worth, one.aim) == (other.reward, other.success, other.worth, other.aim)
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", ["to_networkx", "to_pgmpy"])
def test_graphs_there_and_back(library):
    graph = with_everything()
    worth = graph.rewarding("pain", worth={"no": 0.5, "yes": -2}, aim="maximise")
    for each in (graph, worth, Graph.parse("a -> b; c")):
        assert read(getattr(each, library)()).graph == each


@pytest.mark.filterwarnings("ignore")
def test_models_there_and_back():
    graph = with_everything()
    model = random_model(graph)
    for library in ("to_pgmpy", "to_pyagrum"):
        back = read(getattr(model, library)())
        assert (back.graph.reward, back.graph.success, set(back.graph.hidden)) == ("pain", "no", set(graph.hidden))
        ours, theirs = (m.means(Actions.single(m.graph, ["dose"])) for m in (model, back.model))
        np.testing.assert_allclose(theirs, ours, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_pgmpy_accepts_what_it_is_given():
    model = random_model(with_everything(), 3)
    network = model.to_pgmpy()
    assert network.check_model()
    assert network.latents == set(model.graph.hidden)
    cpd = network.get_cpds("pain")
    state = {"dose": "mid", "age's group": "<50", "gene": "c", "pain": "yes"}
    ours = model.tables["pain"][tuple(model.graph.variable(p).code(state[p]) for p in model.graph.parents["pain"])]
    assert abs(cpd.get_value(**state) - ours[1]) < 1e-12


def test_pyagrum_works_with_what_it_is_given():
    import pyagrum as gum

    graph = with_everything()
    network = random_model(graph).to_pyagrum()
    inference = gum.LazyPropagation(network)
    inference.makeInference()
    ours = random_model(graph).distribution(["pain"])
    np.testing.assert_allclose(inference.posterior("pain").toarray(), ours, atol=1e-6)
    assert same(read(graph.to_pyagrum()).graph, _without_units(graph))
    assert read(graph.to_pyagrum()).model is None


def _without_units(graph):
    return Graph(tuple(replace(v, unit="") for v in graph.variables), graph.parents, graph.reward, graph.success)


def test_a_number_has_no_table_in_other_libraries():
    graph = Graph((Variable("a"), Variable("y", number=Number(0, 1))), {"y": ("a",)}, "y", aim="minimise")
    with pytest.raises(BestdoError, match="'y' is a number: cut it first"):
        graph.to_pyagrum()
    model = Model(graph, {"a": [0.5, 0.5]}, {"y": Outcome(np.array([0.2, 0.4]), np.array([0.1, 0.1]), "beta")})
    for library in (model.to_pgmpy, model.to_pyagrum):
        with pytest.raises(BestdoError, match="'y' is a number: cut it first"):
            library()


def test_dowhy_in_its_documented_forms(tmp_path):
    """A networkx.DiGraph with `observed`, and GML and DOT text: none of them holds values or a reward."""
    import networkx as nx

    graph = Graph.parse("Z -> X -> Y; Z -> Y; U -> X; U -> Y; X <-> Z", hidden=["U"])
    network = graph.to_dowhy()
    assert network.nodes["U"] == {"observed": "no"}
    assert network.nodes["X<->Z"] == {"observed": "no"}
    assert network.nodes["X"] == {"observed": "yes"}
    assert read(network).graph == graph
    gml = "\n".join(nx.generate_gml(network))
    assert same(read(gml).graph, graph)
    lines = [f'"{n}" [observed="{d["observed"]}"];' for n, d in network.nodes(data=True)]
    lines += [f'"{a}" -> "{b}";' for a, b in network.edges]
    with pytest.raises(BestdoError, match="'X<->Z' holds <->"):
        read(f"digraph {{ {' '.join(lines)} }}".replace('observed="no"', 'observed="yes"'))
    assert same(read(f"digraph {{ {' '.join(lines)} }}").graph, graph)
    for key, value in (("observed", False), ("hidden", True), ("latent", "yes"), ("unobserved", 1), ("observed", "no")):
        network = nx.DiGraph([("U", "X")])
        network.nodes["U"][key] = value
        assert read(network).graph.hidden == ("U",)
    network.nodes["U"]["hidden"] = "perhaps"
    with pytest.raises(GraphError, match="'U' has hidden='perhaps'"):
        read(network)


def test_text_instead_of_a_path(tmp_path):
    graph = Graph.parse("X -> Y", reward="Y", success="0")
    text = "dag { X [exposure] Y [outcome] X -> Y }"
    contents = read(text, success="0")
    assert contents.graph == graph
    assert read(contents.to_dagitty(), success="0") == contents
    composed = compose(text, success="0")
    assert composed.problem.graph == graph
    assert read("X -> Y", "Y", "0").graph == graph
    with pytest.raises(BestdoError, match="there is no file"):
        read("x.dagitty")
