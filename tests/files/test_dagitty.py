"""DAGitty text as DAGitty reads it: kinds of graph, marks with values, names, positions, and its older form."""

import contextlib
import random

import pytest

from bestdo import Graph, Variable
from bestdo.errors import BestdoError, FileError
from bestdo.files import dagitty, parse, read, toml, write
from bestdo.files.declarations import Source, Wanted
from support import fails_at


def of(text, **wanted):
    return dagitty.read(Source("text", text), Wanted(**wanted))


@pytest.mark.parametrize("kind", ["dag", "DAG", "Dag g", "pdag", "strict dag", "graph", "digraph", 'dag "my graph"'])
def test_every_kind_in_which_all_lines_are_arrows(kind):
    assert parse(f"{kind} {{ X -> Y <- Z; X <-> Y }}".encode(), "text").graph == Graph.parse("X -> Y; Z -> Y; X <-> Y")


def test_a_mag_is_refused_in_words():
    with pytest.raises(FileError, match="1:1: this is a mag, whose arrows leave open what is a direct cause"):
        of("mag { X -> Y }")


@pytest.mark.parametrize("mark", ["--", "@->", "<-@", "@-@", "@--", "--@"])
def test_lines_that_do_not_say_which_is_the_cause_are_named(mark):
    with pytest.raises(FileError) as caught:
        of(f'dag {{ a -> b\n c {mark} "d e" {mark} {{f g}} }}')
    for pair in (f'c {mark} "d e"', f'"d e" {mark} f', f'"d e" {mark} g'):
        assert pair in caught.value.message
    assert (caught.value.line, caught.value.column) == (2, 4)
    with pytest.raises(FileError, match="a7 -- b and 2 more"):
        of("dag {" + ";".join(f"a{i} -- b" for i in range(10)) + "}")


def test_text_without_extension_or_braces_is_guessed():
    assert parse(b"X -> Y", "text").graph == Graph.parse("X -> Y")
    assert parse(b"X E @0,1\nY O @1,1\n\nX Y", "text", success="1").graph == Graph.parse("X -> Y", reward="Y")
    with pytest.raises(FileError, match="the format of this file is unknown"):
        parse(b"X, Y", "text")


@pytest.mark.parametrize("mark", ["latent=1", 'unobserved="yes"', "u=true", "l=1", "hidden=yes", 'observed="no"'])
def test_a_mark_with_a_value_is_a_mark(mark):
    assert of(f"dag {{ U [{mark}] U -> Y }}").graph.hidden == ("U",)


@pytest.mark.parametrize(
    "mark", ["latent=0", 'unobserved="no"', "u=false", "observed=1", 'target="_blank"', "selected=no"]
)
def test_a_mark_that_is_false_is_none(mark):
    contents = of(f"dag {{ U [{mark}] U -> Y }}")
    assert contents.graph == Graph.parse("U -> Y")


def test_selection_with_a_value_is_refused_and_adjustment_is_told():
    with pytest.raises(FileError, match="selection is not supported"):
        of("dag { S [selected=1] X -> S }")
    assert of("dag { Z [adjusted] W [a] X -> Y <- Z; W }").notes == (
        "the mark adjusted (Z, W) is not used: what to adjust for follows from the graph",
    )
    assert of("dag { X -> Y }").notes == ()


def test_attributes_of_edges_are_skipped():
    text = 'dag { a -> b [beta=".3", pos="0.1,0.2", label="x", whatever]; a -> {b c} [beta=1]; b <-> c [pos="a"] }'
    assert of(text).graph == Graph.parse("a -> b; a -> c; b <-> c")


ODD = (
    "mother's age",
    "A & B",
    "x < 5",
    "y > 7",
    "<script>alert(1)</script>",
    "größe",
    "年龄",
    "a -> b",
    "&amp;",
    "50 %",
)


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("extension", ["toml", "dagitty", "dot", "gml"])
def test_names_as_people_write_them_in_every_format(name, extension, tmp_path):
    graph = Graph.of([Variable(name), Variable("Y")], [(name, "Y")], [(name, "Y")])
    write(graph, tmp_path / f"a.{extension}")
    assert read(tmp_path / f"a.{extension}").graph == graph


PLACED = """dag {
bb="-3,-0.5,2,1.2"
"it's" [exposure,pos="-2.2, 1.52"]
Y [outcome,pos="1.4,1.6e0"]
Z [pos="-.3,-0.082"]
W
"it's" -> Y [pos="0,0"]
Z -> {"it's" Y}
}"""


def test_positions_are_kept_and_written(tmp_path):
    contents = of(PLACED, success="1")
    assert contents.positions == {"it's": (-2.2, 1.52), "Y": (1.4, 1.6), "Z": (-0.3, -0.082)}
    for extension, module in (("toml", toml), ("dagitty", dagitty)):
        write(contents, tmp_path / f"a.{extension}")
        again = read(tmp_path / f"a.{extension}", success="1")
        assert again == contents
        assert module.write(again) == (tmp_path / f"a.{extension}").read_text()
    assert '[positions]\n"it\'s" = [-2.2, 1.52]\n' in (tmp_path / "a.toml").read_text()


@pytest.mark.parametrize("given", ["1", "1,2,3", "a,b", "1.2.3,4", ""])
def test_a_position_that_is_not_two_numbers(given):
    with pytest.raises(FileError, match=r"1:\d+: pos is '.*'; a position is two numbers"):
        of(f'dag {{ a [pos="{given}"] a -> b }}')


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("c = [1, 2]", r":5:1: unknown variable 'c'; allowed: 'a', 'b'"),
        ("a = [1]", r":5:1: the position of 'a' must be two numbers"),
        ("a = [1, nan]", r":5:\d+: "),
        ('a = [1, "x"]', r":5:10: positions.a must be a number"),
        ("a = 5", r":5:\d+: "),
    ],
)
def test_bad_positions_in_our_own_format(given, message):
    text = f'bestdo = 1\nvariables = {{ a = {{}}, b = {{}} }}\ngraph.edges = ["a -> b"]\n[positions]\n{given}\n'
    with pytest.raises(FileError, match=message):
        toml.read(Source("text", text), Wanted())


OLDER = """low%20dose E @-1.193,1.639
Y O @1.053,1.639
birth weight 1 @-0.132,-0.374
I U @0.423,0.755
M A @5,5

birth weight low%20dose I @3,4 M
low dose birth weight Y
I Y M
M birth weight
"""


def test_the_older_form():
    contents = of(OLDER, success="1")
    expected = Graph.parse(
        '"low dose"; Y; "birth weight"; I; M; "birth weight" -> I; "low dose" -> Y; I -> Y; I -> M; '
        '"birth weight" <-> M; "birth weight" <-> "low dose"',
        reward="Y",
        hidden=["I"],
    )
    assert set(contents.graph.edges) == set(expected.edges)
    assert (contents.graph.variables[:5], contents.graph.reward) == (expected.variables[:5], "Y")
    assert contents.positions["low dose"] == (-1.193, 1.639)
    assert list(map(str, contents.problem.actions)) == ["do()", 'do("low dose"=0)', 'do("low dose"=1)']
    assert contents.notes == ("the mark A of 'M' is not used: what to adjust for follows from the graph",)


def test_the_older_form_with_a_square():
    assert of("a 1 @0,0\nb 1\nc\n\n0 1 1\n0 0 1\n0 1 0").graph == Graph.parse("a -> b; a -> c; b <-> c")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a 1 @0,0\nb 1 @0,1", 2, 9, "an empty line is missing"),
        ("a 1 @0,0\nb Q @0,1\n\na b", 2, 3, "unknown mark 'Q'; the marks of a variable are E (exposure), O (outcome)"),
        ("a 1 @0,0\na 1 @0,1\n\na b", 2, 1, "variable 'a' is declared twice"),
        ("a 1 @0,0\nb 1 @0,x\n\na b", 2, 5, "the position '@0,x' is not two numbers"),
        ("a 1 @0,0\nb O @0,1\nc O @0,2\n\na b", 3, 3, "'b' and 'c' are both marked as the reward"),
        ("a 1 @0,0\nb 1 @0,1\n\na b c", 4, 5, "unknown variable 'c'"),
        ("a 1 @0,0\nb 1 @0,1\n\n0 1\n0", 5, 1, "line 2 of 2 has 1 numbers"),
        ("a 1 @0,0\nb 1 @0,1\nc 1 @0,1\n\na b\nb c\nc a", 7, 3, "form a cycle"),
        ("a O @0,0\nb 1 @0,1\n\nb a", 1, 3, "which value of the reward 'a' is success"),
    ],
)
def test_errors_of_the_older_form_have_their_place(text, line, column, message):
    fails_at(of, text, line, column, message)


def test_a_short_text_of_the_older_form_cannot_stand_for_a_long_one():
    names = [f"v{i}" for i in range(501)]
    head = "\n".join(f"{n} 1 @0,0" for n in names)
    with pytest.raises(FileError, match="at most 500 variables"):
        of(f"{head}\n\n" + "\n".join(["0 " * 501] * 501))
    with pytest.raises(FileError, match="more than 50,000 arrows"):
        of(f"{head}\n\n" + "\n".join("v0" + " v1" * 100 for _ in range(501)))


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_changed_ends_in_contents_or_an_error_of_ours(seed):
    rng = random.Random(seed)
    text = list(rng.choice([OLDER, PLACED, "a 1 @0,0\nb 1\n\n0 1\n0 0"]))
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(text))
        text[at : at + rng.randint(0, 3)] = rng.choice(
            ["", "@", "\n\n", " ", "%zz", "E", "O", "->", "1", '"', "{", "\x00", "é"]
        )
    with contextlib.suppress(BestdoError):
        assert parse("".join(text).encode(), "text.txt", success="1").graph.names
