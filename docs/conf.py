"""How the documentation is built: `make docs`, offline."""

import ast
import re
from pathlib import Path

import fastapi  # noqa: F401  # before autodoc imports modules in a way that pydantic cannot be imported in

project = "bestdo"
author = copyright = "The bestdo developers"
extensions = ["myst_nb", "sphinx_design", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
html_theme = "furo"
html_title = "bestdo"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autosummary_generate = False
toc_object_entries = False

HERE = Path(__file__).parent
API = HERE / "reference" / "api"
SOURCE = HERE.parent / "src" / "bestdo"
NOT_IN_REFERENCE = ("kernels", "migrations", "__")  # compiled loops, steps of the schema


def reference(app):
    """Writes a page for each room of the library into `docs/reference/api`, with all of its modules."""
    API.mkdir(exist_ok=True)
    pages = {}
    for room in sorted(path.parent for path in SOURCE.glob("*/__init__.py")):
        about = ast.get_docstring(ast.parse((room / "__init__.py").read_text())).splitlines()[0]
        modules = sorted(path.relative_to(SOURCE.parent).with_suffix("") for path in room.rglob("*.py"))
        names = [".".join(path.parts) for path in modules if not any(n in str(path) for n in NOT_IN_REFERENCE)]
        pages[room.name] = f"# `bestdo.{room.name}`\n\n{about}\n\n" + "\n".join(map(entry, names))
    alone = sorted(path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("__"))
    pages["alone"] = "# Modules outside the rooms\n\n" + "\n".join(entry(f"bestdo.{name}") for name in alone)
    for old in API.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        page = API / f"{name}.md"
        if not page.exists() or page.read_text() != text:  # what has not changed is not built again
            page.write_text(text)


def pages_of_a_folder(app, docname, content):
    """Lists the pages of a folder that its index does not name itself where this says `<!-- pages -->`, title by title."""
    if "<!-- pages -->" not in content[0]:
        return
    folder = (HERE / docname).parent
    found = sorted(path.stem for path in folder.iterdir() if path.suffix in (".md", ".ipynb") and path.stem != "index")
    names = [name for name in found if not re.search(rf"^{re.escape(name)}$", content[0], re.M)]
    tree = "\n".join(["```{toctree}", ":maxdepth: 1", "", *names, "```"]) if names else ""
    content[0] = content[0].replace("<!-- pages -->", tree)
    app.env.note_reread()


def entry(name):
    """The part of a page that is about one module."""
    return f"## `{name}`\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n"


def plain_docstrings(app, what, name, obj, options, lines):
    """Makes the signs in docstrings, which are written for readers of the code, safe for reStructuredText."""
    for i, line in enumerate(lines):
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
    app.connect("builder-inited", reference)
    app.connect("source-read", pages_of_a_folder)
    app.connect("autodoc-process-docstring", plain_docstrings)
