"""Watching what plugins read, without the start of a Python and of scikit-learn for each."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from benchkit.testing.reading import rules

# A process that has imported libraries, and no plugin, and forks one in which a plugin is tried for each line it reads.
_SERVER = """
import json, os, sys
import numba, scipy.stats, sklearn.linear_model, sklearn.utils.estimator_checks
import benchkit.testing.adversary_rules, benchkit.testing.metric_rules, benchkit.testing.trying, benchkit.trial.identity
from benchkit.testing.reading import trial
for line in sys.stdin:
    arguments, environment = json.loads(line)
    if os.fork() == 0:
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:0] = [path for path in environment.get("PYTHONPATH", "").split(":") if path]
        trial.main(*arguments)
        sys.exit()
    os.wait()
    print("tried", flush=True)
"""


@pytest.fixture(scope="session")
def _server():
    command = [sys.executable, "-c", _SERVER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield server
        server.stdin.close()


@pytest.fixture
def forked(_server, monkeypatch):
    """Try plugins in processes that are forked; what a plugin imports of its own is still imported anew."""

    def run(command, **options):
        python, module, name, *arguments = command
        assert (python, module, name) == (sys.executable, "-m", "benchkit.testing.reading.trial")
        print(json.dumps([arguments, dict(os.environ)]), file=_server.stdin, flush=True)
        assert _server.stdout.readline() == "tried\n"
        return SimpleNamespace(stderr="")

    monkeypatch.setattr(rules, "subprocess", SimpleNamespace(run=run))
