"""A process and all that it started."""

import subprocess
import sys

import pytest

LEAVES_TWO = """
import os, subprocess, sys
from benchkit.execute.process_tree import end_children, members

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


# Each process of the chain starts the next, in a session of its own, and ends at once.
CHASES = r"""
import os, subprocess, sys
from benchkit.execute.process_tree import end_children, found_family, members

found_family()
hop = "import os\nwhile True:\n    if os.fork(): os._exit(0)\n    os.setsid()"
first = {os.getpid(), *(subprocess.Popen([sys.executable, "-S", "-c", hop]).pid for _ in range(3))}
while not {member.pid for member in members(os.getpid())} - first:
    pass
end_children()
assert len(members(os.getpid())) == 1
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none is left")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper")
def test_a_child_whose_parent_ends_before_it_is_seen_ends_too():
    ended = subprocess.run([sys.executable, "-c", CHASES], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.stdout, ended.stderr) == ("none is left\n", "")
