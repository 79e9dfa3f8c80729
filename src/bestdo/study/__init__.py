"""Studies: real experiments in a database, one round or several at a time, with ask, tell and best."""

from bestdo.errors import Conflict, Deviates, Finished, Unusual, Waiting
from bestdo.study.study import Asked, Study

__all__ = ["Asked", "Conflict", "Deviates", "Finished", "Study", "Unusual", "Waiting"]
