"""How the documentation is built: `make docs`, offline."""

import gc
import json
import logging
import os
import re
import sys
from pathlib import Path

import fastapi  # noqa: F401  # before autodoc imports modules in a way that pydantic cannot be imported in
from sphinx.errors import ExtensionError

gc.set_threshold(200_000, 20, 100)  # trees of documents are no garbage: looking for it was a tenth of the time
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import generated  # noqa: E402  # what is made from the code

project = "bestdo"
author = copyright = "The bestdo developers"
extensions = ["myst_nb", "sphinx_design", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
exclude_patterns = ["_build", "jupyter_execute"]
toc_object_entries = False

html_theme = "furo"
html_title = "bestdo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "search_order.js")
html_logo = html_favicon = "../src/bestdo/web/static/icon.svg"
html_show_sphinx = html_show_copyright = html_copy_source = False
html_use_index = False  # names are found by the search
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#00608f", "color-brand-content": "#00608f"},
    "dark_css_variables": {"color-brand-primary": "#7cc4ec", "color-brand-content": "#7cc4ec"},
}

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = "force"  # notebooks are kept without what they print
nb_execution_in_temp = nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_ipywidgets_js = {}  # nothing comes from other machines
nb_merge_streams = True
logging.getLogger("traitlets").setLevel(logging.WARNING)

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autosummary_generate = False


def plain_kernels(app):
    """Notebooks run with no person's own settings and history, and say nothing of how they are run."""
    profile = Path(app.outdir) / ".ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(
        "c.IPKernelApp.log_level = 40\nc.HistoryManager.enabled = False\n"
    )
    os.environ["IPYTHONDIR"] = str(profile.parent)


def modules(app):
    """Writes a page for each room of the library into `docs/reference/api`; what has not changed is not built again."""
    folder, pages = HERE / "reference" / "api", generated.module_pages()
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        page = folder / f"{name}.md"
        if not page.exists() or page.read_text() != text:
            page.write_text(text)


def made_from_the_code(app, docname, content):
    """Puts what is made from the code where a page says `<!-- pages -->`, `<!-- command NAME -->` or another such mark."""
    text = content[0]
    if "<!-- pages -->" in text:
        text = text.replace("<!-- pages -->", generated.pages_left((HERE / docname).parent, text))
    if "<!-- leaderboard -->" in text:
        text = text.replace("<!-- leaderboard -->", generated.leaderboard_section())
    if "<!-- combinations -->" in text:
        text = text.replace("<!-- combinations -->", generated.combination_sections())
    if "<!-- rest -->" in text:
        text = text.replace("<!-- rest -->", generated.rest_sections())
    if "<!-- suite -->" in text:
        text = text.replace("<!-- suite -->", generated.suite_sections())
    if "<!-- commands -->" in text:
        sections = generated.command_sections()
        text = re.sub(r"<!-- command ([a-z]+) -->", lambda found: sections.pop(found[1]), text)
        text = text.replace("<!-- commands -->", "\n".join(["## More\n", *sections.values()] if sections else []))
    content[0] = with_download(text, docname) if text.startswith("{") else text


def with_download(text, docname):
    """A notebook whose page has a link to itself below the title."""
    notebook = json.loads(text)
    first = "".join(notebook["cells"][0]["source"])
    title, _, rest = first.partition("\n")
    link = f"{{download}}`Download this page as a notebook <{Path(docname).name}.ipynb>`"
    notebook["cells"][0]["source"] = f"{title}\n\n{link}\n{rest}"
    return json.dumps(notebook)


def always_read(app, env, added, changed, removed):
    """The pages that depend on the code: they are read again in every build, so that notebooks meet the code as it is."""
    made = {
        "reference/cli",
        "reference/combinations",
        "reference/rest",
        "reference/suite-worlds",
        "results/leaderboard",
    }
    return [
        name
        for name in env.found_docs
        if name in made or name.endswith("/index") or Path(env.doc2path(name)).suffix == ".ipynb"
    ]


def asks_nothing_of_others(app, error):
    """The build fails where a page would load a script, a style or a picture from another machine."""
    if error or app.builder.format != "html":
        return
    loads = re.compile(
        r"""<(?:script|img|iframe|source)[^>]*\ssrc=["'](?:https?:)?//|<link[^>]*\shref=["'](?:https?:)?//"""
    )
    for page in Path(app.outdir).rglob("*.html"):
        found = loads.search(page.read_text())
        if found:
            raise ExtensionError(f"{page.relative_to(app.outdir)} loads from another machine: {found[0]}")


def plain_docstrings(app, what, name, obj, options, lines):
    """Makes the signs in docstrings, which are written for readers of the code, safe for reStructuredText."""
    example = False  # lines from >>> to the next empty one are shown as they are
    for i, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if example:
            continue
        text = line.replace("\\", "\\\\")
        parts = re.split(r"(`+[^`]+`+|\*\*[^*]+\*\*)", text)
        for k, part in enumerate(parts):
            if k % 2 and part.startswith("`"):
                parts[k] = f"``{part.strip('`')}``"
            elif not k % 2:
                parts[k] = re.sub(r"([*|]|_(?=\W|$))", r"\\\1", part)
        lines[i] = "".join(parts)


def setup(app):
    """Registers what is above."""
    app.connect("builder-inited", plain_kernels)
    app.connect("builder-inited", modules)
    app.connect("source-read", made_from_the_code)
    app.connect("env-get-outdated", always_read)
    app.connect("autodoc-process-docstring", plain_docstrings)
    app.connect("build-finished", asks_nothing_of_others)
