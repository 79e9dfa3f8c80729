"""A page to test, in this process."""

import pytest
from starlette.testclient import TestClient

from bestdo.web.access import Access
from bestdo.web.app import application
from web_support import EDITOR, HERE, PORT, VIEWER


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/page.db"


@pytest.fixture(scope="session")
def access():
    return Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True)


@pytest.fixture
def outside(url, access):
    """Somebody without a token."""
    with TestClient(application(url, access), base_url=HERE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(outside):
    """A program that may record."""
    outside.headers["Authorization"] = f"Bearer {EDITOR}"
    return outside
