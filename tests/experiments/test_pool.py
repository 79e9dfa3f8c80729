"""Ctrl-C while worker processes are started: it waits, whichever thread of the process gets the signal."""

import os
import signal
import threading
import time

import pytest

from bestdo.experiments.engine.pool import delayed_interrupts


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_waits_until_the_end_of_the_block():
    """Beside another thread, as the one that says that a command is still working, the interruption came at once: a lock
    of the pool that was just taken was never given back, and the command hung."""
    end, after = threading.Event(), []
    threading.Thread(target=end.wait, daemon=True).start()

    def interrupted():
        with delayed_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
            after.append("the block went on")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    end.set()
    assert after
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
