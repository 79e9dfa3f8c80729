"""The program of the how-to on REST runs against the real server."""

import re

from support import ROOT
from web_support import EDITOR, start


def test_the_program_of_the_how_to_begins_a_study_and_plays_a_round(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BESTDO_TOKEN", EDITOR)
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "howto" / "rest.md").read_text()
    (program,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    server = start(f"sqlite:///{tmp_path}/page.db")
    try:
        exec(program.replace("http://127.0.0.1:8321", server.address), {})  # the code that people copy
    finally:
        server.stop()
    assert "do(" in capsys.readouterr().out
