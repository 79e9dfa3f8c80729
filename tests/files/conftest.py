"""What the tests of all formats share."""

import pytest

from bestdo.files import read


@pytest.fixture
def reading_as(tmp_path):
    """Reads a text as a file of that name."""

    def read_text(name, text, reward=None, success=None):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return read(tmp_path / name, reward, success)

    return read_text
