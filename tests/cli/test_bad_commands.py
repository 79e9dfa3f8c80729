"""Bad command lines: each ends with an error of ours and a sentence that says what to do, and none takes long.

All run in one process, in a folder with the farm, its old data, a running study and some broken files.
"""

import shlex
import shutil
import sys
import time

import pytest

import bestdo
from bestdo.cli import main
from support import ROOT

COMMANDS = r"""
    nonsense
    --nonsense
    chekc farm.toml
    check
    check nothere.toml
    check .
    check farm.toml farm.toml
    check empty.toml
    check binary.toml
    check broken.toml
    check cycle.txt
    check table.csv
    check no_reward.txt
    check no_reward.txt --reward nope
    check no_reward.txt --reward b --success 7
    check no_reward.txt --reward b --worth 1
    check no_reward.txt --reward b --worth 1=x
    check no_reward.txt --reward b --aim up
    check doubt_cycle.txt
    check doubt_half.txt
    check cpdag.txt
    check farm.toml no_law.toml
    check farm.toml --in-doubt
    check farm.toml no_reward.txt --in-doubt
    check no_law.toml costly.toml --in-doubt
    check no_law.toml other.toml --in-doubt
    check no_law.toml no_law.toml --in-doubt
    new no_law.toml costly.toml --rounds 3
    check farm.toml --reward nope
    check farm.toml --success great
    check farm.toml --rounds 0
    check farm.toml --rounds many
    check farm.toml --rounds 1.5
    check farm.toml --rounds -3
    check farm.toml --data nothere.csv
    check farm.toml --data binary.toml
    check farm.toml --data ragged.csv
    check farm.toml --data farm_log.csv --column yield
    check farm.toml --data farm_log.csv --column nope=yield
    check farm.toml --data farm_log.csv --column yield=nope
    check farm.toml -f yaml
    draw
    draw nothere.toml
    draw farm.toml -o farm.png
    draw farm.toml -o farm.toml
    draw farm.toml -o nowhere/farm.svg
    draw farm.toml --do moisture=wet
    draw farm.toml --do "do(moisture=soaked)"
    draw farm.toml --do "do(yield=good)"
    design farm.toml
    design farm.toml --rounds 0
    design farm.toml --rounds 100000000
    design farm.toml --rounds 1e3
    design farm.toml --rounds 10 --budget 3
    design farm.toml --budget -1
    design farm.toml --budget nan
    design farm.toml --rounds 10 -o sheet.pdf
    design farm.toml --rounds 10 --seed -1
    design farm.toml --rounds 10 --separator dot
    design no_law.toml --rounds 10
    estimate farm.toml
    estimate farm.toml nothere.csv
    estimate farm.toml farm_log.csv
    estimate farm.toml binary.toml
    rehearse nothere.toml
    rehearse farm.toml --rounds 0
    rehearse farm.toml --rounds many
    rehearse farm.toml --rounds 20,,40
    rehearse farm.toml --rounds 1000000000
    rehearse farm.toml --budget 5
    rehearse farm.toml --worlds 0
    rehearse farm.toml --worlds many
    rehearse farm.toml --learner nope
    rehearse farm.toml --learner os:path
    rehearse farm.toml --different 0
    rehearse farm.toml --different 5
    rehearse farm.toml --at-once 0
    rehearse farm.toml --delay -1
    rehearse farm.toml --workers 0
    rehearse --study nope
    compare
    compare nothere.toml
    compare no_law.toml
    compare farm.toml --rounds 0
    compare farm.toml --rounds 1000000000
    compare farm.toml --sims 0
    compare farm.toml --learner nope
    compare farm.toml --seed many
    figure nope
    figure regret-vs-m --sims 0
    new
    new nothere.toml --rounds 3
    new farm.toml
    new farm.toml --rounds 0
    new farm.toml --rounds many
    new farm.toml --rounds 10 --budget 5
    new farm.toml --budget 5
    new costly.toml --rounds 5
    new costly.toml --budget 0.001
    new farm.toml --rounds 10
    new farm.toml --rounds 10 --name ""
    new farm.toml --rounds 10 --name x --learner nope
    new farm.toml --rounds 10 --name x --learner algorithm-9
    new farm.toml --rounds 10 --name x --at-once 0
    new farm.toml --rounds 10 --name x --until-sure 95
    new farm.toml --rounds 10 --name x --alarm 1
    new farm.toml --rounds 10 --name x --lease -1
    new farm.toml --rounds 10 --name x --seed x
    new farm.toml --rounds 10 --name x --storage mysql://a/b
    new farm.toml --rounds 10 --name x --storage farm.db
    new farm.toml --rounds 10 --name x --storage sqlite:///nowhere/farm.db
    ask --study nope
    ask -n 0
    ask -n two
    ask --storage sqlite:///nothere.db
    ask --storage sqlite:///binary.toml
    ask --worker
    tell
    tell 1
    tell one yield=good
    tell 0 yield=good
    tell 99 yield=good
    tell 1 good
    tell 1 yield=great
    tell 1 yeild=good
    tell 1 yield=good yield=bad
    tell 1 moisture=dry
    tell 1 =good
    amend 1 yield=good
    amend 1 yield=good --why misread
    amend 99 yield=good --why misread
    undo
    undo 99
    undo one
    withdraw
    withdraw 1
    withdraw 99 --why hail
    withdraw one --why hail
    note
    note hello --round 99
    extend --rounds 5
    extend --rounds 1 --why less
    extend --budget 5 --why more
    learner nope --why better
    learner --why better
    learner algorithm-1
    add "do(moisture=soaked)" --why new
    add moisture=wet --why new
    add "do(moisture=wet)" --why new
    add "do(yield=good)" --why new
    recut moisture 20
    recut nope 20
    recut moisture
    observe nothere.csv
    observe ragged.csv
    observe table.csv
    export -o study.docx
    export -o nowhere/study.json
    import nothere.json
    import farm.toml
    import table.csv
    best --study nope
    best --picture best.docx
    status --study nope
    history --storage sqlite:///nothere.db
    studies --storage sqlite:///nothere.db
    close --study nope
    close --undo
    archive --undo
    delete --study nope --yes
    backup farm.toml
    backup nowhere/b.db
    restore nothere.db
    restore binary.toml --yes
    serve --port 99999999
    init nothere.dot
    init "a -> " -o x.toml
    init "a -> b" -o x.toml
    init "a -> b" --reward c -o x.toml
    init "a -> b; b -> a" --reward b --success 1 -o x.toml
    init --data nothere.csv -o x.toml
    init "a -> b" --reward b --success 1 --set c -o x.toml
    init "a -> b" --reward b --success 1 --set a --at-most 0 -o x.toml
    init "a -> b" --reward b --success 1 --set a -o farm.toml
"""
LISTED = [line.strip() for line in COMMANDS.strip().splitlines()]
WORDS = {
    "chekc farm.toml": "No such command",
    "check doubt_cycle.txt": "2:3: b ?-> a can be in no graph: the arrows form a cycle: a -> b -> a",
    "check doubt_half.txt": "1:9: the probability of a doubtful arrow is 1.5; it is above 0 and below 1",
    "check cpdag.txt": "1:10: no graph is possible: every direction of a -- b, b -- c, c -- d, d -- a",
    "check farm.toml no_law.toml": "several files are read together with --in-doubt",
    "check farm.toml --in-doubt": "name another file, or write ?-> in this one",
    "check no_law.toml other.toml --in-doubt": "'moisture' is in no_law.toml and not in other.toml",
    "check no_law.toml costly.toml --in-doubt": "the graphs are all the same",
    "check no_reward.txt": "say --reward NAME --success VALUE",
    "design farm.toml --rounds 100000000": "a plan of 100,000,000 rounds is too long",
    "rehearse farm.toml --rounds 1000000000": "1,000,000,000 rounds are too many to simulate",
    "new farm.toml": "say --rounds N",
    "new costly.toml --rounds 5": "say --budget B",
    "tell 1 yeild=good": "did you mean 'yield'",
    "ask --storage sqlite:///nothere.db": "bestdo new FILE --rounds N",
}
"""What some of the errors say, where the remedy matters most."""
CODES = {
    "new farm.toml --rounds 10": 2,
    "amend 1 yield=good --why misread": 2,
    'add "do(moisture=wet)" --why new': 2,
    "close --undo": 2,
    "archive --undo": 2,
    "new farm.toml --rounds 10 --name x --storage sqlite:///nowhere/farm.db": 4,
    "ask --storage sqlite:///binary.toml": 4,
    "backup nowhere/b.db": 4,
    "restore binary.toml --yes": 4,
}
"""Conflicts with what was done before end with 2, storages that fail with 4, all others with 1."""
LONGEST = 5.0  # seconds of the processor's time; a busy machine does not matter


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the farm, a running study of it, and broken files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BESTDO_STORAGE", raising=False)
    for name in ("farm.toml", "farm_log.csv"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    text = (tmp_path / "farm.toml").read_text()
    (tmp_path / "empty.toml").touch()
    (tmp_path / "binary.toml").write_bytes(bytes(range(256)) * 8)
    (tmp_path / "broken.toml").write_text(text[: len(text) // 2] + "\n[[")
    (tmp_path / "no_law.toml").write_text(text[: text.index("[tables")])
    (tmp_path / "other.toml").write_text(text[: text.index("[tables")].replace("moisture", "water"))
    (tmp_path / "costly.toml").write_text(f"{text[: text.index('[tables')]}\n[costs]\ndefault = 2.0\n")
    (tmp_path / "cycle.txt").write_text("dag { a -> b\nb -> a }")
    (tmp_path / "no_reward.txt").write_text("dag { a -> b }")
    (tmp_path / "doubt_cycle.txt").write_text("dag { a -> b\nb ?-> a }")
    (tmp_path / "doubt_half.txt").write_text("dag { a ?1.5-> b }")
    (tmp_path / "cpdag.txt").write_text("pdag { a -- b; b -- c; c -- d; d -- a }")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    (tmp_path / "ragged.csv").write_text("temperature,yield\nlow,good,extra\nlow\n")
    bestdo.Study.create("farm.toml", rounds=8, storage="sqlite:///bestdo.db").ask("Ann")
    return tmp_path


def test_a_hundred_bad_command_lines(folder, monkeypatch, capsys):
    """One test for the whole table, which takes a few seconds: all that is wrong is said at once."""
    wrong = []
    for line in LISTED:
        monkeypatch.setattr(sys, "argv", ["bestdo", *shlex.split(line)])
        before, code = time.process_time(), None
        try:
            main()
        except SystemExit as done:
            code = done.code
        except BaseException as error:
            wrong.append(f"{line} ends in {error!r}")
            continue
        printed = capsys.readouterr()
        said = printed.err
        if "Traceback" in printed.out + said or "error: " not in said or len(said) < 20:
            wrong.append(f"{line} does not say what is wrong: {printed.out[-200:]}{said}")
        if code != CODES.get(line, 1):
            wrong.append(f"{line} ends with {code}: {said}")
        if WORDS.get(line, "") not in said:
            wrong.append(f"{line} says something else: {said}")
        if time.process_time() - before > LONGEST:
            wrong.append(f"{line} takes long")
    assert not wrong, "\n".join(wrong)
    assert len(LISTED) >= 100
    assert set(WORDS) <= set(LISTED)
    assert [event["kind"] for event in bestdo.Study.open("farm").history()] == ["created", "planned", "asked"]
    assert not list(folder.glob("x.toml"))
