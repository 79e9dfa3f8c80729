"""Writers: what turns blocks into the lines of a terminal, HTML, Markdown and LaTeX."""
