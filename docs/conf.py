"""How the documentation is built: `make docs`, offline."""

import re

import fastapi  # noqa: F401  # before autodoc imports modules in a way that pydantic cannot be imported in

project = "bestdo"
author = copyright = "The bestdo developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
html_theme = "furo"
html_title = "bestdo"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autosummary_generate = False
toc_object_entries = False


def plain_docstrings(app, what, name, obj, options, lines):
    """Docstrings are written for readers of the code; here their signs are made safe for reStructuredText."""
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
    app.connect("autodoc-process-docstring", plain_docstrings)
