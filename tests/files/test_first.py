"""What is seen first in a TOML file: read, checked, written back."""

import pytest

from bestdo.errors import BestdoError, FileError
from bestdo.files import parse
from bestdo.files.toml import write

SHOP = """bestdo = 1

[variables.device]
values = ["mobile", "desktop"]

[variables.banner]
values = ["small", "large"]

[variables.sale]

[graph]
edges = ["device -> sale", "banner -> sale"]
reward = "sale"

[actions]
set = ["banner"]

[problem]
first = ["device"]
"""


def test_what_is_seen_first_is_read_and_written_back():
    contents = parse(SHOP.encode(), "shop.toml")
    assert contents.problem.first == ("device",)
    assert contents.problem.contexts.written(1) == "device=desktop"
    again = parse(write(contents).encode(), "shop.toml")
    assert again.problem == contents.problem


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('first = ["device"]', 'first = ["divice"]', "shop.toml:19:1: unknown variable 'divice'"),
        ('first = ["device"]', 'first = "device"', "list"),
        ('"device -> sale"', '"device -> sale", "banner -> device"', r"what can be set causes it \(banner -> device\)"),
        ('set = ["banner"]', 'set = ["banner", "device"]', "can be set as well"),
        (
            "[problem]",
            '[[limits]]\nvariable = "device"\nvalue = "mobile"\nat_most = 0.5\n\n[problem]',
            "no action can change it",
        ),
    ],
)
def test_what_cannot_be_seen_first_has_its_place_in_the_file(old, new, words):
    with pytest.raises(BestdoError, match=words) as found:
        parse(SHOP.replace(old, new).encode(), "shop.toml")
    assert isinstance(found.value, FileError)
