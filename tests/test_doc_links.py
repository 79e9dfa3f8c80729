"""Every link of the documentation leads somewhere: to a file that is there, and to a heading that is in it."""

import json
import re
import sys
from functools import cache

import pytest

from support import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import generated  # what the build makes from the code

DOCS = ROOT / "docs"
MADE = (DOCS / "_build", DOCS / "reference" / "api")
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
PAGES += [
    page for page in sorted([*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]) if not any(map(page.is_relative_to, MADE))
]


def prose(page):
    """The text of a page without blocks of code."""
    text = page.read_text()
    if page.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells)
    return re.sub(r"^ *(```+|~~~+)(?!\{).*?^ *\1", "", text, flags=re.M | re.S)


def made(page):
    """What the build adds to a page from the code."""
    sections = {
        "cli.md": lambda: "\n".join(generated.command_sections().values()),
        "combinations.md": generated.combination_sections,
        "rest.md": generated.rest_sections,
        "suite-worlds.md": generated.suite_sections,
    }
    return sections.get(page.name, str)() if page.parent.name == "reference" else ""


@cache
def anchors(page):
    """What can stand behind # in a link to the page: its headings in the form that GitHub and Sphinx give them."""
    found = []
    for heading in re.findall(r"^#+ +(.+?) *#*$", prose(page) + made(page), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words.replace("`", "")).strip().replace(" ", "-")
        found.append(slug if slug not in found else f"{slug}-{sum(f.startswith(slug) for f in found)}")
    return found


def broken(page):
    """The links of a page that lead nowhere."""
    for link in re.findall(r"\]\(<?([^)\s>]+)>?\)", prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (heading and target.suffix in (".md", ".ipynb") and heading not in anchors(target)):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    assert not list(broken(page))


def test_a_link_to_nowhere_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A *title*\n\n[a](#a-title) [b](#b-title) [c](page.md#a-title) [d](no.md)\n\n```\n[e](no.md)\n```\n"
    )
    assert list(broken(page)) == ["#b-title", "no.md"]


def test_every_page_that_the_code_names_is_there():
    for folder, kinds in (("src", "py pyx pyi pxi"), ("tests", "py"), ("benchmarks", "py"), ("examples", "py sh toml")):
        for path in (path for kind in kinds.split() for path in (ROOT / folder).rglob(f"*.{kind}")):
            for name in re.findall(r"\bdocs/[\w/.-]+\.(?:md|ipynb)\b", path.read_text()):
                assert (ROOT / name).exists(), f"{path.relative_to(ROOT)} names {name}"


@pytest.mark.parametrize("folder", ["tutorials", "howto", "gallery", "explanation", "reference", "results"])
def test_every_index_has_a_line_on_each_page_of_its_folder(folder):
    index = (DOCS / folder / "index.md").read_text()
    for page in PAGES:
        if page.parent == DOCS / folder and page.stem != "index" and "<!-- pages -->" not in index:
            assert f"({page.name})" in index, f"{folder}/index.md has no line on {page.name}"
