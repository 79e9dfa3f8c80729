"""A thousand contexts in one request to the server, and the exported rule, which needs no server."""

import itertools
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.page import FARM, Browser, serving, text
from benchmarks.timing import Row, cpu
from bestdo import Limit, Problem, read
from bestdo.study import Study
from bestdo.study.rule_file import rule_file

VISITS = Path(__file__).parent.parent / "examples" / "visits.toml"
CONTEXTS, REQUESTS, TOLD, ALLOWED = 1_000, 5, 200, 0.5
"""Contexts in a request, requests of which the median counts, rounds told before, and seconds that are allowed."""


def problems() -> dict[str, Problem]:
    """Problems of growing size: the number of pairs of context and action is in the name."""
    farm, visits = read(FARM).problem, read(VISITS).problem
    assert farm is not None
    assert visits is not None
    made = {
        "farm": Problem(farm.graph, set=["moisture", "nutrient"], first=["temperature"]),
        "visits": Problem(visits.graph, visits.actions, first=visits.first),
        "visits, a limit": Problem(
            visits.graph, visits.actions, first=visits.first, limits=Limit("click", "yes", at_most=0.6)
        ),
    }
    return {
        f"{name}, {len(p.contexts)} × {len(p.actions)} = {len(p.contexts) * len(p.actions)} pairs": p
        for name, p in made.items()
    }


def play(study: Study) -> None:
    """Tells some rounds in contexts drawn at random, with values drawn at random."""
    graph, rng = study.problem.graph, np.random.default_rng(0)
    contexts = list(study.problem.contexts)
    for asked in study.ask(context=[contexts[int(rng.integers(len(contexts)))] for _ in range(TOLD)]):
        values = {n: str(rng.choice(graph.variable(n).values)) for n in graph.observed}
        study.tell(asked, {**values, **asked.context, **asked.action})


def rows() -> Iterator[Row]:
    """The median of some requests through the server, and a thousand answers of the exported rule."""
    for what, problem in problems().items():
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{folder}/study.db"
            study = Study.create(problem, 1_000_000, name="shop", storage=url)
            play(study)
            queue = list(itertools.islice(itertools.cycle(problem.contexts), CONTEXTS))
            with serving(url) as (browser, _, _):
                seconds = [_seconds(browser, queue) for _ in range(REQUESTS)]
            yield Row(f"{CONTEXTS} contexts, {what}", float(np.median(seconds)), "allowed", ALLOWED, 1)
            space: dict[str, object] = {}
            exec(rule_file(study.rule(), "rule.py").decode(), space)  # the program that people run
            apply = space["rule"]
            assert callable(apply)
            took = cpu(lambda apply=apply, queue=queue: [apply(seen) for seen in queue])  # type: ignore[misc]
            yield Row(f"{CONTEXTS} contexts, rule.py, {what}", took, "allowed", ALLOWED, 1)


def _seconds(browser: Browser, queue: list[dict[str, str]]) -> float:
    """Seconds until the answer to a request with these contexts is there."""
    answer = browser.ask(
        "POST", "/api/v1/studies/shop/ask", json.dumps({"context": queue}), **{"Content-Type": "application/json"}
    )
    assert answer[0] == 200, text(answer)
    return answer[1]
