"""The reward of a graph as a value: how what is seen becomes a number, on which scale, and in which words.

A reward is a success, the worth of its values, or a number. Each kind answers the same questions, so that those who ask need
not know which kind it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from bestdo.causal.number import Number, read_number
from bestdo.causal.scale import Scale
from bestdo.causal.variable import AIMS, Variable
from bestdo.causal.worth import Worth
from bestdo.errors import GraphError
from bestdo.text import counted, quoted

if TYPE_CHECKING:  # graphs are drawn without numpy
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["NumberReward", "Reward", "SuccessReward", "WorthReward"]

_MOST_VARIANCE = 0.25
"""The largest variance of a reward between 0 and 1."""
_ENDS = 0.0, 1.0
_NO_SUCCESS = "no success is named: graph.rewarding(name, success)"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Reward:
    """The purpose of a variable as a reward. Means are those of `of`, on the learners' scale, unless their unit is named.

    This class itself is the reward of a graph that has none: it is only drawn, checked or read.
    """

    @property
    def scale(self) -> Scale:
        """The numbers in the reward's own unit that are 0 and 1 of the learners' means."""
        return Scale(*_ENDS)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest mean that there can be, in the reward's own unit; infinite where there is none."""
        return _ENDS

    @property
    def most_variance(self) -> float:
        """The largest variance of one round, on the learners' scale; infinite where nothing limits it."""
        return _MOST_VARIANCE

    @property
    def middle(self) -> float:
        """The learners' belief about a mean before anything is seen, on their scale."""
        return 0.5

    @property
    def payoffs(self) -> tuple[float, ...]:
        """The number that each value of the variable is worth."""
        return ()

    @property
    def declared(self) -> dict[str, Any]:
        """The fields with which files and other libraries have the reward, in their order."""
        return {}

    @property
    def parts(self) -> tuple[tuple[int, float], ...]:
        """The codes of the values that add to a mean, each with what it adds; a number's one value has its mean."""
        return ()

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the largest mean on the learners' scale, between which a mean lies of which nothing is known."""
        return _ENDS

    @property
    def levels(self) -> int:
        """The number of values of the variable that tables tell apart: two where failures are counted as one."""
        return 2

    @property
    def family(self) -> str:
        """The name of the family of means: how their intervals and posteriors follow from rounds."""
        return "bernoulli"

    @property
    def spread_known(self) -> bool:
        """Whether it is known before the first round how far apart means may be."""
        return True

    @property
    def guessed_before(self) -> bool:
        """Whether a mean before the first round is a learner's guess that people are not shown."""
        return False

    @property
    def about(self) -> dict[str, Any]:
        """The fields of an answer about its means, in JSON; empty where they are chances."""
        return {}

    @property
    def place(self) -> int:
        """The place of success where failures are counted as one value: 0 if it is the first value, otherwise 1."""
        return 1

    @property
    def two_values(self) -> bool:
        """Whether all rewards are 0 or 1 as learners have them."""
        return True

    @property
    def told(self) -> tuple[str, ...]:
        """The variables that must be told in every round: the reward, and what its mean is per unit of."""
        return ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """The values of `told` that are numbers."""
        return ()

    @property
    def unit(self) -> str:
        """The unit of means; empty where there is none."""
        return ""

    @property
    def summed_unit(self) -> str:
        """The unit of sums of rewards; empty where successes are counted."""
        return ""

    @property
    def wanted(self) -> str:
        """The wish for an action, for sentences such as "Which action makes …?"."""
        return ""

    @property
    def stressed(self) -> tuple[str, ...]:
        """The part of what is wanted that a page stresses: which value is success; nothing where no value is."""
        return ()

    @property
    def made(self) -> str:
        """The rest of what is wanted, behind the part that is stressed."""
        return ""

    @property
    def noun(self) -> str:
        """The noun for a mean: a chance, or a mean."""
        return "mean"

    def verdict(self, value: str) -> str:
        """Whether a value is "good" or "bad"; empty where no value is success."""
        return ""

    def mark(self, shortened: Callable[[str], str]) -> str:
        """The aim, under the name of the variable in a drawing, with texts shortened."""
        return ""

    @property
    def explained(self) -> tuple[str, ...]:
        """Sentences about the size of a number, as far as it is stated; none for rewards with finitely many values."""
        return ()

    @property
    def label(self) -> str:
        """The name of a mean, for a heading or an axis: "chance of yield = good", or "mean harvest, t/ha"."""
        return ""

    @property
    def brings(self) -> str:
        """The verb between an action and its mean, for "do(…) … 0.63"."""
        return "brings a mean of"

    @property
    def least_decimals(self) -> int:
        """The fewest decimals with which a mean is shown."""
        return 0

    @property
    def digits(self) -> str:
        """The format of a mean in a sentence."""
        return ".3g"

    @property
    def form(self) -> str:
        """The form of means in tables: as a "share", neither 0 nor 1 where it is not quite, or as a "number"."""
        return "number"

    @property
    def meaning(self) -> str:
        """The meaning of the variable's values, for a sentence."""
        return ""

    def read(self, text: str) -> float:
        """The reward of a round in its own unit, from the value that was told."""
        raise _no_reward()

    def telling(self, code: int) -> int:
        """The code of the value of which sentences tell how often it was seen; this one, where no value is success."""
        return code

    def counted(self, codes: NDArray[np.integer], y: NDArray[np.bool_] | NDArray[np.float64]) -> NDArray[np.integer]:
        """The codes of the variable as tables count them, from its codes and the rewards (int[R] and [R])."""
        return codes

    def total(self, total: float, rounds: int) -> str:
        """The sum of the rewards of some rounds, for "Earned so far: …"."""
        raise _no_reward()

    def of(
        self, codes: NDArray[np.integer], numbers: NDArray[np.float64] | None
    ) -> NDArray[np.bool_] | NDArray[np.float64]:  # [R]
        """The rewards of rounds, as learners have them, from the variable's codes, or from its numbers (float[R])."""
        raise _no_reward()

    def mean_of(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean in the reward's own unit, from the chances of all values (float[…, values])."""
        raise _no_reward()

    def drawn_by(self, samplers: Mapping[type, _T]) -> Mapping[type, _T]:
        """The samplers and loops, among those that draw successes, that can draw this reward: all of them, or none."""
        return {}

    def check(self, values: Mapping[str, str]) -> None:
        """Raises GraphError for values of what must be told (`told`) that make no reward together."""

    def per_unit(self, numbers: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64] | None:
        """The numbers that `of` takes, from those of all variables (float[R] each); None where the reward is no number."""
        return None

    def weight(self, numbers: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64] | None:
        """The weight of each round (float[R]), from the numbers of all variables; None where all rounds are worth 1."""
        return None


@dataclass(frozen=True)
class SuccessReward(Reward):
    """A value of the variable is success, all others are failure."""

    variable: Variable
    value: str

    scale = Scale(*_ENDS)
    brings = "succeeds with probability"
    least_decimals = 2
    digits = ".2f"
    form = "share"

    @property
    def told(self) -> tuple[str, ...]:
        """The reward alone."""
        return (self.variable.name,)

    @cached_property
    def code(self) -> int:
        """The position of success among the values."""
        return self.variable.code(self.value)

    @property
    def place(self) -> int:
        """0 if success is the first value, otherwise 1."""
        return min(self.code, 1)

    @cached_property
    def payoffs(self) -> tuple[float, ...]:
        """1 for success, 0 for failure."""
        return tuple(float(code == self.code) for code in range(len(self.variable.values)))

    @property
    def declared(self) -> dict[str, Any]:
        """The reward and its success."""
        return {"reward": self.variable.name, "success": self.value}

    @property
    def parts(self) -> tuple[tuple[int, float], ...]:
        """Success alone."""
        return ((self.code, 1.0),)

    @property
    def wanted(self) -> str:
        """The value that should be likeliest."""
        return f"{quoted(self.variable.name)} = {quoted(self.value)} likeliest"

    @property
    def stressed(self) -> tuple[str, ...]:
        """The value that is success, for a sentence."""
        return (f"{self.variable.name} = {self.value}",)

    made = "likeliest"
    noun = "chance"

    def mark(self, shortened: Callable[[str], str]) -> str:
        """The value that is success."""
        return f"reward: {shortened(self.value)} = success"

    def verdict(self, value: str) -> str:
        """Success is good, all else is bad."""
        return "good" if value == self.value else "bad"

    @property
    def label(self) -> str:
        """The chance of success."""
        return f"chance of {self.variable.name} = {self.value}"

    @property
    def meaning(self) -> str:
        """The value that is success, for a sentence."""
        return f"{self.value} is success"

    def read(self, text: str) -> float:
        """1 for success, 0 for failure."""
        return self.payoffs[self.variable.code(text)]

    def mean_of(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """The chance of success."""
        success: NDArray[np.float64] = chances[..., self.code]
        return success

    def drawn_by(self, samplers: Mapping[type, _T]) -> Mapping[type, _T]:
        """All of them."""
        return samplers

    def telling(self, code: int) -> int:
        """The code of success."""
        return self.code

    def counted(self, codes: NDArray[np.integer], y: NDArray[np.bool_] | NDArray[np.float64]) -> NDArray[np.integer]:
        """The places of success and failure."""
        import numpy as np

        return np.where(y, self.place, 1 - self.place)

    def total(self, total: float, rounds: int) -> str:
        """The number of successes, and their share."""
        had = f"{total:g} of {counted(rounds, 'round')} had {self.variable.name} = {self.value}"
        return f"{had}, {100 * total / rounds:.0f} %"

    def of(self, codes: NDArray[np.integer], numbers: NDArray[np.float64] | None) -> NDArray[np.bool_]:
        """Whether each round was a success."""
        found: NDArray[np.bool_] = codes == self.code
        return found


@dataclass(frozen=True)
class WorthReward(Reward):
    """The reward where each value of the variable is worth a number."""

    variable: Variable
    worth: Worth
    smaller: bool
    """Whether smaller means are wanted."""

    meaning = "each of its values is worth a number"

    @property
    def told(self) -> tuple[str, ...]:
        """The reward alone."""
        return (self.variable.name,)

    @cached_property
    def payoffs(self) -> tuple[float, ...]:
        """The numbers, in the order of the values."""
        return tuple(number for _, number in self.worth)

    @property
    def declared(self) -> dict[str, Any]:
        """The reward, what each value is worth, and the aim."""
        return {"reward": self.variable.name, "worth": dict(self.worth), "aim": AIMS[self.smaller]}

    @property
    def parts(self) -> tuple[tuple[int, float], ...]:
        """The values that are worth something."""
        return tuple((code, worth) for code, worth in enumerate(self.payoffs) if worth)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the largest worth."""
        return min(self.payoffs), max(self.payoffs)

    @cached_property
    def scale(self) -> Scale:
        """The scale from the worst worth to the best."""
        return Scale(*(self.ends[::-1] if self.smaller else self.ends))

    @property
    def levels(self) -> int:
        """The number of all values."""
        return len(self.variable.values)

    @cached_property
    def two_values(self) -> bool:
        """Whether there are two different numbers."""
        return len(set(self.payoffs)) == 2

    @property
    def family(self) -> str:
        """The family of rewards of 0 and 1 where there are two numbers."""
        return "bernoulli" if self.two_values else "finite"

    @property
    def about(self) -> dict[str, Any]:
        """The reward and the aim."""
        return {"reward": self.variable.name, "unit": self.unit, "aim": AIMS[self.smaller]}

    @property
    def summed_unit(self) -> str:
        """The unit of the variable."""
        return self.variable.unit

    @property
    def wanted(self) -> str:
        """The wish that the worth is large, or small, on average."""
        return f"the worth of {quoted(self.variable.name)} {self.scale.direction.most} on average"

    @property
    def made(self) -> str:
        """All of what is wanted."""
        return self.wanted

    def mark(self, shortened: Callable[[str], str]) -> str:
        """The value that is worth most, or least where that is wanted."""
        best, most = (min, "least") if self.smaller else (max, "most")
        return f"reward: {shortened(best(self.worth, key=lambda pair: pair[1])[0])} is worth {most}"

    @property
    def label(self) -> str:
        """The mean worth."""
        return f"mean worth of {self.variable.name}{', ' + self.summed_unit if self.summed_unit else ''}"

    def read(self, text: str) -> float:
        """The worth of the value."""
        return self.payoffs[self.variable.code(text)]

    def mean_of(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean worth."""
        import numpy as np

        return np.asarray(chances @ np.array(self.payoffs))

    def total(self, total: float, rounds: int) -> str:
        """The sum and the mean."""
        return _mean_of(total, rounds, self.summed_unit)

    def of(self, codes: NDArray[np.integer], numbers: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """The worth of each round, on the learners' scale."""
        import numpy as np

        return np.asarray(self.scale.for_learners(np.array(self.payoffs)[codes]))


@dataclass(frozen=True)
class NumberReward(Reward):
    """The variable is a number, whose mean should be large, or small."""

    variable: Variable
    number: Number
    smaller: bool
    """Whether smaller means are wanted."""

    parts = ((0, 1.0),)
    levels = 1
    guessed_before = True
    two_values = False

    @property
    def family(self) -> str:
        """The family of the kind of number."""
        return self.number.family

    @property
    def spread_known(self) -> bool:
        """Whether the kind of number states its spread."""
        return self.number.usual is not None

    @property
    def told(self) -> tuple[str, ...]:
        """The number, and those that are told with it."""
        return self.variable.name, *self.number.told_with

    @property
    def numbers(self) -> tuple[str, ...]:
        """All of them."""
        return self.told

    def check(self, values: Mapping[str, str]) -> None:
        """The check of the kind of number."""
        self.number.check_told({name: read_number(name, text) for name, text in values.items()})

    def per_unit(self, numbers: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64] | None:
        """The numbers, per unit of what is told with them."""
        own = numbers.get(self.variable.name)
        return None if own is None else self.number.per_unit(own, numbers)

    def weight(self, numbers: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64] | None:
        """The weight by the kind of number."""
        return self.number.weight(numbers)

    @property
    def declared(self) -> dict[str, Any]:
        """The reward and the aim."""
        return {"reward": self.variable.name, "aim": AIMS[self.smaller]}

    @property
    def about(self) -> dict[str, Any]:
        """The reward, its unit and the aim."""
        return {"reward": self.variable.name, "unit": self.unit, "aim": AIMS[self.smaller]}

    @property
    def payoffs(self) -> tuple[float, ...]:
        """The payoffs of values: none, as the values are numbers themselves."""
        raise GraphError(_NO_SUCCESS)

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds that are stated."""
        return self.number.ends

    @cached_property
    def scale(self) -> Scale:
        """The scale from the worst bound to the best. Without bounds 0 is 0, and 1 is twice the stated spread, or 1.

        So a standard deviation is at most 1/2, as that of a reward between 0 and 1, where a spread is stated.
        """
        if self.number.bounds is not None:
            return Scale(*(self.number.bounds[::-1] if self.smaller else self.number.bounds))
        spread = 0.5 if self.number.spread is None else self.number.spread
        return Scale(0.0, (-2 if self.smaller else 2) * spread)

    @property
    def reach(self) -> tuple[float, float]:
        """0 and 1 where both bounds are stated, otherwise infinite."""
        return (-math.inf, math.inf) if self.number.bounds is None else _ENDS

    @property
    def most_variance(self) -> float:
        """Limited by bounds, or by the stated spread."""
        limited = self.number.bounds is not None or self.number.spread is not None
        return _MOST_VARIANCE if limited else math.inf

    @property
    def middle(self) -> float:
        """Half way between the bounds; 0 where one of them is missing."""
        return 0.0 if self.number.bounds is None else 0.5

    @property
    def unit(self) -> str:
        """The unit of the variable, per unit of what is told with it."""
        return self.number.unit_of_mean(self.variable.unit)

    @property
    def summed_unit(self) -> str:
        """The unit of the variable."""
        return self.variable.unit

    @property
    def wanted(self) -> str:
        """The wish that the number is large, or small, on average."""
        return f"{quoted(self.variable.name)} {self.scale.direction.most} on average"

    @property
    def made(self) -> str:
        """All of what is wanted."""
        return self.wanted

    def mark(self, shortened: Callable[[str], str]) -> str:
        """The direction in which the number is wanted."""
        unit = f", {shortened(self.unit)}" if self.unit else ""
        return f"reward{unit}: as {self.scale.direction.much} as possible"

    @property
    def explained(self) -> tuple[str, ...]:
        """The aim, the unit and the bounds, or which learners need more."""
        unit = f" {self.unit}" if self.unit else ""
        aim = f"The aim is to {AIMS[self.smaller]} the mean of {quoted(self.variable.name)}{', in' + unit if unit else ''}"
        if self.number.bounds is not None:
            low, high = self.number.bounds
            return (f"{aim}, which is always from {low:g} to {high:g}{unit}.",)
        if self.number.spread is not None:
            return (f"{aim}, whose standard deviation is at most {self.number.spread:g}{unit}, whatever is done.",)
        return (f"{aim}. Some learners need low and high, or a spread that it does not exceed: none is stated.",)

    @property
    def label(self) -> str:
        """The mean of the variable, with its unit."""
        return f"mean {self.variable.name}{', ' + self.unit if self.unit else ''}"

    @property
    def meaning(self) -> str:
        """The direction in which the number is good, for a sentence."""
        return f"it should be as {self.scale.direction.much} as possible"

    def read(self, text: str) -> float:
        """The number."""
        return self.number.read(self.variable.name, text)

    def mean_of(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """A number has no chances of values: raises GraphError."""
        raise GraphError(_NO_SUCCESS)

    def total(self, total: float, rounds: int) -> str:
        """The sum and the mean, with their unit."""
        return _mean_of(total, rounds, self.summed_unit)

    def of(self, codes: NDArray[np.integer], numbers: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """The numbers of the rounds, on the learners' scale."""
        assert numbers is not None, "a reward that is a number is not among the values"
        found: NDArray[np.float64] = self.scale.for_learners(numbers)
        return found


def _no_reward() -> GraphError:
    return GraphError("no reward is named: graph.rewarding(name, success)")


def _mean_of(total: float, rounds: int, unit: str) -> str:
    """A sum with its mean and its unit."""
    unit = f" {unit}".rstrip()
    return f"{total:.4g}{unit} in {counted(rounds, 'round')}, {total / rounds:.4g}{unit} on average"
