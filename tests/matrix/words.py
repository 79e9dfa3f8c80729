"""Words of texts for people: those of features that a study has, and of those that it has not."""

import html
import re

WORDS = {
    "contexts": r"\bcontexts?\b|\bseen first\b|\brules?\b",
    "limits": r"\blimit\w*",
    "earn": r"\bearn\w*",
    "doubts": r"\bin doubt\b|\bdoubtful\b",
    "costs": r"\bcosts?\b|\bbudgets?\b|\bmoney\b",
}
"""Words that belong to a feature alone."""

NAMED = {
    "contexts": "ward=",
    "limits": "within the limit: ",
    "earn": "Earned so far: ",
    "doubts": "arrow in doubt",
    "costs": "of the budget left",
    "late": "left, 2 out",
}
"""What `bestdo best` says of a feature that a study has."""


def visible(text):
    """The text of a page without its marks."""
    bare = re.sub(r"<(style|script|template|svg|datalist)\b.*?</\1>", " ", text, flags=re.S)
    return html.unescape(re.sub(r"<[^>]*>", " ", bare))


def strays(kind, texts):
    """Words of features that a study has not, with where they stand and what is beside them."""
    found = []
    for feature, words in WORDS.items():
        if not getattr(kind, feature):
            for where, text in texts.items():
                plain = re.sub(r"Method: [^.]*\.", "", visible(text))  # a learner's own description, of all it can do
                found += [
                    (feature, where, " ".join(plain[max(0, m.start() - 60) : m.end() + 60].split()))
                    for m in re.finditer(words, plain, re.I)
                ]
    return found
