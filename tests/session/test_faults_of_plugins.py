"""Plugins whose code fails in the parent: one line names plugin and hook, the rest goes on, the command ends with 1."""

import pytest

import benchkit
from benchkit.journal.store import Store

PLUGIN = """
import os
from concurrent.futures import Future

from benchkit import Executor, ReportFormat, ReportSection, RowSource, Tracker, hookimpl

class OwnError(BaseException): pass

class SilentError(Exception):
    def __str__(self):
        raise OwnError

faults = {"error": ValueError("two\\nlines"), "exit": SystemExit(0), "own": OwnError(), "silent": SilentError()}

def fail(place):
    where, _, fault = os.environ.get("FAULT", "").partition(" ")
    if where == place:
        raise faults[fault]

class Listener:
    def __init__(self, warn):
        fail("make")
    @hookimpl
    def benchkit_trial_finished(self, run, record):
        fail("benchkit_trial_finished")
    @hookimpl
    def benchkit_run_finished(self, run, records, analysis):
        fail("benchkit_run_finished")

class Here:
    capacity = property(lambda self: fail("capacity") or 1)
    def __init__(self):
        fail("built")
    def __enter__(self):
        fail("__enter__")
        return self
    def __exit__(self, *problem):
        fail("__exit__")
        return True
    def submit(self, function, *arguments, timeout):
        fail("submit")
        if os.environ.get("FAULT") == "no future":
            return function(*arguments)
        future = Future()
        future.set_result(None if os.environ.get("FAULT") == "no record" else function(*arguments))
        return future

class Rows:
    def __init__(self, place):
        fail("open")
    def answered(self, content, trials):
        fail("answered")
        return set()
    def join(self, results, answered):
        fail("join")
        return results

@hookimpl
def benchkit_metrics():
    fail("benchkit_metrics")
    return []

@hookimpl
def benchkit_trackers():
    return [Tracker(name="ear", make=Listener, end_killed=lambda **told: fail("end_killed"))]

@hookimpl
def benchkit_executors():
    return [Executor(name="here", make=Here, in_process=True)]

@hookimpl
def benchkit_row_sources():
    return [RowSource(name="shelf", open=Rows)]

@hookimpl
def benchkit_report_sections():
    return [ReportSection(name="more", compute=lambda results: fail("compute"))]

@hookimpl
def benchkit_report_formats():
    return [ReportFormat(name="mine", render=lambda analysis: fail("render"), suffix=".mine")]
"""


@pytest.fixture
def call(call_benchkit, tmp_path):
    def call_it(*arguments, fault):
        done = call_benchkit(tmp_path, *arguments, FAULT=fault)
        assert "Traceback" not in done.stderr
        return done

    return call_it


@pytest.fixture
def run(tiny, write_suite, write_plugin, call):
    options = ["--plugin", str(write_plugin(PLUGIN)), "--executor", "here", "--tracker", "ear", "--against", "shelf:x"]
    suite = write_suite({**tiny, "algorithms": ["constant"], "adversaries": []})
    return lambda fault: call("run", suite, *options, "--no-plots", fault=fault)


def lines_with(text, words):
    return [line for line in text.splitlines() if all(word in line for word in words)]


@pytest.mark.parametrize(
    ("fault", "whose", "code", "rows"),
    [
        ("benchkit_run_finished own", "'ear'", 1, ["ok", "ok"]),
        ("make own", "'ear'", 1, ["ok", "ok"]),
        ("end_killed silent", "'ear'", 1, ["ok", "ok"]),
        ("benchkit_trial_finished error", "'ear'", 1, ["ok", "ok"]),
        ("built exit", "'here'", 2, []),
        ("__enter__ silent", "'here'", 2, []),
        ("capacity error", "'here'", 1, ["crashed", "crashed"]),
        ("submit exit", "'here'", 1, ["crashed", "crashed"]),
        ("no future", "'here'", 1, ["crashed", "crashed"]),
        ("no record", "record of a trial", 1, ["crashed", "crashed"]),
        ("__exit__ own", "'here'", 1, ["ok", "ok"]),
        ("open exit", "'shelf'", 2, []),
        ("answered silent", "'shelf'", 2, []),
        ("join own", "'shelf'", 1, ["ok", "ok"]),
        ("benchkit_metrics own", "benchkit_metrics", 2, []),
    ],
)
def test_what_a_plugin_raises_is_one_line_and_costs_what_depends_on_it(run, tmp_path, fault, whose, code, rows):
    done = run(fault)
    assert done.returncode == code, done.stderr
    assert whose in done.stderr + done.stdout
    if not whose.startswith("record") and "crashed" not in rows:
        assert len(lines_with(done.stderr, ["'my_plugin'", whose])) == 1
    assert [row["status"] for row in Store(tmp_path / "runs", "tiny").rows()] == rows
    assert bool(list(tmp_path.glob("runs/tiny/*/report.html"))) == bool(rows)


def test_a_report_section_and_a_report_format(run, call, tmp_path):
    done = run("compute exit")
    assert done.returncode == 1, done.stderr
    assert len(lines_with(done.stderr, ["'my_plugin'", "'more'"])) == 1
    (page,) = tmp_path.glob("runs/tiny/*/report.html")
    assert "report section" in page.read_text()
    assert call("report", "runs/tiny", "--trust", fault="").returncode == 0
    shown = call("report", "runs/tiny", "--details", "--trust", fault="compute silent")
    assert (shown.returncode, "my_plugin" in shown.stdout, "my_plugin" in shown.stderr) == (1, True, True)
    plugin = ("--plugin", str(tmp_path / "my_plugin.py"))
    done = call("report", "runs/tiny", "--format", "mine", *plugin, "-o", "a.mine", fault="render silent")
    assert done.returncode == 1, done.stderr
    assert len(lines_with(done.stderr, ["'my_plugin'", "'mine'"])) == 1
    assert not (tmp_path / "a.mine").exists()
    done = call("report", "runs/tiny", "--against", "shelf:x", *plugin, fault="join own")
    assert done.returncode == 2, done.stderr
    assert len(lines_with(done.stderr, ["'my_plugin'", "'shelf'", "join"])) == 1


@pytest.mark.parametrize("line", ["import beside", "from . import beside", "import absent_library"])
def test_an_import_that_fails_inside_fit_names_the_file_and_what_to_do(line, tiny, write_plugin, tmp_path):
    path = write_plugin(f"""
from benchkit import Algorithm, hookimpl
from sklearn.base import BaseEstimator, ClassifierMixin

class Importing(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        {line}

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="importing", make=Importing, summary="Imports what is not there")]
""")
    (tmp_path / "beside.py").touch()
    suite = {**tiny, "algorithms": ["importing"], "adversaries": [], "split": {"train": 0.5}}
    results = benchkit.run(suite, out=tmp_path / "runs", tracking=False, executor="inline", plugins=[path])
    for error in {row["error"] for row in results.records}:
        assert str(path) in error
        assert ("install absent_library" if "absent" in line else "put both into a package") in error
