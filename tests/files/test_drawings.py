"""DOT, DAGitty and GML."""

import networkx as nx
import pytest

from bestdo import Graph
from bestdo.errors import FileError, GraphError, NoSuccess
from bestdo.files import Contents, read, write


@pytest.fixture
def reading(tmp_path):
    def read_text(text, name, reward=None, success=None):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return read(tmp_path / name, reward, success)

    return read_text


# DAGitty

PASTED = """dag {
bb="-5.34,-6.2,5.1,4.8"
"birth weight" [pos="0.1,0.2"]
D [outcome,pos="0.397,1.580"]
E [exposure,pos="-2.200,1.520"]
U [latent,pos="1.2,0.1"]
Z [adjusted,pos="-0.300,-0.082"]
S [adjusted]
{A B} -> Z [beta=".3"]
"birth weight" -> E
E -> D
Z -> {E D}
D <- U -> E; A <-> B
S
}
"""


def test_dagitty_as_people_paste_it(reading):
    with pytest.raises(NoSuccess, match=r"^.*a\.txt:4:4: which value of the reward 'D' is success, '0' or '1'\?"):
        reading(PASTED, "a.txt")
    contents = reading(PASTED, "a.txt", success="0")
    graph = contents.graph
    assert graph.reward == "D"
    assert graph.success == "0"
    assert graph.hidden == ("U", "A<->B")
    assert graph.parents["Z"] == ("A", "B")
    assert set(graph.parents["D"]) == {"E", "Z", "U"}
    assert set(graph.parents["E"]) == {"birth weight", "Z", "U"}
    assert [str(a) for a in contents.problem.actions] == ["do()", "do(E=0)", "do(E=1)"]
    assert contents.model is None


@pytest.mark.parametrize(
    "text",
    [
        "dag { a b c a -> b b -> c }",
        "dag{a;b;c;a->b->c}",
        "dag\n{\na\nb\nc\nc<-b<-a\n}",
        'dag { a; "b" c; a -> "b"; "b" -> c }',
        "dag { a -> b; b -> c; a -> b }",
        "dag { a -> { b -> c } }".replace("{ b -> c }", "b -> c"),
    ],
)
def test_ways_to_write_a_chain(reading, text):
    assert reading(text, "a").graph == Graph.parse("a -> b -> c")


@pytest.mark.parametrize("mark", ["latent", "l", "unobserved", "u", "U", "hidden"])
def test_all_of_dagittys_words_for_hidden(reading, mark):
    """A common cause that nobody sees and that is read as seen would be adjusted for: a wrong answer."""
    assert reading(f"dag {{ U [{mark}] X [exposure] Y X <- U -> Y X -> Y }}", "a").graph.hidden == ("U",)


@pytest.mark.parametrize(("may_be_set", "wanted"), [("exposure", "outcome"), ("source", "target"), ("e", "o")])
def test_all_of_dagittys_words_for_exposure_and_outcome(reading, may_be_set, wanted):
    contents = reading(f"dag {{ X [{may_be_set}] Y [{wanted}] Z [a] X -> Y Z -> Y }}", "a", success="1")
    assert contents.graph.reward == "Y"
    assert list(map(str, contents.problem.actions)) == ["do()", "do(X=0)", "do(X=1)"]


@pytest.mark.parametrize("mark", ["selected", "s"])
def test_selection_is_refused(reading, mark):
    with pytest.raises(FileError, match="selection is not supported"):
        reading(f"dag {{ S [{mark}] X -> S }}", "a")


def test_dagitty_without_braces_and_a_pdag_whose_arrows_are_all_known(reading):
    assert reading("X -> Y <- Z\nX <-> Y", "a.dagitty").graph == Graph.parse("X -> Y; Z -> Y; X <-> Y")
    assert reading("pdag { X -> Y }", "a.dagitty").graph == Graph.parse("X -> Y")


def test_what_dowhy_marks_as_unobserved_is_hidden(reading):
    assert reading('digraph { U [label="causes", observed="no"]; U -> X; U -> Y }', "a.dot").graph.hidden == ("U",)
    nodes = 'node [ id 0 label "U" observed "no" ] node [ id 1 label "X" observed "yes" ]'
    assert reading(f"graph [ directed 1 {nodes} edge [ source 0 target 1 ] ]", "a.gml").graph.hidden == ("U",)
    network = nx.DiGraph([("U", "X"), ("X", "Y")])
    network.nodes["U"]["observed"] = "no"
    assert Graph.from_networkx(network).hidden == ("U",)
    network.nodes["U"]["observed"] = "perhaps"
    with pytest.raises(GraphError, match="'U' has observed='perhaps'; it must be 'yes' or 'no'"):
        Graph.from_networkx(network)


def test_several_outcomes_need_a_word(reading):
    text = "dag { X [exposure]\nY [outcome]\n Z [outcome] X -> Y X -> Z }"
    with pytest.raises(FileError, match=r"a:3:5: 'Y' and 'Z' are both marked"):
        reading(text, "a")
    assert reading(text, "a", reward="Z", success="1").problem.graph.reward == "Z"


def test_an_outcome_without_exposure_is_no_problem_and_the_other_way_round(reading):
    assert reading('dag { Y [outcome="1"] X -> Y }', "a").problem is None
    assert reading("dag { X [exposure] X -> Y }", "a").problem is None
    assert reading("dag { X [exposure] X -> Y }", "a", reward="Y", success="1").problem is not None


# DOT

DRAWN = """/* the farm */
digraph "farm" {
  # a line of the preprocessor
# another
  rankdir=LR; node [shape=box, style="filled"]; graph [label=<a <b>bold</b> word>]
  subgraph cluster_weather { label="weather"; rain -> soil:n; sun:e -> soil:s:w }
  edge [color=red]
  soil -> { yield cost } [weight=3]
  "ra" + "in" -> sun [style=dashed, dir=both];   // a hidden common cause
  yield [values="bad,good", reward=good, description="what \\"we\\" want", unit="t/ha"]
  rain [values="none, some ,\\"much, more\\""]
  { node [hidden=true] U }
  U -> yield; 7 -> cost -> -1.5
}
"""


def test_dot_as_graphviz_reads_it(reading):
    graph = reading(DRAWN, "a.dot").graph
    assert graph.names == ("rain", "soil", "sun", "yield", "cost", "U", "7", "-1.5", "rain<->sun")
    assert graph.parents["soil"] == ("rain", "sun")
    assert graph.parents["yield"] == ("soil", "U")
    assert graph.parents["cost"] == ("soil", "7")
    assert graph.parents["sun"] == ("rain<->sun",)
    assert (graph.reward, graph.success) == ("yield", "good")
    assert graph.variable("yield").description == 'what "we" want'
    assert graph.variable("yield").unit == "t/ha"
    assert graph.variable("rain").values == ("none", "some", "much, more")
    assert graph.hidden == ("U", "rain<->sun")


def test_dot_arrowheads(reading):
    graph = reading("digraph { a -> b [dir=back]; c -> b [dir=forward]; edge [dir=both] c -> a }", "a.dot").graph
    assert graph == Graph.parse("a; b; c; b -> a; c -> b; c <-> a")
    with pytest.raises(FileError, match=r":1:23: unknown dir 'none'"):
        reading("digraph { a -> b [dir=none] }", "a.dot")


@pytest.mark.parametrize(
    ("name", "text", "line", "column", "message"),
    [
        ("a.dot", "graph { a -- b }", 1, 11, "which is the cause: a -- b; write -> or <- for each"),
        ("a.dot", "digraph {\n  a -- b }", 2, 5, "which is the cause"),
        ("a.dot", "digraph {\n  a -> }", 2, 8, "found '}', expected a variable"),
        ("a.dot", "digraph {\n  a -> b", 1, 9, "never closed"),
        ("a.dot", "digraph { a -> b } x", 1, 20, "found 'x', expected the end of the file"),
        ("a.dot", 'digraph { a -> "b }', 1, 16, "quotes that open here are never closed"),
        ("a.dot", "digraph { a -> b; // c\n & }", 2, 2, "cannot read '& }'"),
        ("a.dot", "digraph { a [hidden=perhaps] }", 1, 21, "hidden is 'perhaps'; it must be true or false"),
        ("a.dot", "digraph { a [reward=2] }", 1, 21, "true or false or one of the variable's values"),
        ("a.dot", 'digraph { b\n a [values="x,x"] }', 2, 2, "lists the value 'x' twice"),
        ("a.dot", 'digraph { a [values="x,,y"] }', 1, 24, "found ',', expected a value"),
        ("a.dot", 'digraph { a [values=""] }', 1, 11, "0 values"),
        ("a.dot", 'digraph {\n"a\u202eb" -> b }', 2, 2, "holds the character '\\u202e'"),
        ("a.dot", 'digraph {\n"a<->b" -> b }', 2, 2, "holds <->, which stands for a hidden common cause"),
        ("a.dot", 'digraph {\na [hiden=true] }', 2, 4, "unknown attribute 'hiden' (did you mean 'hidden'?)"),
        ("a.dot", "digraph { a -> b\n b -> c\n c -> a }", 3, 4, "form a cycle"),
        ("a.dot", "digraph { x -> a -> a }", 1, 18, "form a cycle: a -> a"),
        ("a.dot", "digraph { edge [dir=both] a -> a }", 1, 29, "cannot share a cause with itself"),
        ("a.dot", "digraph { a [hidden=true, reward=1] }", 1, 34, "the reward 'a' is hidden"),
        ("a.dot", 'digraph { a [values="x,y,z", reward] }', 1, 30, "which value of the reward 'a' is success"),
        ("a.dot", 'digraph { a [values="x,y", reward] }', 1, 28, "which value of the reward 'a' is success"),
        ("a.dot", "digraph { subgraph }", 1, 20, "found '}', expected a name or '{'"),
        ("a.dagitty", "pag { a -- b }", 1, 9, "which is the cause"),
        ("a.dagitty", "dag { a [eposure] a -> b }", 1, 10, "unknown mark 'eposure'; the marks of a variable are exposure"),
        ("a.dagitty", "dag { a [x] a -> b }", 1, 10, "unknown mark 'x'"),
        ("a.dagitty", "a -> b\n[e] }", 2, 5, "found '}'"),
        ("a.dot", 'digraph { a [observed="maybe"] }', 1, 24, "observed is 'maybe'; it must be true or false"),
        ("a.dagitty", "mag { a -> b }", 1, 1, "this is a mag"),
        ("a.dagitty", "dag { a -- b }", 1, 9, "which is the cause"),
        ("a.dagitty", "a 1 @0.1,0.2\n\na b", 3, 3, "unknown variable 'b'; allowed: 'a'"),
        ("a.dagitty", "dag { a [exposure, latent]\nb [outcome=1] a -> b }", 1, 7, "'a' is hidden, so it cannot be set"),
        ("a.dagitty", "dag { b a [exposure, outcome=1] }", 1, 9, "the reward 'a' cannot be set"),
        ("a.dagitty", "dag { b a\n[outcome] }", 2, 2, "which value of the reward 'a' is success, '0' or '1'"),
        ("a.dagitty", "dag { b a\n[outcome, latent] }", 2, 2, "the reward 'a' is hidden"),
        ("a.dot", "digraph { a [reward=true] }", 1, 21, "which value of the reward 'a' is success, '0' or '1'"),
        ("a.gml", "graph [ directed 1 reward \"0\" node [ id 0 ] ]", 1, 28, "which value of the reward '0' is success"),
        ("a.gml", "graph [ node [ id 0 ] ]", 1, 1, "undirected"),
        ("a.gml", "node [ id 0 ]", 1, 1, "holds no graph"),
        ("a.gml", "graph [ directed 1 node [ label \"a\" ] ]", 1, 20, "this node has no id"),
        ("a.gml", "graph [ directed 1 node [ id 0 ]\n node [ id 0 ] ]", 2, 2, "two nodes have the id '0'"),
        ("a.gml", "graph [ directed 1 node [ id 0 label \"x\" ]\n node [ id 1 label \"x\" ] ]", 2, 2, "the label 'x'"),
        ("a.gml", "graph [ directed 1 node [ id 0 ]\n edge [ source 0\n target 7 ] ]", 3, 9, "id of a node '7'"),
        ("a.gml", "graph [ directed 1 node [ id 0 ]\n edge [ source 0 ] ]", 2, 2, "this edge has no target"),
        ("a.gml", "graph [ directed 1 node [ id 0 id 1 ] ]", 1, 32, "must be one text or number"),
        ("a.gml", "graph [ directed 1 node [ id 0 hidden 5 ] ]", 1, 20, "hidden is '5'"),
        ("a.gml", "graph [ directed 1 node [ id 0 ]", 1, 7, "this bracket is never closed"),
        ("a.gml", "graph [ directed 1 node [ id ] ]", 1, 30, "a value for 'id'"),
        ("a.gml", "graph [ directed 1 [ ] ]", 1, 20, "expected a key"),
        ("a.gml", "graph [ directed 1 ] \"x\"", 1, 23, "expected a key"),
        ("a.gml", "graph [ directed 1 node [ id 0 label \"a\n ] ]", 1, 38, "quotes that open here are never closed"),
        (
            "a.gml",
            "graph [ directed 1 node [ id 0 ] node [ id 1 ]\nedge [ source 0 target 1 ]\nedge [ source 1 target 0 ] ]",
            3,
            1,
            "form a cycle",
        ),
        ("a.gml", "graph [ directed 1 reward \"x\" node [ id 0 ] ]", 1, 28, "unknown variable 'x'"),
    ],
)  # fmt: skip
def test_errors_have_their_place(reading, name, text, line, column, message):
    with pytest.raises(FileError) as caught:
        reading(text, name)
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.file.endswith(name)


def test_a_short_text_cannot_stand_for_a_long_one(reading):
    many = " ".join(f"a{i}" for i in range(400))
    with pytest.raises(FileError, match="more than 120,000"):
        reading(f"digraph {{ {{{many}}} -> {{{many.replace('a', 'b')}}} }}", "a.dot")
    with pytest.raises(FileError, match="nested more than 50 deep"):
        reading("digraph " + "{" * 60 + "}" * 60, "a.dot")
    values = ",".join(map(str, range(1000)))
    with pytest.raises(FileError, match="more than 120,000"):
        reading(f'digraph {{ node [values="{values}"] {many} }}', "a.dot")
    with pytest.raises(FileError, match="nested more than 50 deep"):
        reading("graph [ " + "a [ " * 60, "a.gml")
    with pytest.raises(FileError, match="more than 20,000 variables"):
        reading("dag {" + " ".join(f"a{i}" for i in range(20_001)) + "}", "a")


# GML


def test_gml_that_networkx_writes_and_reads(tmp_path):
    import networkx as nx

    graph = Graph.parse("Z -> X -> Ÿ; X <-> Ÿ", reward="Ÿ", values={"Z": ("a & b", 'say "c"')}, success="1")
    nx.write_gml(graph.to_networkx(), tmp_path / "theirs.gml")
    assert read(tmp_path / "theirs.gml").graph == graph
    write(Contents(graph), tmp_path / "ours.gml")
    theirs = nx.read_gml(tmp_path / "ours.gml")
    assert Graph.from_networkx(theirs) == graph
    assert read(tmp_path / "ours.gml").graph == graph


def test_gml_without_labels(reading):
    text = '# made by hand\nCreator "me"\ngraph [ directed 1 node [ id 5 ] node [ id 7 ] edge [ source 5 target 7 ] ]'
    assert reading(text, "a.gml").graph == Graph.parse("5 -> 7")


def test_what_is_written_looks_as_documented(tmp_path):
    graph = Graph.parse("Z -> X -> Y; X <-> Y; U -> Y", reward="Y", hidden=["U"], values={"Z": ("a,b", "c d")})
    write(Contents(graph), tmp_path / "a.dot")
    assert (tmp_path / "a.dot").read_text() == (
        "digraph {\n"
        '    Z [values="\\"a,b\\",c d"];\n'
        "    X;\n"
        '    Y [reward="1"];\n'
        "    U [hidden=true, style=dashed];\n"
        "    Z -> X;\n"
        "    X -> Y;\n"
        "    U -> Y;\n"
        "    X -> Y [dir=both, style=dashed];\n"
        "}\n"
    )
    write(Contents(graph), tmp_path / "a.dagitty")
    assert (tmp_path / "a.dagitty").read_text() == (
        "dag {\nZ\nX\nY [outcome]\nU [latent]\nZ -> X\nX -> Y\nU -> Y\nX <-> Y\n}\n"
    )


def test_selection_is_refused_and_other_words_for_marks_are_known(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("dag { X [exposure] Y [outcome] S [selected] X -> Y X -> S Y -> S }")
    with pytest.raises(FileError, match="selection is not supported"):
        read(file)
    file.write_text("dag { X [source] Y [target] X -> Y }")
    contents = read(file, success="1")
    assert contents.graph.reward == "Y"
    assert {n for a in contents.problem.actions for n in a} == {"X"}
