"""What a worker leaves behind when it dies."""

import select
import subprocess
import sys

import pytest

from benchkit.execute.process_tree import end_marked

LEAVES_ONE = """
import subprocess, sys
from benchkit.execute.process_tree import mark_own

mark_own({mark!r})
sleep = [sys.executable, "-c", "print(flush=True); import time; time.sleep(600)"]
subprocess.Popen(sleep, start_new_session=True)
"""


def leave_one(mark):
    """What the orphan of a process that has ended prints; its end is the orphan's."""
    process = subprocess.Popen([sys.executable, "-c", LEAVES_ONE.format(mark=mark)], stdout=subprocess.PIPE)
    process.wait()
    assert process.stdout.readline() == b"\n"
    return process.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_marked_orphan_is_ended_and_no_other():
    mine, other = leave_one("mine"), leave_one("others")
    with mine, other:
        end_marked("mine")
        assert mine.read() == b""
        assert select.select([other], [], [], 0) == ([], [], [])  # it lives
        end_marked("others")
        assert other.read() == b""
