"""Who listens to a run: plugins, as pluggy calls them, and trackers, by name; one that fails harms no other."""

import json

import pytest

import benchkit
from benchkit.plugin.declarations import Tracker
from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.session.listeners import Listeners, Progress, tracker_with_pages
from benchkit.session.past import sync

PLUGIN = """
import json
from pathlib import Path

from benchkit import Tracker, TrackingError, hookimpl

LEDGER = Path(__file__).with_suffix(".json")

class Ledger:
    def __init__(self, warn):
        warn("the ledger is new")
    @hookimpl
    def benchkit_run_finished(self, run, records, analysis):
        LEDGER.write_text(json.dumps([run.suite, len(list(records)), len(analysis.grids)]))

class Odd:
    def __init__(self, warn):
        pass
    @hookimpl
    def benchkit_run_finished(self, run, wehther):
        pass

def absent(warn):
    raise ImportError("no ledger here")

def send(run, records, analyse, warn):
    points = run.results(records).points()
    LEDGER.write_text(json.dumps([run.suite, len(records), analyse().results.planned, len(points)]))
    return "written", "the ledger"

def serve(out, suite, host, port, ready, warn):
    if suite == "none":
        raise TrackingError("no such suite on the board")
    ready(f"http://{host}:{port}/{suite}")

@hookimpl
def benchkit_trackers():
    return [
        Tracker(name="ledger", make=Ledger, send=send),
        Tracker(name="odd", make=Odd),
        Tracker(name="absent", make=absent),
        Tracker(name="board", make=dict, send=send, serve=serve),
    ]
"""


@pytest.fixture
def plugin(write_plugin):
    return write_plugin(PLUGIN)


@pytest.fixture
def run(tiny, write_suite, plugin, tmp_path):
    """Run a suite; return its results, what was warned of, and what the ledger holds."""

    def run_it(tracking):
        warnings, watch, ledger = [], Progress(), plugin.with_suffix(".json")
        watch.warn = warnings.append
        options = {"plugins": [plugin], "out": tmp_path / "runs", "executor": "inline", "fresh": True}
        results = benchkit.run(write_suite(tiny), **options, tracking=tracking, progress=watch)
        return results, warnings, json.loads(ledger.read_text()) if ledger.exists() else None

    return run_it


def test_trackers_are_asked_for_by_name_and_one_that_cannot_be_used_is_named(run, tmp_path):
    results, warnings, written = run(["absent", "odd", "ledger"])
    assert (results.ok, "the ledger is new" in warnings) == (True, True)
    assert "plugin 'my_plugin': tracker 'absent': make failed: ImportError: no ledger here" in warnings
    assert any("tracker 'odd'" in line and "wehther" in line for line in warnings)
    assert written == ["tiny", len(results.records), 1]
    assert not (tmp_path / "runs" / "mlflow.db").exists()
    with pytest.raises(UnknownNameError, match="unknown tracker 'ledgre'; did you mean 'ledger'"):
        run("ledgre")


def test_a_run_is_sent_after_it_ended_with_its_report_and_ui_serves_its_tracker(run, plugin, tmp_path, call_benchkit):
    results, _, _ = run(False)
    (results.folder / "report.html").unlink()
    ((outcome, sent, place),) = sync(results.folder, pytest.fail, "ledger", Registry([plugin]))
    assert (outcome, sent.id, place) == ("written", results.folder.name, "the ledger")
    trials = len(results.records)
    assert json.loads(plugin.with_suffix(".json").read_text()) == ["tiny", trials, trials, len(results.points())]
    assert (results.folder / "report.html").exists()
    with pytest.raises(benchkit.RequestError, match="no tracker is installed that takes a run"):
        sync(results.folder, pytest.fail, "odd", Registry([plugin]))
    board = ["--tracker", "board", "--plugin", str(plugin)]
    shown = call_benchkit(tmp_path, "ui", *board, "--suite", "tiny", "--port", "5001", "--out", "runs")
    assert shown.stdout == "runs: http://127.0.0.1:5001/tiny\n"
    failed = call_benchkit(tmp_path, "ui", *board, "--suite", "none", "--out", "runs")
    assert (failed.returncode, failed.stderr.count("\n")) == (1, 1)
    sent = call_benchkit(tmp_path, "sync", str(results.folder), *board)
    assert sent.stdout == f"tiny {results.folder.name}: written (the ledger)\n"


def test_curves_are_pointed_at_where_they_were_written(tiny, write_suite, tmp_path, call_benchkit, monkeypatch):
    def refuse(out):
        raise benchkit.TrackingError("no server here")

    monkeypatch.setattr("benchkit_mlflow.tracking.connect", refuse)
    ended = call_benchkit(tmp_path, "run", write_suite(tiny), "--executor", "inline", "--no-plots")
    assert "tracker 'mlflow': benchkit_run_started failed: TrackingError: " in ended.stderr
    assert ("8 trials run" in ended.stdout, "curves in MLflow" in ended.stdout) == (True, False)


def test_of_several_dashboards_one_is_named():
    known = Registry()
    assert tracker_with_pages(known, None).name == "mlflow"
    known.trackers["board"] = Tracker(name="board", make=dict, serve=dict)
    known.trackers["silent"] = Tracker(name="silent", make=dict)
    with pytest.raises(benchkit.RequestError, match="name one of .*board"):
        tracker_with_pages(known, None)
    assert tracker_with_pages(known, "board").name == "board"
    with pytest.raises(benchkit.RequestError, match="'silent' serves no dashboard"):
        tracker_with_pages(known, "silent")


LISTENER = "from benchkit import hookimpl\n@hookimpl{options}\ndef benchkit_trial_finished(record):\n    {body}\n"


@pytest.mark.parametrize(
    ("options", "body", "message"),
    [
        ("", "raise ValueError('no\\nspace')", "ValueError: no space"),
        ("", "raise SystemExit(3)", "SystemExit: 3"),
        ("(wrapper=True)", "yield", "has no result to wrap"),
    ],
)
def test_one_that_fails_is_named_once_and_heard_no_more_and_the_order_is_pluggys(write_plugin, options, body, message):
    good = {"plain": "", "first": "(tryfirst=True)", "last": "(trylast=True)"}
    plugins = {"bad": (options, body), **{name: (when, f"record.append({name!r})") for name, when in good.items()}}
    files = [write_plugin(LISTENER.format(options=o, body=b), f"{name}.py") for name, (o, b) in plugins.items()]
    warnings, heard = [], []
    listeners = Listeners(Registry(files), warnings.append)
    for _ in range(2):
        listeners.call("benchkit_trial_finished", run=None, record=heard)
    assert heard == ["first", "plain", "last"] * 2
    (warning,) = warnings
    assert warning.startswith("plugin 'bad': benchkit_trial_finished failed: ")
    assert message in warning
