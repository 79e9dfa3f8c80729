"""Sections: what a value has nothing to say of is not there, and what tables mean is said once."""

from html import unescape

import numpy as np
import pytest
from scipy.special import ndtri

import bestdo
from bestdo.bandit.confidence import LEVEL, QUANTILES, TAIL, Level, Z, interval_name, level_name
from bestdo.bandit.tally import Tally
from bestdo.causal.context_words import BY_CONTEXT, FOR_EVERYBODY
from bestdo.learners.families import from_counts
from bestdo.report.document_blocks import Bullets, Document, Paragraph, Remark, Table
from bestdo.report.reward_scale import RewardScale
from bestdo.report.sections import limits
from bestdo.report.sections.actions import SEEN, action_columns
from bestdo.report.sections.arrows import arrow_table, arrows_shown
from bestdo.report.sections.contexts import asked_for, beside_rule, seen_first
from bestdo.report.sections.earned import earned_in_words
from bestdo.report.sections.recommendation import shown_answer
from bestdo.report.writers.html_writer import html_of
from bestdo.report.writers.markdown_writer import markdown_of
from bestdo.report.writers.terminal import show
from matrix.kinds import REWARDS, Kind, text

SHOP = bestdo.Graph.parse("device -> sale; banner -> sale; banner -> refund", reward="sale", success="1")


def study(folder, name, **more):
    """A study of two banners, of which some rounds are told."""
    made = bestdo.Study.create(
        bestdo.Problem(SHOP, set=["banner"], **more), 40, name=name, storage=f"sqlite:///{folder}/s.db"
    )
    for i in range(12):
        (asked,) = made.ask("Ada", **({"context": {"device": str(i % 2)}} if "first" in more else {}))
        banner = asked.action.get("banner", str(i // 2 % 2))
        made.tell(asked, {"device": str(i % 2), "banner": banner, "refund": i % 2, "sale": int(i % 2 == int(banner))})
    return made


def test_the_level_is_one_number():
    assert (LEVEL, TAIL, level_name(), interval_name()) == (95, 0.025, "95 %", "95 % interval")
    assert pytest.approx(ndtri(1 - TAIL), rel=1e-15) == Z
    assert {level: float(ndtri(1 - (100 - level) / 200)) for level in QUANTILES} == pytest.approx(QUANTILES, rel=1e-15)


def test_every_interval_has_the_level_of_the_words():
    """Copies of the level in other modules would keep the old one where it is changed."""
    from bestdo.evidence import answers
    from bestdo.learners.beliefs import belief

    assert (answers.Z, belief._OUTSIDE) == (Z, TAIL / 2)
    assert (TAIL, belief._OUTSIDE) == (0.025, 0.0125)


@pytest.mark.parametrize("reward", REWARDS)
def test_every_family_has_intervals_of_the_level_that_is_asked_for(reward):
    """Of 2,000 rounds they are nearly normal, so lengths are as quantiles; the usual level is the one that people read."""
    graph = bestdo.read(text(Kind(reward))).graph
    sign, n = (-1 if reward == "count" else 1), 2000.0  # tallies of counts to be minimised are negative
    tally = Tally.from_counts(*(np.array([[x]]) for x in (n, sign * 0.4 * n, 0.56 * n)))
    played = np.array([[n]])

    def length(*level):
        found = from_counts(tally, played, graph, *level)
        return float((found.high - found.low)[0, 0])

    for percent, quantile in QUANTILES.items():
        assert length(Level(percent)) / length() == pytest.approx(quantile / QUANTILES[95], rel=0.01)
    assert length() == length(Level(LEVEL))


def test_a_plain_study_has_no_section_for_what_it_has_not(tmp_path):
    answer = study(tmp_path, "plain").findings()
    problem = answer.problem
    assert [*limits.stated(problem), *limits.explained(problem), *limits.kept(answer.best)] == []
    assert [
        *limits.reported(answer, True),
        *limits.promise(problem),
        *limits.what_best_means(problem.limits),
    ] == []
    assert [*seen_first(problem), *asked_for(problem), *beside_rule(problem)] == []
    assert [*earned_in_words(answer), *arrow_table(answer.arrows), *arrows_shown(answer.arrows)] == []
    assert problem.contexts.words is FOR_EVERYBODY
    scale = RewardScale.of(problem.graph, answer.lines)
    assert list(action_columns(scale, problem.limits)) == ["action", "mean", "interval", "p_best", "played", "seen"]


def test_a_study_with_everything_has_all_sections(tmp_path):
    limit = bestdo.Limit("refund", "1", at_most=0.9)
    answer = study(tmp_path, "all", first=["device"], limits=limit, goal="earn").findings()
    problem = answer.problem
    assert problem.contexts.words is BY_CONTEXT
    assert [remark.text for remark in limits.stated(problem)] == [
        "within the limit: P(refund = 1) at most 0.9",
        "in a context an action is recommended if it keeps the limit there with probability 0.9 or more",
    ]
    assert [remark.text for remark in seen_first(problem)] == ["seen first: device (2 contexts); the answer is a rule"]
    assert earned_in_words(answer) == (answer.earned.in_words,)
    (about,) = limits.kept(answer.best)
    assert about.text == answer.best.about_limits
    (table,) = (block for block in shown_answer(answer, "28 rounds left") if isinstance(block, Table))
    assert limits.KEEPS in table.heads


def test_blocks_are_written_in_every_language(capsys):
    blocks = [
        Paragraph("do(a=1)"),
        Remark("it keeps all limits", "quiet"),
        Bullets(["one"]),
        Table(("action", "mean"), [("do()", "0.5")]),
    ]
    show(blocks)
    assert capsys.readouterr().out == "do(a=1)\n  it keeps all limits\n• one\naction  mean\ndo()     0.5\n"
    assert '<p class="quiet">It keeps all limits.</p>' in html_of(Document("x", blocks), {})
    assert "It keeps all limits." in markdown_of(Document("x", blocks))


def test_estimates_of_a_study_with_contexts_do_not_call_the_best_single_action_the_recommendation(tmp_path):
    by_context = study(tmp_path, "rule", first=["device"]).estimates()
    assert "; the best single action for everybody, do(" in repr(by_context)
    assert "The best single action for everybody, <" in by_context._repr_html_()
    assert "recommended" not in by_context.to_frame("polars").columns
    assert "best_single" in by_context.to_frame("polars").columns
    plain = study(tmp_path, "action").estimates()
    assert "single" not in repr(plain) + plain._repr_html_()
    assert "recommended" in plain.to_frame("polars").columns


def test_what_is_seen_is_said_at_its_heading(tmp_path):
    shown = study(tmp_path, "seen").estimates()._repr_html_()
    assert f'<span title="{SEEN[0].upper()}{SEEN[1:]}">seen</span>' in unescape(shown)


def test_means_of_worths_have_the_unit_that_their_sum_has():
    graph = bestdo.Graph.of(
        [bestdo.Variable("a"), bestdo.Variable("order", ("none", "small", "large"), unit="EUR")], [("a", "order")]
    ).rewarding("order", worth={"none": 0, "small": 20, "large": 90}, aim="maximise")
    one = bestdo.bandit.rule.Value(31.5, 30.0, 33.0)
    scale = RewardScale.of(graph, [one])
    assert scale.heading == "mean (EUR)"
    assert scale.with_unit(np.float64(31.5)) == "31.5 EUR"
    assert scale.label == "mean worth of order, EUR"
    assert graph.rewarded.total(63, 2).startswith("63 EUR")
