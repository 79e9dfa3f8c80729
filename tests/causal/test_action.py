import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestdo import Actions, Graph, Intervention, do
from bestdo.errors import ActionError, BestdoError, FileError, TooLarge

FARM = Graph.parse(
    "temperature -> crop; rain -> crop; U -> crop",
    reward="crop",
    values={"rain": ("no", "some", "much")},
    hidden=["U"],
)


def test_do_prints_hashes_and_compares():
    assert str(do(temperature="high", rain="no")) == "do(rain=no, temperature=high)"
    assert do(b=1, a=2) == do({"a": "2", "b": "1"}) == Intervention.parse(" do( b = 1,a=2 ) ")
    assert len({do(a=1), do(a="1"), do()}) == 2
    assert dict(do(a=1)) == {"a": "1"}
    assert pickle.loads(pickle.dumps(do(a=1))) == do(a=1)


@settings(derandomize=True, max_examples=200)
@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1), max_size=4))
def test_parse_reads_back_what_printing_gave(settings_):
    action = do(settings_)
    assert Intervention.parse(str(action)) == action


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("set(a=1)", "an action is written like"),
        ("do(a)", "found '\\)', expected '='"),
        ("do(a=1", "the end of the text"),
        ("do(a=1) b", "nothing more"),
        ("do(a=1, a=2)", "'a' is set twice"),
        ("do(a=1 b=2)", "expected ','"),
    ],
)
def test_parse_complaints(text, message):
    with pytest.raises(BestdoError, match=message):
        Intervention.parse(text)
    if text != "set(a=1)":
        with pytest.raises(FileError):
            Intervention.parse(text)


def test_single_and_up_to():
    actions = Actions.single(FARM)
    assert [str(a) for a in actions] == [
        "do()",
        "do(temperature=0)",
        "do(temperature=1)",
        "do(rain=no)",
        "do(rain=some)",
        "do(rain=much)",
    ]
    assert len(Actions.up_to(FARM, 2)) == 6 + 6
    assert list(Actions.single(FARM, on=["rain"])) == [do(), *(do(rain=v) for v in ("no", "some", "much"))]


def test_index_and_codes_are_the_only_numbers():
    actions = Actions.up_to(FARM, 2)
    assert all(actions.index(a) == i for i, a in enumerate(actions))
    names = FARM.names
    for a, row in zip(actions, actions.codes, strict=True):
        back = {n: FARM.variable(n).values[c] for n, c in zip(names, row, strict=True) if c >= 0}
        assert do(back) == a
    assert pickle.loads(pickle.dumps(actions)) == actions
    assert actions.codes.dtype == np.int16


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Actions(FARM, []), "at least one action"),
        (lambda: Actions(FARM, [do(), do()]), r"do\(\) is listed twice"),
        (lambda: Actions(FARM, [do(crop=1)]), "the reward 'crop' cannot be set"),
        (lambda: Actions(FARM, [do(U=1)]), r"do\(U=1\): 'U' is hidden"),
        (lambda: Actions(FARM, [do(tempersture=1)]), "did you mean 'temperature'"),
        (
            lambda: Actions(FARM, [do(rain="lots")]),
            "unknown value 'lots' of the variable 'rain'; allowed: 'no', 'some', 'much'",
        ),
        (lambda: Actions.single(FARM).index(do(rain="no", temperature=1)), "unknown action"),
        (lambda: do(a=1.5), "text or a whole number"),
    ],
)
def test_complaints(make, message):
    with pytest.raises(ActionError, match=message):
        make()


def test_actions_may_be_given_as_text():
    actions = Actions(FARM, ["do()", "do(rain=no)"])
    assert list(actions) == [do(), do(rain="no")]
    assert actions.index("do(rain=no)") == 1


def test_complaints_name_what_can_be_set():
    with pytest.raises(ActionError, match=r"allowed: 'temperature', 'rain'$"):
        Actions(FARM, [do(snow=1)])


def test_too_many_actions_are_counted_not_listed():
    graph = Graph.parse("; ".join(f"X{i} -> Y" for i in range(60)), reward="Y")
    with pytest.raises(TooLarge, match=r"up to 8 of 60 variables are 7\d\d,\d\d\d,\d\d\d,\d\d\d actions"):
        Actions.up_to(graph, 8)
