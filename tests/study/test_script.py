"""The shell script of the examples on PostgreSQL: four workers at once by the command line alone, killed, started again."""

import json
import subprocess

import numpy as np
import pytest

import bestdo
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.study.storage import Storage
from bestdo.study.study import names
from support import ROOT, killed_half_way, path_of

FARM = bestdo.read(ROOT / "examples" / "farm.toml")
SCRIPT = str(ROOT / "examples" / "run_study.sh")


@pytest.mark.parametrize("rounds", [4, pytest.param(40, marks=pytest.mark.campaign)])
def test_four_workers_by_the_command_line_on_postgresql(postgres, tmp_path, rounds):
    environment = {**path_of(tmp_path if rounds == 4 else None), "BESTDO_STORAGE": postgres}
    more = {"cwd": tmp_path, "env": environment, "text": True}
    if "seasons" in names(Storage(postgres)):
        Study.open("seasons", postgres).delete()
    if rounds == 40:
        killed_half_way([SCRIPT, str(rounds), "4"], rounds, tmp_path, **more)
    done = subprocess.run([SCRIPT, str(rounds), "4"], capture_output=True, check=False, **more)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    study = Study.open("seasons", postgres)
    played = study.rounds()
    assert [r["status"] for r in played] == ["told"] * rounds
    assert len({r["worker"] for r in played}) > 1  # they did work at once
    assert all(r["values"] == _season(r["action"], r["number"]) for r in played)
    again = imported(f"sqlite:///{tmp_path}/again.db", exported(study))  # folded anew from the log
    assert _said(again) == _said(study)
    assert done.stdout.splitlines()[1].startswith(f"{study.best().action}: ")


def _season(action, number, weather=0):
    """What the script's weather shows in a round; which actions are played depends on who is told first."""
    chances = FARM.model.distribution(FARM.graph.names, bestdo.Intervention.of(action))
    drawn = np.random.default_rng([weather, number]).choice(chances.size, p=chances.ravel())
    seen = zip(FARM.graph.variables, np.unravel_index(drawn, chances.shape), strict=True)
    return {v.name: v.values[i] for v, i in seen}


def _said(study):
    """What is said of the best action, as data."""
    return json.loads(json.dumps(study.findings().as_data()))
