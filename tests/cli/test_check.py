import json
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from support import ROOT, bestdo, ends_in_one_sentence

FARM = str(ROOT / "examples" / "farm.toml")


def test_check_says_it_in_words():
    done = bestdo("check", FARM)
    assert done.returncode == 0, done.stderr
    assert "Which action makes yield = good likeliest?" in done.stdout
    assert "by watching alone" in done.stdout
    assert "no: it leaves temperature to chance" in done.stdout
    assert "1 of 7 actions can never be the best one to keep" in done.stdout


def test_check_points_out_a_variable_with_a_single_value(tmp_path):
    text = 'bestdo = 1\n[variables]\nprice = { values = ["sale"] }\nbuys = {}\n'
    (tmp_path / "shop.toml").write_text(text + '[graph]\nedges = ["price -> buys"]\nreward = "buys"\n')
    done = bestdo("check", str(tmp_path / "shop.toml"))
    assert "nothing to choose, and nothing to learn: price." in " ".join(done.stdout.split())


def test_check_gives_the_same_as_data():
    data = json.loads(bestdo("check", FARM, "-f", "json").stdout)
    assert (data["reward"], data["success"]) == ("yield", "good")
    actions = {a["action"]: a for a in data["actions"]}
    assert len(actions) == 7
    assert not actions["do()"]["can_be_best"]
    assert actions["do()"]["never_better_than"] == ["do(temperature=low)", "do(temperature=high)"]
    assert actions["do(moisture=wet)"]["set"] == {"moisture": "wet"}
    assert actions["do(moisture=wet)"]["learned_by"] == "seeing"
    assert actions["do(moisture=wet)"]["formula"] == "P(yield | moisture)"
    assert {v["name"]: v["may_be_set"] for v in data["variables"]} == {
        "temperature": True,
        "nutrient": True,
        "moisture": True,
        "yield": False,
    }


GRAPHS = {
    "front-door": (
        "dag { X [exposure] Y [outcome] U [latent] X -> Z -> Y; U -> X; U -> Y }",
        "formula",
        "with a formula",
    ),
    "bow": ("dag { X [exposure] Y [outcome] X -> Y X <-> Y }", "doing", "only by doing it"),
    "confounded": ("dag { X [exposure] Y [outcome] C -> X -> Y C -> Y }", "adjusting", "adjusting for C"),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_check_of_pasted_dagitty_text(tmp_path, name):
    text, how, words = GRAPHS[name]
    file = tmp_path / "graph.txt"
    file.write_text(text)
    done = bestdo("check", str(file))
    assert done.returncode == 1
    assert (
        "which value of the reward 'Y' is success, '0' or '1'? Name it as success: say --success VALUE" in done.stderr
    )
    done = bestdo("check", str(file), "--success", "0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Which action makes Y = 0 likeliest?")
    assert words in done.stdout
    data = json.loads(bestdo("check", str(file), "--success", "0", "-f", "json").stdout)
    assert {a["learned_by"] for a in data["actions"] if a["set"]} == {how}
    assert next(a["hedge"] for a in data["actions"] if a["set"]) == ([["X", "Y"], ["Y"]] if how == "doing" else None)


def test_check_asks_for_the_reward(tmp_path):
    file = tmp_path / "g.dot"
    file.write_text("digraph { a -> b; b -> c }")
    done = bestdo("check", str(file))
    assert done.returncode == 1
    assert "say --reward NAME --success VALUE" in done.stderr
    assert "say --success VALUE" in bestdo("check", str(file), "--reward", "c").stderr
    done = bestdo("check", str(file), "--reward", "c", "--success", "1")
    assert done.returncode == 0
    assert "The file names no actions" in done.stdout
    assert "it acts only through b" in done.stdout.replace("\n", " ")


def test_draw_makes_a_picture(tmp_path):
    done = bestdo("draw", FARM, "-o", "farm.svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    root = ElementTree.parse(tmp_path / "farm.svg").getroot()
    text = " ".join(root.itertext())
    for name in ("temperature", "nutrient", "moisture", "yield"):
        assert name in text
    printed = bestdo("draw", FARM, "--do", "do(moisture=wet)").stdout
    assert "set to wet" in printed
    assert ElementTree.fromstring(printed) is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nowhere.toml"], "there is no file 'nowhere.toml'"),
        (["check", "."], "is a folder"),
        (["check"], "Missing argument 'FILE…'"),
        (["chekc", FARM], "No such command"),
        (["check", FARM, "--reward", "yeild"], "did you mean 'yield'"),
        (["check", FARM, "-f", "xml"], "'xml' is not one of 'table', 'json'"),
        (["draw", FARM, "-o", "/nowhere/at/all.svg"], "No such file or directory"),
        (
            ["draw", FARM, "--do", "do(moisture=soggy)"],
            "unknown value 'soggy' of the variable 'moisture'; allowed: 'dry', 'wet'",
        ),
        (["draw", FARM, "--do", "moisture=wet"], "do("),
        (["draw", FARM, "--do", "do(yield=good)"], "do(yield=good): the reward 'yield' cannot be set"),
        (["draw", FARM, "-o", "farm.png"], "'farm.png': the picture is SVG; give a name that ends in .svg, or -"),
        (["draw", FARM, "-o", FARM], "is the file to draw, which the picture would replace"),
    ],
)
def test_mistakes_end_in_one_sentence_and_exit_code_1(tmp_path, arguments, message):
    done = bestdo(*arguments, cwd=tmp_path)
    ends_in_one_sentence(done, message)
    assert not list(tmp_path.iterdir())


def test_draw_never_replaces_its_input(tmp_path):
    for name in ("d.txt", "d.svg"):
        (tmp_path / name).write_text("dag { X -> Y }")
        done = bestdo("draw", name, "-o", f"../{tmp_path.name}/{name}", cwd=tmp_path)
        assert done.returncode == 1
        assert (tmp_path / name).read_text() == "dag { X -> Y }"


BAD = {
    "circle.dot": b"digraph { a -> b; b -> c; c -> a }",
    "random.toml": random.Random(0).randbytes(1_000_000),
    "steering.dot": 'digraph { "a\u202eb\u2066" -> b }'.encode(),
    "nan.toml": b'bestdo = 1\n[variables.a]\nvalues = ["0", "1"]\n[graph]\nedges = []\n[tables]\na = [nan, 1.0]\n',
    "sum.toml": b'bestdo = 1\n[variables.a]\nvalues = ["0", "1"]\n[graph]\nedges = []\n[tables]\na = [0.5, 0.4]\n',
    "twice.toml": b'bestdo = 1\n[variables.a]\nvalues = ["0", "0"]\n[graph]\nedges = []\n',
    "three.toml": b'bestdo = 1\n[variables.a]\nvalues = ["0", "1", "2"]\n[graph]\nedges = []\nreward = "a"\n',
    "one.toml": b'bestdo = 1\n[variables.a]\nvalues = ["0"]\n[graph]\nedges = []\nreward = "a"\nsuccess = "0"\n',
    "unknown.toml": b'bestdo = 1\n[variables.a]\nvalues = ["0", "1"]\n[graph]\nedges = ["a -> b"]\n',
    "hidden.toml": (
        b'bestdo = 1\n[variables.a]\nvalues = ["0", "1"]\nhidden = true\n[variables.y]\nvalues = ["0", "1"]\n'
        b'[graph]\nedges = ["a -> y"]\nreward = "y"\nsuccess = "1"\n[actions]\nset = ["a"]\n'
    ),
    "wide.bif": (
        b"network n { }\n"
        + b"".join(b"variable x%d { type discrete [ 2 ] { a, b }; }\n" % i for i in range(35))
        + b"probability ( x0 | "
        + b", ".join(b"x%d" % i for i in range(1, 35))
        + b" ) { default 0.5, 0.5; }\n"
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_with_file_line_and_column(tmp_path, name):
    (tmp_path / name).write_bytes(BAD[name])
    done = bestdo("check", name, cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    place = done.stderr.removeprefix("error: ").split(" ")[0]
    assert place.startswith(name + ":"), done.stderr
    assert all(part.isdigit() for part in place.rstrip(":").split(":")[1:3])


def test_a_closed_pipe_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m bestdo check {FARM} | head -1", shell=True, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


def test_version_and_help():
    assert bestdo("--version").stdout.startswith("bestdo 0.")
    for command in ("check", "draw"):
        assert command in bestdo("--help").stdout
        assert "Usage" in bestdo(command, "--help").stdout


def test_poor_terminals_and_full_disks_end_in_words():
    for code in ("ascii", "latin-1"):
        done = subprocess.run(
            [sys.executable, "-m", "bestdo", "check", FARM],
            env={**os.environ, "PYTHONIOENCODING": code},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr
    done = subprocess.run(
        f"{sys.executable} -m bestdo check {FARM} -f json > /dev/full",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "cannot write the answer: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
