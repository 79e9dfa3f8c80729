"""The recommendation in words is one recommendation, wherever a person reads it: a rule, an action, what was earned."""

import json
import re
from html import unescape

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import bestdo
from bestdo.cli import bestdo as command
from bestdo.report.sections.rehearsal import advice
from bestdo.study import Study
from bestdo.usecases.rehearse import rehearse_study
from bestdo.usecases.simulation import Simulation
from bestdo.web.access import Access
from bestdo.web.app import application
from bestdo.web.workers.rehearsal_worker import rehearsed
from web_support import EDITOR, HERE, PORT, VIEWER

SHOP = bestdo.Graph.parse("device -> sale; banner -> sale; banner -> refund", reward="sale", success="1")
RULE = ("device=0: do(banner=0)", "all others: do(banner=1)")
EARNED = "Earned so far: 40 of 40 rounds had sale = 1, 100 %."


def sold(device, banner):
    return device == banner


def banner_sells(_, banner):
    return banner == 1


def always(*_):
    return True


def shop(url, name, sale=sold, told=60, **more):
    """A study of two devices and two banners; what is sold is said by `sale(device, banner)`."""
    study = Study.create(bestdo.Problem(SHOP, set=["banner"], **more), 80, name=name, storage=url)
    for i in range(told):
        (asked,) = study.ask("Ada", **({"context": {"device": str(i % 2)}} if "first" in more else {}))
        banner = asked.action.get("banner", str(i // 2 % 2))
        seen = {"device": str(i % 2), "banner": banner, "refund": 0}
        study.tell(asked, {**seen, "sale": int(sale(i % 2, int(banner)))})
    return study


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('words')}/x.db"


@pytest.fixture(scope="module")
def studies(url):
    """Studies by the kind of what they recommend."""
    limits = {"limits": bestdo.Limit("refund", "1", at_most=0.5)}
    return {
        "action": shop(url, "action", banner_sells),
        "everybody": shop(url, "everybody", banner_sells, first="device"),
        "rule": shop(url, "rule", first="device"),
        "rule within limits": shop(url, "rule within limits", first="device", **limits),
        "earning": shop(url, "earning", always, 40, goal="earn"),
        "earning by a rule": shop(url, "earning by a rule", always, 40, first="device", goal="earn"),
        "nothing": shop(url, "nothing", told=0, first="device"),
    }


@pytest.fixture(scope="module")
def client(url, studies):
    access = Access.to("127.0.0.1", PORT, (), EDITOR, VIEWER, given=True)
    with TestClient(application(url, access), base_url=HERE) as page:
        page.headers["Authorization"] = f"Bearer {EDITOR}"
        yield page


def plain(page):
    """The words of a page or a card, without its marks."""
    page = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", page)))


def row_of(page, heading):
    """The two cells of a row of the table that compares two studies."""
    cells = re.search(rf'<th scope="row">{heading}</th><td>(.*?)</td><td>(.*?)</td></tr>', page).groups()
    return [plain(cell).strip() for cell in cells]


def test_one_line_names_the_rule(studies):
    best = studies["rule"].best()
    assert best.in_words.startswith(f"{'; '.join(RULE)}: 0.")
    assert best.in_words.endswith(" on average, better than do(banner=1) for everybody with probability >0.999")
    assert f"{best.rule.value.mean:.2f}" in best.in_words
    assert studies["everybody"].best().in_words.startswith("do(banner=1) for everybody: 0.")


def test_one_line_says_what_was_earned(studies):
    words = studies["earning"].best().in_words
    assert words.startswith("do(banner=1): ") or words.startswith("do(banner=0): ") or words.startswith("do(): ")
    assert words.endswith("; earned so far: 40 of 40 rounds had sale = 1, 100 %")
    assert studies["action"].best().in_words.endswith("the best with probability >0.999")


def test_two_studies_side_by_side(client):
    page = client.get("/compare", params={"study": ["rule", "earning"]}).text
    assert row_of(page, "Recommended")[0] == f"{'; '.join(RULE)} so far"
    assert row_of(page, "Its mean")[0].startswith("0.98 on average")
    assert row_of(page, "How sure")[0] == "Better than do(banner=1) for everybody with probability >99.9 %"
    one, other = row_of(page, "Earned")
    assert one == "–"
    assert other.startswith(EARNED)
    page = client.get("/compare", params={"study": ["everybody", "action"]}).text
    assert row_of(page, "Recommended") == ["do(banner=1) for everybody so far", "do(banner=1) so far"]
    assert "Earned" not in page
    assert row_of(client.get("/compare", params={"study": ["nothing", "action"]}).text, "Recommended")[0].startswith(
        "Nothing is known yet"
    )


@pytest.mark.parametrize("kind", ["rule", "rule within limits"])
@pytest.mark.parametrize("shown", ["study", "findings"])
def test_cards_of_a_rule(studies, kind, shown):
    study = studies[kind]
    words = plain((study if shown == "study" else study.findings())._repr_html_())
    before, _, table = words.partition("The same for everybody")
    assert all(line in before for line in RULE)
    assert "better than do(banner=1) for everybody, with probability >0.999" in before
    assert "the best with probability" not in words  # of the best single action, which is not recommended
    assert words.lower().count("keeps all limits") == int(kind != "rule")
    assert "do(banner=1)" in table


@pytest.mark.parametrize("shown", ["study", "findings"])
def test_cards_of_one_action(studies, shown):
    def card(kind):
        return plain((studies[kind] if shown == "study" else studies[kind].findings())._repr_html_())

    assert "do(banner=1) : 0.98, 95 % interval" in card("action")
    assert "Earned" not in card("action")
    assert "everybody: do(banner=1)" in card("everybody")
    assert "no context has another best action" in card("everybody")
    assert "all others" not in card("everybody")
    assert EARNED in card("earning")
    assert EARNED in card("earning by a rule")
    assert card("nothing").count("too early: no round has been told yet") == 1
    assert "better than" not in card("nothing")


def test_what_a_rehearsal_starts_from(studies, url):
    said = "As things stand the rule (device=0: do(banner=0); all others: do(banner=1)) is kept, "
    better = "better than do(banner=1) for everybody with probability"
    small = ["--rounds", "2", "--worlds", "2", "--workers", "1"]

    def run(kind, folder, *more):
        call = ["rehearse", "--storage", url, "--study", kind, *small, "-o", str(folder), *more]
        return CliRunner().invoke(command, call, catch_exceptions=False).stdout

    folder = url.removeprefix("sqlite:///").replace("x.db", "out")
    assert f"{said}{better} >0.999." in run("rule", folder)
    now = json.loads(run("rule", folder, "-f", "json"))["now"]
    best = json.loads(CliRunner().invoke(command, ["best", "--storage", url, "--study", "rule", "-f", "json"]).stdout)
    assert now == {**best["recommendation"], "p_worth": best["rule"]["p_worth"]}
    assert f"{EARNED} By what is known now, " in run("earning", folder)
    now = json.loads(run("earning", folder, "-f", "json"))["now"]
    found = studies["earning"].best()
    assert (now["action"], now["p_best"]) == (str(found.action), found.p_best)
    assert now["earned"] == found.earned.as_data()
    order = {"study": "rule", "url": url, "rounds": [2]}
    assert rehearsed(order)["now"] == f"{said}{better} >99.9 %."
    assert EARNED in rehearsed({**order, "study": "earning by a rule"})["now"]
    card = rehearse_study(studies["rule"], [2], Simulation(2))._repr_html_()
    assert f"{said}{better} >0.999." in plain(card)


def test_advice_on_rules_leaves_the_names_of_learners_alone():
    """Words were replaced in the finished sentence, and so in whatever else stood there."""
    row = {"learner": "Guess the best action", "horizon": 40, "rounds_before": 0.0, "p_best": 0.9, "regret": 0.01}
    row |= {"standard_error": 0.001, "regret_without": 0.2, "rule_gain": 0.1}
    said = advice([row])
    assert said.startswith("Guess the best action for 40 rounds: it keeps the best rule in 90% of such worlds")
    nothing = advice([row | {"regret": 0.2}])
    assert "the rule kept is worse than the best one by" in nothing
    earned = advice([row | {"summed_regret": 3.0, "summed_error": 0.1}])
    assert earned.startswith(
        "Guess the best action loses least: in 40 rounds together it earns 3.00 ± 0.20 less than the"
    )
    assert "less than the best rule would" in earned


def test_the_page_the_list_and_the_report_name_whom_an_action_is_for(client):
    for page in ("/studies/everybody", "/studies/everybody/report", "/"):
        assert "do(banner=1) for everybody" in plain(client.get(page).text)
    listed = plain(client.get("/").text)
    assert EARNED in listed
    assert listed.count(f"Best so far, a rule {'; '.join(RULE)} 0.9") == 2
