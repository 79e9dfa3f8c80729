"""The colours and lettering of a drawing, for light and dark surroundings."""

from __future__ import annotations

__all__ = ["STYLE"]

_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"

_SHAPES = f"""
{{g}}{{max-width:100%;height:auto;font-family:{_FONT};font-size:14px}}
{{g}} text{{text-anchor:middle}}
{{g}} .name{{font-weight:600}}
{{g}} .note{{font-size:11.5px}}
{{g}} .legend text{{text-anchor:start;font-size:12px}}
{{g}} .box{{stroke-width:1.25}}
{{g}} .settable .box,{{g}} .set .box{{stroke-width:1.75}}
{{g}} .hidden .box{{stroke-dasharray:5 4}}
{{g}} .line{{fill:none;stroke-width:1.5;stroke-linecap:round}}
{{g}} .both .line{{stroke-dasharray:2 5;stroke-width:1.75}}
{{g}} .cut .line{{stroke-dasharray:4 5;stroke-width:1.25}}
{{g}} .mark{{fill:none;stroke-width:2;stroke-linecap:round}}
"""

_COLOURS = """
{g} .ground{{fill:{ground}}}
{g} .name{{fill:{ink}}}
{g} .note,{g} .legend text{{fill:{soft}}}
{g} .box{{fill:{box};stroke:{border}}}
{g} .line{{stroke:{line}}}
{g} .head{{fill:{line}}}
{g} .both .line{{stroke:{veil}}}
{g} .both .head{{fill:{veil}}}
{g} .hidden .box{{fill:{ground};stroke:{veil}}}
{g} .hidden .name{{fill:{soft}}}
{g} .settable .box{{fill:{sky};stroke:{blue}}}
{g} .track{{fill:{ground};stroke:{blue};stroke-width:1.25}}
{g} .knob{{fill:{blue}}}
{g} .reward .box{{fill:{sand};stroke:{gold}}}
{g} .reward .rim{{fill:none;stroke:{gold};stroke-width:1}}
{g} .star{{fill:{gold}}}
{g} .reward .note{{fill:{bronze}}}
{g} .set .box{{fill:{accent};stroke:{accent}}}
{g} .set .name,{g} .set .note{{fill:{on}}}
{g} .set .track{{fill:{on};stroke:{on}}}
{g} .set .knob{{fill:{accent}}}
{g} .cut .line{{stroke:{faint}}}
{g} .cut .head{{fill:{faint}}}
{g} .mark{{stroke:{red}}}
{g} .halo{{stroke:{ground};stroke-width:6;fill:none;stroke-linecap:round}}
"""

_LIGHT = {
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
    "faint": "#c2cad3",
    "red": "#d1495b",
}
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
    "faint": "#47515d",
    "red": "#f0707f",
}


def _style(root: str) -> str:
    light = _COLOURS.format(g=root, **_LIGHT)
    dark = _COLOURS.format(g=root, **_DARK)
    return f"{_SHAPES.replace('{g}', root)}{light}@media (prefers-color-scheme:dark){{{dark}}}\n"


STYLE = _style(".bestdo-graph")
"""A style sheet that touches nothing outside drawings, so that a page can hold several."""
