"""The program of the how-to on REST runs against the page."""

import io
import re
import urllib.request

from support import ROOT
from web_support import EDITOR


def test_the_program_of_the_how_to_begins_a_study_and_plays_a_round(client, monkeypatch, capsys):
    def answered(request):
        sent = {name: value for name, value in request.header_items() if name != "Authorization"}
        path = request.full_url.removeprefix("http://127.0.0.1:8321")
        answer = client.request(request.get_method(), path, content=request.data, headers=sent)
        assert request.get_header("Authorization") == f"Bearer {EDITOR}"
        assert answer.is_success, answer.text
        return io.BytesIO(answer.content)

    monkeypatch.setattr(urllib.request, "urlopen", answered)
    monkeypatch.setenv("BESTDO_TOKEN", EDITOR)
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "howto" / "rest.md").read_text()
    (program,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    exec(program, {})  # the code that people copy
    assert "do(" in capsys.readouterr().out
