"""`make demo`: the farmer's whole story, with few simulations of the paper's figure."""

import subprocess

from bestdo.study import Study
from support import ROOT, path_of


def test_the_farmers_story(tmp_path):
    environment = {**path_of(tmp_path), "SIMS": "4", "WORLDS": "20", "COLUMNS": "120"}
    command = [ROOT / "examples" / "demo.sh", out := tmp_path / "out"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "the laptop dies (kill -9)" in done.stdout
    assert "she keeps do(moisture=wet)" in done.stdout
    assert "observed 400 rows" in done.stdout
    for name in ("farm.svg", "rehearse.svg", "plan.csv", "farm.db", "seasons.svg", "regret-vs-m.svg"):
        assert (out / name).stat().st_size > 1000, name
    study = Study.open("farm", f"sqlite:///{out}/farm.db")
    assert [r["status"] for r in study.rounds()] == ["told"] * 60
    told = [e["round"] for e in study.history() if e["kind"] == "told"]
    assert sorted(told) == list(range(1, 61))
