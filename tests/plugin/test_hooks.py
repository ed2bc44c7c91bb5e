"""One test per hook, in a run; those of splits, steps, values and executors are in the examples, which run too."""

import json
import sys
from functools import partial

import pytest

import benchkit
from benchkit.cli.main import OWN_COMMANDS
from benchkit.plugin.declarations.services import OWN
from tests.plugin.test_manager import install

PLUGIN = """
import json
from pathlib import Path

from benchkit import (
    Adversary, Algorithm, AttackResult, Dataset, Metric, ReportFormat, ReportSection, ReportTable, RowSource, Tracker,
    Tuner, hookimpl,
)

benchkit_api = 1
HEARD = Path(__file__).with_suffix(".jsonl")

def hear(*what):
    with HEARD.open("a") as file:
        print(json.dumps(what), file=file)

class Zeroing:
    def corrupt(self, attack):
        return AttackResult(X=attack.X * (attack.budget == 0), y=attack.y)

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="my-algorithm", make="sklearn.linear_model:RidgeClassifier")]

@hookimpl
def benchkit_adversaries():
    return [Adversary(name="my-adversary", make=Zeroing, budget_unit="features")]

@hookimpl
def benchkit_datasets():
    return [Dataset(name="my-dataset", load="benchkit_datasets.published.uci:load_breast")]

@hookimpl
def benchkit_metrics():
    return [Metric(name="my-metric", compute=lambda evaluation: float(len(evaluation.y)))]

@hookimpl
def benchkit_report_sections():
    return [
        ReportSection(name="my-section", title="My section", compute=count),
        ReportSection(name="silent", compute=lambda results: None),
    ]

def count(results):
    return ReportTable(columns=["records"], rows=[[len(results.records)]], note="counted")

@hookimpl
def benchkit_report_formats():
    return [
        ReportFormat(name="my-format", suffix=".mine", render=lambda analysis: f"mine: {analysis.points[0].algorithm}"),
        ReportFormat(name="my-bytes", suffix=".bin", text=False, render=lambda analysis: bytes([0, 255])),
    ]

def first_of_the_grid(note):
    def search(context):
        hear("searched", note, context.n_rows)
        context.judge(context.grid[:1])

    return search

@hookimpl
def benchkit_tuners():
    return [Tuner(name="my-tuner", make=first_of_the_grid)]

class Elsewhere:
    def __init__(self, place):
        self.place = place

    def answered(self, content, trials):
        return {name for name in trials if trials[name]["repetition"] == int(self.place)}

    def join(self, results, answered):
        return results

@hookimpl
def benchkit_row_sources():
    return [RowSource(name="my-rows", open=Elsewhere)]

class Tracking:
    def __init__(self, warn):
        self.seen = []

    @hookimpl
    def benchkit_trial_finished(self, run, record):
        self.seen.append(record)
        hear("tracked", [point.mean for point in run.results(self.seen).points() if point.metric == "my-metric"])

    @hookimpl
    def benchkit_run_finished(self, analysis):
        hear("tracked to the end", [grid.metric for grid in analysis.grids])

@hookimpl
def benchkit_trackers():
    return [Tracker(name="my-tracker", make=Tracking)]

@hookimpl
def benchkit_run_started(run):
    hear("started", run.suite, len(run.planned), run.folder.is_dir())

@hookimpl
def benchkit_trial_finished(record):
    hear("finished", record["status"], record["trial"])

@hookimpl
def benchkit_run_finished(run, records):
    hear("run finished", run.id, len(list(records)))

@hookimpl
def benchkit_run_stopped(run):
    hear("stopped")
"""


MINE = "my-algorithm my-dataset my-adversary".split()


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Results of a run with the plugin, and what it heard."""
    folder = tmp_path_factory.mktemp("hooks")
    plugin = folder / "all_hooks.py"
    plugin.write_text(PLUGIN)
    tune = {"search": "my-tuner", "grid": {"alpha": [3, 4]}, "folds": 2, "options": {"note": "heard"}}
    suite = {
        "name": "hooks",
        "datasets": ["my-dataset"],
        "split": {"train": 50, "test": 50},
        "algorithms": [{"name": "my-algorithm", "tune": tune}],
        "adversaries": [{"name": "my-adversary", "budgets": [0, 2]}],
        "metrics": ["error", "my-metric"],
    }
    (folder / "hooks.yaml").write_text(json.dumps(suite))
    results = benchkit.run(
        str(folder / "hooks.yaml"), plugins=[plugin], executor="inline", out=folder / "runs", tracking="my-tracker"
    )
    return results, [json.loads(line) for line in plugin.with_suffix(".jsonl").read_text().splitlines()]


def test_every_hook_takes_part_in_a_run(ran):
    results, heard = ran
    assert results.ok
    for row in results.records:
        assert {row[kind] for kind in ("algorithm", "dataset", "adversary")} == set(MINE)
        assert row["metrics"]["my-metric"] == 50.0
        assert row["params"]["alpha"] == 3
        assert [(stage["search"], stage["judged"]) for stage in row["tuning"]] == [("my-tuner", 1)]
    error = {row["budget"]: row["metrics"]["error"] for row in results.records}
    assert error[0] < 0.2 < 0.3 < error[2]
    assert ["searched", "heard", 25] in heard
    assert [entry[1] for entry in heard if entry[0] == "tracked"] == [[50.0], [50.0, 50.0]]
    assert ["tracked to the end", ["error", "my-metric"]] in heard
    assert ["started", "hooks", 2, True] in heard
    assert [entry[1:] for entry in heard if entry[0] == "finished"] == [["ok", row["trial"]] for row in results.records]
    assert heard[-1] == ["run finished", results.folder.name, 2]


def test_a_plan_says_how_many_trials_rows_from_elsewhere_answer(ran, here):
    (name,), folder = ran[0].manifest["plugins"], ran[0].folder
    asked = ("--plugin", str(folder / name), "--out", "none", "--against", "my-rows:0")
    planned = here("plan", str(folder / "suite.yaml"), *asked)
    assert "not run (my-algorithm 2)" in " ".join(planned.stdout.split())


def test_report_sections_and_formats(ran, here, tmp_path):
    sections = dict(ran[0].sections())
    assert sections["My section"].rows == [[2]]
    assert "silent" not in sections
    plugin = ran[0].folder / next(iter(ran[0].manifest["plugins"]))
    report = partial(here, "report", str(ran[0].folder), "--plugin", str(plugin), "--format")
    for name, content in {"my-format": b"mine: my-algorithm\n", "my-bytes": bytes([0, 255])}.items():
        assert report(name, "-o", name).returncode == 0
        assert (tmp_path / name).read_bytes() == content
    for name, words in {"my-bytes": "--output FILE", "my-fromat": "did you mean 'my-format'?"}.items():
        refused = report(name)
        assert refused.returncode == 2
        assert words in refused.stderr


COMMANDS = """
import sys
from benchkit import Command, hookimpl

benchkit_api = 1

@hookimpl
def benchkit_commands():
    return [
        Command(name="greet", run="a_command:greet", summary="Say it to someone"),
        Command(name="gone", run="no_such_module:act", summary="Cannot be imported"),
        *(Command(name="twice", run="a_command:greet", summary="In two plugins") for _ in range(2)),
    ]
"""
GREET = """
from benchkit import RequestError

def greet(whom: str, loud: bool = False):
    "Say it to someone who is named."
    if whom == "nobody":
        raise RequestError("nobody: name someone")
    if whom == "exit":
        raise SystemExit(0)
    print(f"hello {whom}".upper() if loud else f"hello {whom}")
"""


@pytest.fixture
def with_commands(tmp_path, monkeypatch, call_benchkit):
    """The command line where a plugin with commands is installed."""
    install(tmp_path, "commands_plugin", COMMANDS, "commands")
    (tmp_path / "a_command.py").write_text(GREET)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("benchkit.plugin.manager._registries", {})
    yield partial(call_benchkit, tmp_path)
    for name in ("commands_plugin", "a_command"):
        sys.modules.pop(name, None)


def test_commands(with_commands):
    assert "Say it to someone" in with_commands("--help").stdout
    refused = with_commands("twice", "you")
    assert refused.returncode == 2
    assert "'twice' is already declared by plugin 'commands'" in refused.stderr
    typed = {"_BENCHKIT_COMPLETE": "complete_bash", "COMP_WORDS": "benchkit gr", "COMP_CWORD": "1"}
    assert with_commands(**typed).stdout == "greet\n"
    assert "a_command" not in sys.modules, "it is listed, completed and refused without being imported"
    assert with_commands("greet", "you", "--loud").stdout == "HELLO YOU\n"
    assert "Say it to someone who is named." in with_commands("greet", "--help").stdout
    assert "did you mean 'greet'" in with_commands("greeet", "you").stderr
    refused = with_commands("greet", "nobody")
    assert (refused.returncode, refused.stderr) == (2, "benchkit: nobody: name someone\n")
    for words, code in ((["greet", "exit"], 1), (["gone"], 2)):
        ended = with_commands(*words)
        assert (ended.returncode, ended.stderr.count("\n")) == (code, 1)
        assert f"plugin 'commands': command '{words[0]}'" in ended.stderr
    typed |= {"COMP_WORDS": "benchkit greet --l", "COMP_CWORD": "2"}
    assert with_commands(**typed).stdout == "--loud\n"
    assert set(OWN_COMMANDS) == set(OWN)  # whose names no plugin's command can have
