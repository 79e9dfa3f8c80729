"""Numbers that the authors' program of the paper gives in the worlds of the suite, run apart from this library."""

from __future__ import annotations

from bestdo.research.suite.suite_world import Published

__all__ = ["AUTHORS_FIGURE_2"]

_LEARNERS = {
    "A1": "algorithm-1-as-in-authors-code",
    "A2": "algorithm-2-as-in-authors-code",
    "SR": "successive-rejects",
    "UCB": "ucb",
    "TS": "thompson",
}
_POINTS = """
paper-parallel 110 A1 0.042 0.003292 1000
paper-parallel 110 A2 0.1164 0.006538 500
paper-parallel 110 SR 0.2931 0.001422 1000
paper-parallel 110 UCB 0.294 0.00297 200
paper-parallel 110 TS 0.276 0.005755 200
paper-parallel 210 A1 0.003 0.000944 1000
paper-parallel 210 A2 0.0558 0.00522 500
paper-parallel 210 SR 0.2604 0.003211 1000
paper-parallel 210 UCB 0.2805 0.00523 200
paper-parallel 210 TS 0.2265 0.009124 200
paper-parallel 410 A1 0 0 1000
paper-parallel 410 A2 0.0162 0.003032 500
paper-parallel 410 SR 0.1707 0.004698 1000
paper-parallel 410 UCB 0.24 0.008485 200
paper-parallel 410 TS 0.1635 0.010564 200
paper-parallel-m10 400 A1 0.03975 0.002274 2000
paper-parallel-m10 400 A2 0.1188 0.00464 1000
paper-parallel-m10 400 SR 0.16935 0.003326 2000
paper-parallel-m10 400 UCB 0.2448 0.005199 500
paper-parallel-m10 400 TS 0.1902 0.006463 500
paper-parallel-m30 400 A1 0.2079 0.004376 1000
paper-parallel-m30 400 A2 0.2214 0.005899 500
paper-parallel-m30 400 SR 0.165 0.00472 1000
paper-parallel-m30 400 UCB 0.24 0.008485 200
paper-parallel-m30 400 TS 0.195 0.010118 200
paper-parallel-small-gap 545 A1 0.031805 0.001547 1000
paper-parallel-small-gap 545 A2 0.0559 0.002392 500
paper-parallel-small-gap 545 SR 0.09895 0.000897 1000
paper-parallel-small-gap 545 UCB 0.101734 0.00165 200
paper-parallel-small-gap 545 TS 0.103876 0.001292 200
"""
"""World, rounds, learner, mean regret, its standard error, and the number of runs. With an error of 0 no run was wrong."""
_SOURCE = "finnhacks42, {} runs"


def _numbers(world: str) -> tuple[Published, ...]:
    """The numbers of a world."""
    numbers = []
    for line in _POINTS.strip().splitlines():
        name, rounds, who, regret, error, runs = line.split()
        if name == world:
            source = _SOURCE.format(f"{int(runs):,}")
            said = float(error) or None
            numbers.append(Published(_LEARNERS[who], int(rounds), float(regret), said, "authors' code", source))
    return tuple(numbers)


AUTHORS_FIGURE_2 = {
    name: _numbers(name) for name in dict.fromkeys(line.split()[0] for line in _POINTS.split("\n") if line)
}
"""The numbers by the world's name."""
