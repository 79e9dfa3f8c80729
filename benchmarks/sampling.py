"""Sampling 10,000 rows of the alarm network under an intervention, compared with pgmpy and pyAgrum."""

from collections.abc import Iterator

import numpy as np

from benchmarks import networks
from benchmarks.timing import Row, cpu
from bestdo import Actions, do

ROWS = 10_000
SET = {"HRBP": "LOW"}


def rows() -> Iterator[Row]:
    import pyagrum

    model = networks.ours("alarm").model
    assert model is not None
    actions = Actions(model.graph, [do(SET)])
    rng, plays = np.random.default_rng(0), np.zeros(ROWS, int)
    ours = cpu(lambda: model.sample(actions, plays, rng), 20)

    theirs = networks.pgmpys("alarm")
    simulate = cpu(lambda: theirs.simulate(ROWS, do=SET, show_progress=False, seed=0), 1)
    yield Row("10,000 rows of alarm, do()", ours, "pgmpy simulate(do=…)", simulate, 1000)

    cut = theirs.do(["HRBP"])
    from pgmpy.sampling import BayesianModelSampling

    forward = BayesianModelSampling(cut)
    sampled = cpu(lambda: forward.forward_sample(ROWS, show_progress=False, seed=0), 3)
    yield Row("", ours, "pgmpy forward_sample, mutilated", sampled, 40)

    network = pyagrum.BayesNet(networks.pyagrums("alarm"))
    for parent in list(network.parents("HRBP")):
        network.eraseArc(parent, network.idFromName("HRBP"))
    generator = pyagrum.BNDatabaseGenerator(network)
    yield Row("", ours, "pyAgrum drawSamples, mutilated", cpu(lambda: generator.drawSamples(ROWS), 5), 10)
