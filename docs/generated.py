"""The parts of the documentation that are made from the code when it is built, so that they cannot drift from it."""

import ast
import inspect
import json
import re
from pathlib import Path

__all__ = [
    "combination_sections",
    "command_sections",
    "leaderboard_section",
    "module_pages",
    "pages_left",
    "rest_sections",
    "suite_sections",
]

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src" / "bestdo"
NOT_IN_REFERENCE = ("kernels", "migrations", "__")  # compiled loops, steps of the schema


def module_pages():
    """Markdown with all modules of each room of the library, by the room's name."""
    pages = {}
    for room in sorted(path.parent for path in SOURCE.glob("*/__init__.py")):
        about = ast.get_docstring(ast.parse((room / "__init__.py").read_text())).splitlines()[0]
        modules = sorted(path.relative_to(SOURCE.parent).with_suffix("") for path in room.rglob("*.py"))
        names = [".".join(path.parts) for path in modules if not any(n in str(path) for n in NOT_IN_REFERENCE)]
        pages[room.name] = f"# `bestdo.{room.name}`\n\n{about}\n\n" + "\n".join(map(_module, names))
    alone = sorted(path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("__"))
    pages["alone"] = "# Modules outside the rooms\n\n" + "\n".join(_module(f"bestdo.{name}") for name in alone)
    return pages


def _module(name):
    """The part of a page that is about one module."""
    return f"## `{name}`\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n"


def pages_left(folder, index):
    """Titles and a table of contents of the pages of a folder that the text of its index does not name."""
    found = sorted(path for path in folder.iterdir() if path.suffix in (".md", ".ipynb") and path.stem != "index")
    left = [
        path for path in found if not re.search(rf"^{re.escape(path.stem)}$|<{re.escape(path.stem)}>$", index, re.M)
    ]
    lines = [f"* [{_title(path)}]({path.name})" for path in left]
    tree = ["```{toctree}", ":hidden:", "", *(path.stem for path in left), "```"]
    return "\n".join(["## More", "", *lines, "", *tree]) if left else ""


def _title(page):
    """The title of a page or of a notebook."""
    text = page.read_text()
    if page.suffix == ".ipynb":
        text = "".join(json.loads(text)["cells"][0]["source"])
    return re.search(r"^# (.+)$", text, re.M)[1]


def command_sections():
    """Markdown about each command of the command line, by its name."""
    from bestdo.cli import bestdo

    sections = {}
    for name, command in sorted(bestdo.commands.items()):
        parts = [(f"{name} {part}", each) for part, each in getattr(command, "commands", {}).items()]
        sections[name] = "\n".join(_command_section(*each) for each in [(name, command), *parts])
    return sections


def _command_section(name, command):
    """Markdown about one command: how it is called, what it does and its options."""
    import click

    context = click.Context(command, info_name=f"bestdo {name}", max_content_width=10**6)
    usage = f"bestdo {name} {' '.join(command.collect_usage_pieces(context))}"
    about = command.help.replace("\b", "").strip()
    options = [each for each in command.params if isinstance(each, click.Option)]
    records = filter(None, (each.get_help_record(context) for each in options))
    rows = [f"| `{option.replace('|', '/')}` | {_cell(words)} |" for option, words in records]
    table = ["| option | |", "|:---|:---|", *rows, ""] if rows else []
    return "\n".join([f"### bestdo {name}", "", f"```text\n{usage}\n```", "", _plain(about), "", *table])


def combination_sections():
    """Markdown with the features of studies, which two of them go together, and the sentence of each refusal."""
    from bestdo.bandit.combinations import FEATURES, REFUSALS, pairs

    said = {(one.name, other.name): refusals for one, other, refusals in pairs()}
    number = {refusal: str(place) for place, refusal in enumerate(REFUSALS, 1)}

    def cell(one, other):
        refusals = said.get((one.name, other.name), said.get((other.name, one.name)))
        if refusals is None:
            return "–"
        everywhere = all(refusal.where for refusal in refusals)
        numbers = ", ".join(number[refusal] for refusal in refusals)
        return ("works" if everywhere else "no") + (f" ({numbers})" if numbers else "")

    features = [f"| {_cell(each.name)} | {_cell(each.about)} |" for each in FEATURES]
    heading = "| | " + " | ".join(each.name for each in FEATURES) + " |"
    rows = [f"| **{one.name}** | " + " | ".join(cell(one, other) for other in FEATURES) + " |" for one in FEATURES]
    listed = []
    for refusal, place in number.items():
        where = f" Only where: {refusal.where}." if refusal.where else ""
        listed.append(f"{place}. **{refusal.one.name}, {refusal.other.name}**: *{_plain(refusal.shown)}*.{where}")
    parts = ["## Features", "", "| | |", "|:---|:---|", *features, ""]
    parts += ["## Two at a time", "", heading, "|:---" * (len(FEATURES) + 1) + "|", *rows, ""]
    return "\n".join([*parts, "## What is refused, and the words of the error", "", *listed, ""])


def leaderboard_section():
    """Markdown with the leaderboard of the archive; its pictures are drawn into `docs/results/leaderboard`."""
    from bestdo.research.report.suite_report import site_page
    from bestdo.research.suite.archive import read
    from bestdo.research.suite.leaderboard import leaderboard

    if not read().rows:
        return "The archive holds no results yet."
    return site_page(leaderboard(), HERE / "results" / "leaderboard")


def rest_sections():
    """Markdown about each address of the JSON interface, and about each object that is sent or answered."""
    from fastapi import FastAPI

    from bestdo.web.routes.api import api_routes

    app = FastAPI(title="bestdo")
    app.include_router(api_routes(*[None] * len(inspect.signature(api_routes).parameters)))  # nothing is answered here
    told = app.openapi()
    parts = ["## Addresses", ""]
    for path, verbs in told["paths"].items():
        for verb, each in verbs.items():
            parts += [f"### {verb.upper()} {path}", "", _plain(each["description"]), ""]
            parts += _table("parameter", each.get("parameters", []), lambda p: (p["name"], p["schema"], p["required"]))
            sent = each.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            parts += [f"Sent: {_kind(sent)}.", ""] if sent else []
            code, answer = next((code, a) for code, a in each["responses"].items() if code < "300")
            answered = answer.get("content", {}).get("application/json", {}).get("schema")
            parts += [f"Answered: {code}" + (f", {_kind(answered)}." if answered else ", nothing."), ""]
    parts += ["## Objects", ""]
    for name, schema in told["components"]["schemas"].items():
        if "Validation" in name:
            continue
        wanted = schema.get("required", [])
        parts += [f"### {name}", "", _plain(schema.get("description", "")), ""]
        fields = list(schema.get("properties", {}).items())
        parts += _table("field", fields, lambda f, wanted=wanted: (f[0], f[1], f[0] in wanted))
    errors = next(iter(next(iter(told["paths"].values())).values()))["responses"]
    rows = [f"| {code} | {_cell(e['description'])} |" for code, e in errors.items() if code >= "400"]
    return "\n".join([*parts, "## Errors", "", "Every error is a Trouble.", "", "| code | |", "|:---|:---|", *rows, ""])


def suite_sections():
    """Markdown about the worlds of the suite: a table of each kind, and a paragraph about each world."""
    from bestdo.research.suite.suite_world import KINDS
    from bestdo.research.suite.suite_worlds import WORLDS

    parts = []
    for kind in KINDS:
        worlds = [world for world in WORLDS.values() if world.kind == kind and world.available]
        rows = [f"| `{w.name}` | {w.goal} | {_size(w)} | {_horizons(w)} | {_known(w)} |" for w in worlds]
        heading = "| world | goal | actions | rounds, or budget | learners know |"
        parts += [f"## {kind.capitalize()}", "", heading, "|:---|:---|---:|---:|:---|", *rows, ""]
        for each in worlds:
            numbers = "".join(f" {_published(number)}" for number in each.published)
            title = f"**{each.name}**, version {each.version}"
            parts += [f"{title}: {_plain(each.about)} *From:* {_plain(each.source)}.{numbers}", ""]
    return "\n".join(parts)


def _size(world):
    """How many actions a world has, and contexts where something is seen first."""
    problem = world.world.problem
    contexts = f" × {len(problem.contexts)} contexts" if problem.first else ""
    return f"{len(problem.actions):,}{contexts}"


def _horizons(world):
    """The horizons of a world, and how many rounds are out at a time where results are late."""
    late = f"; {world.in_flight} out" if world.in_flight > 1 else ""
    return ", ".join(f"{horizon:,g}" for horizon in world.horizons) + late


def _known(world):
    """What learners know of a world."""
    found = world.world
    if found.problem.doubts is not None:
        return f"{found.problem.doubts.count:,} possible graphs"
    graph = "a graph that may be wrong" if found.mistaken else "the graph"
    return graph if found.problem.law is None else f"{graph}, the law of the reward's causes"


def _published(number):
    """A published number in a sentence."""
    error = "" if number.error is None else f" ± {number.error:g}"
    at = f"`{number.learner}` at {number.horizon:,g}: {number.value:g}{error}"
    return f"*Published:* {at} ({number.what}; {_plain(number.source)})."


def _table(word, items, parts_of):
    """A table of parameters or fields."""
    rows = []
    for item in items:
        name, schema, required = parts_of(item)
        words = [schema.get("description", ""), "" if required else _default(schema)]
        rows.append(f"| `{name}` | {_kind(schema)} | {_cell(' '.join(filter(None, words)))} |")
    return [f"| {word} | kind | |", "|:---|:---|:---|", *rows, ""] if rows else []


def _default(schema):
    """What a field is when it is left out."""
    default = schema.get("default")
    return "May be left out." if default in (None, "") else f"`{json.dumps(default)}` when left out."


def _kind(schema):
    """What a value is, in words; an object has a link to its section."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        kinds = dict.fromkeys(_kind(each) for each in schema["anyOf"] if each.get("type") != "null")
        return " or ".join(kinds) + (" or null" if any(each.get("type") == "null" for each in schema["anyOf"]) else "")
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    names = {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "true or false",
        "object": "object",
    }
    return names.get(schema.get("type"), "anything")


def _plain(text):
    """The text with signs that mean something in Markdown made harmless, outside of code."""
    marked = re.sub(r"(?<![`\w-])(--[a-z][a-z-]*)", r"`\1`", re.sub(r"\n[ ]+", "\n", text))  # --data is code
    parts = re.split(r"(`[^`]*`)", marked)
    return "".join(part if k % 2 else re.sub(r"([*_<>|\[\]{}])", r"\\\1", part) for k, part in enumerate(parts))


def _cell(text):
    """The text as a cell of a table."""
    return _plain(" ".join(text.split()))
