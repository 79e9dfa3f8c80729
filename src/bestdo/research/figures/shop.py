"""A web shop as people have it: joint settings, contexts, mostly zeros, a limit and delays; beside a plain regression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.bandit.goal import EARN, FIND, Goal
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title, title
from bestdo.research.figures.shop_slots import SLOTS, VISITORS, WAYS, play_slots
from bestdo.research.worlds.shop import segments_of_shop, shop, shop_for_everybody
from bestdo.simulate import World

__all__ = ["ShopStudy", "experiment", "measure", "shop_study"]

_LATE = 4
"""The number of slots after which results are known, where they are late."""
_FIND = ("causal-top-two", "regression-top-two", "regression-thompson", "thompson")
_EARN = ("causal-thompson", "regression-thompson", "thompson")
_SHOPS: Mapping[str, Mapping[str, bool]] = {
    "no limit": {"limited": False},
    "limit, late results": {"limited": True},
    "no limit, a cause more": {"limited": False, "hour": True},
}


@dataclass(frozen=True, eq=False, kw_only=True)
class ShopStudy(World):
    """The shop, visitor by visitor, and how a study plays it."""

    asked: Problem
    """The problem as the study has it."""
    way: str
    """The way in which visitors are asked for, one of `WAYS`."""
    late: int = 0
    """The number of slots after which results are known."""

    @property
    def broken(self) -> Bools:  # bool[C, A]
        """The actions that break the limit: in each context, or for everybody where rounds are whole slots."""
        each = self.breaks_by_context
        return each if self.asked.first else np.broadcast_to(self.breaks, each.shape)

    @property
    def most(self) -> float:
        """The value of the best rule that keeps the limit; of the best single action where rounds are whole slots."""
        means, shares = self.means_by_context
        allowed = np.where(self.broken, -np.inf, means)
        return float((shares * allowed.max(axis=1)).sum() if self.asked.first else (shares @ allowed).max())


def shop_study(way: str, goal: Goal, *, limited: bool, hour: bool = False, late: int = 0) -> ShopStudy:
    """A study of the shop."""
    one = shop(goal, limited, hour=hour)
    asked = {
        "visitor by visitor": lambda: one.problem,
        "by segment": lambda: segments_of_shop(goal, limited, hour=hour).problem,
        "one action a slot": lambda: shop_for_everybody(goal, limited),
    }[way]()
    return ShopStudy(one.problem, one.model, asked=asked, way=way, late=late)


def experiment() -> Experiment:
    """Three ways to play, without a limit, with one and late results, and with a cause more than tables have room for."""
    learners = by_title(*dict.fromkeys(_FIND + _EARN))
    settings = []
    for way, (_, rounds) in WAYS.items():
        for words, given in _SHOPS.items():
            if way == "one action a slot" and "hour" in given:
                continue  # the means of whole slots show no hour
            for goal, names in ((FIND, _FIND), (EARN, _EARN)):
                study = shop_study(way, goal, late=_LATE if given["limited"] else 0, **given)
                left_out = frozenset(set(learners) - {title(name) for name in names})
                settings.append(Setting(str(goal), study, rounds, f"{way}, {words}", {"most": study.most}, left_out))
    return Experiment(
        name="shop",
        title="A shop with 36 settings and 6 contexts: what is kept, in euros for each visitor",
        x_label="goal",
        settings=tuple(settings),
        learners=learners,
        caption=f"{SLOTS} slots of {VISITORS} visitors, 20,000 old visits; results come {_LATE} slots late where it is said",
        y="kept",
        y_error="kept_error",
        y_label="true value of the rule kept",
        measure=measure,
    )


def measure(
    world: ShopStudy, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """The true value of what is kept and of what was played; the share of people for whom the limit is broken, and said kept.

    `none` is the share of people of whom the study says that no action keeps the limit, `broken_meanwhile` that of visitors
    who met an action that breaks it while the study ran.
    """
    ended = play_slots(
        world, world.broken, world.asked, world.way, learner, lanes, rng, late=world.late, horizon=horizon
    )
    means, shares = world.means_by_context
    contexts = np.arange(len(shares))
    broken = world.broken[contexts, ended.rule] & ended.within
    return {
        "kept": (shares * means[contexts, ended.rule]).sum(axis=1),
        "earned": ended.earned,
        "broken": (shares * broken).sum(axis=1),
        "none": (shares * ~ended.within).sum(axis=1),
        "broken_meanwhile": ended.broken,
    }
