"""Runs are immutable: what one run measured is its own for ever."""

import importlib
import json
import shutil
import sys
import time

import pytest
from typer.testing import CliRunner

import benchkit
from benchkit.cli.main import app
from benchkit.journal import RowsLostError, Store, read_manifest
from benchkit.report.compare_runs import comparable_metrics, compare_runs
from benchkit.report.stored_results import load
from benchkit.session.options import Request
from benchkit.session.past.clean import clean
from benchkit.session.plan import plan_suite
from benchkit.session.progress import Silent
from benchkit.suite.source import SuiteError


class Interrupting(Silent):
    """Presses Ctrl-C after some trials."""

    def __init__(self, after):
        self.left = after

    def finished(self, record):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.fixture
def run(tiny, write_suite, tmp_path):
    path = write_suite(tiny)

    def run_it(**options):
        return benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False, **options)

    run_it.plan = lambda **options: plan_suite(Request(path, out=tmp_path / "runs", **options))
    return run_it


def statuses(results):
    return dict(load(results.folder).statuses)


def test_a_fresh_run_that_is_interrupted_leaves_the_first_as_it_was(run, tmp_path):
    first = run()
    fresh = run(fresh=True, progress=Interrupting(2))
    assert fresh.interrupted
    assert statuses(first) == {"ok": 8}
    assert statuses(fresh) == {"ok": 2}
    assert len(run.plan().left) == 0
    clean(tmp_path / "runs")
    assert statuses(first) == {"ok": 8}
    assert statuses(fresh) == {"ok": 2}


def test_the_same_command_continues_a_fresh_run(run):
    run()
    fresh = run(fresh=True, progress=Interrupting(3))
    continued = run(fresh=True)
    assert (continued.ran, continued.reused) == (5, 3)
    own = {row["run"] for row in continued.records}
    assert own == {fresh.folder.name, continued.folder.name}
    again = run(fresh=True)  # the one before is complete: this one starts anew
    assert (again.ran, again.reused) == (8, 0)


def test_fresh_runs_are_compared_with_each_other(run):
    first, second = run(fresh=True), run(fresh=True)
    assert {row["run"] for row in load(first.folder).records} == {first.folder.name}
    assert {row["run"] for row in load(second.folder).records} == {second.folder.name}
    one, two = load(first.folder), load(second.folder)
    seconds = [[row["fit_seconds"] for row in each.records] for each in (one, two)]
    assert seconds[0] != seconds[1]
    (found,) = compare_runs([one, two], comparable_metrics([one, two], ["fit_seconds"], False))
    assert any(side.difference != 0 for side in found.sides)


def test_a_gate_on_seconds_can_fire_between_two_fresh_runs(run, tmp_path):
    """Where the second run's rows stood for the first's, too, nothing would ever have become slower."""
    first, second = (
        run(fresh=True, settings={"split.repetitions": 8}),
        run(fresh=True, settings={"split.repetitions": 8}),
    )
    store = Store(tmp_path / "runs", "tiny")
    slower = []
    for row in store.rows():
        factor = 1000 if row["run"] == second.folder.name else 1
        slower.append({**row, "fit_seconds": factor * (1 + row["repetition"] / 100)})
    store.journal.write_text("".join(json.dumps(row) + "\n" for row in slower))
    gate = ["--metrics", "fit_seconds", "--fail-on-regression"]
    for pair, code in (([first, second], 1), ([second, first], 0)):
        found = CliRunner().invoke(app, ["compare", *(str(each.folder) for each in pair), *gate])
        assert found.exit_code == code, found.output


def test_a_long_value_is_shown_from_where_it_differs(run, tiny, write_suite):
    algorithms = [*tiny["algorithms"], *({"name": "svm", "label": f"svm {n}", "params": {"C": n}} for n in range(1, 9))]
    folders = []
    for last in (2.5, 7.25):
        suite = {**tiny, "algorithms": [*algorithms, {"name": "svm", "label": "last", "params": {"C": last}}]}
        write_suite(suite)
        folders.append(str(run(only={"algorithm": "constant"}).folder))
    shown = CliRunner().invoke(app, ["compare", *folders], terminal_width=300).output
    assert "2.5" in shown
    assert "7.25" in shown


def test_the_time_of_a_run_is_what_was_waited_for(run, tiny, write_suite, write_plugin):
    """Planning and reporting included: here a section of the report takes long."""
    plugin = """
import time
from benchkit import ReportSection, hookimpl

def compute(results):
    time.sleep(1.5)

@hookimpl
def benchkit_report_sections():
    return [ReportSection(name="slow", compute=compute)]
"""
    write_suite({**tiny, "plugins": [str(write_plugin(plugin))]})
    start = time.perf_counter()
    results = run(plots=False)
    waited = time.perf_counter() - start
    assert max(1.5, 0.9 * waited) < results.seconds <= waited


def test_a_failure_never_takes_the_place_of_a_success(run, tmp_path):
    first = run()
    store = Store(tmp_path / "runs", "tiny")
    failed = {**first.records[0], "status": "crashed", "run": "29990101-000000-000000"}
    store.open()
    store.append(failed)
    store.close()
    assert store.read()[failed["trial"]]["status"] == "ok"
    assert run().ran == 0


def test_reused_seconds_are_of_the_run_that_measured_them(run):
    first, second = run(), run()
    assert second.reused == 8
    assert [row["fit_seconds"] for row in second.records] == [row["fit_seconds"] for row in first.records]
    assert {row["run"] for row in second.records} == {first.folder.name}
    assert read_manifest(second.folder)["reused_from"] == {first.folder.name: [row["trial"] for row in first.records]}


def test_a_run_ends_whose_output_folder_is_deleted(run, tmp_path):
    class Deleting(Silent):
        count = 0

        def finished(self, record):
            self.count += 1
            if self.count == 3:
                shutil.rmtree(tmp_path / "runs")

    with pytest.raises(RowsLostError, match="deleted while the run was writing there"):
        run(progress=Deleting())
    assert run().statuses == {"ok": 8}


def test_a_byte_order_mark_costs_no_row(run, tmp_path):
    run()
    journal = tmp_path / "runs" / "tiny" / "trials.jsonl"
    journal.write_bytes(b"\xef\xbb\xbf" + journal.read_bytes())
    assert run().ran == 0


def test_rows_of_earlier_versions_have_no_run(run, tmp_path):
    first = run()
    store = Store(tmp_path / "runs", "tiny")
    rows = [{key: value for key, value in row.items() if key != "run"} for row in store.rows()]
    store.journal.write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = first.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in manifest.items() if key != "reused_from"}))
    assert statuses(first) == {"ok": 8}
    assert run().reused == 8
    assert statuses(first) == {"ok": 8}


def test_a_new_label_reuses_the_record_and_says_who_measured_it(run, tiny, write_suite, tmp_path):
    first = run()
    algorithms = [{**tiny["algorithms"][0], "label": "a-machine"}, "constant"]
    path = write_suite({**tiny, "algorithms": algorithms}, "renamed.yaml")
    second = benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False)
    assert (second.ran, second.reused) == (0, 8)
    again = load(second.folder)
    assert {row["algorithm"] for row in again.records} == {"a-machine", "constant"}
    renamed = [row for row in again.records if row["algorithm"] == "a-machine"]
    assert {(row["run"], row["measured_in"]) for row in renamed} == {(second.folder.name, first.folder.name)}
    assert {row["algorithm"] for row in load(first.folder).records} == {"svm", "constant"}


def test_a_file_that_moves_is_the_same_data(tiny, write_suite, tmp_path):
    rows = ["a,b,label"] + [f"{n % 7},{n * n % 11},{'yes' if n % 3 else 'no'}" for n in range(200)]
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.csv").write_text("\n".join(rows))

    def run_it(folder):
        dataset = {"name": "csv", "path": str(tmp_path / folder / "mine.csv")}
        path = write_suite({**tiny, "datasets": [dataset], "adversaries": []})
        return benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False)

    assert run_it("here").ran == 4
    assert run_it("there").reused == 4


PLUGIN = """
from sklearn.dummy import DummyClassifier
from benchkit import Algorithm, Metric, hookimpl

@hookimpl
def benchkit_metrics():
    return [Metric(name="mine", compute=lambda context: {value})]
"""


def test_an_edited_plugin_file_runs_its_new_code_in_the_same_session(tiny, write_suite, write_plugin, tmp_path):
    path = write_suite({**tiny, "metrics": ["mine"]})

    def values(value):
        plugin = write_plugin(PLUGIN.format(value=value))
        results = benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False, plugins=[plugin])
        return results.ran, {row["metrics"]["mine"] for row in results.records}

    assert values(1.0) == (8, {1.0})
    assert values(2.5) == (8, {2.5})
    assert values(1.0) == (0, {1.0})


PACKAGE_PLUGIN = """
from benchkit import Metric, hookimpl

@hookimpl
def benchkit_metrics():
    return [Metric(name="mine", compute="edited_package.metric:compute")]
"""


@pytest.mark.parametrize("imported", ["by the run", "by the user"])
def test_an_edited_package_is_not_run_under_the_id_of_its_new_code(
    tiny, write_suite, write_plugin, tmp_path, monkeypatch, imported
):
    path, plugin = write_suite({**tiny, "metrics": ["mine"]}), write_plugin(PACKAGE_PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", imported == "by the run")
    source = tmp_path / "edited_package" / "metric.py"
    source.parent.mkdir()
    source.with_name("__init__.py").touch()

    def write(value, note=""):
        source.write_text(f"def compute(context):\n    return {value}\n{note}")

    def values():
        results = benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False, plugins=[plugin])
        return results.ran, {row["metrics"]["mine"] for row in results.records}

    write(1.0)
    try:
        if imported == "by the run":
            assert values() == (8, {1.0})
            write(1.0, "# a comment\n")
            assert values() == (0, {1.0})
        else:
            importlib.import_module("edited_package.metric")
        write(2.25)
        for _ in range(2):
            with pytest.raises(SuiteError, match=r"^edited_package\.metric was edited since it was imported.*start Py"):
                values()
        importlib.reload(sys.modules["edited_package.metric"])
        assert values() == (8, {2.25})
    finally:
        for name in ("edited_package.metric", "edited_package"):
            sys.modules.pop(name, None)


FILE_PLUGIN = """
import os
from pathlib import Path
import numpy as np
from benchkit import Data, DataFile, Dataset, hookimpl, require_file

SCALE = Path(__file__).with_name("scale.txt")

def load():
    X = np.loadtxt(require_file("numbers.txt")).reshape(-1, 1)
    X = X * float(SCALE.read_text()) + float(os.environ["MY_SHIFT"])
    return Data(X=X, y=np.where(np.arange(len(X)) % 2, 1, -1))

@hookimpl
def benchkit_datasets():
    return [Dataset(name="numbers", load=load, files=[DataFile(name="numbers.txt")], inputs={inputs})]

from benchkit import Metric

@hookimpl
def benchkit_metrics():
    return [Metric(name="largest", compute=lambda context: float(context.X.max()))]
"""


@pytest.fixture
def largest(write_suite, write_plugin, tmp_path, monkeypatch):
    """Runs on a data set of a file that also reads another file and a variable; returns what ran, and its largest."""
    (tmp_path / "numbers.txt").write_text("\n".join(["1"] * 40))
    monkeypatch.setenv("BENCHKIT_DATA", str(tmp_path))
    suite = {"name": "inputs", "datasets": ["numbers"], "algorithms": ["constant"], "metrics": ["largest"]}
    path = write_suite({**suite, "split": {"train": 20, "test": 20}, "preprocess": []})

    def run_it(inputs, scale, shift, executor="inline", **options):
        (tmp_path / "scale.txt").write_text(str(scale))
        monkeypatch.setenv("MY_SHIFT", str(shift))
        results = benchkit.run(
            path,
            plugins=[write_plugin(FILE_PLUGIN.replace("{inputs}", inputs))],
            out=tmp_path / "runs",
            executor=executor,
            tracking=False,
            **options,
        )
        (record,) = results.records
        return results.ran, record["metrics"]["largest"]

    return run_it


@pytest.mark.parametrize("fresh", [False, True])
def test_declared_inputs_of_a_data_set_of_files_are_read_anew(largest, fresh):
    declared = "[str(SCALE), '$MY_SHIFT']"
    assert largest(declared, 1, 0, fresh=fresh) == (1, 1.0)
    assert largest(declared, 2, 0, fresh=fresh) == (1, 2.0)
    assert largest(declared, 2, 5, fresh=fresh) == (1, 7.0)
    assert largest(declared, 1, 0, fresh=fresh) == (int(fresh), 1.0)


def test_fresh_parses_anew_what_was_read_without_being_declared(largest):
    assert largest("()", 1, 0) == (1, 1.0)
    assert largest("()", 2, 5) == (0, 1.0)  # which nobody can know: `benchkit check` finds it
    assert largest("()", 2, 5, fresh=True) == (1, 7.0)


def test_worker_processes_have_the_environment_of_now(largest):
    assert largest("[str(SCALE), '$MY_SHIFT']", 1, 0, executor="local", jobs=1) == (1, 1.0)
    assert largest("[str(SCALE), '$MY_SHIFT']", 1, 5, executor="local", jobs=1) == (1, 6.0)
