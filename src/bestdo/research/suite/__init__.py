"""The suite: named worlds with known truth on which learners of the field are compared, and the archive of the results."""

from bestdo.research.suite.suite_world import KINDS, Published, SuiteWorld

__all__ = ["KINDS", "Published", "SuiteWorld"]
