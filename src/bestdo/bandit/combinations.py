"""The table of combinations: pairs of features that are refused, each with its sentence. Every other pair works.

Each refusal of a combination is raised with a sentence of this table, `docs/reference/combinations.md` shows it, and
`tests/matrix` tries every pair.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["FEATURES", "REFUSALS", "Feature", "Refusal", "pairs"]


class Feature(NamedTuple):
    """A feature of a problem or of a study."""

    name: str
    """In tables."""
    about: str
    """In words."""
    instead: str = ""
    """The question that it answers: a study has one of the features that answer a question; empty: it goes beside any."""
    case_of: frozenset[Feature] = frozenset()
    """The feature of which it is a special case: whatever is refused of that one is refused of it."""


SUCCESS = Feature("success", "the reward has a value that is a success", "reward")
WORTH = Feature("worth", "the values of the reward have a worth", "reward")
NUMBER = Feature("number", "the reward is a number between bounds", "reward")
UNBOUNDED = Feature(
    "number without bounds", "the reward is a number without `low`, `high` and `spread`", "reward", frozenset((NUMBER,))
)
COUNT = Feature(
    "count", "the reward is a count of events, per unit of an exposure or not", "reward", frozenset((NUMBER, UNBOUNDED))
)
CONTEXTS = Feature("contexts", "variables are seen before the action is chosen (`first`)")
LIMITS = Feature("limits", "other outcomes must stay within bounds (`[[limits]]`)")
ALWAYS = Feature(
    "limits while exploring", "a limit holds in every round, too (`always = true`)", case_of=frozenset((LIMITS,))
)
EARN = Feature("earn", 'every round counts (`goal = "earn"`)')
DOUBTS = Feature("doubts", "arrows are in doubt (`a ?-> b`)")
DOUBTS_AT_REWARD = Feature(
    "doubts at the reward", "an arrow at the reward itself is in doubt", case_of=frozenset((DOUBTS,))
)
COSTS = Feature("costs", "actions have costs, and the study a budget")
TABLES = Feature("tables", "how often the values of all variables but the reward occur is known (`[tables]`, `[law]`)")
HIDDEN = Feature("hidden cause", "a direct cause of the reward is hidden")
NO_WATCHING = Feature("no do()", "`do()`, which sets nothing, is not among the actions")
LATE = Feature("late results", "rounds are asked for before the results of others are told", "results")
AT_ONCE = Feature("at once", "a limit on the rounds that may be out at once (`at_once`)")
WAIT = Feature("wait", "a block begins when all results of the last one are known (`wait`)", "results")
UNTIL_SURE = Feature("until sure", "the study stops when one action is the best with a confidence (`until_sure`)")
OLD_DATA = Feature("old data", "rounds from before the study are counted (`observe`)")
BLOCKS = Feature("blocks", "a learner plans several rounds at a time (its parameter `block`)", "learner")
PLAIN_LEARNER = Feature(
    "plain learner", "a learner that does not choose by context, such as successive-rejects", "learner"
)
LAW_LEARNER = Feature(
    "learner by the law",
    "a learner that needs the law of the reward's parents, such as algorithm-2",
    "learner",
    frozenset((PLAIN_LEARNER,)),
)
FIXED_PLAN = Feature("fixed plan", "all rounds are decided beforehand (`design`)")

FEATURES = (
    *(SUCCESS, WORTH, NUMBER, UNBOUNDED, COUNT),
    *(CONTEXTS, LIMITS, ALWAYS, EARN, DOUBTS, DOUBTS_AT_REWARD, COSTS, TABLES, HIDDEN, NO_WATCHING),
    *(LATE, AT_ONCE, WAIT, UNTIL_SURE, OLD_DATA, BLOCKS, PLAIN_LEARNER, LAW_LEARNER, FIXED_PLAN),
)
"""All features, in the order of the table."""
_OF_A_STUDY = frozenset((LATE, AT_ONCE, WAIT, UNTIL_SURE, BLOCKS, PLAIN_LEARNER, LAW_LEARNER))
"""Features of how a study is played: a fixed plan is decided beforehand, and has none of them."""


class Refusal(NamedTuple):
    """Two features that do not go together."""

    one: Feature
    other: Feature
    sentence: str
    """The error; {} are what the person called things."""
    example: tuple[str, ...] = ()
    """Names in the sentence, as an example."""
    where: str = ""
    """The only place where the pair is refused; empty: everywhere."""

    def about(self, one: Feature, other: Feature) -> bool:
        """Whether it refuses these two, in the order of the table, perhaps as special cases."""
        return self.one in {one, *one.case_of} and self.other in {other, *other.case_of}

    def why(self, *named: object) -> str:
        """The error, with what the person called things."""
        return self.sentence.format(*named)

    @property
    def shown(self) -> str:
        """The error with the names of an example."""
        return self.why(*self.example)


FIRST_AND_WAIT = Refusal(
    CONTEXTS,
    WAIT,
    "a study in which {} is seen first cannot wait for phases: each round is chosen when its context is seen; leave out "
    "wait, or say how many may be out at once (at_once)",
    ("'ward'",),
)
FIRST_AND_BLOCKS = Refusal(
    CONTEXTS,
    BLOCKS,
    "a round is chosen when its context is seen: several rounds cannot be planned at once (block)",
)
FIRST_AND_PLAIN_LEARNER = Refusal(
    CONTEXTS,
    PLAIN_LEARNER,
    "this learner does not look at what is seen first ({}) before it chooses: take {}, or leave out what is seen first",
    ("'ward'", "causal-top-two or top-two"),
)
FIRST_AND_PLAN = Refusal(
    CONTEXTS,
    FIXED_PLAN,
    "a fixed plan is made before anything is seen, and here {} is seen before each action is chosen; begin a study, or "
    "leave out what is seen first",
    ("'ward'",),
)
LIMITS_AND_SURE = Refusal(
    LIMITS,
    UNTIL_SURE,
    "with limits a study cannot stop because it is sure: the proof is of which action is the best, whatever limits it "
    "breaks; give a number of rounds",
)
ALWAYS_AND_PLAIN_LEARNER = Refusal(
    ALWAYS,
    PLAIN_LEARNER,
    "a limit holds while exploring, too (always), and this learner cannot do without the actions that may break it: take "
    "causal-top-two, top-two, causal-thompson or thompson, or leave out always",
)
ALWAYS_AND_PLAN = Refusal(
    ALWAYS,
    FIXED_PLAN,
    "a fixed plan is made before anything is known of limits, and one holds while exploring, too (always): begin a study, or "
    "leave out always",
)
UNBOUNDED_AND_SURE = Refusal(
    UNBOUNDED,
    UNTIL_SURE,
    "{} needs bounds of the reward {}: say {} of it{}",
    ("being sure at a chosen confidence", "'harvest'", "low and high", ""),
)
NUMBER_AND_DOUBTS = Refusal(
    NUMBER,
    DOUBTS_AT_REWARD,
    "{} is a number, and rounds cannot weigh a doubtful arrow at a number yet: {} would stay as probable as you said, "
    "whatever is seen. Write {}, which allows for it and assumes the least, or leave it out",
    ("'harvest'", "soil ?-> harvest", "soil -> harvest"),
)
NUMBER_AND_DOUBTS_BELOW = Refusal(
    NUMBER,
    DOUBTS_AT_REWARD,
    "arrows into {} are in doubt, and it is a number: not weighed yet",
    ("'harvest'",),
    where="a learner's start, with a problem made in Python",
)
DOUBTS_AND_TABLES = Refusal(
    DOUBTS,
    TABLES,
    "the law of the reward's parents belongs to one graph, and arrows are in doubt: leave one of them out",
)
DOUBTS_AND_TABLES_IN_FILE = Refusal(
    DOUBTS,
    TABLES,
    "[{}] belongs to one graph, and arrows are in doubt here: leave it out, or decide the arrows",
    ("tables",),
)
DOUBTS_AND_LAW_LEARNER = Refusal(
    DOUBTS,
    LAW_LEARNER,
    "{} needs the law of the reward's parents, which belongs to one graph, and arrows are in doubt",
    ("Algorithm 2",),
)
HIDDEN_AND_LAW_LEARNER = Refusal(
    HIDDEN,
    LAW_LEARNER,
    "{} needs to see all parents of the reward, and {} is hidden",
    ("Algorithm 2", "'soil'"),
)
DOUBTS_AND_PLAN = Refusal(
    DOUBTS,
    FIXED_PLAN,
    "a fixed plan rests on one graph, and arrows are in doubt; a study that decides round by round keeps every possible "
    "graph",
)
HIDDEN_AND_PLAN = Refusal(
    HIDDEN,
    FIXED_PLAN,
    "a fixed plan needs to see all direct causes of {}, and {} is hidden; a study that decides round by round does not",
    ("'harvest'", "'soil'"),
)
HIDDEN_AND_NUMBER = Refusal(
    NUMBER,
    HIDDEN,
    "worlds that agree with rounds cannot be drawn where the reward is a number and a cause is hidden ({}); worlds before "
    "any round can",
    ("'soil'",),
    where="rehearsing a study that has begun",
)
HIDDEN_AND_DOUBTS = Refusal(
    DOUBTS,
    HIDDEN,
    "worlds that agree with rounds cannot be drawn for these doubts, as a hidden variable may cause the reward; worlds "
    "before any round can",
    where="rehearsing a study that has begun",
)
OLD_DATA_WITHOUT_WATCHING = Refusal(
    NO_WATCHING,
    OLD_DATA,
    "old data are rounds of do(), and the {} does not allow the action do()",
    ("problem",),
)

REFUSALS = (
    *(FIRST_AND_WAIT, FIRST_AND_BLOCKS, FIRST_AND_PLAIN_LEARNER, FIRST_AND_PLAN),
    *(
        LIMITS_AND_SURE,
        ALWAYS_AND_PLAIN_LEARNER,
        ALWAYS_AND_PLAN,
        UNBOUNDED_AND_SURE,
        NUMBER_AND_DOUBTS,
        NUMBER_AND_DOUBTS_BELOW,
    ),
    *(DOUBTS_AND_TABLES_IN_FILE, DOUBTS_AND_TABLES, DOUBTS_AND_PLAN, DOUBTS_AND_LAW_LEARNER, HIDDEN_AND_LAW_LEARNER),
    *(HIDDEN_AND_PLAN, HIDDEN_AND_NUMBER, HIDDEN_AND_DOUBTS),
    OLD_DATA_WITHOUT_WATCHING,
)
"""All refusals."""


def pairs() -> Iterator[tuple[Feature, Feature, tuple[Refusal, ...]]]:
    """Every two features that a person can ask for together, with what is refused of them; nothing where they work."""
    for one, other in itertools.combinations(FEATURES, 2):
        instead = one.instead and one.instead == other.instead
        if not instead and not (other == FIXED_PLAN and one in _OF_A_STUDY):
            yield one, other, tuple(refusal for refusal in REFUSALS if refusal.about(one, other))
