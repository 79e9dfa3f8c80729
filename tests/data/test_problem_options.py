"""The options of a problem are one list, and every function that takes a problem takes all of them."""

import inspect

import pytest

import bestdo
from bestdo.data.problem_options import NAMES, DraftOptions
from bestdo.study.creation import StudyOptions
from bestdo.web.api_orders import Beginning, Checking
from support import ROOT

FARM = ROOT / "examples" / "farm.toml"
ALL = [
    bestdo.compose,
    bestdo.in_doubt,
    bestdo.check,
    bestdo.rehearse,
    bestdo.compare,
    bestdo.fixed_plan,
    bestdo.estimate,
]


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_one_list_for_all_functions(function):
    parameters = inspect.signature(function).parameters
    assert not set(parameters) & set(NAMES)
    assert function.__annotations__["options"] == "Unpack[ProblemOptions]"


def test_few_arguments():
    assert len(inspect.signature(bestdo.Study.create).parameters) == 10  # the options are the tenth
    assert len(inspect.signature(bestdo.compose).parameters) == 5


def test_study_and_draft_have_the_same_names():
    assert set(NAMES) - {"goal", "graph_only"} == set(DraftOptions.__annotations__)
    assert set(NAMES) < set(StudyOptions.__annotations__)


@pytest.mark.parametrize("order", [Beginning, Checking], ids=lambda order: order.__name__)
def test_rest_has_options_of_the_list(order):
    own = {"name", "problem", "rounds", "budget", "learner", "who"} | set(StudyOptions.__annotations__)
    assert set(order.model_fields) <= own


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bestdo.compose(FARM, rewrd="yield"), r"compose\(\).*'rewrd' \(did you mean 'reward'\?\)"),
        (lambda: bestdo.Study.create(FARM, rouds=6), r"create\(\).*'rouds' \(did you mean 'rounds'\?\)"),
        (lambda: bestdo.Study.create(FARM, 6, leas=6), r"create\(\).*'leas' \(did you mean 'lease'\?\)"),
        (lambda: bestdo.rehearse(FARM, wolds=6), r"rehearse\(\).*'wolds' \(did you mean 'worlds'\?\)"),
        (lambda: bestdo.check(FARM, frist="nutrient"), r"check\(\).*'frist' \(did you mean 'first'\?\)"),
        (lambda: bestdo.compare(FARM, zzz=1), r"compare\(\) got an unexpected keyword argument 'zzz'$"),
        (lambda: bestdo.init("a -> b", goal="earn"), r"init\(\).*'goal'"),
    ],
)
def test_an_unknown_name_is_an_error_that_names_the_right_one(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_the_short_form_is_the_general_one(tmp_path):
    """Options beside a path are those of `compose`."""
    said = {"set": "moisture", "goal": "earn", "graph_only": True}
    storage = f"sqlite:///{tmp_path}/both.db"
    short = bestdo.Study.create(FARM, rounds=60, name="short", storage=storage, seed=3, lease=2, **said)
    general = bestdo.Study.create(
        bestdo.compose(FARM, **said), rounds=60, name="general", storage=storage, seed=3, lease=2
    )
    assert short.problem == general.problem
    assert short.problem.law is None
    bodies = [{**study.history()[0], "at": None} for study in (short, general)]
    assert bodies[0] == bodies[1]


def test_a_name_alone_is_one_variable():
    """`init` takes one name as `Problem` does, not its letters."""
    found = bestdo.init("price -> sale", reward="sale", success="1", set="price", values={"price": ["8", "9"]})
    assert len(found.problem.actions) == 3
