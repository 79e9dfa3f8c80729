"""The style sheet of a drawing: shapes, fonts, and colours for light and dark mode."""

from __future__ import annotations

__all__ = ["LIGHT", "STYLE", "style_for"]

_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"

_SHAPES = f"""
{{g}}{{max-width:100%;height:auto;font-family:{_FONT};font-size:14px}}
{{g}} text{{text-anchor:middle}}
{{g}} .bd-name{{font-weight:600}}
{{g}} .bd-note{{font-size:11.5px}}
{{g}} .bd-legend text{{text-anchor:start;font-size:12px}}
{{g}} .bd-box{{stroke-width:1.25}}
{{g}} .bd-settable .bd-box,{{g}} .bd-set .bd-box{{stroke-width:1.75}}
{{g}} .bd-hidden .bd-box{{stroke-dasharray:5 4}}
{{g}} .bd-line{{fill:none;stroke-width:1.5;stroke-linecap:round}}
{{g}} .bd-both .bd-line{{stroke-dasharray:2 5;stroke-width:1.75}}
{{g}} .bd-doubt .bd-line{{stroke-dasharray:7 5}}
{{g}} .bd-chance{{font-size:11.5px;font-weight:600;paint-order:stroke;stroke-width:5px;stroke-linejoin:round}}
{{g}} .bd-cut .bd-line{{stroke-dasharray:4 5;stroke-width:1.25}}
{{g}} .bd-mark{{fill:none;stroke-width:2;stroke-linecap:round}}
"""

_COLOURS = """
{g} .bd-ground{{fill:{ground}}}
{g} .bd-name{{fill:{ink}}}
{g} .bd-note,{g} .bd-legend text{{fill:{soft}}}
{g} .bd-box{{fill:{box};stroke:{border}}}
{g} .bd-line{{stroke:{line}}}
{g} .bd-head{{fill:{line}}}
{g} .bd-chance{{fill:{soft};stroke:{ground}}}
{g} .bd-both .bd-line{{stroke:{veil}}}
{g} .bd-both .bd-head{{fill:{veil}}}
{g} .bd-hidden .bd-box{{fill:{ground};stroke:{veil}}}
{g} .bd-hidden .bd-name{{fill:{soft}}}
{g} .bd-settable .bd-box{{fill:{sky};stroke:{blue}}}
{g} .bd-track{{fill:{ground};stroke:{blue};stroke-width:1.25}}
{g} .bd-knob{{fill:{blue}}}
{g} .bd-reward .bd-box{{fill:{sand};stroke:{gold}}}
{g} .bd-reward .bd-rim{{fill:none;stroke:{gold};stroke-width:1}}
{g} .bd-star{{fill:{gold}}}
{g} .bd-reward .bd-note{{fill:{bronze}}}
{g} .bd-set .bd-box{{fill:{accent};stroke:{accent}}}
{g} .bd-set .bd-name,{g} .bd-set .bd-note{{fill:{on}}}
{g} .bd-set .bd-track{{fill:{on};stroke:{on}}}
{g} .bd-set .bd-knob{{fill:{accent}}}
{g} .bd-good{{fill:{green}}}
{g} .bd-fair{{fill:{amber}}}
{g} .bd-idle{{fill:{soft}}}
{g} .bd-cut .bd-line{{stroke:{faint}}}
{g} .bd-cut .bd-head{{fill:{faint}}}
{g} .bd-mark{{stroke:{red}}}
{g} .bd-halo{{stroke:{ground};stroke-width:6;fill:none;stroke-linecap:round}}
"""

LIGHT = {
    "ground": "#ffffff",
    "ink": "#16202e",
    "soft": "#5b6878",
    "box": "#f6f8fa",
    "border": "#c3ccd6",
    "line": "#74818f",
    "veil": "#8b95a3",
    "sky": "#eef5ff",
    "blue": "#3d7edb",
    "sand": "#fff8e6",
    "gold": "#d69a12",
    "bronze": "#80600b",
    "accent": "#2563c9",
    "on": "#ffffff",
    "faint": "#b9c2cc",
    "red": "#d1495b",
    "green": "#1d7a46",
    "amber": "#96590a",
}
"""Colours on a light ground."""
_DARK = {
    "ground": "#14181e",
    "ink": "#e8edf3",
    "soft": "#9ba7b5",
    "box": "#1f252d",
    "border": "#434e5b",
    "line": "#8b98a7",
    "veil": "#7c8897",
    "sky": "#17263b",
    "blue": "#5c9bf0",
    "sand": "#2d2614",
    "gold": "#dba935",
    "bronze": "#d9bd78",
    "accent": "#3b7ce0",
    "on": "#ffffff",
    "faint": "#55606d",
    "red": "#f0707f",
    "green": "#6fd39a",
    "amber": "#e8b25c",
}
_ANY = {
    "ground": "transparent",
    "ink": "currentColor",
    "soft": "color-mix(in srgb,currentColor 68%,transparent)",
    "box": "color-mix(in srgb,currentColor 5%,transparent)",
    "border": "color-mix(in srgb,currentColor 30%,transparent)",
    "line": "color-mix(in srgb,currentColor 58%,transparent)",
    "veil": "color-mix(in srgb,currentColor 50%,transparent)",
    "sky": "color-mix(in srgb,#3f83e0 11%,transparent)",
    "blue": "#3f83e0",
    "sand": "color-mix(in srgb,#d69a12 13%,transparent)",
    "gold": "#c98f10",
    "bronze": "color-mix(in srgb,#c98f10 55%,currentColor)",
    "accent": "#2f6fd0",
    "on": "#ffffff",
    "faint": "color-mix(in srgb,currentColor 30%,transparent)",
    "red": "#d84f61",
    "green": "color-mix(in srgb,#2a9d63 75%,currentColor)",
    "amber": "color-mix(in srgb,#c98f10 65%,currentColor)",
}
"""Colours for any ground, light or dark: those of the text, and some in the middle between light and dark."""


def style_for(root: str) -> str:
    """The style sheet for drawings in a page of any theme, such as a notebook: colours follow the text around them."""
    return _SHAPES.replace("{g}", root) + _COLOURS.format(g=root, **_ANY)


def _style(root: str) -> str:
    """The style sheet for drawings inside elements that this selector matches."""
    light = _COLOURS.format(g=root, **LIGHT)
    dark = _COLOURS.format(g=root, **_DARK)
    return f"{_SHAPES.replace('{g}', root)}{light}@media (prefers-color-scheme:dark){{{dark}}}\n"


STYLE = _style(".bestdo-graph")
"""The style sheet of all drawings; it applies to nothing else on a page."""
