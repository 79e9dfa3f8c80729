"""Our own format."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from bestdo import Actions, Graph, do
from bestdo.causal import law_from_tables
from bestdo.causal.unlisted_law import ModelLaw
from bestdo.errors import FileError
from bestdo.files import Contents, read, toml, write
from bestdo.files.declarations import Source, Wanted
from bestdo.files.toml_positions import Places
from bestdo.simulate import confounded, paper_parallel
from support import ROOT, fails_at

FARM = ROOT / "examples" / "farm.toml"


@pytest.fixture
def reading(reading_as):
    return partial(reading_as, "a.toml")


def test_the_farm():
    farm = read(FARM)
    assert farm.graph.reward == "yield"
    assert farm.graph.success == "good"
    assert farm.graph.parents["yield"] == ("temperature", "nutrient", "moisture")
    assert farm.problem.actions == Actions.single(farm.graph)
    assert farm.problem.law is None
    assert farm.problem.cost is None
    means = dict(zip(map(str, farm.problem.actions), farm.model.means(farm.problem.actions), strict=True))
    best, second = sorted(means.values())[-1:-3:-1]
    assert means["do(moisture=wet)"] == best
    assert best == pytest.approx(0.708)
    assert second == pytest.approx(0.5545)


def test_the_farm_is_written_back_unchanged(tmp_path):
    write(read(FARM), tmp_path / "farm.toml")
    assert (tmp_path / "farm.toml").read_bytes() == FARM.read_bytes()


SMALL = """\
bestdo = 1

[variables.a]
values = ["low", "high"]

[variables."b b"]
values = ["x", "y", "z"]

[variables."a<->r"]
values = ["u", "v"]
hidden = true

[variables.r]
values = ["no", "yes"]

[graph]
edges = [
    'a -> "b b"',
    '"b b" -> r',
    "a <-> r",
]
reward = "r"
success = "yes"

[actions]
list = [
    "do()",
    'do(a=high, "b b"=x)',
]

[costs]
default = 1.0
'do(a=high, "b b"=x)' = 2.5

[tables]
"a<->r" = [0.25, 0.75]

[tables.a]
given = ["a<->r"]
rows = [
    { when = ["u"], p = [0.5, 0.5] },
    { when = ["v"], p = [0.1, 0.9] },
]

[tables."b b"]
given = ["a"]
rows = [
    { when = ["low"], p = [0.5, 0.25, 0.25] },
    { when = ["high"], p = [1.0, 0.0, 0.0] },
]

[tables.r]
given = ["b b", "a<->r"]
rows = [
    { when = ["x", "u"], p = [0.1, 0.9] },
    { when = ["x", "v"], p = [0.2, 0.8] },
    { when = ["y", "u"], p = [0.3, 0.7] },
    { when = ["y", "v"], p = [0.4, 0.6] },
    { when = ["z", "u"], p = [0.5, 0.5] },
    { when = ["z", "v"], p = [0.6, 0.4] },
]
"""


def test_everything_at_once(reading, tmp_path):
    contents = reading(SMALL)
    assert contents.graph.hidden == ("a<->r",)
    assert contents.graph.variable("a<->r").values == ("u", "v")
    assert contents.problem.actions[1] == do({"a": "high", "b b": "x"})
    assert contents.problem.cost == (1.0, 2.5)
    assert contents.model.tables["r"][2, 1, 0] == 0.6
    write(contents, tmp_path / "b.toml")
    assert (tmp_path / "b.toml").read_text() == SMALL


def test_parents_in_any_order_and_rows_in_any_order(reading):
    turned = SMALL.replace('given = ["b b", "a<->r"]', 'given = ["a<->r", "b b"]')
    for x in "xyz":
        for u in "uv":
            turned = turned.replace(f'["{x}", "{u}"]', f'["{u}", "{x}"]')
    lines = turned.splitlines()
    lines[-7:-1] = lines[-2:-8:-1]
    assert reading("\n".join(lines)) == reading(SMALL)


def test_values_may_be_whole_numbers_and_the_default_is_0_and_1(reading):
    graph = reading("bestdo = 1\n[variables.a]\nvalues = [1, 2, '3']\n[variables.b]\n[graph]\nreward = 'b'").graph
    assert graph.variable("a").values == ("1", "2", "3")
    assert graph.success == "1"


def test_tables_of_all_but_the_reward_are_what_is_known(reading, tmp_path):
    whole = reading(SMALL)
    known = reading(SMALL[: SMALL.index("[tables.r]")])
    assert known.model is None
    law = known.problem.law
    assert law == whole.model.parent_law(whole.problem.actions)
    assert law.parents == ("b b", "a<->r")
    np.testing.assert_allclose(law.table[1], [[0.25, 0.75], [0, 0], [0, 0]])
    write(known, tmp_path / "b.toml")
    text = (tmp_path / "b.toml").read_text()
    assert "[law]" not in text  # the tables say more: how the parents depend on their own causes
    assert read(tmp_path / "b.toml") == known
    listed = replace(known.problem, law=replace(law, known=None))
    write(listed, tmp_path / "c.toml")
    assert "[law]" in (tmp_path / "c.toml").read_text()
    assert read(tmp_path / "c.toml").problem == known.problem == listed


EFFECT = """bestdo = 1
[variables]
a = {}
b = {}
y = {}
smile = {}
[graph]
edges = ["a -> b -> y -> smile"]
reward = "y"
[actions]
set = ["a", "smile"]
[tables]
a = [0.5, 0.5]
[tables.b]
given = ["a"]
rows = [{ when = ["0"], p = [0.9, 0.1] }, { when = ["1"], p = [0.2, 0.8] }]
"""


def test_tables_of_what_the_reward_causes_are_not_needed(reading, tmp_path):
    known = reading(EFFECT)
    np.testing.assert_allclose(known.problem.law.table, [[0.55, 0.45], [0.9, 0.1], [0.2, 0.8], *[[0.55, 0.45]] * 2])
    write(known, tmp_path / "b.toml")
    assert read(tmp_path / "b.toml") == known
    smile = """[tables.smile]
given = ["y"]
rows = [{ when = ["0"], p = [1, 0] }, { when = ["1"], p = [0, 1] }]
"""
    with_smile = reading(EFFECT + smile)
    assert with_smile.problem == known.problem
    assert set(with_smile.problem.law.known) == {"a", "b", "smile"}
    write(with_smile, tmp_path / "b.toml")
    assert set(read(tmp_path / "b.toml").tables) == {"a", "b", "smile"}
    without = EFFECT[: EFFECT.index("[tables.b]")]
    with pytest.raises(FileError, match="tables are missing for 'b', 'y', 'smile'"):
        reading(without)


def test_a_law_that_is_not_listed_is_written_as_its_tables(reading, tmp_path, monkeypatch):
    monkeypatch.setattr(law_from_tables, "MOST_IN_TABLE", 4)
    known = reading(EFFECT)
    assert isinstance(known.problem.law, ModelLaw)
    write(known, tmp_path / "b.toml")
    assert read(tmp_path / "b.toml") == known


def test_without_reward_there_is_no_problem(reading):
    text = SMALL.replace('reward = "r"\nsuccess = "yes"\n', "")
    with pytest.raises(FileError, match=r"actions need a reward: name one under \[graph\]"):
        reading(text)
    start = text.index("[actions]")
    contents = reading(text[:start] + text[text.index("\n[tables", start) :])
    assert contents.problem is None
    assert contents.graph.reward is None
    assert contents.model is not None
    assert reading(text, reward="r", success="no").graph.success == "no"
    assert reading(SMALL, success="no").problem.graph.success == "no"


def test_at_most_more_than_there_are(reading):
    start = (
        "bestdo = 1\n[variables.a]\n[variables.b]\n[variables.y]\n[graph]\nreward = 'y'\n[actions]\nset = ['b', 'a']\n"
    )
    two = reading(start + "at_most = 1000000000000").problem.actions
    assert len(two) == 1 + 4 + 4
    assert list(reading(start).problem.actions)[1] == do(b=0)


START = "bestdo = 1\n[variables.a]\n[variables.b]\nvalues = ['x', 'y']\n"
GRAPH = START + "[graph]\nedges = ['a -> b']\nreward = 'b'\nsuccess = 'y'\n"
ACT = GRAPH + "[actions]\nset = ['a']\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        # syntax
        ("bestdo = 1\nx y", 2, 3, "Expected '=' after a key"),
        ("bestdo = ", 1, 10, "Invalid value"),
        ("bestdo = 1\n[variables", 2, 11, "Expected ']'"),
        ("bestdo = 1\n[variables.a]\n[variables.a]", 3, 13, "Cannot declare"),
        ("bestdo = '\n'", 1, 11, "character"),
        ('bestdo = """', 1, 13, "Unterminated string"),
        ("bestdo = 1\nx = " + "[" * 2000, 2, 2004, "nested too deeply"),
        ("bestdo = " + "1" * 5000, 1, 10, "too many digits"),
        ("bestdo = 1\n" + "a." * 200 + "a = 1", 2, 202, "keys with too many parts"),
        # the whole
        ("variables = {}", 1, 1, "put 'bestdo = 1' at the top"),
        ("# new\nbestdo = 2\n", 2, 1, "the version of the format must be"),
        ("bestdo = true", 1, 1, "the version of the format must be"),
        ("bestdo = 1\n", 1, 1, "no variable is declared"),
        (START + "[graphs]\n", 5, 2, "unknown key 'graphs' (did you mean 'graph'?)"),
        ("bestdo = 1\nvariables = 5", 2, 1, "variables must be a table, not a number"),
        # variables
        ("bestdo = 1\n[variables.a]\nvalue = ['x']", 3, 1, "unknown key 'value' (did you mean 'values'?)"),
        ("bestdo = 1\n[variables.a]\nvalues = 'xy'", 3, 1, "variables.a.values must be a list, not text"),
        ("bestdo = 1\n[variables.a]\nvalues = ['x',\n 0.5]", 4, 2, "text in quotes or a whole number"),
        ("bestdo = 1\n[variables.a]\nvalues = ['x', 'x']", 3, 1, "lists the value 'x' twice"),
        ("bestdo = 1\n[variables.a]\nvalues = []", 2, 12, "0 values"),
        ("bestdo = 1\n[variables.a]\nhidden = 'yes'", 3, 1, "variables.a.hidden must be true or false, not text"),
        ("bestdo = 1\n[variables.a]\nunit = 1979-05-27", 3, 1, "must be text in quotes, not a date or time"),
        ("bestdo = 1\n[variables]\n'a`b' = {}", 3, 2, "holds the character '`'"),
        ('bestdo = 1\n[variables."a\\u0007"]\n', 2, 13, "control and invisible characters"),
        # graph
        (START + "[graph]\nedges = 'a -> b'", 6, 1, "graph.edges must be a list, not text"),
        (START + "[graph]\nedges = ['a -> b', 'a => b']", 6, 23, "cannot read '=> b'"),
        (START + "[graph]\nedges = ['a -> b',\n'a -> bb']", 7, 2, "unknown variable 'bb' (did you mean 'b'?)"),
        (START + "[graph]\nedges = ['a -> b',\n'b -> a']", 7, 2, "form a cycle"),
        (START + "[graph]\nedges = ['a <-> a']", 6, 11, "cannot share a cause with itself"),
        (START + "[graph]\nreward = 'B'", 6, 1, "unknown variable 'B'"),
        (START + "[graph]\nreward = 'b'", 6, 1, "which value of the reward 'b' is success"),
        (START + "[graph]\nreward = 'b'\nsuccess = 'Y'", 7, 1, "unknown value 'Y'"),
        (START + "[graph]\nsuccess = 'y'", 6, 1, "success is given, but no reward"),
        (START + "[graph]\nreward = ['b']", 6, 1, "graph.reward must be text in quotes, not a list"),
        # actions
        (GRAPH + "[actions]\n", 9, 2, "say either"),
        (GRAPH + "[actions]\nset = ['a']\nlist = ['do()']", 9, 2, "say either"),
        (GRAPH + "[actions]\nlist = ['do()']\nat_most = 1", 11, 1, "at_most goes with set"),
        (GRAPH + "[actions]\nset = ['a',\n  'c']", 11, 4, "unknown variable 'c'"),
        (GRAPH + "[actions]\nset = ['b']", 10, 9, "the reward 'b' cannot be set"),
        (ACT + "at_most = 0", 11, 1, "at_most must be a whole number from 1"),
        (GRAPH + "[actions]\nlist = ['do()', 'do(a=2)']", 10, 18, "unknown value '2'"),
        (GRAPH + "[actions]\nlist = ['do()', 'do(a=1']", 10, 24, "found the end of the text, expected ','"),
        (GRAPH + "[actions]\nlist = ['do()', 'do(b=x)']", 10, 18, "the reward 'b' cannot be set"),
        (GRAPH + "[actions]\nlist = ['do()', 'see()']", 10, 18, "an action is written like do(variable=value)"),
        (GRAPH + "[actions]\nlist = ['do(a=1)',\n 'do(a=1)']", 11, 3, "listed twice"),
        (GRAPH + "[actions]\nlist = []", 10, 1, "at least one action is needed"),
        # costs
        (GRAPH + "[costs]\ndefault = 2", 9, 2, "there is no [actions]"),
        (ACT + "[costs]\ndefault = 0", 12, 1, "a finite number above 0"),
        (ACT + "[costs]\n'do(a=1)' = inf", 12, 2, "a finite number above 0"),
        (ACT + "[costs]\n'do(a=1)' = '3'", 12, 2, "must be a number, not text"),
        (ACT + "[costs]\n'do(a=2)' = 3", 12, 2, "unknown action 'do(a=2)' (did you mean 'do(a=1)'?)"),
        (ACT + "[costs]\n'do(a=1)' = 3\n'do( a=1)' = 3", 13, 2, "has a cost already"),
        (ACT + "[costs]\n'do(a=1' = 3", 12, 8, "found the end of the text"),
        (ACT + "[costs]\ndefault = 1" + "0" * 400, 12, 1, "this number is too large"),
        # tables
        (GRAPH + "[tables]\nc = [0.5, 0.5]", 10, 1, "unknown variable 'c'"),
        (GRAPH + "[tables]\nb = [0.5, 0.5]", 9, 2, "tables are missing for 'a'"),
        (GRAPH + "[tables]\na = [0.5, 0.4]", 10, 1, "sums to 0.9"),
        (GRAPH + "[tables]\na = [nan, 0.4]", 10, 1, "sums to nan"),
        (GRAPH + "[tables]\na = [0.5, 0.4, 0.1]", 10, 1, "found 3 numbers, expected 2"),
        (GRAPH + "[tables]\na = [0.5, '0.5']", 10, 12, "tables.a must be a number, not text"),
        (GRAPH + "[tables]\na = [0.5, 0.5]\nb = [0.5, 0.5]", 11, 1, "is given nothing; its parents are 'a'"),
        (GRAPH + "[tables]\na = [0.5, 0.5]\nb = {given = ['a']}", 11, 1, "lacks 'rows'"),
        (
            GRAPH + "[tables]\na = [0.5, 0.5]\n[tables.b]\ngiven = ['a']\nrows = [{when = ['0'], p = [0, 1]}]",
            11,
            9,
            "no row for a=1",
        ),
        (
            GRAPH + "[tables]\na = [0.5, 0.5]\n[tables.b]\ngiven = ['a']\nrows = [\n{when = ['2'], p = [0, 1]}]",
            14,
            1,
            "unknown value '2'",
        ),
        (
            GRAPH + "[tables]\na = [0.5, 0.5]\n[tables.b]\ngiven = ['a']\nrows = [\n{when = ['0'], p = [0, 1]},\n"
            "{when = ['0'], p = [0, 1]}]",
            15,
            1,
            "a row already",
        ),
        (
            GRAPH + "[tables]\na = [0.5, 0.5]\n[tables.b]\ngiven = ['a']\nrows = [\n{when = ['0'], p = [0, 1]},\n"
            "{when = ['1'], p = [-1, 2]}]",
            15,
            16,
            "given a=1 is -1, 2",
        ),
        (
            GRAPH + "[tables]\na = [0.5, 0.5]\n[tables.b]\ngiven = ['a']\nrows = [\n{when = ['0'], q = [0, 1]}]",
            14,
            16,
            "unknown key 'q'",
        ),
        (
            GRAPH + "[tables]\na = [0.5, 0.5]\n[tables.b]\ngiven = ['a']\nrows = [\n{when = ['0']}]",
            14,
            1,
            "must be a list, not nothing",
        ),
        # law
        (GRAPH + "[law]\nof = ['a']", 9, 2, "needs [actions] and a reward"),
        (ACT + "[law]\nof = ['b']", 12, 1, "must list the parents of the reward in their order: 'a'"),
        (ACT + "[law]\nof = ['a']\nrows = [{action = 'do()', p = [0.5, 0.5]}]", 13, 1, "no row for do(a=0)"),
        (ACT + "[law]\nof = ['a']\nrows = [{action = 'do()', p = [0.5, 0.6]}]", 13, 27, "no distribution"),
        (ACT + "[law]\nof = ['a']\nrows = [{action = 'do(a=2)', p = [0.5, 0.5]}]", 13, 10, "unknown action"),
        (ACT + "[tables]\na = [0.5, 0.5]\n[law]\nof = ['a']\nrows = ["
         + "".join(f"{{action = '{a}', p = [0.5, 0.5]}}," for a in ("do()", "do(a=0)", "do(a=1)")) + "]",
         13, 2, "remove one"),
    ],
)  # fmt: skip
def test_errors_have_their_place(reading, text, line, column, message):
    fails_at(reading, text, line, column, message)


def test_tables_too_large_are_refused_before_anything_is_made(reading):
    names = [f"v{i}" for i in range(34)]
    text = "bestdo = 1\n" + "".join(f"[variables.{n}]\n" for n in [*names, "y"])
    text += "[graph]\nedges = [" + ", ".join(f"'{n} -> y'" for n in names) + "]\nreward = 'y'\n"
    roots = "[tables]\n" + "".join(f"{n} = [0.5, 0.5]\n" for n in names)
    with pytest.raises(FileError, match="34 parents would hold 34,359,738,368 numbers"):
        reading(text + roots + f"[tables.y]\ngiven = {names}\nrows = []\n")
    law = f"[law]\nof = {names}\nrows = [{{action = 'do()', p = [1]}}]\n"
    with pytest.raises(FileError, match=r"34 parents under 3 actions would hold 51,539,607,552 numbers"):
        reading(text + "[actions]\nset = ['v0']\n" + law)


def test_laws_too_large_to_be_written_out_are_kept_as_tables(reading):
    for world in (paper_parallel(50, 10, 0.3), confounded([0.1] * 30, [0.3] * 30)):
        text = toml.write(Contents(world.problem.graph, world.problem))
        assert reading(text).problem == replace(world.problem, all_compete=False)  # which is not for files


def test_hidden_causes_that_are_not_just_an_arrow_with_two_heads(tmp_path):
    graph = Graph.parse("a -> b; a <-> b; b <-> c")
    for changed in (
        Graph(graph.variables[::-1], graph.parents),
        Graph(graph.variables, {**graph.parents, "b": graph.parents["b"][::-1]}),
        Graph(graph.variables, {**graph.parents, "c": ("b<->c", "a<->b")}),
        Graph(graph.variables, {**graph.parents, "a<->b": ("b<->c",)}),
        Graph(graph.variables, {**graph.parents, "a": ()}),
    ):
        for name in ("a.toml", "a.dot", "a.gml", "a.dagitty"):
            write(Contents(changed), tmp_path / name)
            assert read(tmp_path / name).graph == changed


def test_places_of_every_kind_of_toml():
    text = """# [not.here]
a.'b'."c\\u0064" = { x = [1, [2, 'three']], y.z = "[" } # ]
[ t . u ]
when = 1979-05-27 07:32:00
text = \"\"\"
[nor.here]
k = "v" \"\"\"
lines = [
  'x', # a comment, with ] and "
  '''y''',
]
[[many]]
k = 1
"""
    places = Places(text)
    assert text[places(("a", "b", "cd")) :].startswith("c\\u0064")
    assert text[places(("a", "b", "cd", "x", 1, 1)) :].startswith("three")
    assert text[places(("a", "b", "cd", "y", "z")) :].startswith("z")
    assert text[places(("t", "u", "when")) :].startswith("when = 1979")
    assert text[places(("t", "u", "lines", 0)) :].startswith("x', #")
    assert text[places(("t", "u", "lines", 1)) :].startswith("''y'''")
    assert text[places(("many", 0, "k")) :].startswith("k = 1\n")
    assert places(("t", "nowhere")) == places(("t",))
    assert places(("nowhere",)) == 0


def test_the_documentation_shows_the_farm_as_it_is():
    text = (ROOT / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
    assert f"```toml\n{FARM.read_text(encoding='utf-8')}```\n" in text
    (message,) = [line for line in text.splitlines() if line.startswith("farm.toml:")]
    wrong = FARM.read_text(encoding="utf-8").replace('"temperature -> yield"', '"temprature -> yield"')
    with pytest.raises(FileError) as caught:
        toml.read(Source("farm.toml", wrong), Wanted())
    assert str(caught.value).startswith(message.removesuffix(", ..."))
