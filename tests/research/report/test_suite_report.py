"""The report of the suite: complete and harmless texts in three languages, the same bytes each time."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from bestdo.errors import BestdoError
from bestdo.report.document_blocks import Bullets, Code, Document, Heading, Paragraph, Strong, Table
from bestdo.report.writers.html_writer import html_of
from bestdo.report.writers.latex_columns import column_shape
from bestdo.report.writers.latex_writer import latex_of
from bestdo.report.writers.markdown_writer import markdown_of
from bestdo.research.report.suite_report import report_document, report_pictures, site_page, write_report
from bestdo.research.report.suite_tables import refusal_table, times_text
from bestdo.research.suite.archive import read
from bestdo.research.suite.leaderboard import leaderboard
from bestdo.research.suite.suite_rows import SuiteRow, table_bytes
from bestdo.research.suite.suite_standings import standings
from suite_rows_made_up import archive_of, row
from support import ROOT

EVIL = "<b>x_1</b> & 50 % {more} $5 #1 ~ ^ \\ | `γ ± ≤ é 漢"


def rows(learners=("causal-top-two", "ucb", "algorithm-1")):
    """Two worlds to find and one to earn."""
    found = []
    for k, name in enumerate(learners):
        for horizon in (50.0, 100.0):
            found.append(row("paper-parallel", name, (0.2 + 0.1 * k) * 50 / horizon, horizon=horizon))
            found.append(row("other", name, None if k == 2 else 0.1 * k, horizon=horizon, kind="costs"))
    earning = [row("pomis-iv", name, 9.0, 0.5, goal="earn", horizon=5000.0) for name in ("causal-thompson", "thompson")]
    return [*found, *earning]


@pytest.fixture
def board(tmp_path):
    mine = [
        row("paper-parallel", "mine:X", 0.15, horizon=100.0, title=EVIL),
        row("other", "mine:X", None, horizon=100.0),
    ]
    (tmp_path / "results.csv").write_bytes(table_bytes(SuiteRow._fields, mine))
    (tmp_path / "archive.json").write_text(
        '{"seed": 7, "effort": {"name": "quick"}, "versions": {"numpy": "2"}, "earlier": ["a", "b"]}'
    )
    return leaderboard([tmp_path / "results.csv"], archive_of(rows()))


class Balanced(HTMLParser):
    """Checks that every element is closed in its order."""

    VOID = ("meta", "br", "img")

    def __init__(self):
        super().__init__()
        self.open, self.ids = [], []

    def handle_starttag(self, tag, attributes):
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_report_is_written_in_three_languages_and_the_same_each_time(board, tmp_path):
    (tmp_path / "b" / "pictures").mkdir(parents=True)
    for name in ("world-gone.svg", "ranks-earn.pdf", "of-another.svg"):
        (tmp_path / "b" / "pictures" / name).touch()
    first, second = (write_report(board, tmp_path / name) for name in ("a", "b"))
    assert not (tmp_path / "b" / "pictures" / "world-gone.svg").exists()  # of an earlier report
    assert (tmp_path / "b" / "pictures" / "of-another.svg").exists()
    assert [path.name for path in first] == ["report.html", "report.md", "report.tex"]
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert {path.suffix for path in files} == {".html", ".md", ".tex", ".svg", ".pdf"}
    for path in files:
        assert (tmp_path / "a" / path).read_bytes() == (tmp_path / "b" / path).read_bytes(), path
    html, markdown, latex = (path.read_text() for path in second)
    page = Balanced()
    page.feed(html)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert "<b>x_1" not in html
    assert 'src="' not in html
    assert "var(--ink)" in html
    for used in re.findall(r"!\[.*?\]\((.+?)\)", markdown):
        assert (tmp_path / "b" / used).exists()
    for used in re.findall(r"\{(pictures/.+?)\}", latex):
        assert (tmp_path / "b" / used).exists()
    assert "image" not in (tmp_path / "a" / "pictures" / "strengths-find.svg").read_text()  # nothing is made of pixels


def test_the_report_says_how_the_run_and_the_archive_came_about(board, tmp_path):
    text = markdown_of(report_document(board))
    assert "The run: versions numpy 2; seed 7; effort quick; earlier runs a; b." in text
    assert "The archive: commit made-up; seed 0." in text
    (tmp_path / "archive.json").write_text("{")
    with pytest.raises(BestdoError, match=r"archive\.json cannot be read"):
        leaderboard([tmp_path], archive_of(rows()))


def test_who_has_no_result_is_not_called_worse():
    text = markdown_of(report_document(leaderboard([], archive_of(rows(["ucb", "algorithm-1"])))))
    assert "on 1 of 1 world (100%)" in text  # causal Thompson's; of causal top-two there is none


def test_a_learner_without_others_has_no_ranks_and_the_report_says_so_first(tmp_path):
    (tmp_path / "results.csv").write_bytes(table_bytes(SuiteRow._fields, [row("paper-parallel", "mine:X", 0.1)]))
    board = leaderboard([tmp_path], archive_of([]))
    text = markdown_of(report_document(board))
    assert text.index("**Note. **The archive of this version holds no results") < text.index("plays 1 of 1 world.")
    for no in ("Ranks", "Strengths", "It is first", "Causal top-two"):
        assert no not in text
    assert "| 400 | 0.100 ± 0.010 | no others | – | – |" in text.replace("\u00a0", " ")
    assert [name for name, _ in report_pictures(board.standing)] == ["world-paper-parallel"]
    board = leaderboard([tmp_path], archive_of(rows(["causal-top-two"])[1:2]))
    assert board.notes == [
        "The archive has no results on paper-parallel: there the learner of this run cannot be compared with others."
    ]


def test_the_first_learner_of_a_run_is_the_one_that_the_report_is_about(tmp_path):
    mine = [row("paper-parallel", name, 0.1) for name in ("ucb", "mine:X", "uniform")]
    (tmp_path / "results.csv").write_bytes(table_bytes(SuiteRow._fields, mine))
    board = leaderboard([tmp_path], archive_of([]))
    assert (board.standing.own, board.rivals) == (("mine:X",), ["ucb", "uniform"])
    latex = latex_of(report_document(board))
    assert r"\label{fig:world-paper-parallel}" in latex
    assert r"\captionof{figure}{Regret against rounds on paper-parallel: " in latex
    assert r"\label{tab:ranks-find}" in latex
    assert "interval" not in latex[latex.index("{longtable}") : latex.index("World by world")]
    (tmp_path / "results.csv").write_bytes(table_bytes(SuiteRow._fields, mine[::2]))
    (tmp_path / "archive.json").write_text(
        '{"learners": {"uniform": "", "ucb": ""}}'
    )  # the order in which they were named
    assert leaderboard([tmp_path], archive_of([])).standing.own == ("uniform",)


def test_the_leaderboard_says_how_often_this_librarys_learner_is_first():
    board = leaderboard([], archive_of(rows()))
    text = markdown_of(report_document(board))
    assert "on 3 of 3 worlds (100%)" in text
    assert "Where causal top-two and causal Thompson are not first" in text
    assert "pomis-iv" in text
    lost = leaderboard([], archive_of([*rows(), row("other", "best", -1.0, 0.0, horizon=100.0)]))
    text = markdown_of(report_document(lost))
    assert "on 2 of 3 worlds (67%)" in text
    assert "Not explained yet." in text
    assert len(list(report_pictures(board.standing))) == 2 + 2 + 3


def test_a_place_that_no_test_of_a_learner_has_earned_has_a_warning_beside_it():
    """By hand on paper-parallel, 50 variables of two values: B = ⌈800 ln(8 · 50 · 2 / 0.05)⌉ = 7,745; a test takes 2 B."""
    board = leaderboard([], archive_of(rows(("causal-top-two", "raps"))))
    (found,) = board.standing.untested
    assert found == ("raps", "paper-parallel", 100.0, 15490.0)
    text = markdown_of(report_document(board))
    assert re.search(r"\| Raps † \| .* of 2 \|", text)
    assert "Raps \\textdagger{}" in latex_of(report_document(board))
    assert "No test of Raps can end on 1 of the 2 worlds that it plays" in text
    assert re.search(r"\| Raps \| paper-parallel \| 100 \| 15,490 \|", text)
    assert "†" not in markdown_of(report_document(leaderboard([], archive_of(rows(("causal-top-two", "ucb"))))))


def test_no_test_of_raps_ends_on_any_world_of_the_archive():
    standing = leaderboard().standing
    played = [world.name for world in standing.played("raps")]
    assert len(played) > 40
    assert [each.world for each in standing.untested if each.learner == "raps"] == played


def test_the_page_of_the_documentation_is_the_same_document(tmp_path):
    board = leaderboard([], archive_of([each for each in rows() if each.world == "other"]))
    text = site_page(board, tmp_path / "leaderboard")
    for used in re.findall(r"!\[.*?\]\((.+?)\)", text):
        assert (tmp_path / used).exists()
    assert "::::{grid} 1 1 2 2" in text
    assert ":::{dropdown} The same numbers as a table." in text
    assert not text.startswith("# ")
    page = (ROOT / "docs" / "results" / "leaderboard.md").read_text()
    assert page.count("<!-- leaderboard -->") == 1


def test_a_learner_that_plays_nowhere_has_a_report(tmp_path):
    (tmp_path / "results.csv").write_bytes(table_bytes(SuiteRow._fields, [row("other", "mine:X", None, horizon=100.0)]))
    write_report(leaderboard([tmp_path], archive_of(rows())), tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text()
    assert "plays 0 of 1 world and refuses 1" in text
    assert "Ranks" not in text


WHOLE = Document(
    EVIL,
    [
        Heading(EVIL),
        Paragraph([EVIL, Code(EVIL), Strong(EVIL)], "note"),
        Bullets([EVIL]),
        Table((EVIL, "b"), [[EVIL, "1"], [Strong(EVIL), ""]], EVIL, marked=frozenset({0})),
    ],
)


def test_latex_has_no_sign_that_it_would_not_print():
    text = latex_of(WHOLE)
    body = text[text.index(r"\begin{document}") :]
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    begun, ended = (re.findall(rf"\\{word}\{{(\w+)\}}", body) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    plain = re.sub(r"\\[&%$#_{}]", "", body)
    assert not re.search(r"[#_%~^`|<>]", re.sub(r"\$[^$]*\$", "", plain))
    assert r"\gamma" in body
    assert r"\pm" in body
    assert "é" in body
    assert "漢" not in body
    assert r"97.1 $\mu$s" in latex_of(Document("a", [Paragraph("97.1 µs")]))


def test_html_and_markdown_take_every_sign_as_it_is():
    page = Balanced()
    page.feed(html_of(WHOLE, {}))
    assert page.open == []
    table = [line for line in markdown_of(WHOLE).splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {3}


LETTERS = "Γδ √(K ln T / T), T² ≈ ∞, x -- y"


def test_latex_has_signs_of_formulas_and_leaves_hyphens_alone():
    text = latex_of(Document("a", [Paragraph([LETTERS, Code("run --quick")])]))
    assert r"${\Gamma}$${\delta}$ $\surd$(K ln T / T), T$^2$ $\approx$ $\infty$, x -{}- y" in text
    assert r"\texttt{run -{}-quick}" in text
    assert r"a/\allowbreak{}b.md, 1 / 2" in latex_of(Document("a", [Paragraph("a/b.md, 1 / 2")]))


def wide(columns, sentence=False):
    """A table of a name, numbers and perhaps a sentence."""
    heads = ["learner", *(f"kind of{k}" for k in range(columns)), *(["why"] if sentence else [])]
    cells = ["Successive Elimination as published", *["0.5"] * columns, *(["A long reason. " * 20] if sentence else [])]
    return Table(heads, [cells], "Numbers.", wraps=frozenset({columns + 1} if sentence else ()))


def test_columns_of_latex_fit_the_line_and_very_wide_tables_lie_on_their_side():
    shapes = [column_shape(wide(columns)) for columns in (2, 10, 15, 17)]
    assert [shape.size for shape in shapes] == ["footnotesize", "footnotesize", "scriptsize", "footnotesize"]
    assert [shape.turned for shape in shapes] == [False, False, False, True]
    assert [shape.heads[1] for shape in shapes] == [["kind of0"], ["kind", "of0"], ["kind", "of0"], ["kind", "of0"]]
    assert not any(shape.shares for shape in shapes)
    ((column, share),) = column_shape(wide(30)).shares.items()  # nothing else can be done than to break the names
    assert (column, share < 0.2) == (0, True)
    few, many = (column_shape(wide(columns, sentence=True)).shares for columns in (1, 5))
    assert few[2] > many[6] > 0.2  # a sentence has the room that the others leave
    text = latex_of(Document("a", [Paragraph("b"), Heading("Wide"), Heading("Wider", 3), wide(17)]))
    assert "\\begin{landscape}\n\\section*{Wide}\n\\subsection*{Wider}\n{\\footnotesize\\begin{longtable}" in text
    assert r"\shortstack[r]{kind \\ of0}" in text


def test_multiples_have_no_exponents_and_one_reason_of_many_worlds_is_one_row():
    assert [times_text(x) for x in (1.0, 9.94, 9.96, 99.7, 1234.5)] == ["1.0", "9.9", "10", "100", "1,234"]
    said = "it does not look at what is seen first ('{}') before it chooses"
    refused = [row(w, "mine:X", None)._replace(refused=said.format(w)) for w in ("a', 'b", "c")]
    (table,) = [refusal_table(standings(refused, ["mine:X"]))]
    assert [list(cells[1:]) for cells in table.rows] == [
        ["a', 'b, c", "it does not look at what is seen first before it chooses"]
    ]


def test_places_are_whole_numbers(board):
    figure = dict(report_pictures(board.standing))["ranks-find"]
    assert all(float(tick).is_integer() for tick in figure.axes[0].get_xticks())


def compiled(folder, text):
    """What pdflatex complains about, after two runs, without a document that it could not make."""
    (folder / "report.tex").write_text(text, encoding="utf-8")
    for _ in range(2):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        assert done.returncode == 0, done.stdout[-2000:]
    return re.findall(r"Overfull \\hbox \((\d+)\.\d*pt too wide\)", done.stdout)


@pytest.mark.campaign
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_report_compiles_and_no_table_is_wider_than_the_page(tmp_path):
    def write(name, board):
        write_report(board, tmp_path / name)
        return tmp_path / name, (tmp_path / name / "report.tex").read_text(encoding="utf-8")

    everything = [
        each._replace(learner="mine:X", title=EVIL.replace("漢", "√"))
        for each in read().rows
        if each.learner == "thompson"
    ]
    (tmp_path / "results.csv").write_bytes(table_bytes(SuiteRow._fields, everything))
    for folder, text in (write("all", leaderboard()), write("own", leaderboard([tmp_path]))):
        assert [points for points in compiled(folder, text) if int(points) > 4] == []
    assert compiled(tmp_path, latex_of(WHOLE)) == []
