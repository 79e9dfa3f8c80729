"""A table of an experiment is not read as watching, by REST and on the page."""

import html

from support import problem_text

PROBLEM = problem_text(
    {"X": ["0", "1"], "Z": ["0", "1"], "Y": ["0", "1"]}, "X -> Y; Z -> Y", 'reward = "Y"; success = "1"', ["X", "Z"]
)
ROWS = "action,X,Z,Y\n" + "do(X=1),1,0,1\ndo(X=1),1,1,1\n" * 30
WORDS = "column 'action' looks like the actions of an experiment: 'do(X=1)' in row 1"


def test_by_rest(client):
    at = "/api/v1/studies/farm"
    assert client.post("/api/v1/studies", json={"name": "farm", "problem": PROBLEM, "rounds": 60}).status_code == 201
    answer = client.post(f"{at}/observe", json={"table": ROWS})
    assert (answer.status_code, WORDS in answer.json()["detail"]) == (422, True)
    assert client.get(f"{at}/old").json() == []
    answer = client.post(f"{at}/observe", json={"table": ROWS, "reading": {"ignore": ["action"]}})
    assert (answer.status_code, answer.json()["rows"]) == (200, 60)


def test_on_the_page(client):
    client.post("/api/v1/studies", json={"name": "farm", "problem": PROBLEM, "rounds": 60})
    file = {"file": ("rows.csv", ROWS.encode())}
    answer = client.post("/studies/farm/observe", files=file)
    assert answer.status_code == 422
    assert WORDS in html.unescape(answer.text)
    answer = client.post("/studies/farm/observe", files=file, data={"ignore": "action"})
    assert answer.status_code == 200


def test_on_the_page_of_a_new_study(client):
    def sent(text):
        return html.unescape(client.post("/new/check", data={"via": "file", "text": text}, files=file).text)

    file = {"file": ("rows.csv", ROWS.encode())}
    assert WORDS in sent("")
    assert WORDS in sent(PROBLEM)
    assert WORDS not in sent(f'{PROBLEM}[data]\nignore = ["action"]\n')
