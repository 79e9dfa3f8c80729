"""Learners side by side on people's own models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bestdo.bandit.learner import Learner
from bestdo.errors import BestdoError, NotValid, TooLarge
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.simulate import Prior, World, play

__all__ = ["Refusal", "comparison"]


class Refusal(NamedTuple):
    """A learner that does not work on a problem, and why."""

    world: str
    learner: str
    rounds: tuple[float, ...]
    """The horizons at which it refuses; all of them, as a rule."""
    reason: str

    def __str__(self) -> str:
        where = f" on {self.world}" if self.world else ""
        return f"{self.learner} is left out{where}: {self.reason}"


def comparison(
    worlds: Mapping[str, World | Prior],
    learners: Mapping[str, Learner[Any]],
    rounds: Sequence[float],
    name: str = "compare",
) -> tuple[Experiment, list[Refusal]]:
    """Every learner in every world for every number of rounds, but for the learners that refuse, with their reasons.

    Each learner is tried on one lane to find out.
    """
    settings, refused = [], []
    for panel, world in worlds.items():
        left_out: dict[str, dict[float, str]] = {}
        for label, learner in learners.items():
            reasons: dict[float, str] = {t: reason for t in rounds if (reason := _refuses(world, learner, label, t))}
            if reasons:
                left_out[label] = reasons
                refused.append(Refusal(panel, label, tuple(reasons), next(iter(reasons.values()))))
        for t in rounds:
            out = frozenset(label for label, reasons in left_out.items() if t in reasons)
            settings.append(Setting(t, world, t, panel=panel, left_out=out))
    if all(s.left_out.issuperset(learners) for s in settings):
        raise NotValid("no learner is left:\n" + "\n".join(map(str, refused)))
    experiment = Experiment(
        name=name,
        title="Regret by the number of rounds",
        x_label="T, the number of rounds",
        settings=tuple(settings),
        learners=learners,
    )
    return experiment, refused


def _refuses(world: World | Prior, learner: Learner[Any], label: str, horizon: float) -> str:
    """Why the learner does not work here, or nothing."""
    try:
        play(world, learner, horizon, 1, np.random.default_rng(0))
    except (NotValid, TooLarge) as error:
        return str(error)
    except BestdoError:
        raise
    except Exception as error:
        raise BestdoError(
            f"{label} failed: {error!r}; bestdo.testing.check_learner tells what is wrong with a learner"
        ) from error
    return ""
