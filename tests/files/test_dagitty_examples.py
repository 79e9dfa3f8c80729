"""All graphs that DAGitty offers as examples, in each of its forms, and what it says to adjust for."""

import itertools
import json
import tomllib

import networkx as nx
import pytest

from bestdo import do, identify, read
from bestdo.errors import FileError
from support import ROOT

GRAPHS = tomllib.loads((ROOT / "tests" / "fixtures" / "dagitty_examples.toml").read_text())["graphs"]
WORDS = {
    "exposure": ("exposure", "source", "e"),
    "outcome": ("outcome", "target", "o"),
    "latent": ("latent", "l", "unobserved", "u"),
    "adjusted": ("adjusted", "a"),
    "selected": ("selected", "s"),
}
LETTERS = {"exposure": "E", "outcome": "O", "latent": "U", "adjusted": "A"}
FORMS = ("one by one", "groups", "backwards", "without braces", "lines", "square")
each = pytest.mark.parametrize("facts", GRAPHS, ids=[g["name"] for g in GRAPHS])


def names_of(facts):
    ends = itertools.chain.from_iterable([(a, *b) for a, b in facts["causes"].items()])
    shared = itertools.chain.from_iterable(facts.get("share_a_cause", []))
    return list(dict.fromkeys([*ends, *shared, *facts.get("alone", [])]))


def roles_of(facts, name, leave_out=()):
    given = {role: facts.get(role, []) for role in WORDS if role not in leave_out}
    return [role for role, those in given.items() if name == those or (isinstance(those, list) and name in those)]


def text_of(facts, form, synonym=0, leave_out=("selected",)):
    """DAGitty text of a graph in one of the forms that it reads."""
    names, causes, shared = names_of(facts), facts["causes"], facts.get("share_a_cause", [])
    place = {name: f"{i % 5 - 2}.5,{-i / 4}" for i, name in enumerate(names)}
    if form in ("lines", "square"):
        marks = {n: "".join(LETTERS[r] for r in roles_of(facts, n, leave_out)) or "1" for n in names}
        head = [f"{n} {marks[n]} @{place[n]}" for n in names]
        effects = {n: [*causes.get(n, [])] for n in names}
        for a, b in shared:
            effects[a].append(b)
            effects[b].append(a)
        tail = [" ".join([n, *(f"{e} @1,2" for e in effects[n])]) for n in names]
        if form == "square":
            tail = [" ".join(str(int(e in effects[n])) for e in names) for n in names]
        return "\n".join([*head, "", *tail])
    lines = ['bb="-3,-3,3,3"']
    for n in names:
        words = [WORDS[role][synonym % len(WORDS[role])] for role in roles_of(facts, n, leave_out)]
        lines.append(f'"{n}" [{",".join([*words, f"pos={json.dumps(place[n])}"])}]')
    for a, those in causes.items():
        if form == "groups":
            lines.append(f'"{a}" -> {{ {" ".join(json.dumps(b) for b in those)} }}')
        elif form == "backwards":
            lines += [f'"{b}" <- "{a}" [beta=0.3]' for b in those]
        else:
            lines += [f'"{a}" -> "{b}"' for b in those]
    lines += [f'"{a}" <-> "{b}" [pos="0,1"]' for a, b in shared]
    inside = "\n".join(lines)
    return inside if form == "without braces" else f"dag {{\n{inside}\n}}"


def test_all_are_here():
    assert len(GRAPHS) == 12
    assert {g["name"].split(" ")[0] for g in GRAPHS} >= {"Sebastiani", "Polzer", "Schipf", "Shrier", "Thoemmes,", "van"}


@each
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_with_its_meaning(facts, form):
    for synonym in range(4 if form == "one by one" else 1):
        contents = read(text_of(facts, form, synonym), success="1")
        graph = contents.graph
        both = {frozenset(graph.children[h]) for h in graph.hidden if "<->" in h}
        shown = [n for n in graph.names if "<->" not in n]
        assert len(shown) == facts["variables"] == len(contents.positions)
        arrows = {(p, n) for n in shown for p in graph.parents[n] if "<->" not in p}
        assert arrows == {(a, b) for a, those in facts["causes"].items() for b in those}
        assert both == {frozenset(pair) for pair in facts.get("share_a_cause", [])}
        assert len(arrows) + len(both) == facts["arrows"]
        assert {h for h in graph.hidden if h in shown} == set(facts.get("latent", []))
        assert graph.reward == facts["outcome"]
        assert {n for a in contents.problem.actions for n in a} == {facts["exposure"]}
        assert bool(contents.notes) == bool(facts.get("adjusted"))


@each
def test_selection_is_refused(facts):
    if "selected" in facts:
        for synonym in range(2):
            with pytest.raises(FileError, match="selection is not supported"):
                read(text_of(facts, "groups", synonym, leave_out=()), success="1")


def proper_back_door(graph, x, y):
    """The graph without the first arrows of causal ways from x to y, and what must not be adjusted for."""
    network = graph.to_networkx()
    on_way = (nx.descendants(network, x) & (nx.ancestors(network, y) | {y})) - {x}
    forbidden = {x, y}.union(on_way, *(nx.descendants(network, n) for n in on_way))
    network.remove_edges_from([(x, n) for n in on_way if network.has_edge(x, n)])
    return network, forbidden


def is_valid(graph, x, y, chosen):
    """Whether adjusting for a set is right, by the adjustment criterion with networkx's d-separation."""
    network, forbidden = proper_back_door(graph, x, y)
    return not set(chosen) & forbidden and nx.is_d_separator(network, {x}, {y}, set(chosen))


@each
def test_what_to_adjust_for(facts):
    if "adjust" not in facts:
        return
    graph = read(text_of(facts, "groups"), success="1").graph
    x, y = facts["exposure"], facts["outcome"]
    found = identify(graph, do({x: "1"}))
    minimal = [set(s) for s in facts["adjust"]]
    assert all(is_valid(graph, x, y, s) for s in minimal)  # DAGitty's sets by networkx
    for s in minimal:
        assert not any(is_valid(graph, x, y, s - {n}) for n in s)
    if y not in graph.descendants([x]):  # as in Schipf et al.: setting it changes nothing, P(y) is the answer
        assert (found.how, str(found.formula)) == ("seeing", f"P({y})")
        return
    assert found.how == ("seeing" if set() in minimal else "adjusting")
    assert is_valid(graph, x, y, found.adjust)
    assert any(set(found.adjust) >= s for s in minimal)
    network, forbidden = proper_back_door(graph, x, y)
    near = (nx.ancestors(network, x) | nx.ancestors(network, y)) - forbidden
    assert is_valid(graph, x, y, near & set(graph.observed)) == bool(
        minimal
    )  # there is a set if and only if this is one


def test_the_check_of_sets_can_fail():
    facts = next(g for g in GRAPHS if g["name"].startswith("Extended"))
    graph = read(text_of(facts, "groups"), success="1").graph
    assert not is_valid(graph, "E", "D", {"Z"})  # a collider
    assert is_valid(graph, "E", "D", {"Z", "A"})
