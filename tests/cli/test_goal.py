"""Which way is good is asked for by every command and every format that does not say it, and said in the first line."""

import networkx as nx
import pytest

import bestdo as library
from bestdo import Graph
from support import bestdo

GRAPH = Graph.parse("gene -> smoking -> cancer; gene -> cancer", reward="cancer", success="0")
BIF = """network n { }
variable gene { type discrete [ 2 ] { 0, 1 }; }
variable smoking { type discrete [ 2 ] { 0, 1 }; }
variable cancer { type discrete [ 2 ] { 0, 1 }; }
probability ( gene ) { table 0.5, 0.5; }
probability ( smoking | gene ) { (0) 0.5, 0.5; (1) 0.3, 0.7; }
probability ( cancer | smoking, gene ) { (0, 0) 0.9, 0.1; (0, 1) 0.8, 0.2; (1, 0) 0.6, 0.4; (1, 1) 0.5, 0.5; }
"""
FORMATS = {
    "g.txt": "dag { smoking [exposure] cancer [outcome] gene -> {smoking cancer} smoking -> cancer }",
    "bare.dagitty": "smoking [e] cancer [o] gene -> {smoking cancer} smoking -> cancer",
    "older.txt": "gene 1 @0,0\nsmoking E @1,1\ncancer O @2,0\n\ngene smoking cancer\nsmoking cancer",
    "g.dot": "digraph { cancer [reward=true]; gene -> smoking -> cancer; gene -> cancer }",
    "g.gml": "\n".join(nx.generate_gml(GRAPH.to_networkx())).replace('success "0"', ""),
    "g.bif": BIF,
}
COMMANDS = {
    "check": (),
    "new": ("--rounds", "20", "--storage", "sqlite:///x.db"),
    "draw": (),
    "rehearse": ("--rounds", "6", "--worlds", "2", "--learner", "uniform"),
    "design": ("--rounds", "20"),
    "compare": ("--rounds", "20", "--sims", "2", "--learner", "uniform"),
}
NEED_TABLES = ("design", "compare")
GOAL = "Which action makes cancer = 0 likeliest?"


PAIRS = [("check", name) for name in FORMATS] + [(command, "g.bif") for command in COMMANDS if command != "check"]
EVERY = [(command, name) for command in COMMANDS for name in FORMATS if (command, name) not in PAIRS]


@pytest.mark.parametrize(
    ("command", "name"), [*PAIRS, *(pytest.param(*pair, marks=pytest.mark.campaign) for pair in EVERY)]
)
def test_asked_and_said(tmp_path, command, name):
    (tmp_path / name).write_text(FORMATS[name])
    options = (*COMMANDS[command], *(("--reward", "cancer") if name.endswith("bif") else ()))
    asked = bestdo(command, name, *options, cwd=tmp_path)
    assert asked.returncode == 1
    assert "which value of the reward 'cancer' is success, '0' or '1'?" in asked.stderr
    assert asked.stderr.rstrip().endswith("say --success VALUE")
    assert not (tmp_path / "x.db").exists()
    if command in NEED_TABLES and not name.endswith("bif"):
        return
    said = bestdo(command, name, *options, "--success", "0", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    first = said.stdout.split("\n")[0]
    assert first == GOAL or (command == "draw" and "0 is success" in said.stdout)


def test_a_study_says_it_whenever_it_shows_a_result(tmp_path):
    (tmp_path / "g.txt").write_text(FORMATS["g.txt"])
    (tmp_path / "old.csv").write_text("smoking,gene,cancer\n0,1,0\n1,1,1\n")
    environment = {"BESTDO_STORAGE": "sqlite:///x.db"}
    bestdo("new", "g.txt", "--rounds", "5", "--success", "0", cwd=tmp_path, environment=environment)
    for command in (["observe", "old.csv"], ["best"], ["status"]):
        done = bestdo(*command, cwd=tmp_path, environment=environment)
        assert done.stdout.startswith(GOAL), (command, done)


def test_objects_of_other_libraries_are_asked_as_well():
    for source in (GRAPH.to_dowhy(), GRAPH.edges[0], [[0, 1], [0, 0]]):
        names = ["smoking", "cancer"] if isinstance(source, list) else None
        with pytest.raises(library.BestdoError, match="is success, '0' or '1'"):
            library.read(source, reward="smoking", names=names)


def test_a_mark_that_is_not_used_is_told(tmp_path):
    (tmp_path / "g.txt").write_text("dag { Z [adjusted] X [e] Y [o] Z -> X -> Y Z -> Y }")
    done = bestdo("check", "g.txt", "--success", "1", cwd=tmp_path)
    assert done.stderr == "the mark adjusted (Z) is not used: what to adjust for follows from the graph\n"
