"""Kinds of doubt that are one more line of `KINDS`: texts, errors, orders, files and the form know them untold."""

import subprocess
import sys

import pytest

MORE = """
    "?~>": DoubtKind(0.5, ("->", BOTH)),
    "?=>": DoubtKind(0.5, ("->",)),
    "?=?": DoubtKind(0.5, ("->", "<-", BOTH)),
    "?<=>": DoubtKind(0.5, (BOTH,)),"""

BEGIN = f"""
import sys
from importlib.machinery import PathFinder, SourceFileLoader

class WithMore(SourceFileLoader):
    def get_code(self, name):  # never from, nor into, a cache of compiled files
        text = self.get_source(name)
        begin = "\\nKINDS = {{"
        assert text.count(begin) == 1
        return compile(text.replace(begin, begin + {MORE!r}), self.path, "exec")

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        spec = super().find_spec(name, path, target) if name == "bestdo.causal.doubt_kinds" else None
        if spec is not None:
            spec.loader = WithMore(name, spec.origin)
        return spec

sys.meta_path.insert(0, Finder)
import bestdo
from bestdo import BestdoError, Doubts
from bestdo.causal import arrows

NEW = ("?~>", "?=>", "?=?", "?<=>")
TEXT = '''bestdo = 1
[variables.a]
[variables.b]
[variables.c]
[graph]
edges = [%s]
order = ["a", "b", "c"]
reward = "c"
'''

def error_of(call, *args, **more):
    try:
        call(*args, **more)
    except BestdoError as error:
        return str(error)
    return ""
"""

PARSED = """
for mark in NEW:
    with_number = "?0.3" + mark[1:]
    assert arrows.parse(f"a {mark} b").doubts == [("a", mark, "b", None)]
    assert arrows.parse(f"a {with_number} b").doubts == [("a", mark, "b", 0.3)]
    assert arrows.forms_of(mark) == arrows.forms_of(with_number) != ()
assert Doubts.parse("a ?~> b").count == 3
assert Doubts.parse("a ?=? b").count == 4
"""

HINTED = """
said = error_of(Doubts.parse, "a !> b")
assert all(mark in said for mark in (*NEW, "?->", "?-?", "?<->", "--", "@->", "@-@")), said
"""

IN_ORDER = """
for known, message in (
    ("c ?=> a", "c ?=> a is against the order, in which 'a' is earlier"),
    ("c ?-> a", "c ?-> a is against the order, in which 'a' is earlier"),
    ("c -> a", "c -> a is against the order, in which 'a' is earlier"),
):
    assert message in error_of(Doubts.in_order, ["a", "b", "c"], known=known), known
    assert message in error_of(bestdo.read, TEXT % f'"{known}"'), known
for known, beside in (
    ("a ?~> c", ""), ("c ?~> a", ""), ("a ?=> c", ""), ("a ?=? c", ""), ("a ?<=> c", "a ?-> c"), ("a ?<-> c", "a ?-> c")
):
    doubts = Doubts.in_order(["a", "b", "c"], reward="c", known=known)
    assert str(doubts).split("; ") == [known, "a ?-> b", *filter(None, [beside]), "b ?-> c"], doubts
    assert bestdo.read(TEXT % f'"{known}"').doubts.arrows == doubts.arrows
"""

IN_FILES = """
for mark in NEW:
    doubts = Doubts.parse(f"a -> c; b {mark} c; a ?0.3{mark[1:]} b")
    assert set(bestdo.read(doubts.to_networkx()).doubtful) == set(doubts.arrows)
    for extension in ("toml", "dot", "gml", "json", "dagitty"):
        bestdo.write(doubts, f"graph.{extension}")
        assert bestdo.read(f"graph.{extension}").doubts == doubts, (mark, extension)
"""

IN_THE_FORM = """
import re
from bestdo.web.graph_form_contents import form_as_data, form_of
from bestdo.web.rendering import rendered

for mark, at_first, at_second in (
    ("->", "", "a"), ("<->", "↔ b", "↔ a"), ("?->", "", "a ?"), ("@->", "", "a ?"), ("?<->", "↔ b ?", "↔ a ?"),
    ("?-?", "– b ?", "– a ?"), ("--", "– b ?", "– a ?"), ("@-@", "– b ?", "– a ?"),
    ("?~>", "", "a ?"), ("?0.3~>", "", "a ?"), ("?=>", "", "a ?"), ("?=?", "– b ?", "– a ?"),
    ("?<=>", "↔ b ?", "↔ a ?"), ("?0.3<=>", "↔ b ?", "↔ a ?"),
):
    form, faithful = form_of(bestdo.read(f"a {mark} b"))
    answer = {"draft": form_as_data(form), "faithful": faithful}
    page = rendered("_draft.html", answer=answer, error=None, part=True)
    chips = {
        name: "".join(re.findall(r'class="chip[^>]*>([^<]*)<button', row))
        for name, row in re.findall(r'id="name-\\d" name="name-\\d" value="(.)"(.*?)</li>', page, re.DOTALL)
    }
    assert chips == {"a": at_first, "b": at_second}, (mark, chips)
"""


@pytest.mark.parametrize("code", [PARSED, HINTED, IN_ORDER, IN_FILES, IN_THE_FORM])
def test_a_kind_of_doubt_is_one_line(code, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
