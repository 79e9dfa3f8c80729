"""Every command that takes a problem knows the same options of it: what one command begins, another can rehearse or draw."""

import inspect
import json

import pytest
from click.testing import CliRunner

import bestdo
from bestdo.cli import bestdo as command
from bestdo.data.compose import compose
from bestdo.data.in_doubt import in_doubt
from bestdo.data.problem_options import NAMES
from bestdo.study.creation import StudyOptions

WORDS = {name: {word for param in each.params for word in param.opts} for name, each in command.commands.items()}
"""The options of every command."""
OPTIONS = {f"--{name.replace('_', '-')}" for name in NAMES} & WORDS["new"] | {"--in-doubt"}
"""Those of the one list that are options of `bestdo new`; the others are lines of a file."""
TAKES_A_PROBLEM = sorted(name for name, words in WORDS.items() if "files" in words)
TAKES_OPTIONS = (compose, bestdo.check, bestdo.rehearse, bestdo.compare, bestdo.fixed_plan, bestdo.estimate, in_doubt)

MODEL = """
bestdo = 1
[variables.shade]
[variables.moisture]
[variables.yield]
[graph]
edges = ["shade -> moisture", "moisture -> yield"{more}]
reward = "yield"
success = "1"
[actions]
set = ["shade", "moisture"]
"""
TABLES = """
[tables]
shade = [0.5, 0.5]
[tables.moisture]
given = ["shade"]
rows = [{ when = ["0"], p = [0.8, 0.2] }, { when = ["1"], p = [0.3, 0.7] }]
[tables.yield]
given = ["moisture"]
rows = [{ when = ["0"], p = [0.7, 0.3] }, { when = ["1"], p = [0.4, 0.6] }]
"""


def test_commands_that_take_a_problem():
    assert {"new", "check", "rehearse", "compare", "draw", "design"} <= set(TAKES_A_PROBLEM)
    assert len(OPTIONS) == 7


@pytest.mark.parametrize("name", TAKES_A_PROBLEM)
def test_every_command_that_takes_a_problem_knows_the_same_options(name):
    assert WORDS[name] >= OPTIONS


@pytest.mark.parametrize("function", TAKES_OPTIONS)
def test_every_function_that_takes_a_problem_takes_the_one_list(function):
    """No option of a problem is spelled out in a signature: all are handed on as they are."""
    *named, options = inspect.signature(function).parameters.values()
    assert (options.kind, options.annotation) == (options.VAR_KEYWORD, "Unpack[ProblemOptions]")
    assert not {parameter.name for parameter in named} & set(NAMES)


def test_a_study_takes_the_options_of_a_problem_and_its_own():
    assert set(NAMES) < set(StudyOptions.__annotations__)
    *named, options = inspect.signature(bestdo.Study.create).parameters.values()
    assert (options.kind, options.annotation) == (options.VAR_KEYWORD, "Unpack[StudyOptions]")
    assert not {parameter.name for parameter in named} & set(StudyOptions.__annotations__)


@pytest.fixture
def two(tmp_path):
    """Two files that differ in one arrow; the first has all tables."""
    through, beside = tmp_path / "through.toml", tmp_path / "beside.toml"
    through.write_text(MODEL.format(more="") + TABLES)
    beside.write_text(MODEL.format(more=', "shade -> yield"'))
    return [str(through), str(beside), "--in-doubt"]


def run(*words):
    done = CliRunner().invoke(command, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_graphs_in_doubt_are_rehearsed_compared_drawn_and_begun(two, tmp_path):
    folder = ["-o", str(tmp_path / "out")]
    rows = json.loads(
        run("rehearse", *two, "--rounds", "20", "--worlds", "20", "--learner", "causal-top-two", *folder, "-f", "json")
    )["rows"]
    assert [row["learner"] for row in rows] == ["Causal top-two"]
    found = json.loads(
        run("compare", *two, "--rounds", "20", "--sims", "20", "--learner", "top-two", *folder, "-f", "json")
    )
    assert [row["learner"] for row in found["rows"]] == ["Top-two Thompson sampling"]
    assert "stroke-dasharray" in run("draw", *two)
    assert "shade ?-> yield" in run("check", *two)
    storage = ["--storage", f"sqlite:///{tmp_path}/a.db"]
    assert "causal-top-two" in run("new", *two, "--rounds", "20", *storage)


def test_several_files_without_a_doubt_are_refused_by_every_command(two):
    for name in ("new", "check", "rehearse", "draw", "design"):
        done = CliRunner().invoke(command, [name, *two[:2], *(["--rounds", "20"] if name == "design" else [])])
        assert done.exit_code != 0
        assert "several files are read together with --in-doubt" in done.output


def test_a_fixed_plan_with_graphs_in_doubt_is_refused_in_words(two):
    done = CliRunner().invoke(command, ["design", *two, "--rounds", "20"])
    assert done.exit_code != 0
    assert not isinstance(done.exception, TypeError | AttributeError)
