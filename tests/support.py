"""Random graphs and models for tests, and answers by brute force that share no code with the library."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import fork_server
from bestdo.causal.action import Intervention
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.cli import main
from bestdo.errors import FileError
from bestdo.learners import LEARNERS

SINGLE = [name for name, entry in LEARNERS.items() if "every setting" not in entry.problems]
"""The learners that problems with actions on single variables suit: all but those that set all variables at once."""
DATA = Path(__file__).parent / "fixtures"
ROOT = Path(__file__).parent.parent
PAIN = """bestdo = 1
[variables]
dose = { values = ["low", "high"] }
pain = { values = ["NO", "MILD", "SEVERE"] }
[graph]
edges = ["dose -> pain"]
reward = "pain"
worth = { NO = 0, MILD = -1, SEVERE = -4 }
"""


def problem_text(variables, edges, purpose, chosen=(), rest=""):
    """A problem as a file has it. Each variable has a list of values, or its fields as in a file; edges are divided by "; ".

    `purpose` has the fields of the reward, `chosen` the variables that actions set, `rest` all that follows.
    """
    fields = {name: f"values = {json.dumps(one)}" if isinstance(one, list) else one for name, one in variables.items()}
    lines = ["bestdo = 1", "[variables]", *(f"{name} = {{ {one} }}" for name, one in fields.items())]
    lines += ["[graph]", f"edges = {json.dumps(edges.split('; '))}", *purpose.split("; ")]
    lines += ["[actions]", f"set = {json.dumps(chosen)}"] if chosen else []
    return "\n".join([*lines, rest])


def bestdo(*arguments, path="", environment=None, cwd=None, input=""):  # noqa: A002
    """The command line in a process of its own; `path` is added to where modules are found."""
    own = {"COLUMNS": "120", "NO_COLOR": "1", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{path}"}
    return fork_server.run(arguments, {**os.environ, **own, **(environment or {})}, cwd, input)


def bestdo_here(*arguments):
    """The command line in this process, where what a test replaced stays replaced; it must end well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["bestdo", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
    assert not done.value.code


def path_of(folder=None):
    """An environment for shell scripts, with `bestdo` and this Python on the PATH; forked commands with a folder."""
    places = [Path(sys.executable).parent, os.environ["PATH"]]
    if folder is not None:
        places.insert(0, fork_server.shim(folder / "bin"))
    return {**os.environ, "PATH": os.pathsep.join(map(str, places)), "PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1"}


def ends_in_one_sentence(done, message):
    """A command that ended with exit code 1 and one error that says so much."""
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def fails_at(read, text, line, column, message):
    """A text that cannot be read, with an error at this place."""
    with pytest.raises(FileError) as caught:
        read(text)
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)


def run_at_once(threads):
    """Threads that take turns a hundred thousand times a second, until all are done."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)


def killed_half_way(command, rounds, folder, **more):
    """Starts a script that plays so many rounds, and kills it with all its children when half of them are told; its log."""
    log = folder / "log"
    with log.open("w") as file:
        process = subprocess.Popen(command, start_new_session=True, stdout=file, stderr=file, **more)
        until = time.monotonic() + 300
        while log.read_text().count("told") < rounds // 2:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return log.read_text()


def random_graph(rng, size, arrows=0.4, both=0.25, sizes=(2,), hidden=0.0, last=False):
    """Variables V0..V(size-2) and the reward Y, arrows along a random order (Y last if `last`), `<->` between some."""
    names = [f"V{i}" for i in range(size - 1)] + ["Y"]
    order = [*rng.permutation(names[:-1]), "Y"] if last else list(rng.permutation(names))
    variables = [
        Variable(
            n,
            tuple(f"v{k}" for k in range(rng.choice(sizes))) if n != "Y" else ("0", "1"),
            hidden=n != "Y" and rng.random() < hidden,
        )
        for n in names
    ]
    directed = [(a, b) for a, b in itertools.combinations(order, 2) if rng.random() < arrows]
    pairs = [(a, b) for a, b in itertools.combinations(names, 2) if rng.random() < both]
    return Graph.of(variables, directed, pairs, reward="Y")


def random_model(rng, graph, concentration=1.0, hidden_values=4):
    """Random tables; the hidden causes behind `<->` get `hidden_values` values, to confound in any way."""
    variables = tuple(
        Variable(v.name, tuple(map(str, range(hidden_values))), hidden=True) if "<->" in v.name else v
        for v in graph.variables
    )
    wide = Graph(variables, dict(graph.parents), graph.reward, graph.success, graph.worth)
    tables = {}
    for v in variables:
        shape = [wide.size(p) for p in wide.parents[v.name]]
        tables[v.name] = rng.dirichlet(np.full(len(v.values), concentration), size=shape)
    return Model(wide, tables)


def brute_force(model, of, do=None, given=None):
    """P(of | do, given) by multiplying out the whole joint distribution."""
    graph, do, given = model.graph, do or Intervention({}), given or {}
    axis = {n: i for i, n in enumerate(graph.names)}
    sizes = [len(v.values) for v in graph.variables]
    joint = np.ones(sizes)
    for name in graph.names:
        table = model.tables[name]
        axes = [axis[n] for n in (*graph.parents[name], name)]
        if name in do:
            table = np.zeros(sizes[axis[name]])
            table[graph.variable(name).code(do[name])] = 1
            axes = [axis[name]]
        order = np.argsort(axes)
        shape = [1] * len(sizes)
        for a in axes:
            shape[a] = sizes[a]
        joint = joint * np.transpose(table, order).reshape(shape)
    for name, value in given.items():
        keep = np.zeros(sizes[axis[name]])
        keep[graph.variable(name).code(value)] = 1
        joint = joint * keep.reshape([-1 if i == axis[name] else 1 for i in range(len(sizes))])
    summed = joint.sum(axis=tuple(i for n, i in axis.items() if n not in of))
    left = [n for n in graph.names if n in of]
    return np.transpose(summed, [left.index(n) for n in of]) / joint.sum()


def random_intervention(rng, graph, most=3, spare=()):
    names = [n for n in graph.observed if n not in spare]
    chosen = rng.choice(names, size=min(len(names), int(rng.integers(0, most + 1))), replace=False) if names else []
    return Intervention({str(n): str(rng.choice(graph.variable(str(n)).values)) for n in chosen})


def numbers_of(estimates):
    """All numbers of estimates, for comparisons: their repr shows one action alone."""
    names = estimates._fields[: estimates._fields.index("actions")]
    return {name: repr(np.asarray(getattr(estimates, name)).tolist()) for name in names}
