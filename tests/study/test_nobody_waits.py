"""Four shells and four browsers ask and tell at once with the default learner: nobody is told to wait, nothing is lost."""

import subprocess
from collections import Counter

import pytest
from playwright.sync_api import expect, sync_playwright

import bestdo
from bestdo.study import Study
from bestdo.study.study import names
from support import ROOT, path_of
from web_support import CHROMIUM, QUIET, start

FARM = ROOT / "examples" / "farm.toml"
SHELL = """
while :; do
    code=0
    asked=$(bestdo ask --study together --worker "$1" -f json 2>&1) || code=$?
    if [ $code -ne 0 ]; then echo "$code $asked"; exit 0; fi
    round=$(printf '%s' "$asked" | sed -n 's/.*"number": *\\([0-9]*\\).*/\\1/p')
    bestdo tell --study together "$round" yield=good --who "$1"
done
"""


def record_all(pages):
    """Records round after round in all browsers at once, until every round is given out."""
    while pages:
        for page in pages:  # no click waits for the answer
            page.locator("form.record input[name='v:yield'][value=bad] + label").click()
        for page in pages:
            page.click("text=Record, and give me the next")
        for page in pages:
            expect(page.locator(".done")).to_be_visible(timeout=60_000)
        pages = [page for page in pages if page.locator("form.record").count()]


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.mark.parametrize("rounds", [12, pytest.param(400, marks=pytest.mark.campaign)])
def test_four_shells_and_four_browsers_at_once(url, chromium, tmp_path, rounds):
    """Shown to fail: where the learner cannot be asked at any time (`wait=True`), seven of the eight are told to wait."""
    if "together" in names(bestdo.study.storage.Storage(url)):
        Study.open("together", url).delete()
    study = Study.create(
        bestdo.read(FARM).problem, rounds, learner="causal-top-two", name="together", storage=url, seed=1
    )
    environment = {**path_of(tmp_path if rounds == 12 else None), "BESTDO_STORAGE": url}
    shells, refused, pages = [], [], []
    server = start(url)
    try:
        for _ in range(4):
            page = chromium.new_context().new_page()
            page.set_default_timeout(60_000)
            page.on(
                "response",
                lambda answer: refused.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None,
            )
            page.goto(server.editor.replace("/?", "/studies/together?"))  # under a guest's name
            pages.append(page)
        for page in pages:  # before the shells, which are quicker than browsers and would take all rounds
            page.click("text=What should I do next?")
        for i in range(4):
            command = ["sh", "-euc", SHELL, "sh", f"shell {i}"]
            shells.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
        record_all(pages)
        said = [shell.communicate(timeout=120)[0].strip().splitlines()[-1] for shell in shells]
    finally:
        for page in pages:
            page.context.close()
        for shell in shells:
            shell.kill()
        server.stop()
    assert refused == []
    for last in said:  # the only refusal of all: there is nothing more to do
        assert last.startswith(
            (f"3 error: all {rounds} rounds are handed out", "3 error: the study 'together' has finished")
        )
    played = study.rounds()
    assert [(r["number"], r["status"]) for r in played] == [(n, "told") for n in range(1, rounds + 1)]
    told = Counter(e["round"] for e in study.history() if e["kind"] == "told")
    assert set(told.values()) == {1}
    assert Counter(worker.partition(" ")[0] for worker in {r["worker"] for r in played}) == {"shell": 4, "guest": 4}
    assert all(r["values"]["yield"] == ("good" if "shell" in r["worker"] else "bad") for r in played)
