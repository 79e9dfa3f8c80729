"""How the documentation is built: `make docs`, offline."""

project = "bestdo"
author = copyright = "The bestdo developers"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "bestdo"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
