"""What is wrong with contexts is a clear answer over HTTP and on the command line, as in Python."""

import pytest
from click.testing import CliRunner

from bestdo.cli import bestdo
from support import problem_text

TEXT = problem_text(
    {
        "device": ["mobile", "desktop"],
        "banner": ["small", "large"],
        "wish": 'values = ["no", "yes"], hidden = true',
        "sale": ["no", "yes"],
    },
    "device -> sale; banner -> sale; wish -> sale; wish -> banner",
    'reward = "sale"; success = "yes"',
    ["banner"],
)
SEES = "\n[problem]\nfirst = [{}]\n"
WIDE = "".join(f'\n[variables.v{i}]\nvalues = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]\n' for i in range(6))
PROBLEMS = [
    (TEXT + SEES.format('"wish"'), ["'wish' is hidden, so it cannot be seen before the action is chosen"]),
    (
        TEXT.replace('"device -> sale"', '"device -> sale", "banner -> device"') + SEES.format('"device"'),
        ["'device' cannot be seen before the action is chosen", "banner -> device"],
    ),
    (
        TEXT.replace("[graph]", f"{WIDE}[graph]") + SEES.format(", ".join(f'"v{i}"' for i in range(6))),
        ["1,000,000 joint values", "at most 4,096", "bestdo check of the file without first says which"],
    ),
    (TEXT + SEES.format('"divice"'), ["unknown variable 'divice'"]),
]
QUESTIONS = [
    ({"device": "phone"}, "unknown value 'phone'"),
    ({"colour": "red"}, "unknown variable 'colour'"),
    ({"banner": "small"}, "'banner' is not seen first"),
    ({"wish": "yes"}, "'wish' is hidden"),
    ([{"device": "mobile"}, {"device": "tv"}], "context 2 of 2: unknown value 'tv'"),
    ([], "the list of contexts is empty"),
    (5, "body.context: Input should be a valid dictionary"),
    (
        [{"device": "mobile"}] * 1001,
        "body.context: at most 1,000 entries in one request, not 1,001; send the rest in further requests",
    ),
    ({str(i): "x" for i in range(101)}, "body.context: at most 100 entries in one request"),
    (None, "must be given: 'device'"),
]


@pytest.mark.parametrize(("text", "words"), PROBLEMS)
def test_problems_that_cannot_have_contexts(client, tmp_path, text, words):
    answer = client.post("/api/v1/studies", json={"problem": text, "name": "shop", "rounds": 10})
    (tmp_path / "shop.toml").write_text(text)
    storage = f"sqlite:///{tmp_path}/cli.db"
    run = CliRunner().invoke(bestdo, ["new", str(tmp_path / "shop.toml"), "--rounds", "10", "--storage", storage])
    assert answer.status_code == 422
    assert run.exit_code != 0
    for word in words:
        assert word in answer.json()["detail"]
        assert word in str(run.exception)


def test_contexts_that_are_wrong(client, tmp_path):
    for name, text in (("shop", TEXT + SEES.format('"device"')), ("plain", TEXT)):
        assert client.post("/api/v1/studies", json={"problem": text, "name": name, "rounds": 10}).status_code == 201
    for context, words in QUESTIONS:
        answer = client.post("/api/v1/studies/shop/ask", json={"context": context})
        assert answer.status_code == 422, answer.text
        assert words in answer.json()["detail"]
    answer = client.post("/api/v1/studies/plain/ask", json={"context": {"device": "mobile"}})
    assert answer.status_code == 422
    assert "nothing is seen first in this study" in answer.json()["detail"]
    assert not client.get("/api/v1/studies/shop/rounds").json()
    key = {"context": {"device": "mobile"}, "key": "visit 1"}
    numbers = {client.post("/api/v1/studies/shop/ask", json=key).json()["rounds"][0]["number"] for _ in range(3)}
    assert numbers == {1}
    other = client.post("/api/v1/studies/shop/ask", json={**key, "context": {"device": "desktop"}})
    assert other.status_code == 409
