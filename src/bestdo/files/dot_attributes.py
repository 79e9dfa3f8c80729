"""The attributes in brackets of DOT and DAGitty: which are used, their synonyms, and what their values mean."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping

from bestdo.errors import shown
from bestdo.files.declarations import Position, Source
from bestdo.text import Scanner, Token

__all__ = ["Attributes", "flag", "joined_text", "place_of", "read_attributes"]

Attributes = dict[str, Token]
"""The attributes that are used, each with the token of its value (of its name when it has no value)."""

_SYNONYMS = {
    **dict.fromkeys(("hidden", "latent", "l", "unobserved", "u"), "hidden"),
    **dict.fromkeys(("exposure", "source", "e"), "exposure"),
    **dict.fromkeys(("reward", "outcome", "target", "o"), "reward"),
    **dict.fromkeys(("adjusted", "adjustednode", "a"), "adjusted"),  # a choice of an analysis, not a fact of the graph
    **dict.fromkeys(("selected", "selectednode", "s"), "selected"),
}
"""The marks with all of DAGitty's own synonyms; each may stand alone or with a value that is true or false."""
_MARKS = ("exposure", "outcome", "latent", "adjusted", "selected")
"""The marks by the names that DAGitty writes, for messages."""
_VALUED = ("values", "observed", "description", "unit", "dir", "pos")
"""The other attributes that are used, which have a value; `observed` is DoWhy's, `pos` DAGitty's."""
_OF_GRAPHVIZ = ("source", "target", "l", "u", "e", "o", "a", "s")
"""Marks that are other programs' attributes where they have a value, as in `target="_blank"`: used if it is true or false."""
_TRUE = {"": True, "true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_POSITION = re.compile(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*,\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*")
_ALMOST = 0.8
"""The similarity to a used name from which on an unused one is taken for a mistake: `hiden` is, `label` is not. Chosen."""


def read_attributes(scanner: Scanner, count: Callable[[int], None], of_node: bool) -> Attributes:
    """Reads the attributes in the brackets that follow; those that are not used are skipped, unknown marks refused.

    An edge has no marks: whatever stands there is skipped, except `dir`.
    """
    attributes: Attributes = {}
    while scanner.accept("["):
        while not scanner.accept("]"):
            if scanner.accept(",", ";"):
                continue
            count(1)
            name = scanner.name("an attribute or ']'")
            valued = scanner.accept("=") is not None
            value = joined_text(scanner, scanner.name("a value")) if valued else name._replace(text="")
            used = _used(scanner, name, value, valued) if of_node else name.text.lower()
            if used:
                attributes[used] = value
    return attributes


def _used(scanner: Scanner, name: Token, value: Token, valued: bool) -> str:
    """The library's name of an attribute of a node; empty where it is not used."""
    plain = name.text.lower()
    if valued and (plain in _VALUED or plain not in _SYNONYMS):
        near = difflib.get_close_matches(plain, [w for w in (*_SYNONYMS, *_VALUED) if len(w) > 3], 1, _ALMOST)
        if near and plain not in _VALUED:
            scanner.fail(f"unknown attribute {shown(name.text)} (did you mean {shown(near[0])}?)", name)
        return plain if plain in _VALUED else ""
    if plain not in _SYNONYMS:
        scanner.fail(f"unknown mark {shown(name.text)}; the marks of a variable are {', '.join(_MARKS)}", name)
    if valued and plain in _OF_GRAPHVIZ and value.text.lower() not in _TRUE:
        return ""
    if _SYNONYMS[plain] == "selected" and _TRUE.get(value.text.lower(), True):
        scanner.fail(
            "data selected by a variable make watching misleading, and selection is not supported: leave "
            "the mark out only if nothing was selected",
            name,
        )
    return _SYNONYMS[plain]


def joined_text(scanner: Scanner, token: Token) -> Token:
    """The token with the strings that follow it after `+`."""
    parts = [token.text]
    while token.kind == "string" and scanner.accept("+"):
        parts.append(scanner.name("a string").text)
    return token._replace(text="".join(parts))


def flag(source: Source, attributes: Attributes, key: str, otherwise: bool = False) -> bool:
    """Whether an attribute is true; `otherwise` where it is not there."""
    if key not in attributes:
        return otherwise
    token = attributes[key]
    if token.text.lower() not in _TRUE:
        more = " or one of the variable's values" if key == "reward" else ""
        raise source.error(f"{key} is {shown(token.text)}; it must be true or false{more}", token.offset)
    return _TRUE[token.text.lower()]


def place_of(source: Source, attributes: Mapping[str, Token]) -> Position | None:
    """The position in a node's `pos="x,y"`; None where there is none."""
    if "pos" not in attributes:
        return None
    token = attributes["pos"]
    match = _POSITION.fullmatch(token.text)
    try:
        return (float(match[1]), float(match[2])) if match else _no_position(source, token)
    except ValueError:
        return _no_position(source, token)


def _no_position(source: Source, token: Token) -> Position:
    """Raises the error about a position that is not two numbers."""
    raise source.error(f'pos is {shown(token.text)}; a position is two numbers, as in pos="1.5,-2"', token.offset)
