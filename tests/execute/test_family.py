"""A process and all that it started."""

import subprocess
import sys

LEAVES_TWO = """
import os, subprocess, sys
from benchkit.execute.family import end_children, members

end_children()  # without any it has nothing to do
sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
subprocess.Popen(sleep)
grandparent = "import subprocess, time; subprocess.Popen({sleep!r}); print(flush=True); time.sleep(600)"
child = subprocess.Popen(
    [sys.executable, "-c", grandparent.format(sleep=sleep)], start_new_session=True, stdout=subprocess.PIPE
)
child.stdout.readline()
assert len(members(os.getpid())) == 4
end_children()
assert len(members(os.getpid())) == 1
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none is left")
"""


def test_children_are_ended_and_reaped():
    found = subprocess.run([sys.executable, "-c", LEAVES_TWO], capture_output=True, text=True, timeout=60, check=False)
    assert (found.stdout, found.stderr) == ("none is left\n", "")
