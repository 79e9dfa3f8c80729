"""Verbs of a study, one after the other: over REST and in the terminal, with mistakes among them."""

from bestdo.web.study_cache import to_slug
from net.answers import answered, printed, web_client, without_clock
from support import ROOT

EXAMPLES = ROOT / "examples"
FARM = (EXAMPLES / "farm.toml").read_text(encoding="utf-8")
SCHOOL = (EXAMPLES / "school.toml").read_text(encoding="utf-8")
VISITS = (EXAMPLES / "visits.toml").read_text(encoding="utf-8")
LOG = (EXAMPLES / "farm_log.csv").read_text(encoding="utf-8")
SEEN = {"temperature": "low", "nutrient": "rich", "moisture": "dry", "yield": "good"}
PUPIL = {"before": 50, "homework": "none", "tutoring": "none", "practice": "60", "passed": "yes"}

REST = (
    ("studies", {"name": "farm", "problem": FARM, "rounds": 30, "learner": "ucb", "seed": 4, "who": "Ann"}),
    ("studies", {"name": "farm", "problem": FARM, "rounds": 30}),
    ("studies", {"name": "visits", "problem": VISITS, "rounds": 30, "goal": "earn"}),
    ("studies", {"name": "school", "problem": SCHOOL, "rounds": 30, "learner": "uniform"}),
    ("studies", {"name": "no", "problem": FARM.replace("yield", "yeild", 1), "rounds": 30}),
    ("farm/ask", {"worker": "Ann", "n": 4}),
    ("farm/ask", {"worker": "Ann", "n": 4}),
    ("farm/rounds/1/tell", {"values": {"yield": "good"}, "key": "k1", "who": "Ann"}),
    ("farm/rounds/1/tell", {"values": {"yield": "good"}, "key": "k1", "who": "Ann"}),
    ("farm/rounds/1/tell", {"values": {"yield": "bad"}}),
    ("farm/rounds/9/tell", {"values": {"yield": "bad"}}),
    ("farm/tell", {"rounds": [{"number": n, "values": SEEN, "happened": True} for n in (1, 2, 77)]}),
    ("farm/rounds/2/amend", {"values": {"yield": "bad"}, "why": "misread", "who": "Ben"}),
    ("farm/rounds/2/amend", {"values": {"yield": "splendid"}, "why": "misread"}),
    ("farm/rounds/2/undo", {"why": "the wrong plot"}),
    ("farm/rounds/3/withdraw", {"why": "hail"}),
    ("farm/rounds/4/withdraw", {"why": "rain", "lost": False}),
    ("farm/notes", {"text": "a dry spring", "round": 1, "who": "Ann"}),
    ("farm/extend", {"rounds": 40, "why": "more plots"}),
    ("farm/extend", {"rounds": 1, "why": "fewer plots"}),
    ("farm/learner", {"learner": "causal-top-two", "why": "better"}),
    ("farm/learner", {"learner": "causal-top-tow", "why": "better"}),
    ("farm/actions", {"action": "do(temperature=low, nutrient=rich)", "why": "both"}),
    ("farm/observe", {"table": LOG, "who": "Ann"}),
    ("farm/observe", {"table": LOG}),
    ("farm/close", {"why": "winter"}),
    ("farm/ask", {"worker": "Ann"}),
    ("farm/reopen", {"why": "spring"}),
    ("farm/archive", {}),
    ("farm/unarchive", {}),
    ("school/ask", {"worker": "Cem"}),
    ("school/rounds/1/tell", {"values": PUPIL, "happened": True}),
    ("school/recut", {"variable": "before", "cut": [30, 70], "why": "fewer in the middle"}),
    ("visits/ask", {"worker": "Eve", "context": [{"device": "mobile", "country": "DE"}, {"device": "desktop"}], "key": "v"}),
    ("visits/ask", {"worker": "Eve", "context": [{"device": "mobile", "country": "DE"}, {"device": "desktop"}], "key": "v"}),
    ("visits/ask", {"worker": "Eve"}),
    ("visits/rounds/1/tell", {"values": {"click": "yes", "sale": "yes"}}),
    ("../check", {"problem": FARM, "rounds": 40}),
    ("../plan", {"problem": FARM, "rounds": 12}),
)  # fmt: skip
"""Orders in turn: where they are sent, and what is sent."""

FILES = (
    "farm",
    "visits",
    "orders",
    "moulding",
    "service",
    "harvest",
    "psa",
    "shade",
    "school",
    "ads",
    "paper",
    "webshop",
)
COMMANDS = (
    "design farm.toml --rounds 12", "design farm.toml --rounds 12 -f json", "design moulding.toml --rounds 12",
    "design webshop.toml --rounds 12 --seed 2",
    "compare farm.toml --rounds 20 --sims 20 --learner ucb --learner causal-top-two --workers 1",
    "compare moulding.toml --rounds 20 --sims 20 --learner ucb --learner causal-top-two --workers 1 -f json",
    "compare visits.toml --rounds 30 --sims 10 --learner top-two --learner causal-top-two --workers 1",
    "compare service.toml --rounds 30 --sims 10 --learner top-two --learner causal-top-two --workers 1",
    "compare ads.toml --goal earn --rounds 30 --sims 10 --learner ucb --learner causal-thompson --workers 1",
    "rehearse farm.toml --rounds 20,40 --worlds 20 --workers 1",
    "rehearse moulding.toml --budget 20,40 --worlds 20 --workers 1",
    "rehearse visits.toml --rounds 20 --worlds 10 --workers 1",
    "rehearse visits.toml --rounds 20 --worlds 10 --goal earn --workers 1 -f json",
    "rehearse service.toml --rounds 20 --worlds 10 --workers 1",
    "rehearse shade.toml --rounds 20 --worlds 10 --workers 1",
    "rehearse orders.toml --rounds 20 --worlds 10 --workers 1",
    "suite list", "figure --list",
)  # fmt: skip
"""Commands beside a study."""

TERMINAL = (
    "new farm.toml --rounds 30 --seed 6", "new farm.toml --rounds 30", "new visits.toml --rounds 30 --name shop --goal earn",
    "new moulding.toml --budget 40 --name parts", "new service.toml --rounds 30 --name sure --until-sure 0.9",
    "new service.toml --rounds 30 --name latency",
    "new shade.toml --rounds 30 -f json", "new farm.toml --rounds 30 --name phases --learner successive-rejects --wait",
    "ask --study farm --worker Ann", "ask --study farm --worker Ann -n 3 -f json", "ask --study shop --worker Eve",
    "ask --study shop --worker Eve --seen device=mobile --seen country=DE", "ask --study parts", "ask --study latency",
    "tell 1 yield=good --study farm", "tell 1 yield=bad --study farm", "tell 2 yeild=bad --study farm",
    "tell 2 yield=BAD --study farm --who Ann", "tell 1 click=yes sale=no --study shop", "tell 1 part=rework --study parts",
    "tell 1 latency=310,5 --study latency", "amend 2 yield=good --why misread --study farm", "undo 2 --study farm",
    "withdraw 3 --why hail --study farm", "note dry --round 1 --study farm", "extend --rounds 35 --why more --study farm",
    "learner top-two --why simpler --study farm", "add do(temperature=low,nutrient=rich) --why both --study farm",
    "observe farm_log.csv --study farm", "observe farm_log.csv --study farm", "close --why winter --study farm",
    "ask --study farm", "close --undo --study farm", "status --study farm", "best --study farm", "best --study shop",
    "best --study parts", "best --study latency", "best --study shade", "best --study phases", "ask --study phases -n 9",
    "rehearse --study farm --rounds 5 --worlds 10 --workers 1", "archive --study shade", "studies", "studies --all -f json",
)  # fmt: skip
"""Commands of studies in turn, in a folder with the examples."""


def over_rest(folder):
    """The answers to orders that are sent one after the other."""
    texts = {}
    with web_client(f"sqlite:///{folder}/verbs.db") as client:
        for number, (where, order) in enumerate(REST, 1):
            at = (
                "studies"
                if where == "studies"
                else f"studies/{to_slug(where.partition('/')[0])}/{where.partition('/')[2]}"
            )
            at = where[3:] if where.startswith("../") else at
            texts[f"{number:02} {where}"] = answered(client.post(f"/api/v1/{at}", json=order))
        for name in ("farm", "school", "visits"):
            for part in ("", "/best", "/rounds", "/history"):
                texts[f"then {name}{part}"] = answered(client.get(f"/api/v1/studies/{name}{part}"))
    return without_clock(texts, folder)


def in_terminal(folder):
    """What commands of studies print one after the other."""
    texts, storage = {}, ("--storage", f"sqlite:///{folder}/terminal.db")
    for number, command in enumerate(TERMINAL, 1):
        texts[f"{number:02} {command}"] = printed(*_words(command), *storage, cwd=folder)
    return without_clock(texts, folder)


def beside_studies(command, folder):
    """What a command beside a study prints, and the files that it writes but for pictures and manifests."""
    output = () if command.split()[0] in ("suite", "figure") else ("-o", folder / "out" / "sheet.csv")
    if command.split()[0] in ("compare", "rehearse"):
        output = ("-o", folder / "out")
    (folder / "out").mkdir()
    texts = {"printed": printed(*_words(command), *output, cwd=folder)}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "out").glob("*.csv"))}
    return without_clock(texts, folder)


def checked(name, folder):
    """What `check` and `draw` say of an example."""
    texts = {"check": printed("check", EXAMPLES / f"{name}.toml", "--rounds", "40")}
    texts["draw"] = printed("draw", EXAMPLES / f"{name}.toml", "-o", folder / "graph.svg")
    texts["graph.svg"] = (folder / "graph.svg").read_text(encoding="utf-8").replace("><", ">\n<")
    return without_clock(texts, folder)


def _words(command):
    """The words of a command, with the places of files."""
    return [str(EXAMPLES / word) if word.endswith((".toml", ".csv")) else word for word in command.split()]
