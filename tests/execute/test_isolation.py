"""What one trial does to its worker does not reach the next."""

import json
import os
import subprocess
import sys

import pytest

import benchkit
from tests.execute.conftest import doing

# What an attacker does, what its own row says, and of what its warning speaks.
ATTACKS = {
    "chdir": ("os.chdir('/')", "ok", "working directory"),
    "write": ("X.flags.writeable = True; X[:] = 0", "failed", None),
    "environ": ("os.environ['BENCHKIT_DATA'] = '/nowhere'", "ok", "environment"),
    "limits": ("threadpoolctl.threadpool_limits(2)", "ok", "BLAS threads"),
    "thread": ("threading.Thread(target=spin, daemon=True).start()", "ok", "threads"),
    "errors": ("np.seterr(all='ignore')", "ok", "numpy errors"),
    "keep": ("sys.held_by_an_attacker = np.ones(25 << 20)", "ok", "MB of memory"),
    "cycle": ("held = [np.ones(25 << 20)]; held.append(held); raise RuntimeError", "failed", None),
    "tmpdir": ("shutil.rmtree(tempfile.gettempdir()); os._exit(3)", "crashed", None),
    "fork": ("if os.fork() == 0: self.child_ = True", "ok", None),
    "fork-raise": ("if os.fork() == 0: raise RuntimeError('in the child')", "ok", None),
}


@pytest.fixture(scope="module")
def rows(folder):
    """Each attacker with innocents before and after, in one worker; started by a script, which needs no guard."""
    algorithms = [doing("first")]
    for position, (kind, (code, *_)) in enumerate(ATTACKS.items()):
        algorithms += [doing(kind, code), doing(f"after-{kind}", number=position + 1)]
    suite = {"name": "isolation", "datasets": ["breast"], "split": {"train": 100, "test": 100}}
    suite |= {"plugins": ["plugin.py"], "metrics": ["error", "drawn", "seen"], "algorithms": algorithms}
    (folder / "suite.yaml").write_text(json.dumps(suite))
    (folder / "tmp").mkdir()
    script = folder / "script.py"
    script.write_text(
        "import benchkit, json\n"
        "results = benchkit.run('suite.yaml', out='runs', jobs=1, tracking=False)\n"
        "print(json.dumps([__file__, results.records]))\n"
    )
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    streams = {"capture_output": True, "text": True, "check": True}
    ended = subprocess.run([sys.executable, script], cwd=folder, env=environment, **streams)
    assert ended.stderr == ""
    assert list((folder / "tmp").iterdir()) == []  # a removed TMPDIR, and nothing left behind
    name, records = json.loads(ended.stdout)
    assert (name, len(records)) == (str(script), len(algorithms))
    return {row["algorithm"]: row for row in records}


@pytest.mark.parametrize("kind", ATTACKS)
def test_an_attacker_is_marked_and_those_after_it_are_not_touched(rows, kind):
    _, status, left = ATTACKS[kind]
    row, innocent = rows[kind], rows["first"]
    assert row["status"] == status
    told = row["warnings"].get("polluted", [])
    assert (left is None) == (told == [])
    assert left is None or any(left in text for text in told)
    after = rows[f"after-{kind}"]
    assert (after["status"], after["warnings"]) == ("ok", {})
    assert after["metrics"] == innocent["metrics"]  # the global generators too
    assert after["peak_mb"] < innocent["peak_mb"] + 60
    assert after["cpu_seconds"] < 1


@pytest.mark.parametrize("isolate", [False, True])
def test_a_process_for_each_trial(tiny, write_suite, folder, tmp_path, isolate):
    tiny |= {"algorithms": ["doing"], "adversaries": [], "metrics": ["pid"]}
    run = {"plugins": [folder / "plugin.py"], "out": tmp_path / "runs", "jobs": 1, "tracking": False}
    results = benchkit.run(write_suite(tiny), isolate=isolate, **run)
    processes = {row["metrics"]["pid"] for row in results.records}
    assert len(processes) == (len(results.records) if isolate else 1)
    assert not any(row["warnings"] for row in results.records)
