"""Runs a command that ends with whoever started it, however that ended: a pipe from there says so.

The process heads a group of its own. Its standard input is the pipe, which only the starter writes to, and never does:
where it ends, the starter has, and so does the whole group.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading


def _end_with_starter() -> None:
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=_end_with_starter, daemon=True).start()
    sys.exit(subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL))
