"""Files of tests in memory, where a commit waits for no disk."""

import os

MEMORY = "/dev/shm"
"""A file system in memory, on Linux."""


def has_memory_for_files():
    """Whether two gigabytes of files fit into memory, and programs among them can be run."""
    try:
        found = os.statvfs(MEMORY)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize > 2e9 and not found.f_flag & os.ST_NOEXEC
