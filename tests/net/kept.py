"""Kept digests: comparison of texts with those of `digests.json`, and writing them."""

import difflib
import fcntl
import hashlib
import json
import os
import re
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DIGESTS = HERE / "digests.json"
MOST_KEPT = 1_500
"""Characters up to which a text is kept whole; of longer ones a mark of every line is kept."""
MOST_SHOWN = 80
"""Lines of a difference that a failure shows."""
WRITES = os.environ.get("BESTDO_NET") == "write"
TEXTS = os.environ.get("BESTDO_NET_TEXTS")
"""A folder into which all texts are written whole, so that those of two commits can be compared by `diff -r`."""


def digests():
    """All digests: by case, then by entry."""
    return json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}


@cache
def kept_digests():
    """The digests, read once."""
    return digests()


def check(case, texts):
    """Fails where a text of a case is not the one that was kept; in writing, keeps the texts instead."""
    if TEXTS:
        _write_texts(case, texts)
    if WRITES:
        _keep(case, texts)
        return
    before = kept_digests().get(case, {})
    said = [f"{entry}: is gone" for entry in before if entry not in texts]
    said += [f"{entry}: is new" for entry in texts if entry not in before]
    for entry in texts:
        if entry in before and before[entry]["sha256"] != _sha(texts[entry]):
            said.append(f"{entry}: is another text\n{_difference(before[entry], texts[entry])}")
    if said:
        pytest.fail(f"{case}: {len(said)} of {len(texts)} entries are not as before\n" + "\n".join(said), pytrace=False)


def _sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def _entry(text):
    """The digest of a text, with the text itself, or with marks of its lines where it is long."""
    if len(text) <= MOST_KEPT:
        return {"sha256": _sha(text), "text": text}
    return {"sha256": _sha(text), "lines": " ".join(map(_mark, text.splitlines()))}


def _mark(line):
    """Four letters that tell a line from most others."""
    return _sha(line)[:4]


def _difference(entry, text):
    """The difference between a kept text and the one that is there now; of long texts the new lines alone are known."""
    if "text" in entry:
        lines = list(difflib.unified_diff(entry["text"].splitlines(), text.splitlines(), "before", "now", lineterm=""))
    else:
        lines = _new_lines(entry["lines"].split(), text.splitlines())
    more = len(lines) - MOST_SHOWN
    return "\n".join(lines[:MOST_SHOWN]) + (f"\n… and {more} lines more" if more > 0 else "")


def _new_lines(before, lines):
    """The lines that are new, with their numbers, and how many old lines are missing at which place."""
    said = []
    matcher = difflib.SequenceMatcher(None, before, list(map(_mark, lines)), autojunk=False)
    for tag, old, old_end, new, new_end in matcher.get_opcodes():
        if tag != "equal":
            said.append(f"@@ line {new + 1}: {old_end - old} lines were here")
            said += [f"+{line}" for line in lines[new:new_end]]
    return said


def _keep(case, texts):
    """Writes the digests of a case into the file."""
    with _locked():
        _write(digests() | {case: {entry: _entry(text) for entry, text in texts.items()}})


def forget(known):
    """Takes cases that are none any more out of the file."""
    with _locked():
        _write({case: entries for case, entries in digests().items() if case in known})


@contextmanager
def _locked():
    """Keeps other processes from writing the file at the same time."""
    with (Path(tempfile.gettempdir()) / "bestdo_net.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _write(every):
    """Writes the whole file at once."""
    temporary = DIGESTS.with_suffix(f".{os.getpid()}")
    temporary.write_text(json.dumps(every, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(DIGESTS)


def _write_texts(case, texts):
    """Writes the texts of a case into the folder, one file each."""
    for entry, text in texts.items():
        path = Path(TEXTS) / re.sub(r"[^\w.-]+", "_", case) / re.sub(r"[^\w.-]+", "_", entry)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")


def as_text(data):
    """Data as JSON with a line for each part: numbers by their `repr`."""
    if isinstance(data, list):
        return "\n".join(["[", *map(_line, data), "]"])
    if not isinstance(data, dict):
        return _line(data)
    lines = ["{"]
    for name, value in data.items():
        parts = value if isinstance(value, list) and len(value) > 1 and isinstance(value[0], dict) else [value]
        lines += [f"{_line(name)}: {_line(part)}" for part in parts]
    return "\n".join([*lines, "}"])


def _line(data):
    """Data as JSON in one line; what JSON does not know by its text."""
    return json.dumps(data, ensure_ascii=False, default=str)
