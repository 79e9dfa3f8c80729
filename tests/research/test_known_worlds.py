"""Worlds by name: each opens, says what it is, and refuses nonsense in words."""

import numpy as np
import pytest

import bestdo
from bestdo.errors import BestdoError
from bestdo.simulate import paper_parallel
from support import ROOT

ARGUMENTS = {
    "arms": ([0.5, 0.4],),
    "chain": (3,),
    "confounded": ([0.1, 0.2], [0.3, 0.4]),
    "paper-parallel": (5, 2, 0.3),
    "parallel": ([0.1, 0.5],),
    "screening-context": (500,),
    "asia": ("dysp", "no"),
}
SLOW = ("sachs", "child", "alarm", "insurance")  # each takes a tenth of a second to read, as asia does


@pytest.mark.parametrize("name", [name for name in bestdo.worlds() if name not in SLOW])
def test_every_world_opens_by_its_name(name):
    world = bestdo.world(name, *ARGUMENTS.get(name, ()))
    assert np.isfinite(world.means).all()
    assert bestdo.worlds()[name]


def test_the_examples_of_the_package_are_those_of_the_repository():
    for name in bestdo.worlds():
        path = ROOT / "examples" / f"{name}.toml"
        if path.exists():
            assert bestdo.world(name).problem == bestdo.world(path).problem
    files = {path.stem for path in (ROOT / "examples").glob("*.toml")}
    assert files - {"shade"} <= set(bestdo.worlds())  # its arrows are in doubt, so it has no tables


def test_a_world_is_that_of_its_function():
    assert bestdo.world("paper-parallel", variables=5, m=2, epsilon=0.3).problem == paper_parallel(5, 2, 0.3).problem


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("famr",), "did you mean 'farm'"),
        (("parallel",), "world.'parallel', q, epsilon=0.3. makes this world"),
        (("chain", "x"), "makes this world"),
        (("farm", "a", "b", "c"), "too many arguments"),
        ((7,), "cannot read a int"),
    ],
)
def test_nonsense_is_refused(arguments, words):
    with pytest.raises(BestdoError, match=words):
        bestdo.world(*arguments)
