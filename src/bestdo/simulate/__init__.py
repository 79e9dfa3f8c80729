"""Simulation: worlds that know the truth, fast samplers of sums, and the driver that plays many lanes at once."""

from bestdo.simulate.driver import final
from bestdo.simulate.paper_worlds import arms, as_bandit, chain, confounded, paper_parallel, parallel
from bestdo.simulate.play import play
from bestdo.simulate.prior import Prior
from bestdo.simulate.world import World

__all__ = ["Prior", "World", "arms", "as_bandit", "chain", "confounded", "final", "paper_parallel", "parallel", "play"]
