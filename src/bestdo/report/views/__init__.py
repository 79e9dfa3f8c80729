"""The views of objects: HTML for notebooks, rows for data frames, figures; a module for each kind of object.

`bestdo.display` finds them by these names: `html(shown)`, `rows(shown)` and `figure(shown)`.
"""
