"""A page to test, in this process."""

from types import SimpleNamespace

import pytest
from playwright.sync_api import sync_playwright
from starlette.testclient import TestClient

from bestdo.study import Study
from bestdo.study.storage import Storage
from bestdo.study.study import names
from bestdo.web.access import Access
from bestdo.web.app import application
from bestdo.web.workers.sandbox_client import Sandbox
from web_support import CHROMIUM, EDITOR, HERE, PORT, QUIET, VIEWER, start


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/page.db"


@pytest.fixture(scope="session")
def access():
    return Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True)


@pytest.fixture(scope="session")
def sandbox():
    made = Sandbox()
    yield made
    made.close()


@pytest.fixture
def outside(url, access, sandbox, monkeypatch):
    """Somebody without a token; all pages share one process that carries out orders."""
    shared = SimpleNamespace(run=sandbox.run, warm=sandbox.warm, leave=sandbox.leave, close=lambda: None)
    monkeypatch.setattr("bestdo.web.app.Sandbox", lambda: shared)
    monkeypatch.setattr("bestdo.web.app.warm", lambda: None)  # it looks for garbage in all that tests have loaded
    with TestClient(application(url, access), base_url=HERE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(outside):
    """A program that may record."""
    outside.headers["Authorization"] = f"Bearer {EDITOR}"
    return outside


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser_url(tmp_path_factory):
    """The database of the server that browsers look at."""
    return f"sqlite:///{tmp_path_factory.mktemp('page')}/page.db"


@pytest.fixture(scope="module")
def running(browser_url):
    """One server for all tests; who comes later does not see what others left, because it is archived."""
    server = start(browser_url)
    yield server
    server.stop()


@pytest.fixture
def server(running, browser_url):
    yield running
    for name in names(Storage(browser_url)):
        Study.open(name, browser_url).archive()


@pytest.fixture
def person(chromium, server):
    """Opens the page as somebody; at the end nothing was asked of another machine, and the console is empty."""
    contexts, asked, said, own = [], [], [], [server.address]

    def arrive(name="", address=None, expected=(), **options):
        context = chromium.new_context(**options)
        contexts.append(context)
        own.append((address or server.address).partition("/?")[0])
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda m: None if m.text.startswith(tuple(expected)) else said.append(m.text))
        page.goto(address or server.editor)
        if name:
            page.click("summary:has-text('You:')")
            page.fill("#who", name)
            page.click("text=Keep")
        return page

    yield arrive
    for context in contexts:
        context.close()
    assert [url for url in asked if not url.startswith((*own, "data:", "blob:"))] == []
    assert said == []
