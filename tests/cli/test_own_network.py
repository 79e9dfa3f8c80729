"""A researcher's own pgmpy network, whose reward has five values: all commands work, by success and by worth."""

import json

import numpy as np
import pytest

from support import bestdo

SIZES = {"dose": 3, "diet": 2, "age": 3, "response": 3, "grade": 5}
ARROWS = [("dose", "response"), ("diet", "response"), ("age", "diet"), ("age", "response"), ("response", "grade")]
WORTH = {"grade_0": 5, "grade_1": 4, "grade_2": 2.5, "grade_3": 1, "grade_4": 0}
WANTED = {
    "success": (["--success", "grade_0"], [1, 0, 0, 0, 0]),
    "worth": (
        [part for value, number in WORTH.items() for part in ("--worth", f"{value}={number}")],
        [*WORTH.values()],
    ),
}


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The network in a file, as pgmpy writes it, and its exact means by pgmpy's own inference."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork
    from pgmpy.readwrite import BIFWriter

    rng = np.random.default_rng(11)
    model = DiscreteBayesianNetwork(ARROWS)
    for name, size in SIZES.items():
        parents = list(model.get_parents(name))
        above = [SIZES[p] for p in parents]
        labels = {n: [f"{n}_{i}" for i in range(SIZES[n])] for n in (name, *parents)}
        table = rng.dirichlet(np.ones(size), int(np.prod(above))).T.round(4)
        table[-1] = 1 - table[:-1].sum(axis=0)
        model.add_cpds(TabularCPD(name, size, table, parents or None, above or None, state_names=labels))
    assert model.check_model()
    path = tmp_path_factory.mktemp("own") / "trial.bif"
    BIFWriter(model).write(str(path))
    return path, model


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of pgmpy about its own modules
@pytest.mark.parametrize("kind", WANTED)
def test_check_new_rehearse_and_compare(network, kind, tmp_path):
    from pgmpy.inference import CausalInference

    path, model = network
    wanted, payoff = WANTED[kind]
    said = [path, "--reward", "grade", *wanted]
    where = ["--storage", f"sqlite:///{tmp_path}/own.db"]

    def run(*arguments):
        done = bestdo(*map(str, arguments), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    checked = json.loads(run("check", *said, "-f", "json"))
    assert len(checked["actions"]) == 12
    assert "study trial: 12 actions" in run("new", *said, "--rounds", 9, *where)
    assert "round 1:" in run("ask", *where)
    rehearsed = run(
        "rehearse", *said, "--rounds", 12, "--worlds", 20, "--learner", "causal-top-two", "-o", tmp_path / "r"
    )
    assert "12 rounds" in rehearsed
    compared = run("compare", *said, "--rounds", 12, "--sims", 20, "--learner", "uniform", "-o", tmp_path / "c")
    assert "Uniform" in compared
    best = json.loads((tmp_path / "c" / "compare.json").read_text())["settings"][0]["best_mean"]
    exact = [
        CausalInference(model).query(["grade"], do={n: f"{n}_{i}"}, show_progress=False).values @ payoff
        for n in ("dose", "diet", "age", "response")
        for i in range(SIZES[n])
    ]
    assert best == pytest.approx(max(exact), abs=1e-9)
