"""The page under test: its tokens, and the real command running for real browsers."""

import re
import subprocess
import sys
from dataclasses import dataclass

EDITOR, VIEWER = "the-editors-token-1", "the-viewers-token-2"
PORT = 8321
HERE = f"http://127.0.0.1:{PORT}"
CHROMIUM = "/usr/bin/chromium"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
QUIET += ["--disable-sync", "--no-first-run"]


@dataclass
class Server:
    """`bestdo serve`, running."""

    process: subprocess.Popen
    address: str
    editor: str
    viewer: str

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def start(url, port=0, *options):
    """Starts it and waits until it says its addresses."""
    command = [sys.executable, "-m", "bestdo", "serve", "--storage", url, "--port", str(port)]
    command += ["--token", EDITOR, "--viewer-token", VIEWER, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines = [process.stdout.readline() for _ in range(2)]
    editor, viewer = (re.search(r"http://\S+", line)[0] for line in lines)
    return Server(process, editor.partition("/?")[0], editor, viewer)


def middle(locator):
    """The middle of an element on a page, which may be drawn anew meanwhile."""
    found = None
    for _ in range(100):  # a drawing anew replaces its elements
        found = locator.bounding_box()
        if found is not None:
            break
        locator.page.wait_for_timeout(20)
    return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2
