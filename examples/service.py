"""A service that answers too slowly: a number to make small, a limit on timeouts, and a log for MLflow.

    python examples/service.py [FOLDER]

Windows of ten minutes are drawn from the tables of service.toml, which are made up. FOLDER (out/ when not given) gets
the study, service.db. Where mlflow is installed, the rounds are logged to it as well.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
from simulated import draw, fresh, show

import bestdo

SERVICE = Path(__file__).with_suffix(".toml")
WINDOWS = 0  # the seed of the windows
ROUNDS = 150
ENDS = {"traffic": (50.0, 600.0), "hits": (0.0, 95.0), "queue": (0.0, 40.0)}


def log_to_mlflow(study: bestdo.Study) -> None:
    """Logs the rounds of a study, its recommendation and its log as one run of MLflow."""
    import mlflow

    with mlflow.start_run(run_name=study.name):
        for row in study.rounds():
            if row["status"] == "told":
                latency = float(row["values"]["latency"])
                mlflow.log_metric("latency", latency, step=row["number"])
        best = study.best()
        mlflow.log_params({"learner": study.status()["learner"], "keep": str(best.action)})
        mlflow.log_metrics({"mean": best.mean, "low": best.low, "high": best.high})
        mlflow.log_dict({"history": study.history()}, "history.json")


def main(folder: str = "out") -> None:
    """Plays the windows, and says what to keep."""
    service, rng = bestdo.compose(SERVICE), np.random.default_rng(WINDOWS)
    study = bestdo.Study.create(SERVICE, rounds=ROUNDS, storage=fresh(folder, "service"))
    for _ in range(ROUNDS):
        (asked,) = study.ask("canary")
        (seen,) = draw(service.model, asked.action, rng, ends=ENDS)
        study.tell(asked.number, seen)
    show(study, service.model)
    if importlib.util.find_spec("mlflow"):
        log_to_mlflow(study)


if __name__ == "__main__":
    main(*sys.argv[1:])
