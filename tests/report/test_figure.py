import io
import itertools
import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len
from rich.console import Console

from bestdo.data.optional_libraries import matplotlib
from bestdo.errors import BestdoError
from bestdo.report.comparison_table import show
from bestdo.report.figure import _figure, _read, draw
from bestdo.report.figure_style import STYLE, looks_of
from bestdo.report.heading import columns_of

MANIFEST = {
    "title": "A title",
    "caption": "what it is",
    "sims": 1000,
    "x": {"column": "x", "label": "rounds", "log": False},
    "y": {"column": "regret", "error": "standard_error", "label": "regret"},
}
TABLE = """experiment,panel,x,horizon,learner,sims,regret,standard_error,p_best,actions
t,,10,10,Algorithm 1,1000,0.2,0.01,0.3,5
t,,20,20,Algorithm 1,1000,0.0,0.0,1.0,5
t,,30,30,Algorithm 1,1000,0.0,0.0,1.0,5
t,,20,20,Mine,1000,0.1,0.01,0.5,5
"""


def write(folder, table=TABLE, **more):
    (folder / "t.csv").write_text(table)
    (folder / "t.json").write_text(json.dumps({**MANIFEST, **more}))


def test_a_picture_from_a_table_and_its_manifest_alone(tmp_path):
    write(tmp_path)
    svg, png = draw(tmp_path, "t")
    assert png.read_bytes().startswith(b"\x89PNG")
    root = ElementTree.parse(svg).getroot()
    assert "A title" in "".join(root.itertext())
    first = svg.read_bytes()
    draw(tmp_path, "t")
    assert svg.read_bytes() == first


def test_exact_zeros_are_drawn_and_not_cut_off(tmp_path):
    write(tmp_path)
    text = draw(tmp_path, "t")[0].read_text()
    markers = re.findall(r"<use [^>]*style=\"fill: #0072b2", text)
    assert len(markers) >= 3  # one for each row, and the legend's
    assert not [line for line in text.splitlines() if "#0072b2" in line and "clip-path" in line]


@pytest.mark.parametrize("log", [False, True])
def test_panels_and_a_logarithmic_axis(tmp_path, log):
    write(tmp_path, TABLE.replace("t,,", "t,left,") + TABLE.split("\n", 1)[1].replace("t,,", "t,right,"))
    manifest = {**MANIFEST, "x": {**MANIFEST["x"], "log": log}, "caption": ""}
    (tmp_path / "t.json").write_text(json.dumps(manifest))
    assert draw(tmp_path, "t")[1].stat().st_size > 5000


def test_a_learner_looks_the_same_everywhere():
    assert looks_of(["Algorithm 1", "Mine"])["Algorithm 1"] == looks_of(["Other", "Algorithm 1"])["Algorithm 1"]
    many = looks_of(["Algorithm 1", "Algorithm 2", "a", "b", "c"])
    assert len(set(many.values())) == 5


def test_the_order_is_the_experiments(tmp_path):
    table = TABLE.replace("Algorithm 1", "Late").replace("t,,20,20,Mine", "t,,10,10,Mine")
    for order in (["Late", "Mine"], ["Mine", "Late"]):
        write(tmp_path, table, learners=dict.fromkeys(order, ""))
        text = "".join(ElementTree.parse(draw(tmp_path, "t")[0]).getroot().itertext())
        svg = (tmp_path / "t.svg").read_text()
        places = [svg.index(f"<!-- {name} -->") for name in order]
        assert places == sorted(places), text


def test_one_point_has_one_tick(tmp_path):
    for x in ("20", "0.5"):
        rows = [line for line in TABLE.splitlines() if not line.startswith("t,") or ",Mine," in line]
        write(tmp_path, "\n".join(rows).replace("t,,20,", f"t,,{x},") + "\n", sims=1)
        svg = draw(tmp_path, "t")[0].read_text()
        assert len(re.findall(r'<g id="xtick_', svg)) == 1
        assert f"<!-- {x} -->" in svg
        assert "mean of 1 simulation, bars" in svg


def test_a_panel_with_one_point_keeps_the_ticks_of_the_others(tmp_path):
    write(tmp_path, TABLE.replace("t,,", "t,left,") + "t,right,20,20,Mine,1000,0.1,0.01,0.5,5\n")
    svg = draw(tmp_path, "t")[0].read_text()
    assert len(re.findall(r'<g id="xtick_', svg)) >= 6


def test_the_legend_fits():
    assert columns_of(["Algorithm 1", "Algorithm 2", "Successive Rejects"], 6.4) == 3
    assert columns_of(["x" * 60, "y" * 60], 6.4) == 1


NAMES = ["Causal top-two", "Algorithm 1", "Algorithm 2, divided by rounds", "Algorithm 2 as in the authors' code"]


def drawn(folder, panels, learners, xs, **more):
    """The figure as it is drawn, with the boxes of its words in pixels."""
    rows = [f"t,{p},{x},10,{name},9,0.1,0.01,0.5,5" for p in panels for name in learners for x in xs]
    table = "\n".join([TABLE.splitlines()[0], *rows]) + "\n"
    write(folder, table.replace("Algorithm 2, divided by rounds", '"Algorithm 2, divided by rounds"'), **more)
    with matplotlib().rc_context(STYLE):
        figure = _figure(*_read(folder, "t"))
        figure.draw_without_rendering()
    return figure


@pytest.mark.parametrize(("panels", "count"), [([""], 8), ([""], 17), (["a", "b"], 4), (list("abcdef"), 1)])
def test_no_words_run_into_each_other(tmp_path, panels, count):
    learners = (NAMES + [f"a learner with a rather long name {i}" for i in range(count)])[:count]
    title = "Using the rewards while sampling helps most where many variables are hard, and elsewhere it helps a little"
    figure = drawn(tmp_path, panels, learners, [2, 10, 20], title=title, caption="what it is " * 12)
    page = figure.bbox
    words = [*figure.texts, figure.legends[0]]  # title, caption, both labels, legend
    boxes = [w.get_window_extent() for w in words] + [ax.get_tightbbox() for ax in figure.axes]
    assert len(figure.texts) == 4
    for i, box in enumerate(boxes):
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= page.x1 + 4  # the half of a last number or marker
        assert box.y1 <= page.y1
        assert not [k for k, other in enumerate(boxes[:i]) if box.overlaps(other)]


@pytest.mark.parametrize(
    ("xs", "log"),
    [([2, 10, 20], False), (range(2, 51), False), ([1, 2, 3], False), ([50, 100, 200, 300, 400, 600, 800, 2400], True)],
)
def test_ticks_are_whole_numbers_that_can_be_read(tmp_path, xs, log):
    figure = drawn(tmp_path, ["a", "b"], NAMES, xs, x={"column": "x", "label": "m", "log": log})
    for ax in figure.axes:
        low, high = ax.get_xlim()
        labels = [t.label1 for t in ax.xaxis.get_major_ticks() if low <= t.get_loc() <= high and t.label1.get_text()]
        assert len(labels) >= 3
        assert all(re.fullmatch(r"\d+", label.get_text()) for label in labels)
        boxes = sorted((label.get_window_extent() for label in labels), key=lambda box: box.x0)
        assert all(a.x1 + 3 < b.x0 for a, b in itertools.pairwise(boxes))


def test_four_panels_are_two_by_two(tmp_path):
    figure = drawn(tmp_path, list("abcd"), NAMES, [2, 10])
    assert figure.axes[0].get_gridspec().get_geometry() == (2, 2)


def test_a_missing_table_is_said(tmp_path):
    with pytest.raises(BestdoError, match="there is no file"):
        draw(tmp_path, "t")


@pytest.mark.parametrize("module", ["polars", "matplotlib"])
def test_a_missing_library_is_one_sentence(tmp_path, module):
    write(tmp_path)
    code = f"import sys; sys.modules[{module!r}] = None\nfrom bestdo.report.figure import draw\ndraw({str(tmp_path)!r}, 't')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"need {module}, which is not installed: pip install 'bestdo[research]'" in done.stderr


def test_the_table_for_people(capsys):
    row = {"panel": "farm", "horizon": 20, "actions": 7, "sims": 1000, "standard_error": 0.001, "p_best": 0.5}
    rows = [
        {**row, "learner": "Algorithm 1", "regret": 0.01},
        {**row, "learner": "Uniform", "regret": 0.02},
        {**row, "learner": "Uniform", "regret": 0.005, "horizon": 1000},
    ]
    show(rows)
    text = capsys.readouterr().out
    assert "farm  7 actions" in text
    assert "1,000 rounds" in text
    assert re.search(r"Algorithm 1 +0\.0100 ± 0\.0010 \(50%\) +–", text)


@pytest.mark.parametrize("width", [20, 40, 80, 120, 300])
def test_the_table_for_people_drops_and_crops_nothing(width):
    learners = ["Algorithm 2 as in the authors' code", "Uniform", "学習者"]
    horizons = [1, 5, 10, 20, 40, 1000, 100_000]
    rows = [
        {"panel": "a/long/path/to/a/farm", "horizon": t, "actions": 1, "sims": 1, "learner": name}
        | {"regret": i / 100 + t / 1e6, "standard_error": 0.001, "p_best": 0.5}
        for i, name in enumerate(learners)
        for t in horizons
    ]
    console = Console(width=width, file=io.StringIO(), highlight=False)
    show(rows, console)
    text = console.file.getvalue()
    lines = text.splitlines()
    assert "a/long/path/to/a/farm  1 action\n" in text
    assert "1 simulation each" in text.replace("\n", " ").replace("  ", " ")
    for t in horizons:
        assert len(re.findall(rf"(?<![\d,]){t:,} round{'' if t == 1 else 's'}(?!\w)", text)) == 1
    for i, name in enumerate(learners):
        cells = [
            cell
            for line in lines
            if line.startswith(name)
            for cell in re.findall(r"\d\.\d{4} ± \d\.\d{4} \(50%\)", line)
        ]
        assert [float(cell.split()[0]) for cell in cells] == [round(i / 100 + t / 1e6, 4) for t in horizons]
    if width >= 80:
        assert max(map(cell_len, lines)) <= width
