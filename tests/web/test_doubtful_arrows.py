"""The page of a study whose graph is in doubt."""

from bestdo import Doubts, Problem
from bestdo.study import Study


def test_the_page_and_the_api_show_the_probabilities_of_arrows(client, url):
    doubts = Doubts.parse("shade -> moisture -> yield; shade ?0.3-> yield", reward="yield", success="1")
    study = Study.create(Problem(doubts), rounds=30, name="field", storage=url)
    page = client.get("/studies/field").text
    assert "Arrows in doubt" in page
    assert "shade -&gt; yield" in page
    (asked,) = study.ask("Ann")
    study.tell(asked.number, {"shade": "1", "moisture": "0", "yield": "1", **asked.action})
    assert "1 told" in client.get("/studies/field").text
    report = client.get("/studies/field/report").text
    assert "Arrows in doubt" in report
    assert "1 told" in report[report.index("Arrows in doubt") :]
    for path in ("/api/v1/studies/field/best", "/api/v1/studies/field"):
        (arrow,) = client.get(path).json()["arrows"]
        assert arrow["arrow"] == "shade -> yield"
        assert arrow["before"] == 0.3
