"""Designs by a formula instead of optimisation: the paper's, and the one in its authors' code."""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.causal.action import do
from bestdo.design.difficulty import difficulty
from bestdo.errors import NotValid

__all__ = ["authors_design", "difficulty_of_authors", "handmade_design", "natural_chances"]


def natural_chances(problem: Problem) -> Floats:  # float[A]
    """The probability that the values an action sets occur when nothing is set, for actions on the reward's parents."""
    law, actions = problem.law, problem.actions
    if do() not in actions:
        raise NotValid("a design made by hand needs the action do(), which the problem does not allow")
    chances = np.ones(len(actions))
    for i, action in enumerate(actions):
        if law is None or not set(action) <= set(law.parents):
            raise NotValid(
                f"a design made by hand needs a known law, and actions on the reward's parents only: {action}"
            )
        chances[i] = law.natural_chance(action)
    return chances


def handmade_design(problem: Problem) -> Floats:  # float[A]
    """The paper's design (section 4): 1/2 on do() and 1/(2m) on each action that is naturally rarer than 1/m.

    The paper says "at most 1/m", with which the masses can exceed 1 (q = 1/2); the proofs need "less than". What is
    left over, when fewer than m are rare, goes to do().
    """
    chances = natural_chances(problem)
    watching = problem.actions.index(do())
    m = int(difficulty(np.delete(chances, watching)))
    eta = np.where(chances < 1 / m, 1 / (2 * m), 0.0)
    eta[watching] = 0
    eta[watching] = 1 - eta.sum()
    return eta


def difficulty_of_authors(p: Floats) -> Ints:  # float[..., A] -> int[...]
    """The difficulty m in the authors' code: the first 0-based place i in the sorted chances with p >= 1/(i+1)."""
    ordered = np.sort(p, axis=-1)
    return np.asarray(np.argmax(ordered >= 1 / np.arange(1, p.shape[-1] + 1), axis=-1))


def authors_design(problem: Problem) -> Floats:  # float[A]
    """The design of the authors' code: 1/2 on do() and 1/(2m) on each of the m rarest actions."""
    chances = natural_chances(problem)
    m = int(difficulty_of_authors(chances))
    eta = np.zeros(len(chances))
    eta[np.argsort(chances, kind="stable")[:m]] = 1 / (2 * max(m, 1))
    eta[problem.actions.index(do())] += 1 - eta.sum()
    return eta
