"""Choosing the format, finding the file, and writing all of a file or nothing."""

import gzip
import io
import os

import pytest

import bestdo
from bestdo.errors import BestdoError, FileError, GraphError, NoSuccess
from bestdo.files import Contents, read, write
from support import ROOT

DAG = "dag { X [exposure] Y [outcome] X -> Y }"


def put(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.dagitty", "dag { A -> B }"),
        ("a.txt", "dag{A->B}"),
        ("a.dot", 'dag "my graph" { A -> B }'),
        ("noextension", "\n  dag {\nA -> B\n}\n"),
        ("a.DOT", "digraph { A -> B }"),
        ("a.gv", "// a comment\n/* another */ strict digraph G { A -> B }"),
        ("a.whatever", "digraph G{A->B}"),
        ("a.gml", 'graph [ directed 1 node [ id 0 label "A" ] node [ id 1 label "B" ] edge [ source 0 target 1 ] ]'),
        ("b.txt", 'Creator "x"\ngraph\n[ directed 1 node [ id 0 label "A" ] node [ id 1 label "B" ]\n'
                  "edge [ source 0 target 1 ] ]"),
        ("a.toml", "bestdo = 1\nvariables.A = {}\nvariables.B = {}\ngraph.edges = ['A -> B']"),
        ("c.txt", "# comment\n\nbestdo = 1\n[variables.A]\n[variables.B]\n[graph]\nedges = ['A -> B']"),
    ],
)  # fmt: skip
def test_the_format_is_known_by_content_and_extension(tmp_path, name, text):
    expected = bestdo.Graph.parse("A -> B")
    assert read(put(tmp_path, name, text)).graph == expected
    assert read(str(put(tmp_path, name + ".gz", gzip.compress(text.encode())))).graph == expected
    assert read(put(tmp_path, name, b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())).graph == expected


def test_the_front_door():
    assert bestdo.read is read
    contents = bestdo.read(ROOT / "examples" / "farm.toml")
    assert isinstance(contents, bestdo.Contents)
    assert contents.problem is not None
    assert contents.model is not None


def test_an_unknown_format_lists_the_known_ones(tmp_path):
    with pytest.raises(FileError, match=r"a\.csv:1:1: .*TOML.*BIF.*DAGitty.*DOT.*GML"):
        read(put(tmp_path, "a.csv", "A,B\n1,2\n"))
    with pytest.raises(FileError, match="known"):
        read(put(tmp_path, "empty", ""))
    with pytest.raises(BestdoError, match=r"none of TOML"):
        write(Contents(bestdo.Graph.parse("A -> B")), tmp_path / "a.csv")


def test_missing_files_folders_and_permissions(tmp_path, monkeypatch):
    with pytest.raises(BestdoError, match=r"no file .*farm\.toml"):
        read(tmp_path / "farm.toml")
    with pytest.raises(BestdoError, match="is a folder"):
        read(tmp_path)
    with pytest.raises(BestdoError, match="null"):
        read("a\0b")
    with pytest.raises(BestdoError, match="No such file"):
        write(Contents(bestdo.Graph.parse("A -> B")), tmp_path / "no" / "a.dot")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(BestdoError, match=r"cannot read .*: Permission denied"):
        read(tmp_path / "farm.toml")


def test_what_is_not_utf8_has_a_place(tmp_path):
    with pytest.raises(FileError, match="0xe9 is not UTF-8") as caught:
        read(put(tmp_path, "a.dot", "digraph {\n  é ".encode() + b"\xe9 -> b }"))
    assert (caught.value.line, caught.value.column) == (2, 5)


def test_large_files_are_refused(tmp_path):
    with pytest.raises(BestdoError, match="more than 16 MB"):
        read(put(tmp_path, "a.dot", b"digraph {" + b" " * 2**24 + b"}"))
    with pytest.raises(BestdoError, match="more than 64 MB"):
        read(put(tmp_path, "a.bif", b" " * (2**26 + 1)))
    with pytest.raises(BestdoError, match="unpacked, has more than 64 MB"):
        read(put(tmp_path, "a.bif.gz", gzip.compress(b" " * (2**26 + 1), 1)))
    with pytest.raises(FileError, match="gzip"):
        read(put(tmp_path, "a.bif.gz", gzip.compress(b"network x {}")[:-9]))


def test_writing_is_all_or_nothing(tmp_path, monkeypatch):
    path = put(tmp_path, "a.dot", "old")
    path.chmod(0o640)
    (tmp_path / "link.dot").symlink_to(path)
    contents = Contents(bestdo.Graph.parse("A -> B"))
    write(contents, tmp_path / "link.dot")
    assert read(path) == contents
    assert path.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "link.dot").is_symlink()
    before = path.read_text()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(BestdoError, match="No space left"):
        write(Contents(bestdo.Graph.parse("A -> C")), path)
    assert path.read_text() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.dot", "link.dot"]


def test_a_file_that_cannot_be_written_in_a_format_leaves_no_trace(tmp_path):
    with pytest.raises(GraphError, match="BIF file holds tables"):
        write(Contents(bestdo.Graph.parse("A -> B")), tmp_path / "a.bif")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["farm.toml", "farm.bif", "farm.dot", "farm.gv", "farm.gml", "farm.dagitty", "farm.txt"]
)
def test_the_farm_in_every_format(tmp_path, name):
    farm = read(ROOT / "examples" / "farm.toml")
    write(farm, tmp_path / name)
    back = read(tmp_path / name, success="1" if name.endswith(("dagitty", "txt")) else None)
    if name.endswith(("dagitty", "txt")):  # neither values nor words
        assert back.graph.reward == "yield"
        assert back.graph.parents == farm.graph.parents
        assert {n for a in back.problem.actions for n in a} == {"temperature", "nutrient", "moisture"}
    else:
        assert back.graph == farm.graph
    if name.endswith(("toml", "bif")):
        assert back.model == farm.model
    if name.endswith("toml"):
        assert back == farm


def test_reward_and_success_asked_for(tmp_path):
    graph = put(tmp_path, "a.dagitty", DAG)
    with pytest.raises(NoSuccess, match=r"a\.dagitty:1:23: which value of the reward 'Y' is success, '0' or '1'\?"):
        read(graph)
    assert read(graph, success="0").graph.success == "0"
    assert read(graph, reward="Y", success="0").graph.success == "0"
    assert read(put(tmp_path, "b.dot", "digraph { A -> B }")).graph.reward is None
    assert read(tmp_path / "b.dot", reward="A", success="1").graph.success == "1"
    with pytest.raises(NoSuccess, match=r"^which value of the reward 'A' is success, '0' or '1'\?"):
        read(tmp_path / "b.dot", reward="A")
    with pytest.raises(GraphError, match=r"unknown variable 'C'"):
        read(tmp_path / "b.dot", reward="C")
    with pytest.raises(GraphError, match=r"names no reward"):
        read(tmp_path / "b.dot", success="1")
    farm = ROOT / "examples" / "farm.toml"
    assert read(farm, success="bad").graph.success == "bad"
    assert read(farm, reward="yield").graph.success == "good"
    with pytest.raises(GraphError, match=r"unknown value 'goood' of the variable 'yield' \(did you mean 'good'\?\)"):
        read(farm, success="goood")
    with pytest.raises(FileError, match=r"farm\.toml:33:36: .*the reward 'moisture' cannot be set"):
        read(farm, reward="moisture", success="wet")


def test_something_else_is_refused():
    with pytest.raises(BestdoError, match="cannot read a StringIO"):
        read(io.StringIO(DAG))


def test_graphs_problems_and_models_can_be_written_as_they_are(tmp_path):
    farm = read(ROOT / "examples" / "farm.toml")
    for name, what in (("graph", farm.graph), ("problem", farm.problem), ("model", farm.model)):
        write(what, tmp_path / f"{name}.toml")
        assert getattr(read(tmp_path / f"{name}.toml"), name) == what
    with pytest.raises(BestdoError, match="can be written, not 3"):
        write(3, tmp_path / "x.toml")


def test_a_world_is_written_with_its_problem_and_its_tables(tmp_path):
    world = bestdo.world("farm")
    bestdo.write(world, tmp_path / "farm.toml")
    again = bestdo.world(str(tmp_path / "farm.toml"))
    assert list(again.problem.actions) == list(world.problem.actions)
    assert again.means.tolist() == world.means.tolist()
