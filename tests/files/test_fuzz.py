"""Whatever a file holds, reading it ends in contents or in an error of our own that has a place."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bestdo.errors import BestdoError, FileError
from bestdo.files import Contents, bif, dagitty, dot, gml, node_link, read, toml
from bestdo.files.declarations import Source, Wanted
from support import ROOT

FARM = (ROOT / "examples" / "farm.toml").read_text(encoding="utf-8")
VALID = {
    toml: FARM + '\n[costs]\ndefault = 1.0\n"do(moisture=wet)" = 2\n',
    bif: """network x { } // comment
variable a { type discrete [ 2 ] { <5, "7 8" }; property hidden = true; }
variable b { type discrete [ 2 ] { no, yes }; }
probability ( a ) { table 0.25, 0.75; }
probability ( b | a ) { (<5) 0.1, 0.9; default 0.5, 0.5; }""",
    dagitty: 'dag { bb="0,0,1,1" X [exposure,pos="1,2"] Y [outcome=1] U [latent] {X U} -> Y X <-> Y "a b" ?0.2-> X ?<-> c }',
    dot: """strict digraph "g" { // c
 node [shape=box]; subgraph cluster { a -> b:n } # d
 a -> { c d } [dir=both, style=dashed]; c -> d [doubt="?0.5-?"];
 e [values="x,\\"y,z\\"", reward=x, hidden=false, label=<a <b>>] "f" + "g" -> e }""",
    gml: 'graph [ directed 1 reward "b" success "1" node [ id 0 label "a" values "x" values "y" ] node [ id 1 label "b" ]\n'
    'edge [ source 0 target 1 weight 1.5 graphics [ x 1 ] ] edge [ source 1 target 0 doubt "?<->" ] ]',
    node_link: """{"directed": true, "graph": {"reward": "b", "success": "y"}, "nodes": [{"id": "a", "values": ["u", "v"],
"cut": [2.5]}, {"id": "b", "values": ["x", "y"]}, {"id": 3, "hidden": true}], "edges": [{"source": "a", "target": "b"},
{"source": 3, "target": "b"}, {"source": "b", "target": "a", "doubt": "?<->"}]}""",
}
PIECES = {
    toml: [
        *"[]{}='\",.\n#\\a",
        *("bestdo = 1", "[variables.a]", "[graph]", "edges", "values", "reward", "[actions]", "set", "list", "at_most"),
        *("[costs]", "[tables]", "given", "rows", "[law]", "nan", "1e999", "0x1", "true", "1979-05-27", "do()"),
        *('"a ?-> b"', '"a ?0.3-? b"', "order = ", '"unknown"', "[[graph.candidates]]", "probability = 0.5"),
        *('"a -> b"', "'''", '"""', "9" * 30, "[[limits]]", "variable", "never", "[problem]", "sure"),
    ],
    bif: [
        *'{}()[];,|"\nab2',
        *("network", "variable", "probability", "type", "discrete", "property", "table", "default", "//", "/*", "*/"),
        *("0.5", "-1", "nan", "1e999", "<5"),
    ],
    dagitty: [
        *'{}[];,="ab\n\\',
        "dag",
        "->",
        "<-",
        "<->",
        "--",
        "exposure",
        "outcome",
        "latent",
        "bb",
        "pdag",
        "?->",
        "?0.3-?",
        "?<->",
        "@->",
        "pag",
    ],
    dot: [
        *'{}[]=:+;,"<>#ab-.\n',
        *(
            "strict",
            "digraph",
            "graph",
            "node",
            "edge",
            "subgraph",
            "->",
            "--",
            "dir=both",
            "doubt=0.3",
            "?-?",
            "hidden",
            "values=",
            '"a,b"',
        ),
        *("reward", "//", "/*"),
    ],
    gml: [
        *'[]"01a\n#',
        *(
            "graph",
            "directed 1",
            "node",
            "edge",
            "id",
            "label",
            "source",
            "target",
            "values",
            "reward",
            "&quot;",
            "&#0;",
        ),
    ],
    node_link: [
        *'{}[],:"a1\n',
        *(
            '"directed": true',
            '"nodes"',
            '"edges"',
            '"links"',
            '"adjacency"',
            '"id"',
            '"source"',
            '"target"',
            '"graph"',
        ),
        *('"values"', '"hidden"', '"cut"', '"reward"', '"worth"', "null", "1e999", "true", '{"id": "a"}'),
    ],
}
FORMATS = sorted(VALID, key=lambda module: module.__name__)
relaxed = settings(
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
MANY = (80, pytest.param(1000, marks=pytest.mark.campaign))


def outcome(reader, *arguments):
    """The contents, or the error of ours; anything else goes through."""
    try:
        return reader(*arguments)
    except BestdoError as error:
        return error


def survives(module, text):
    found = outcome(module.read, Source("fuzzed", text), Wanted())
    if isinstance(found, Contents):
        for other in (toml, dot, gml, dagitty, node_link):  # whatever is read can be written
            assert other.write(found)
    else:
        lines = text.split("\n")
        assert isinstance(found, FileError)
        assert found.file == "fuzzed"
        assert 1 <= found.line <= len(lines)
        assert 1 <= found.column <= len(lines[found.line - 1]) + 1


@pytest.mark.parametrize("module", FORMATS, ids=lambda m: m.__name__)
def test_what_is_mutated_here_is_valid(module):
    assert isinstance(module.read(Source("valid", VALID[module]), Wanted()), Contents)


@pytest.mark.parametrize("module", FORMATS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("count", MANY)
def test_any_text(module, count):
    @settings(relaxed, max_examples=count)
    @given(text=st.text(max_size=60))
    def survive(text):
        survives(module, text)

    survive()


@pytest.mark.parametrize("module", FORMATS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("count", MANY)
def test_any_row_of_tokens(module, count):
    start = {toml: "bestdo = 1\n", dagitty: "dag {", dot: "digraph {", gml: "graph [ directed 1 ", node_link: "{"}
    start = start.get(module, "")

    @settings(relaxed, max_examples=count)
    @given(
        pieces=st.lists(st.sampled_from(PIECES[module]), max_size=30),
        begin=st.sampled_from(["", start]),
        between=st.sampled_from(["", " "]),
    )
    def survive(pieces, begin, between):
        survives(module, begin + between.join(pieces))

    survive()


@pytest.mark.parametrize("module", FORMATS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("count", MANY)
def test_any_file_with_a_few_changes(module, count):
    rng = random.Random(2016)
    text = VALID[module]
    for _ in range(10 * count):
        changed = text
        for _ in range(rng.randint(1, 3)):
            i = rng.randrange(len(changed) + 1)
            j = min(len(changed), i + rng.choice([0, 1, 1, 5, 40]))
            piece = rng.choice(
                [*PIECES[module], "", "", chr(rng.randrange(1, 0x2FF)), changed[i:j] * 2, changed[::-1][i:j]]
            )
            changed = changed[:i] + piece + changed[j:]
        survives(module, changed)


@pytest.mark.parametrize("name", ["a.toml", "a.bif", "a.dot", "a.gml", "a.dagitty", "a", "a.gz"])
@pytest.mark.parametrize("count", MANY)
def test_any_bytes(tmp_path, name, count):
    @settings(relaxed, max_examples=count)
    @given(
        data=st.binary(max_size=80),
        start=st.sampled_from([b"", b"\xef\xbb\xbf", b"\x1f\x8b", b"\x1f\x8b\x08\x00", b"dag {"]),
    )
    def survive(data, start):
        (tmp_path / name).write_bytes(start + data)
        found = outcome(read, tmp_path / name)
        assert isinstance(found, Contents) or str(tmp_path / name) in str(found)

    survive()
