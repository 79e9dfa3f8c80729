"""The exact means of all single-variable actions on the alarm network."""

from collections.abc import Iterator

from benchmarks import networks
from benchmarks.timing import Row, cpu
from bestdo import Actions
from bestdo.causal import inference

REWARD, SUCCESS = "CATECHOL", "NORMAL"  # of the two-valued variables the one with most ancestors


def rows() -> Iterator[Row]:
    from pgmpy.inference import VariableElimination

    model = networks.ours("alarm", REWARD, SUCCESS).model
    assert model is not None
    actions = Actions.single(model.graph)

    def ours_cold() -> None:
        inference._steps.cache_clear()
        model.means(actions)

    ours = cpu(ours_cold)
    theirs = networks.pgmpys("alarm")

    def pgmpys() -> None:
        for action in actions:
            cut = theirs.do(list(action)) if action else theirs
            VariableElimination(cut).query([REWARD], evidence=dict(action), show_progress=False)

    what = f"means of {len(actions)} actions on alarm"
    yield Row(what, ours, "0.3 s allowed", 0.3, 1)
    yield Row("", ours, "pgmpy variable elimination", cpu(pgmpys, 1), 100)
