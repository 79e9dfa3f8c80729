"""Whatever is written is read back the same, odd names and all."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from bestdo import Actions, Graph, Intervention, Model, Problem, Variable
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.files import Contents, bif, dagitty, dot, gml, node_link, toml
from bestdo.files.declarations import Source, Wanted

QUOTES = '"`\\'
printable = st.characters(exclude_categories=["C", "Z"])
spaced = st.text(printable | st.just(" "), min_size=1, max_size=12).filter(lambda s: s == s.strip() and s.isprintable())
values = st.one_of(
    spaced, st.sampled_from(['"', "'", "\\", "a,b", "=", ")", "//", "/*", "[", "{", "a|b", "<5", "#", "1", "&amp;"])
)
names = st.one_of(
    st.text(printable | st.just(" "), min_size=1, max_size=12).filter(
        lambda s: s == s.strip() and s.isprintable() and not set(s) & set(QUOTES) and "<->" not in s
    ),
    st.sampled_from(
        [
            "node",
            "graph",
            "default",
            "a-b",
            "1",
            "-1.5",
            "a.b",
            "a -- b",
            "#a",
            "[x]",
            "{x}",
            "a;b",
            "subgraph",
            "it's",
            "<b>",
            "a & b",
            "&lt;",
            "a -> b",
            "a<-",
            "->b",
        ]
    ),
)
words = st.text(printable | st.sampled_from(" \n"), max_size=30).filter(
    lambda s: all(c.isprintable() or c == "\n" for c in s)
)
relaxed = settings(
    derandomize=True,
    deadline=None,
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
sought = settings(relaxed, max_examples=5_000, phases=[Phase.generate])


@st.composite
def graphs(draw, described=True):
    chosen = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    variables = []
    for i, name in enumerate(chosen):
        size = 2 if i == 0 else draw(st.integers(1, 3))
        labels = draw(st.lists(values, min_size=size, max_size=size, unique=True)) if described else ("0", "1")
        about = (draw(words), draw(words)) if described else ("", "")
        variables.append(Variable(name, tuple(labels), i > 0 and draw(st.booleans()) and draw(st.booleans()), *about))
    order = draw(st.permutations(chosen))
    pairs = list(itertools.combinations(order, 2))
    directed = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    both = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=3)) if pairs else []
    graph = Graph.of(variables, directed, both)
    if draw(st.booleans()):  # hidden causes anywhere among the variables, parents in any order
        parents = {n: tuple(draw(st.permutations(p))) for n, p in graph.parents.items()}
        graph = Graph(tuple(draw(st.permutations(graph.variables))), parents)
    if draw(st.booleans()):
        reward = variables[0]
        return graph.rewarding(reward.name, draw(st.sampled_from(reward.values)))
    return graph


@st.composite
def everything(draw):
    graph = draw(graphs())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    model = problem = None
    if draw(st.booleans()):
        tables = {}
        for name, parents in graph.parents.items():
            table = rng.dirichlet([0.5] * graph.size(name), [graph.size(p) for p in parents])
            tables[name] = table / table.sum(axis=-1, keepdims=True)
        model = Model(graph, tables)
    if graph.reward is not None:
        settable = [n for n in graph.observed if n != graph.reward]
        on = draw(st.lists(st.sampled_from(settable), unique=True)) if settable else []
        actions = list(Actions.up_to(graph, draw(st.integers(1, 2)), on))[:50]
        if draw(st.booleans()):
            actions = draw(st.lists(st.sampled_from(actions), unique=True, min_size=1))
        allowed = Actions(graph, actions)
        costs = st.floats(1e-300, 1e300, allow_nan=False)
        cost = tuple(draw(costs) for _ in allowed) if draw(st.booleans()) else None
        law = model.parent_law(allowed) if model is not None and draw(st.booleans()) else None
        problem = Problem(graph, allowed, law, cost)
    placed = {n: tuple(rng.normal(size=2).tolist()) for n in graph.names if rng.random() < 0.3}
    return Contents(graph, problem, model, positions=placed)


@st.composite
def measured(draw):
    """Contents with a reward that is a number, and causes that are cut."""
    graph, rng = draw(graphs()), np.random.default_rng(draw(st.integers(0, 2**32)))
    reward = graph.variables[draw(st.integers(0, len(graph.variables) - 1))]
    if reward.hidden:
        return Contents(graph)
    low, width = draw(st.floats(-1e6, 1e6)), draw(st.floats(1, 1e6))
    bounded = draw(st.booleans())
    number = Number(low, low + width) if bounded else Number(spread=draw(st.none() | st.floats(1e-3, 1e3)))
    borders = st.floats(-1e9, 1e9)
    variables = []
    for v in graph.variables:
        words_ = not any(value[-1:].isdigit() for value in v.values)
        if v.name == reward.name:
            variables.append(Variable(v.name, hidden=v.hidden, description=v.description, unit=v.unit, number=number))
        elif len(v.values) > 1 and not v.hidden and words_ and draw(st.booleans()):
            size = len(v.values) - 1
            cut = sorted(draw(st.lists(borders, min_size=size, max_size=size, unique=True)))
            variables.append(replace(v, cut=tuple(cut)))
        else:
            variables.append(v)
    aim = draw(st.sampled_from(["maximise", "minimise"]))
    graph = Graph(tuple(variables), graph.parents, reward.name, aim=aim)
    sizes = [graph.size(p) for p in graph.parents[reward.name]]
    tables = {
        name: np.ones((*(graph.size(p) for p in parents), 1)) * rng.dirichlet([1.0] * graph.size(name))
        for name, parents in graph.parents.items()
        if name != reward.name
    }
    mean, shape = low + width * rng.uniform(0.2, 0.8, sizes), "beta" if bounded else "normal"
    model = Model(graph, tables, {reward.name: Outcome(mean, np.full(sizes, width / 9), shape)})
    allowed = Actions.single(graph)
    law = model.parent_law(allowed) if draw(st.booleans()) else None
    return Contents(graph, Problem(graph, allowed, law), model if draw(st.booleans()) else None)


def there_and_back(contents, module, success=None):
    text = module.write(contents)
    back = module.read(Source("written", text), Wanted(success=success))
    return back, module.write(back) == text


@relaxed
@given(everything())
def test_toml_holds_everything(contents):
    back, same = there_and_back(contents, toml)
    assert back == contents
    assert same


@relaxed
@given(measured())
def test_toml_holds_numbers_and_cuts(contents):
    back, same = there_and_back(contents, toml)
    assert back == contents
    assert same


@relaxed
@given(graphs())
def test_dot_gml_and_json_hold_the_graph(graph):
    for module in (dot, gml, node_link):
        back, same = there_and_back(Contents(graph), module)
        assert back == Contents(graph)
        assert same


@relaxed
@given(measured())
def test_json_holds_numbers_and_cuts(contents):
    back, same = there_and_back(Contents(contents.graph), node_link)
    assert back == Contents(contents.graph)
    assert same


@relaxed
@given(graphs(described=False))
def test_dagitty_holds_a_graph_of_plain_variables(graph):
    plain = Graph(tuple(Variable(v.name, hidden=v.hidden) for v in graph.variables), graph.parents)
    graph = plain if graph.reward is None else plain.rewarding(graph.reward)
    back, same = there_and_back(Contents(graph), dagitty, graph.success)
    assert back == Contents(graph)
    assert same


@relaxed
@given(everything())
def test_bif_holds_graph_and_model(contents):
    if contents.model is None:
        return
    contents = Contents(contents.graph, None, contents.model)
    back, same = there_and_back(contents, bif)
    assert back == contents
    assert same


CORNERS = {
    "hidden": lambda contents: contents.graph.hidden,
    "reward": lambda contents: contents.graph.reward,
    "problem": lambda contents: contents.problem is not None,
    "model": lambda contents: contents.model is not None,
    "positions": lambda contents: contents.positions,
    "law": lambda contents: contents.problem is not None and contents.problem.law is not None,
    "cost": lambda contents: contents.problem is not None and contents.problem.cost is not None,
    "listed": lambda contents: contents.problem is not None and Intervention({}) not in contents.problem.actions,
    "odd name": lambda contents: any(not name.isidentifier() for name in contents.graph.names),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_the_strategies_reach_the_odd_corners(corner):
    """A round trip of nothing but plain names would prove little. Each corner is sought until something is in it."""
    find(everything(), lambda contents: bool(CORNERS[corner](contents)), settings=sought)
