"""The optimal design for differences between actions (the XY design of linear bandits).

Where `optimal.py` makes the largest variance of an action's mean small, this makes the largest variance of a difference
between two contenders small: max over pairs (a, b) of sum_x (P_a(x) - P_b(x))^2 / Q(x). That is the criterion of
`matrix.py` with other numerators, so the method of `interior.py` applies, and so does its proof, which holds for any
numerators.
"""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats
from bestdo.design.interior import Minimum
from bestdo.design.matrix import design_of_numerators

__all__ = ["design_of_differences"]


# The relative gap at which the search stops. A learner computes such a design in every phase, and rounds it to whole
# plays, so that more digits would be lost; not measured.
_TOLERANCE = 1e-4
# Squared differences of probabilities up to this (differences up to 1e-9) count as 0: rounding.
_NOTHING = 1e-18


def design_of_differences(law: Floats, judged: Floats) -> Minimum:
    """The design over the rows of `law` (float[B, X]) whose largest variance of a difference of `judged` is least.

    judged: float[K, X], the laws of the contenders. A row of `law` may be scaled: divided by an action's price, the
    design says how to split money instead of rounds. Where no two contenders differ, any design does: all rows equally.
    """
    one, two = np.triu_indices(len(judged), 1)
    square = (judged[one] - judged[two]) ** 2
    square = square[square.max(axis=1, initial=0.0) > _NOTHING]
    return design_of_numerators(law, square, _TOLERANCE, _NOTHING)
