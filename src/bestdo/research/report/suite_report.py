"""The report of the suite: the leaderboard of the archive, or a person's own learner beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestdo.bandit.goal import GOALS
from bestdo.errors import BestdoError
from bestdo.report.document_blocks import (
    Block,
    Bullets,
    Code,
    Document,
    Gallery,
    Heading,
    Paragraph,
    Picture,
    Strong,
    with_code,
)
from bestdo.report.writers.html_writer import html_of
from bestdo.report.writers.latex_writer import latex_of
from bestdo.report.writers.markdown_writer import markdown_of, site_markdown_of
from bestdo.research.report.suite_pictures import (
    highlighted,
    on_page,
    on_white,
    rank_picture,
    save_pdf,
    strength_picture,
    svg_of,
    unit_of,
    world_picture,
)
from bestdo.research.report.suite_tables import (
    cost_table,
    lost_table,
    published_table,
    rank_table,
    refusal_table,
    strength_table,
    untested_table,
    warning_table,
    worlds_table,
)
from bestdo.research.suite.leaderboard import Leaderboard
from bestdo.research.suite.suite_standings import LEVEL, Rank, Standings, Verdict
from bestdo.text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["report_document", "report_pictures", "site_page", "write_report"]

_GOAL_TITLES = {"find": "Finding the best action", "earn": "Earning while learning"}
_FACTS = ("commit", "versions", "seed", "effort", "command", "earlier runs")
"""The facts about how results came about."""
_PICTURES, _WORLDS, _WORLD = "pictures", "worlds", "world-"
"""The folder of pictures, the PDF of all worlds, and what the names of their pictures begin with."""
_OURS = rf"({_WORLD}.+|ranks-\w+|strengths-\w+|{_WORLDS})\.(svg|pdf)"
"""The names of the files of pictures."""


def write_report(board: Leaderboard, folder: Path) -> list[Path]:
    """Writes report.html, report.md, report.tex and a folder of pictures as SVG and PDF; returns the paths of the texts."""
    document = report_document(board)
    svgs: dict[str, str] = {}
    small: list[Figure] = []
    try:
        (folder / _PICTURES).mkdir(parents=True, exist_ok=True)
        for old in (folder / _PICTURES).iterdir():
            if re.fullmatch(_OURS, old.name):  # of an earlier report, perhaps on other worlds
                old.unlink()
        for name, figure in report_pictures(board.standing, board.rivals):
            svgs[name] = svg_of(figure, name)
            (folder / _PICTURES / f"{name}.svg").write_text(on_white(svgs[name]), encoding="utf-8")
            if name.startswith(_WORLD):
                small.append(figure)
            else:
                save_pdf([figure], folder / _PICTURES / f"{name}.pdf")
        if small:
            save_pdf(small, folder / _PICTURES / f"{_WORLDS}.pdf")
        texts = {
            "report.html": html_of(document, {name: on_page(svg) for name, svg in svgs.items()}),
            "report.md": markdown_of(document, _PICTURES),
            "report.tex": latex_of(document, _PICTURES),
        }
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BestdoError(f"cannot write into {folder}: {error.strerror}") from None
    return [folder / name for name in texts]


def site_page(board: Leaderboard, folder: Path) -> str:
    """The report as Markdown for a page of the documentation beside `folder`, which gets the pictures as SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in report_pictures(board.standing):
        (folder / f"{name}.svg").write_text(on_white(svg_of(figure, name)), encoding="utf-8")
    return site_markdown_of(report_document(board), folder.name)


def _ranked(standing: Standings, goal: str) -> list[Rank]:
    """The ranks of a goal; none where there is one learner alone."""
    ranks = standing.ranks(goal)
    return ranks if len(ranks) > 1 else []


def report_pictures(standing: Standings, rivals: Sequence[str] = ()) -> Iterator[tuple[str, Figure]]:
    """The pictures of the report by name, those of the worlds last and in their order; there rivals have a colour."""
    for goal in GOALS:
        ranks = _ranked(standing, goal)
        if any(rank.place is not None for rank in ranks):
            yield f"ranks-{goal}", rank_picture(ranks, standing)
        if ranks:
            order = [rank.learner for rank in ranks]
            yield f"strengths-{goal}", strength_picture(standing.strengths(goal), order, standing)
    for world in standing.worlds:
        if world.cells:
            yield f"{_WORLD}{world.name}", world_picture(world, standing.titles, standing.own, rivals)


def report_document(board: Leaderboard) -> Document:
    """The report as a document."""
    standing = board.standing
    learners, worlds = len({name for world in standing.worlds for name in world.cells}), len(standing.worlds)
    if standing.own:
        names = " and ".join(standing.titles[name] for name in standing.own)
        title = f"{names} on the suite of causal bandits"
    else:
        title = "The leaderboard of causal bandits"
    counts = [cell.simulations for world in standing.worlds for cell in world.cells.values()] or [0]
    times = f"{min(counts):,} to {max(counts):,}" if min(counts) < max(counts) else f"{counts[0]:,}"
    about = (
        f"{counted(learners, 'learner')} on {counted(worlds, 'world')} with known truth; {times} simulations of each "
        "learner on each world."
    )
    results = [
        *_ranks(standing),
        *_world_by_world(board),
        *_curves(board),
        *_strengths(standing),
        *_published(board),
        *_lost(board),
    ]
    return Document(
        title,
        [
            Paragraph(about, "lead"),
            *(Paragraph([Strong("Note. "), note]) for note in board.notes),
            *_summary(board),
            *(results if worlds else []),
            *_rest(board),
            *_made(board),
        ],
    )


def _summary(board: Leaderboard) -> list[Block]:
    """The results in a few sentences."""
    standing = board.standing
    items: list[list[str | Code | Strong]] = []
    for name in standing.own:
        title = standing.titles[name]
        verdicts = [standing.verdict(world, name) for world in standing.played(name)]
        judged = [v for v in verdicts if v.rivals]
        good, first = sum(not v.worse for v in judged), sum(v.is_first for v in judged)
        where = "them" if len(judged) == len(verdicts) else f"the {len(judged)} that others play"
        tried = len(standing.tried(name))
        refused = tried - len(verdicts)
        items.append(
            [
                Strong(title),
                f" plays {len(verdicts)} of {counted(tried, 'world')}"
                + (f" and refuses {refused}" if refused else "")
                + "."
                + (
                    f" It is first or not significantly worse than the first on {good} of {where}, first on {first}."
                    if judged
                    else ""
                ),
            ]
        )
        for goal in GOALS:
            for rank in _ranked(standing, goal):
                if rank.learner == name and rank.place is not None:
                    others = sum(r.place is not None for r in standing.ranks(goal))
                    ends = f"95 % interval {rank.low} to {rank.high}" if rank.low else "too few worlds for an interval"
                    place = f"{_GOAL_TITLES[goal]}: place {rank.place} of {others} ({ends}); "
                    items.append([f"{place}on a world it beats {rank.beaten:.0%} of the others."])
    family = standing.family()
    if family:
        which = f"{'these ' if standing.own and len(family) > 1 else ''}{counted(len(family), 'world')}"
        names = [standing.titles[name] for name in dict.fromkeys(verdict.learner for verdict in family)]
        items.append([Strong(" and ".join(names)), f" {_share(family, which)}"])
    return [Bullets(items)]


def _share(family: Sequence[Verdict], worlds: str) -> str:
    """The share of the worlds on which this library's learner is first or as good, with and without the correction."""
    good = sum(not v.worse for v in family)
    strict = sum(not v.worse_than_the_first for v in family)
    first = sum(v.is_first for v in family)
    blind = sum(not v.worse and not v.is_first and v.blind for v in family)
    both = "this library's"
    if len({v.learner for v in family}) > 1:
        both += ", the one where the best action is to be found, the other where every round earns"
    few = f" On {blind} of them there are too few simulations to see half as much regret again." if blind else ""
    return (
        f"({both}): first or not significantly worse than the first on {good} of {worlds} ({good / len(family):.0%}); on "
        f"{strict} by the stricter test that does not allow for the choice of the first by chance; first on {first}.{few}"
    )


def _ranks(standing: Standings) -> list[Block]:
    """Places with intervals, by goal; none where there is nobody to compare with."""
    if not any(_ranked(standing, goal) for goal in GOALS):
        return []
    blocks: list[Block] = [
        Heading("Ranks"),
        Paragraph(
            "On each world, the learners that play it are compared by their regret at the longest horizon that was played. "
            "A learner's score there is the share of the other learners with more regret (ties count half), and the mean "
            "score over the worlds that it plays gives its place. Intervals of places are 95 % percentile intervals of a "
            "bootstrap over worlds (2,000 resamples); with fewer than five worlds there are none. Refusing a world "
            "neither lowers nor raises the score: the last column says how many worlds a learner plays, and with less than "
            "half of them it has no place. Presets of one learner count as learners of their own."
        ),
    ]
    for goal in GOALS:
        ranks = _ranked(standing, goal)
        if not ranks:
            continue
        blocks.append(Heading(_GOAL_TITLES[goal], 3))
        if any(rank.place is not None for rank in ranks):
            interval = any(rank.low is not None for rank in ranks)
            more = " and its 95 % interval, by bootstrap over worlds" if interval else "; too few worlds for intervals"
            caption = f"{_GOAL_TITLES[goal]}: place of each learner{more}."
            blocks.append(Picture(f"ranks-{goal}", caption, caption))
        blocks.append(rank_table(goal, ranks, standing))
    return blocks


def _world_by_world(board: Leaderboard) -> list[Block]:
    """The learner that the report is about, or this library's choice, beside the first on every world."""
    standing = board.standing
    blocks: list[Block] = [
        Heading("World by world"),
        Paragraph(
            f"A learner is called worse if its regret exceeds that of some other by a one-sided test at level {LEVEL:.0%} "
            "divided by the number of others (multiple comparisons with the best, Bonferroni's correction, independent "
            "simulations), and as good as the first if no such difference was found. Where the test could not have "
            "detected a regret of 1.5 times the first's, the table says that there are few simulations. Regrets are means ± "
            "standard error over simulations; where the goal is to earn they are cumulative, elsewhere that of the action "
            "recommended."
        ),
    ]
    for name in standing.own:
        verdicts = [standing.verdict(world, name) for world in standing.worlds if world.cells]
        caption = f"{standing.titles[name]} beside the first, and this library's choice for the goal, on every world."
        blocks.append(worlds_table(verdicts, standing, caption, standing.titles[name], board.worlds))
    if not standing.own:
        caption = "This library's learner for the goal beside the first on every world."
        blocks.append(worlds_table(standing.family(), standing, caption, "this library's", board.worlds))
    return blocks


def _curves(board: Leaderboard) -> list[Block]:
    """Regret against rounds on every world."""
    standing = board.standing
    pictures = []
    for world in standing.worlds:
        if not world.cells:
            continue
        known = board.worlds.get(world.name)
        lines = ", ".join(standing.titles[name] for name in highlighted(world, standing.own, board.rivals))
        caption = with_code(f"{known.about} Source: {known.source}." if known else "")
        says = f"{world.measure} against {unit_of(world)} on {world.name}: {lines}"
        pictures.append(Picture(f"{_WORLD}{world.name}", caption, says))
    text = (
        "Bars are two standard errors. In colour are "
        + ("the learner that the report is about, " if standing.own else "")
        + ("those that were played beside it, " if board.rivals else "")
        + "this library's choice for the goal and the three best others at the last horizon; all others are thin lines."
    )
    return [Heading("Regret against rounds"), Paragraph(text), Gallery(_WORLDS, pictures)]


def _strengths(standing: Standings) -> list[Block]:
    """Strengths by kind of world; none where there is nobody to compare with."""
    if not any(_ranked(standing, goal) for goal in GOALS):
        return []
    blocks: list[Block] = [
        Heading("Strengths by kind of world"),
        Paragraph(
            "Regret as a multiple of that of the first on the same world, at its last horizon: 1.0 is the first. "
            "Geometric means over the worlds of a kind that the learner plays; one percent of the largest regret on "
            "the world is added to both, so that regrets of 0 can be divided. A star: it does not play all worlds of "
            "the kind. Empty: it plays none."
        ),
    ]
    for goal in GOALS:
        ranks = _ranked(standing, goal)
        if ranks:
            order = [rank.learner for rank in ranks]
            caption = f"{_GOAL_TITLES[goal]}: regret as a multiple of the first's; the fuller the colour, the smaller."
            blocks.append(Picture(f"strengths-{goal}", caption, caption))
            blocks.append(strength_table(standing.strengths(goal), order, standing))
    return blocks


def _published(board: Leaderboard) -> list[Block]:
    """Published numbers beside ours, in the leaderboard of the archive."""
    if not board.published or board.standing.own:
        return []
    return [Heading("Published, authors' code, ours"), published_table(board.published, board.standing)]


def _lost(board: Leaderboard) -> list[Block]:
    """The worlds on which this library's learner is not among the first, in the leaderboard of the archive."""
    if board.standing.own:
        return []
    heading = Heading("Where causal top-two and causal Thompson are not first")
    table = lost_table(board.standing.family(), board.standing)
    if table is None:
        return [heading, Paragraph("On none of these worlds is it significantly worse than the first.")]
    return [heading, table]


def _rest(board: Leaderboard) -> list[Block]:
    """Cost, presets with errors, tests that cannot end, and who does not play."""
    blocks: list[Block] = []
    if board.times:
        blocks += [Heading("Cost"), cost_table(board.times, board.standing)]
    warnings = warning_table(board.standing)
    if warnings:
        blocks += [Heading("Presets with errors and choices of published code"), warnings]
    untested = untested_table(board.standing)
    if untested:
        blocks += [Heading("Where no test can end"), untested]
    refusals = refusal_table(board.standing)
    if refusals:
        blocks += [Heading("Who does not play"), refusals]
    return blocks


def _facts(manifest: Mapping[str, Any]) -> str:
    """The origin of the results, in words."""
    effort = manifest.get("effort")
    said = {**manifest, "effort": effort.get("name") if isinstance(effort, Mapping) else effort}
    versions = manifest.get("versions")
    if isinstance(versions, Mapping):
        said["versions"] = ", ".join(f"{name} {each}" for name, each in versions.items())
    said["earlier runs"] = "; ".join(manifest.get("earlier", ()))
    return "; ".join(f"{name} {said[name]}" for name in _FACTS if said.get(name) not in (None, ""))


def _made(board: Leaderboard) -> list[Block]:
    """The origin of the results, and the commands that make them again."""
    runs = [f"The run: {_facts(run)}." for run in board.runs]
    archive = f"The archive: {_facts(board.manifest)}." if board.manifest else "The archive holds no results yet."
    return [
        Heading("How this was made"),
        *(Paragraph(text, "note") for text in (*runs, archive)),
        Paragraph(["This report: ", Code("bestdo suite report -o DIR [RESULTS.csv]"), "."], "note"),
    ]
