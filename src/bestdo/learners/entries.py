"""The records of the library about each learner besides its code, by name."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LEARNERS", "Entry"]

_SEEING = "problems where seeing is as good as doing for every action"
_LAW = "problems whose law of the reward's parents is known"
_SINGLE = "problems with do() whose other actions set one variable each"
_GRID = "problems whose actions hold every setting of all variables that matter"
_SHAH = "Shahverdikondori, Etesami & Kiyavash, AISTATS 2026"
_MALEK = "Malek, Aglietti & Chiappa, ICML 2023"
_BOTH = ("find", "earn")
_ALL_SEEN = "problems in which no hidden variable causes the reward"
_SINGLE_SEEN = "problems with rewards of two values, single actions and nothing hidden"
_LISTED = "problems whose law of the reward's parents is known and can be listed"
_LINEAR = "problems with two-valued causes of the reward, none of them hidden, and no negative effects"
_LATTIMORE = "Lattimore, Lattimore & Reid, NIPS 2016"
_SEN = "Sen, Shanmugam, Dimakis & Shakkottai, ICML 2017"
_YABE = "Yabe, Hatano, Sumita, Ito, Kakimura, Fukunaga & Kawarabayashi, ICML 2018"
_AUER = "Auer, Cesa-Bianchi & Fischer, Machine Learning 2002"
_LU = "Lu, Meisami, Tewari & Yan, UAI 2020"
_BILODEAU = "Bilodeau, Wang & Roy, NeurIPS 2022"
_FENG = "Feng & Chen, AAAI 2023"
_NAIR = "Nair, Patil & Sinha, AISTATS 2021"


class Entry(NamedTuple):
    """Everything that the library records about a learner besides its code."""

    where: str
    """`module:Class`, or `module:Class.preset` for a class method that returns it."""
    title: str
    """The learner's full name in tables and pictures. Random streams are seeded by it: never change it."""
    look: tuple[str, str] | None = None
    """The learner's colour (from palettes for colour-blind readers: Okabe & Ito's, top-two's from Tol's) and marker; None:
    any that are free."""
    problems: str = "every problem"
    """The problems that the learner is valid for, in words; its `start` refuses others."""
    goals: tuple[str, ...] = ("find",)
    """The goals of a problem that the learner serves: `find` the best action, or `earn` while learning which it is."""
    contexts: bool = False
    """Whether the learner chooses by context."""
    paper: str = ""
    """The publication: authors, venue and year; empty for learners of this library."""
    warning: str = ""
    """The difference from the paper and its effect, for a preset that repeats an error of published code, or a choice without
    a proof, so that old numbers can be explained."""


LEARNERS: dict[str, Entry] = {
    "algorithm-1": Entry(
        "bestdo.learners.algorithm_1:ParallelBandit",
        "Algorithm 1",
        ("#0072B2", "o"),
        problems=_SEEING,
        paper=_LATTIMORE,
    ),
    "algorithm-1-as-in-paper": Entry(
        "bestdo.learners.algorithm_1:ParallelBandit.as_in_paper",
        "Algorithm 1 as in the paper",
        ("#56B4E9", "p"),
        problems=_SEEING,
        paper=_LATTIMORE,
    ),
    "algorithm-1-as-in-authors-code": Entry(
        "bestdo.learners.algorithm_1:ParallelBandit.as_in_authors_code",
        "Algorithm 1 as in the authors' code",
        ("#000000", "h"),
        problems=_SEEING,
        paper=_LATTIMORE,
        warning="m̂ is counted over all actions and the m̂ rarest are played, where the paper counts variables and plays those "
        "with p̂ ≤ 1/m̂: no proof covers it; in the paper's parallel worlds both play the same actions, in others not always",
    ),
    "algorithm-1-rejects": Entry(
        "bestdo.research.learners.algorithm_1_rejects:RejectingParallelBandit",
        "Algorithm 1 with rejects",
        problems=_SEEING,
    ),
    "algorithm-2": Entry(
        "bestdo.learners.algorithm_2:GeneralAlgorithm", "Algorithm 2", ("#D55E00", "s"), problems=_LAW, paper=_LATTIMORE
    ),
    "algorithm-2-as-in-paper": Entry(
        "bestdo.learners.algorithm_2:GeneralAlgorithm.as_in_paper",
        "Algorithm 2 as in the paper",
        ("#000000", "*"),
        problems=_LAW,
        paper=_LATTIMORE,
    ),
    "algorithm-2-as-in-authors-code": Entry(
        "bestdo.learners.algorithm_2:GeneralAlgorithm.as_in_authors_code",
        "Algorithm 2 as in the authors' code",
        ("#E69F00", "D"),
        problems=_LAW,
        paper=_LATTIMORE,
        warning="a choice more than an error: no weight is cut off, where the paper cuts at B, so that its proof does "
        "not cover it; of equal means the first is kept, on the best action's side, which lowers the regrets of its figures",
    ),
    "algorithm-2-clip-as-in-authors-code": Entry(
        "bestdo.learners.algorithm_2:GeneralAlgorithm.clipped_as_in_authors_code",
        "Algorithm 2 as in the authors' code, with clipped weights",
        problems=_LAW,
        paper=_LATTIMORE,
        warning="weights above B count as B, the default of the authors' code; the paper counts them as 0, its figures fully",
    ),
    "algorithm-2-phases": Entry(
        "bestdo.research.learners.algorithm_2_phases:GeneralAlgorithmInPhases", "Algorithm 2 in phases", problems=_LAW
    ),
    "gamma-nb": Entry("bestdo.research.learners.gamma_nb:GammaNB", "gamma-NB", problems=_SEEING, paper=_NAIR),
    "srm": Entry("bestdo.research.learners.srm:SRM", "SRM", problems=_SINGLE, paper="Maiti, Nair & Sinha, UAI 2022"),
    "confounded-budgeted": Entry(
        "bestdo.research.learners.confounded_budgeted:ConfoundedBudgeted",
        "Confounded budgeted",
        problems=_SINGLE,
        paper="Jamshidi, Etesami & Kiyavash, CLeaR 2024",
    ),
    "sris": Entry("bestdo.research.learners.sris:SRIS", "SRIS", problems=_LISTED, paper=_SEN),
    "sris-v1": Entry("bestdo.research.learners.sris:SRIS.v1", "SRIS v1", problems=_LISTED, paper=_SEN),
    "propagating-inference": Entry(
        "bestdo.research.learners.propagating_inference:PropagatingInference",
        "Propagating inference",
        problems=_ALL_SEEN,
        paper=_YABE,
    ),
    "propagating-inference-as-published-with-error": Entry(
        "bestdo.research.learners.propagating_inference:PropagatingInference.as_published_with_error",
        "Propagating inference as a baseline, with its error",
        problems=_ALL_SEEN,
        paper=_YABE,
        warning="two thirds of the rounds play the likeliest action of each state of each variable's causes equally often "
        "in place of the design of the paper: as the baseline in the code of Sawarni et al. (UAI 2023) does",
    ),
    "covering": Entry(
        "bestdo.research.learners.covering:Covering",
        "Covering interventions",
        problems=_ALL_SEEN,
        paper="Sawarni, Madhavan, Sinha & Barman, UAI 2023",
    ),
    "uniform": Entry("bestdo.learners.uniform:Uniform", "Uniform", ("#7F7F7F", "v"), contexts=True),
    "watching": Entry("bestdo.learners.uniform:Watching", "Watching", ("#7F7F7F", "d"), problems=_SEEING),
    "watch-then-act": Entry("bestdo.learners.watch_then_act:WatchThenAct", "Watch, then act"),
    "successive-rejects": Entry(
        "bestdo.learners.successive_rejects:SuccessiveRejects",
        "Successive Rejects",
        ("#009E73", "^"),
        paper="Audibert & Bubeck, COLT 2010",
    ),
    "sequential-halving": Entry(
        "bestdo.learners.sequential_halving:SequentialHalving",
        "Sequential Halving",
        ("#CC79A7", "D"),
        paper="Karnin, Koren & Somekh, ICML 2013",
    ),
    "successive-elimination": Entry(
        "bestdo.learners.successive_elimination:SuccessiveElimination",
        "Successive Elimination",
        ("#009E73", ">"),
        paper="Even-Dar, Mannor & Mansour, JMLR 2006",
    ),
    "successive-elimination-as-published-with-error": Entry(
        "bestdo.learners.successive_elimination:SuccessiveElimination.as_published_with_error",
        "Successive Elimination as published, with its error",
        paper=_MALEK,
        warning="it never eliminates: those that stay are written into one variable and read from another",
    ),
    "ucb": Entry("bestdo.learners.ucb:UCB", "UCB", ("#E69F00", "X"), goals=_BOTH, paper=_AUER, contexts=True),
    "ucb1": Entry(
        "bestdo.learners.ucb:UCB.ucb1", "UCB1", ("#999933", "X"), goals=("earn",), paper=_AUER, contexts=True
    ),
    "kl-ucb": Entry(
        "bestdo.learners.kl_ucb:KLUCB",
        "kl-UCB",
        ("#44AA99", "X"),
        goals=("earn",),
        paper="Garivier & Cappé, COLT 2011",
        contexts=True,
    ),
    "c-ucb": Entry(
        "bestdo.research.learners.c_ucb:CUCB", "C-UCB", ("#D55E00", "X"), problems=_LISTED, goals=_BOTH, paper=_LU
    ),
    "c-ucb-2": Entry(
        "bestdo.research.learners.c_ucb_2:CUCB2", "C-UCB-2", ("#CC6677", "X"), _LISTED, ("earn",), paper=_NAIR
    ),
    "c-ts": Entry("bestdo.research.learners.c_ts:CTS", "C-TS", ("#332288", "P"), _LISTED, ("earn",), paper=_LU),
    "crm": Entry("bestdo.research.learners.crm:CRM", "CRM", ("#117733", "X"), _SEEING, ("earn",), paper=_NAIR),
    "hac-ucb": Entry(
        "bestdo.research.learners.hac_ucb:HACUCB",
        "HAC-UCB",
        ("#AA4499", "X"),
        _LISTED,
        ("earn",),
        paper=_BILODEAU,
    ),
    "bglm-ofu": Entry(
        "bestdo.research.learners.bglm_ofu:BGLMOFU", "BGLM-OFU", problems=_LINEAR, goals=("earn",), paper=_FENG
    ),
    "bglm-ofu-as-in-authors-code": Entry(
        "bestdo.research.learners.bglm_ofu:BGLMOFU.as_in_authors_code",
        "BGLM-OFU as in the authors' code",
        problems=_LINEAR,
        goals=("earn",),
        paper=_FENG,
        warning="a tenth of the paper's radius, which no proof covers, and no constant in the model of the reward; "
        "the parameter scale has the radius alone",
    ),
    "blm-lr": Entry("bestdo.research.learners.blm_lr:BLMLR", "BLM-LR", problems=_LINEAR, goals=("earn",), paper=_FENG),
    "blm-lr-as-in-authors-code": Entry(
        "bestdo.research.learners.blm_lr:BLMLR.as_in_authors_code",
        "BLM-LR as in the authors' code",
        problems=_LINEAR,
        goals=("earn",),
        paper=_FENG,
        warning="a tenth of the paper's radius, which no proof covers, and no constant in the model of the reward; "
        "the parameter scale has the radius alone",
    ),
    "corral": Entry(
        "bestdo.research.learners.corral:Corral",
        "Corral",
        problems=_LISTED,
        goals=("earn",),
        paper="Agarwal, Luo, Neyshabur & Schapire, COLT 2017",
    ),
    "corral-as-published-with-error": Entry(
        "bestdo.research.learners.corral:Corral.as_published_with_error",
        "Corral as published, with its error",
        problems=_LISTED,
        goals=("earn",),
        paper=_BILODEAU,
        warning="p (1 - γ) × γ/2 in place of p (1 - γ) + γ/2: C-UCB is hardly ever played",
    ),
    "exp3-ix": Entry(
        "bestdo.research.learners.exp3_ix:Exp3IX",
        "Exp3-IX",
        problems=_SEEING,
        goals=("earn",),
        paper="Kocák, Neu, Valko & Munos, NIPS 2014",
    ),
    "wu-side-observations": Entry(
        "bestdo.research.learners.wu_side_observations:WuSideObservations",
        "Wu's side observations",
        problems=_SEEING,
        goals=("earn",),
        paper="Wu, György & Szepesvári, NIPS 2015",
    ),
    "ucb-plus": Entry(
        "bestdo.research.learners.ucb_plus:UCBPlus",
        "UCB+",
        ("#DDCC77", "X"),
        goals=("earn",),
        paper=_SHAH,
    ),
    "ucb-plus-as-in-authors-code": Entry(
        "bestdo.research.learners.ucb_plus:UCBPlus.as_in_authors_code",
        "UCB+ as in the authors' code",
        goals=("earn",),
        paper=_SHAH,
        warning="α of the bonus is 0.1 / C(n, m), which no proof covers and the paper does not have",
    ),
    "raps": Entry(
        "bestdo.research.learners.raps:RAPS",
        "RAPS",
        problems="problems with actions that set one variable to each of its values",
        goals=_BOTH,
        paper="Konobeev, Etesami & Kiyavash, 2023",
    ),
    "modl": Entry("bestdo.research.learners.additive:MODL", "MODL", problems=_GRID, paper=_MALEK),
    "modl-as-published-with-error": Entry(
        "bestdo.research.learners.additive:MODL.as_published_with_error",
        "MODL as published, with its error",
        problems=_GRID,
        paper=_MALEK,
        warning="it regresses on rounds in which nothing was set: wrong where hidden causes, or other variables, confound",
    ),
    "bbb": Entry(
        "bestdo.research.learners.bbb:BBB",
        "BBB",
        ("#44AA99", "P"),
        _SINGLE_SEEN,
        ("earn",),
        paper="Huang & Zhou, TMLR 2023",
    ),
    "thompson": Entry(
        "bestdo.learners.thompson:Thompson",
        "Thompson sampling",
        ("#56B4E9", "P"),
        goals=_BOTH,
        paper="Thompson, Biometrika 1933",
        contexts=True,
    ),
    "top-two": Entry(
        "bestdo.learners.top_two:TopTwo",
        "Top-two Thompson sampling",
        ("#882255", "P"),
        paper="Russo, COLT 2016",
        contexts=True,
    ),
    "linear-thompson": Entry(
        "bestdo.learners.linear_thompson:LinearThompson",
        "Linear Thompson sampling",
        ("#CC79A7", "P"),
        goals=_BOTH,
        paper="Agrawal & Goyal, ICML 2013",
        contexts=True,
    ),
    "regression-thompson": Entry(
        "bestdo.research.learners.regression:Regression",
        "Regression with Thompson draws",
        ("#117733", "P"),
        goals=_BOTH,
        contexts=True,
    ),
    "regression-top-two": Entry(
        "bestdo.research.learners.regression:Regression.with_top_two",
        "Regression with top-two draws",
        ("#999933", "P"),
        contexts=True,
    ),
    "mabuc": Entry(
        "bestdo.research.learners.mabuc_thompson:MabucThompson",
        "MABUC's causal Thompson sampling",
        ("#D55E00", "P"),
        goals=_BOTH,
        paper="Bareinboim, Forney & Pearl, NIPS 2015",
        contexts=True,
    ),
    "npts": Entry(
        "bestdo.research.learners.npts:NPTS", "NPTS", ("#0072B2", "P"), goals=_BOTH, paper="Riou & Honda, ALT 2020"
    ),
    "lucb": Entry("bestdo.learners.lucb:LUCB", "LUCB1", paper="Kalyanakrishnan, Tewari, Auer & Stone, ICML 2012"),
    "ccpe": Entry("bestdo.research.learners.ccpe:CCPE", "CCPE", paper="Xiong & Chen, ICLR 2023"),
    "lingape": Entry(
        "bestdo.research.learners.lingape:LinGapE",
        "LinGapE",
        problems=_LISTED,
        paper="Xu, Honda & Sugiyama, AISTATS 2018",
    ),
    "track-and-stop": Entry(
        "bestdo.learners.track_and_stop:TrackAndStop", "Track-and-Stop", paper="Garivier & Kaufmann, COLT 2016"
    ),
    "causal-top-two": Entry(
        "bestdo.learners.causal_top_two:CausalTopTwo", "Causal top-two", ("#000000", "o"), contexts=True
    ),
    "causal-thompson": Entry(
        "bestdo.learners.causal_thompson:CausalThompson",
        "Causal Thompson",
        ("#882255", "o"),
        goals=("earn",),
        contexts=True,
    ),
}
"""The entries by their names on the command line. Other packages add learners under the entry point `bestdo.learners`."""
