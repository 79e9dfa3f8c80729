"""A page to test, in this process."""

from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from bestdo.web.access import Access
from bestdo.web.app import application
from bestdo.web.workers.sandbox_client import Sandbox
from web_support import EDITOR, HERE, PORT, VIEWER


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
    monkeypatch.setattr("bestdo.web.app.Sandbox", lambda: SimpleNamespace(run=sandbox.run, close=lambda: None))
    with TestClient(application(url, access), base_url=HERE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(outside):
    """A program that may record."""
    outside.headers["Authorization"] = f"Bearer {EDITOR}"
    return outside
