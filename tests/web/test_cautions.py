"""The page says what can go wrong with a problem as it is stated: before a study begins, and in it."""

import html

from support import problem_text

MOULD = problem_text(
    {"melt": ["low", "high"], "viscosity": 'values = ["thin", "thick"], cut = [10.0]', "quality": ["bad", "good"]},
    "melt -> viscosity; viscosity -> quality",
    'reward = "quality"; success = "good"',
    ["melt"],
)
WORDS = "viscosity is a number in 2 ranges between melt and quality. Inside a range melt still acts"


def test_a_number_in_ranges_between(client):
    shown = client.post("/new/check", data={"via": "text", "text": MOULD}).text
    assert WORDS in html.unescape(shown)
    begun = {"name": "mould", "problem": MOULD, "rounds": 20}
    made = client.post("/api/v1/studies", json=begun)
    assert made.status_code == 201
    assert made.json()["cautions"][0].startswith(WORDS)
    assert WORDS in html.unescape(client.get("/studies/mould").text)
