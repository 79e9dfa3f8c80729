"""A real experiment, durable, one round or a batch at a time: ask, tell, best."""

from bestdo.study.study import Asked, Study

__all__ = ["Asked", "Study"]
