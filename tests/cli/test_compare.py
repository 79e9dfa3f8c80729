import json
import os
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

from bestdo.learners import LEARNERS
from support import ROOT, bestdo, ends_in_one_sentence, problem_text

FARM = str(ROOT / "examples" / "farm.toml")


def test_figure_list():
    done = bestdo("figure", "--list")
    assert done.returncode == 0
    assert "regret-vs-m" in done.stdout
    assert "Figure 2 (a) of the paper" in done.stdout


def test_figure_draws_and_says_where(tmp_path):
    done = bestdo("figure", "confounded", "--sims", "20", "-o", "pictures", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("confounded: ")
    assert "pictures/confounded.svg .png .csv .parquet .json" in done.stdout
    made = {f.suffix for f in (tmp_path / "pictures").iterdir()}
    assert made == {".svg", ".png", ".csv", ".parquet", ".json"}
    manifest = json.loads((tmp_path / "pictures" / "confounded.json").read_text())
    assert manifest["command"] == "bestdo figure confounded --sims 20 -o pictures"


def test_one_point_of_one_panel_is_that_of_the_whole_figure(tmp_path):
    for folder, more in (("whole", ()), ("part", ("--x", "10"))):
        done = bestdo("figure", "regret-vs-m", "--sims", "4", "--seed", "3", *more, "-o", folder, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    whole, part = (pl.read_csv(tmp_path / folder / "regret-vs-m.csv") for folder in ("whole", "part"))
    assert 0 < len(part) < len(whole)
    assert part.equals(whole.filter(pl.col("x") == 10))


def test_some_learners_have_the_numbers_of_the_whole_figure(tmp_path):
    named = "--learner", "algorithm-1", "--learner", "successive-rejects"
    for folder, more in (("whole", ()), ("part", named)):
        done = bestdo("figure", "regret-vs-m", "--x", "10", "--sims", "4", *more, "-o", folder, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    whole, part = (pl.read_csv(tmp_path / folder / "regret-vs-m.csv") for folder in ("whole", "part"))
    assert part["learner"].to_list() == ["Algorithm 1", "Successive Rejects"]
    assert part.equals(whole.filter(pl.col("learner").is_in(part["learner"].to_list())))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["figure"], "bestdo figure --list says which there are"),
        (["figure", "regret-vs-n"], "did you mean 'regret-vs-m'"),
        (["figure", "regret-vs-m", "chain", "nope"], "unknown figure 'nope'"),
        (["figure", "chain", "--sims", "0"], "'--sims': '0' is not a whole number of at least 1"),
        (["figure", "chain", "--sims", "abc"], "'--sims': 'abc' is not a whole number of at least 1"),
        (["figure", "chain", "--seed", "-1"], "'--seed': '-1' is not a whole number of at least 0"),
        (["figure", "chain", "--workers", "0"], "'--workers'"),
        (["figure", "chain", "-o", FARM], "farm.toml is a file; give a folder"),
        (
            ["figure", "every-world", "--panel", "nope"],
            "every-world has no panel 'nope'; it has 'best never seen, base",
        ),
        (["figure", "regret-vs-m", "--x", "3"], "regret-vs-m has no point 3 there; it has 2, "),
        (["figure", "regret-vs-m", "--learner", "lucb"], "regret-vs-m has no learner 'lucb'; it has "),
        (
            ["figure", "every-world", "--learner", "lucb"],
            "every-world compares Causal top-two with others: name it, too",
        ),
        (["compare"], "Missing argument"),
        (["compare", "nowhere.toml"], "there is no file 'nowhere.toml'"),
        (["compare", FARM, "--rounds", "20,x"], "is not a list of whole numbers above 0"),
        (["compare", FARM, "--rounds", "0"], "is not a list of whole numbers above 0"),
        (["compare", FARM, "--learner", "thomson"], "did you mean 'thompson'"),
        (["compare", "graph.dot", "--reward", "b", "--success", "1"], "'graph.dot' holds no tables of probabilities"),
    ],
)
def test_mistakes_end_in_one_sentence_and_exit_code_1(tmp_path, arguments, message):
    (tmp_path / "graph.dot").write_text("digraph { a -> b }")
    done = bestdo(*arguments, cwd=tmp_path)
    ends_in_one_sentence(done, message)
    assert not (tmp_path / "out").exists()


def test_a_usage_error_names_the_help():
    assert bestdo("compare", "--rounds").stderr.splitlines() == [
        "error: Option '--rounds' requires an argument.",
        "bestdo compare --help says more",
    ]
    alone = bestdo()
    assert (alone.returncode, alone.stdout) == (0, bestdo("--help").stdout)


def test_a_figure_that_is_replaced_is_said(tmp_path):
    for sims in ("20", "10"):
        done = bestdo("figure", "confounded", "--sims", sims, cwd=tmp_path)
    assert done.stderr == "replaces confounded of 20 simulations, seed 0\n"


def test_the_learners_are_listed_without_a_file():
    done = bestdo("compare", "--learners")
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(LEARNERS)
    assert "UCB: Plays each action once, then the one with the highest bound" in done.stdout


def test_the_same_file_twice_is_compared_once(tmp_path):
    arguments = ["--learner", "uniform", "--learner", "uniform", "--sims", "10", "--rounds", "1"]
    done = bestdo("compare", FARM, FARM, os.path.relpath(FARM, tmp_path), *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("is given twice; it is compared once") == 2
    assert "uniform is named twice; it is compared once" in done.stderr
    assert "1 round\n" in done.stdout
    assert len(pl.read_csv(tmp_path / "out" / "compare.csv")) == 1


def test_numbers_do_not_depend_on_other_files_and_rounds(tmp_path):
    (tmp_path / "one.toml").write_text(CONFOUNDED)
    common = ["--learner", "uniform", "--sims", "50", "-f", "json"]
    alone = json.loads(bestdo("compare", FARM, "--rounds", "20", *common, cwd=tmp_path).stdout)["rows"]
    done = bestdo("compare", "one.toml", FARM, "--rounds", "10,20", *common, cwd=tmp_path)
    (same,) = [r for r in json.loads(done.stdout)["rows"] if (r["panel"], r["horizon"]) == ("farm", 20)]
    assert [same] == alone


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "bestdo", "figure", "regret-vs-m", "--sims", "500000", "--workers", "2"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    )
    partial = tmp_path / "out" / "regret-vs-m.partial.jsonl"
    while not partial.exists() or partial.read_bytes().count(b"\n") < 40:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    time.sleep(1)  # the workers have been started meanwhile, or are just being
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "what is done is kept in out; the same command continues from there" in error
    assert "Traceback" not in error


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_a_library_evaluates_text_ends_in_the_same_way(tmp_path):
    """Python remembers that it was interrupted inside eval, as where numpy is imported, and would end by the signal."""
    interrupted = "eval('os.kill(os.getpid(), signal.SIGINT) or [0 for _ in range(9)]')"
    code = f"import os, signal, bestdo.cli as cli; cli.bestdo.main = lambda **_: {interrupted}; cli.main()"
    (tmp_path / "interrupted.py").write_text(code)
    run = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_compare_on_a_file(tmp_path):
    done = bestdo("compare", FARM, "--sims", "200", "--rounds", "40,20", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for word in ("farm  7 actions", "20 rounds", "40 rounds", "Algorithm 1", "Algorithm 2", "Successive Rejects"):
        assert word in done.stdout
    table = pl.read_csv(tmp_path / "out" / "compare.csv")
    assert len(table) == 10
    assert "Causal top-two" in set(table["learner"])  # what a study would take is among them
    regret = dict(table.filter(table["horizon"] == 40).select("learner", "regret").iter_rows())
    assert regret["Algorithm 2"] < regret["Uniform"]  # 0.04 and 0.12, standard errors of 0.01
    assert (tmp_path / "out" / "compare.png").exists()


CONFOUNDED = problem_text(
    {"z": ["0", "1"], "x": ["0", "1"], "y": ["0", "1"]},
    "z -> x; z -> y; x -> y",
    'reward = "y"; success = "1"',
    rest="""\
[tables]
z = [0.5, 0.5]
[tables.x]
given = ["z"]
rows = [{ when = ["0"], p = [0.8, 0.2] }, { when = ["1"], p = [0.2, 0.8] }]
[tables.y]
given = ["z", "x"]
rows = [
    { when = ["0", "0"], p = [0.9, 0.1] }, { when = ["0", "1"], p = [0.5, 0.5] },
    { when = ["1", "0"], p = [0.5, 0.5] }, { when = ["1", "1"], p = [0.1, 0.9] },
]
""",
)


def test_a_learner_that_refuses_is_left_out_with_its_reason(tmp_path):
    (tmp_path / "one.toml").write_text(CONFOUNDED)
    arguments = ["compare", "one.toml", FARM, "--learner", "algorithm-1", "--learner", "uniform", "--sims", "50"]
    done = bestdo(*arguments, "-f", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Algorithm 1 is left out on one: Algorithm 1 needs seeing to be as good as doing" in done.stderr
    data = json.loads(done.stdout)
    assert [(r["world"], r["learner"], r["rounds"]) for r in data["left_out"]] == [("one", "Algorithm 1", [20, 40, 80])]
    played = {(row["panel"], row["learner"]) for row in data["rows"]}
    assert played == {("one", "Uniform"), ("farm", "Uniform"), ("farm", "Algorithm 1")}
    done = bestdo(*arguments[:2], *arguments[3:5], cwd=tmp_path)
    assert done.returncode == 1
    assert "no learner is left" in done.stderr


THIRD = '''
from bestdo.learners.uniform import Uniform

class Mine(Uniform):
    """Plays everything equally often."""

class Broken(Uniform):
    def tell(self, state, plan, tally):
        raise KeyError("oops")

def unloadable():
    raise RuntimeError("no")
'''


@pytest.fixture
def third_party(tmp_path):
    """A package with learners of its own, installed in a folder."""
    site = tmp_path / "site"
    info = site / "third-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "third.py").write_text(THIRD)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[bestdo.learners]\nmine = third:Mine\nbroken = third:Broken\nunloadable = third:unloadable\n"
    )
    return site


def test_learners_of_other_packages(tmp_path, third_party):
    arguments = ["compare", FARM, "--sims", "50", "--rounds", "20", "--workers", "2"]
    done = bestdo(*arguments, "--learner", "mine", "--learner", "uniform", path=third_party, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert set(pl.read_csv(tmp_path / "out" / "compare.csv")["learner"]) == {"mine", "Uniform"}
    done = bestdo(*arguments, "--learner", "third:Mine", path=third_party, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert set(pl.read_csv(tmp_path / "out" / "compare.csv")["learner"]) == {"third:Mine"}
    listed = bestdo("compare", "--learners", path=third_party, cwd=tmp_path).stdout
    assert "mine                             Plays everything equally often." in listed
    assert "cannot be loaded: RuntimeError('no')" in listed
    done = bestdo(*arguments, "--learner", "broken", path=third_party, cwd=tmp_path)
    assert done.returncode == 1
    assert "failed: KeyError('oops'); bestdo.testing.check_learner tells what is wrong" in done.stderr
    done = bestdo(*arguments, "--learner", "unloadable", path=third_party, cwd=tmp_path)
    assert done.returncode == 1
    assert "cannot be loaded: RuntimeError('no')" in done.stderr


def test_help_loads_nothing_but_click():
    code = "import sys, bestdo.cli; print([m for m in ('numpy', 'rich', 'polars', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    for command in ("figure", "compare"):
        assert "Usage" in bestdo(command, "--help").stdout
