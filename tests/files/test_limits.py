"""Limits in our own format: read, written, and every mistake with its place."""

from functools import partial

import pytest

from bestdo.errors import FileError
from bestdo.files import Contents, toml
from bestdo.files.declarations import Source, Wanted

PLANTS = """\
bestdo = 1

[variables.dose]
values = ["none", "some", "much"]

[variables.leaves]
values = ["green", "yellow", "brown"]

[variables.secret]
hidden = true

[variables.harvest]
values = ["bad", "good"]

[graph]
edges = ["dose -> leaves", "dose -> harvest", "leaves -> harvest", "secret -> leaves"]
reward = "harvest"
success = "good"

[actions]
set = ["dose"]
"""
LIMIT = PLANTS + '\n[[limits]]\nvariable = "leaves"\nvalue = "brown"\nat_most = 0.1\n'
ALWAYS = 'variable = "leaves"\nvalue = "brown"\nat_most = 0.1\nalways = true\n'
TABLES = """
[tables]
dose = [0.6, 0.3, 0.1]
secret = [0.5, 0.5]
[tables.leaves]
given = ["dose", "secret"]
rows = [
    { when = ["none", "0"], p = [0.9, 0.1, 0.0] },
    { when = ["none", "1"], p = [0.9, 0.1, 0.0] },
    { when = ["some", "0"], p = [0.5, 0.5, 0.0] },
    { when = ["some", "1"], p = [0.5, 0.4, 0.1] },
    { when = ["much", "0"], p = [0.1, 0.5, 0.4] },
    { when = ["much", "1"], p = [0.1, 0.5, 0.4] },
]
"""


@pytest.fixture
def reading(reading_as):
    return partial(reading_as, "a.toml")


def problem_of(text):
    return toml.read(Source("a.toml", text), Wanted()).problem


def test_a_limit_is_read():
    problem = problem_of(LIMIT)
    (limit,) = problem.limits
    assert (limit.variable, limit.value, limit.at_most, limit.at_least) == ("leaves", "brown", 0.1, None)
    assert str(limit) == "P(leaves = brown) at most 0.1"
    assert problem.sure == 0.9
    assert problem.contenders.all()


def test_limits_are_written_and_read_back():
    text = LIMIT + '\n[[limits]]\nvariable = "leaves"\nvalue = "green"\nat_least = 0.2\nnever = ["do(dose=much)"]\n'
    problem = problem_of(text.replace("[actions]", "[problem]\nsure = 0.95\n\n[actions]"))
    assert problem.sure == 0.95
    assert list(map(str, problem.actions)) == ["do()", "do(dose=none)", "do(dose=some)"]
    again = problem_of(toml.write(Contents(problem.graph, problem)))
    assert again == problem
    assert again.limits == problem.limits
    assert list(map(str, again.limits[1].never)) == ["do(dose=much)"]


def test_safe_actions_are_written_and_read_back():
    problem = problem_of(f'{PLANTS}\n[[limits]]\n{ALWAYS}safe = ["do()", "do(dose=none)"]\n')
    assert (problem.limits[0].always, list(map(str, problem.limits.safe))) == (True, ["do()", "do(dose=none)"])
    assert problem_of(toml.write(Contents(problem.graph, problem))) == problem


def test_over_everybody_is_written_and_read_back():
    """A limit in each context and one over everybody, on the same side of the same outcome, are two limits."""
    seen = PLANTS.replace("[actions]", '[problem]\nfirst = ["bed"]\n\n[actions]').replace(
        "[variables.leaves]", '[variables.bed]\nvalues = ["east", "west"]\n\n[variables.leaves]'
    )
    seen = seen.replace('"dose -> leaves"', '"bed -> leaves", "dose -> leaves"')
    leaves = '\n[[limits]]\nvariable = "leaves"\nvalue = "brown"\nat_most = '
    problem = problem_of(f'{seen}{leaves}0.3\n{leaves}0.1\nover = "everybody"\n')
    assert [limit.over for limit in problem.limits] == ["context", "everybody"]
    assert str(problem.limits[1]) == "P(leaves = brown) at most 0.1 on average over everybody"
    assert problem_of(toml.write(Contents(problem.graph, problem))) == problem


def test_an_action_that_is_not_among_the_actions_is_not_safe():
    listed = PLANTS.replace('set = ["dose"]', 'list = ["do(dose=some)", "do(dose=much)"]')
    assert listed != PLANTS
    with pytest.raises(
        FileError, match=r"do\(\) is named as safe in the limit on .leaves., and is not among the actions"
    ):
        problem_of(f'{listed}\n[[limits]]\n{ALWAYS}safe = ["do()"]\n')


def test_actions_that_break_a_limit_by_the_tables_are_never_allowed():
    problem = problem_of(LIMIT + "never = true\n" + TABLES)
    assert list(map(str, problem.actions)) == ["do()", "do(dose=none)", "do(dose=some)"]
    assert list(map(str, problem.limits[0].never)) == ["do(dose=much)"]
    assert problem.law.actions == problem.actions
    assert problem_of(toml.write(Contents(problem.graph, problem))) == problem
    costs = PLANTS.replace("[actions]", "[costs]\ndefault = 1.0\n'do(dose=some)' = 3.0\n\n[actions]")
    cheap = LIMIT.replace(PLANTS, costs) + "never = true\n" + TABLES
    assert problem_of(cheap).cost == (1.0, 1.0, 3.0)


@pytest.mark.parametrize(
    ("wrong", "line", "words"),
    [
        ('variable = "leafs"\nvalue = "brown"\nat_most = 0.1', 24, "did you mean leaves"),
        ('variable = "leaves"\nvalue = "black"\nat_most = 0.1', 25, "unknown value black of the variable leaves"),
        ('variable = "leaves"\nat_most = 0.1', 25, "which value of leaves is limited"),
        ('variable = "harvest"\nvalue = "bad"\nat_most = 0.1', 24, "the limit is on the reward harvest itself"),
        ('variable = "secret"\nvalue = "1"\nat_most = 0.1', 24, "which is hidden"),
        ('variable = "dose"\nvalue = "much"\nat_most = 0.1', 24, "which do(dose=none) sets"),
        ('variable = "leaves"\nvalue = "brown"', 23, "neither at_most nor at_least"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 0.1\nat_least = 0.0', 23, "both at_most and at_least"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 1.5', 26, "it always is 0 to 1"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 2', 26, "it always is 0 to 1; 2 % is 0.02"),
        (
            'variable = "leaves"\nvalue = "brown"\nat_most = 0',
            26,
            "no number of rounds shows that an event never happens",
        ),
        ('variable = "leaves"\nvalue = "brown"\nat_least = 1', 26, "say a number such as 0.999"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 1', 26, "every action keeps"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = nan', 23, "must be a number"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = "a"', 26, "must be a number"),
        ('value = "brown"\nat_most = 0.1', 23, "must be text"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 0.1\nnever = true', 27, "without the table of dose"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 0.1\nnever = 3', 27, "never is true"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 0.1\nnever = ["do(dose=lots)"]', 27, "unknown value lots"),
        ('variable = "leaves"\nvalue = "brown"\nmost = 0.1', 26, "unknown key most"),
        (f"{ALWAYS}", 23, "name at least one action that is known to keep it"),
        (f"{ALWAYS}safe = []", 23, "name at least one action that is known to keep it"),
        (f'{ALWAYS}safe = ["do(dose=lots)"]', 28, "unknown value lots"),
        (f'{ALWAYS}safe = "do()"', 28, "limits.safe must be a list"),
        (f'{ALWAYS}safe = ["do()"]\nnever = ["do()"]', 24, "do() is named both as safe and as never allowed"),
        (f'{ALWAYS}safe = ["do(dose=much,light=on)"]', 28, "light"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 0.1\nalways = 1', 27, "must be true or false"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 0.1\nover = "all"', 23, "it is context, where"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 0.1\nover = true', 27, "must be text"),
        (f'{ALWAYS}safe = ["do()"]\nover = "everybody"', 23, "leave out one of always and over"),
        ('variable = "leaves"\nvalue = "brown"\nat_most = 0.1\nsafe = ["do()"]', 23, "say always = true"),
    ],
)
def test_a_mistake_is_said_with_its_place(wrong, line, words):
    with pytest.raises(FileError) as error:
        problem_of(f"{PLANTS}\n[[limits]]\n{wrong}\n")
    assert words in str(error.value).replace("'", "")
    assert error.value.line == line


def test_the_place_is_in_the_second_limit():
    second = '\n[[limits]]\nvariable = "leaves"\nvalue = "brown"\nat_most = 0.2\n'
    with pytest.raises(FileError, match="two limits on the same side") as error:
        problem_of(LIMIT + second)
    assert error.value.line == LIMIT.count("\n") + 2


@pytest.mark.parametrize("sure", ["0", "1", "1.2", "nan"])
def test_how_sure_it_must_be_is_a_probability(sure):
    with pytest.raises(FileError, match="above 0 and below 1"):
        problem_of(f"{LIMIT}\n[problem]\nsure = {sure}\n")


def test_all_actions_can_be_forbidden_by_mistake():
    with pytest.raises(FileError, match="allow no action at all"):
        problem_of(LIMIT + 'never = ["do()", "do(dose=none)", "do(dose=some)", "do(dose=much)"]\n')


def test_limits_need_actions():
    with pytest.raises(FileError, match="belongs to a problem"):
        problem_of(LIMIT.replace('[actions]\nset = ["dose"]\n', ""))
