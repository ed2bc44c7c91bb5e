"""What is started in there is deaf to Ctrl-C from its beginning."""

import subprocess
import sys

SCRIPT = """
import signal
from multiprocessing import forkserver, resource_tracker
from benchkit.execute.bare import ignore_sigint

with ignore_sigint():
    forkserver.ensure_running()  # which starts the tracker, which unblocks the signal
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
"""


def test_the_server_of_workers_is_deaf_to_ctrl_c_while_it_imports():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
