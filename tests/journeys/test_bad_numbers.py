"""Bad input about rewards and numbers: a clear error each, with its place where it is in a file, and nothing lost."""

from pathlib import Path

import pytest

from bestdo import compose
from bestdo.study import Study
from support import PAIN, bestdo

HARVEST = Path(__file__).parents[2] / "examples" / "harvest.toml"
LONG = "0." + "3" * 100_000  # the system allows no longer argument


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study of a harvest, with a round out and a round told."""
    found = tmp_path_factory.mktemp("bad")
    problem = compose(HARVEST).problem
    study = Study.create(problem, 9, learner="top-two", name="harvest", storage=f"sqlite:///{found}/bestdo.db")
    study.ask(n=2)
    study.tell(1, {"harvest": "7.5"})
    return found


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("tell", "2", "harvest=nan"), "'harvest' is 'nan'; it must be a number"),
        (("tell", "2", "harvest=inf"), "'harvest' is 'inf'; it must be a number"),
        (("tell", "2", "harvest=1e999"), "it must be a finite number"),
        (("tell", "2", "harvest=much"), "'harvest' is 'much'; it must be a number"),
        (("tell", "2", "harvest="), "it must be a number"),
        (("tell", "2", "harvest=14.01"), "at least 0 and at most 14; if that is what happened, say so"),
        (("tell", "2", "harvest=-0.5"), "--happened"),
        (("tell", "2", f"harvest={LONG}"), "at most 400 are allowed"),
        (("tell", "2", "harvest=5", "moisture=damp"), "'moisture' is 'damp'; it must be dry or wet, or a number"),
        (("amend", "1", "harvest=99", "--why", "misread"), "--happened"),
        (("amend", "1", "harvest=NaN", "--why", "misread"), "it must be a number"),
        (("recut", "moisture", "much"), "it must be a number"),
        (("recut", "moisture", "nan"), "it must be a number"),
        (("recut", "moisture", "2", "1"), "each must be above the one before"),
        (("recut", "moisture", "1", "2"), "it needs 1"),
        (("recut", "sowing", "1"), "has no cuts"),
        (("recut", "rain", "1"), "unknown variable 'rain'"),
        (("add", "do(fertiliser=some)", "--why", "more"), "it must be a number"),
        (("observe", "old.csv"), "1 row cannot be taken: 'harvest' is 15"),
    ],
)
def test_what_is_told_wrongly_changes_nothing(folder, command, message):
    (folder / "old.csv").write_text("moisture,harvest\n3,5\n4,15\n")
    study = Study.open("harvest", f"sqlite:///{folder}/bestdo.db")
    before = study.history()
    done = bestdo(*command, cwd=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert len(done.stderr) < 500
    assert study.history() == before


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (PAIN, "SEVERE = -4", "SEVERE = -4, AWFUL = -9", ":8:43: unknown value 'AWFUL'"),
        (PAIN, "SEVERE = -4", "SEVERE = nan", "is not finite"),
        (PAIN, "worth =", 'success = "NO"\nworth =', ":9:1: worth is given, but a success is given, too"),
        (PAIN, ", SEVERE = -4", "", "'SEVERE' worth?"),
        (None, "cut = [18.0]", "cut = [18.0, 17.0]", "each must be above the one before"),
        (None, "cut = [18.0]", "cut = [nan]", "must be a finite number"),
        (None, "high = 14.0", "high = -1", "low must be below high"),
        (None, "high = 14.0", "high = inf", "it must be a number"),
        (None, "high = 14.0", 'high = "much"', "must be a number, not text"),
        (None, "high = 14.0", f"high = {'9' * 10**6}", "this number has too many digits"),
        (None, 'aim = "maximise"', "", "as large or as small as possible"),
        (None, 'aim = "maximise"', 'aim = "more"', "unknown aim 'more'"),
        (None, 'aim = "maximise"', 'aim = "maximise"\nsuccess = "good"', "an aim, and no success"),
        (None, "steps = 5", "steps = 1000000", "2 to 1,000 steps"),
    ],
)
def test_what_a_file_says_wrongly_has_a_place(tmp_path, text, old, new, message):
    text = HARVEST.read_text(encoding="utf-8") if text is None else text
    assert old in text
    (tmp_path / "a.toml").write_text(text.replace(old, new))
    done = bestdo("new", "a.toml", "--rounds", "9", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: a.toml:")
    assert message in done.stderr
    assert not (tmp_path / "bestdo.db").exists()


def test_a_million_decimals_are_a_number_in_a_file(tmp_path):
    text = HARVEST.read_text(encoding="utf-8").replace("high = 14.0", f"high = 14.{'0' * 10**6}")
    (tmp_path / "a.toml").write_text(text)
    assert bestdo("check", "a.toml", cwd=tmp_path).returncode == 0
