"""How a suite is run: options of executors in their types, limits, crashes that are repeated, what is refused."""

import json
import subprocess

import pytest

import benchkit
from benchkit.suite.load import load
from benchkit.suite.source import SuiteError

PLUGIN = """
import json
from pathlib import Path

from benchkit import Executor, ExecutorOption, hookimpl
from benchkit.execute.work import InlineExecutor

class Told(InlineExecutor):
    def __init__(self, jobs, **told):
        Path(__file__).with_suffix(".json").write_text(json.dumps([jobs, told]))

@hookimpl
def benchkit_executors():
    options = [
        ExecutorOption(name="partition", summary="Where jobs are queued"),
        ExecutorOption(name="hours", type=float, default=12.0),
        ExecutorOption(name="tries", type=int, default=1),
        ExecutorOption(name="nested", type=bool, default=False),
        ExecutorOption(name="cluster", elsewhere=True),
    ]
    return [Executor(name="queue", make=Told, options=options), Executor(name="far", make=Told, elsewhere=True)]
"""


@pytest.fixture
def start(run, tiny, write_plugin):
    """Run a suite; return what the executor was told."""
    plugin = write_plugin(PLUGIN)

    def run_it(executor="queue", **options):
        run(plugins=[plugin], executor=executor, fresh=True, **options)
        return json.loads(plugin.with_suffix(".json").read_text())

    return run_it


def test_every_option_arrives_in_its_type(start, tiny):
    tiny["split"]["repetitions"] = 1
    texts = {"partition": "long", "hours": "1.5", "tries": "3", "nested": "yes"}
    values = {"partition": "long", "hours": 1.5, "tries": 3, "nested": True}
    defaults = {"partition": None, "hours": 12.0, "tries": 1, "nested": False, "cluster": None}
    assert start(executor_options=texts, jobs=2) == [2, defaults | values]
    assert start(executor_options={"hours": 2, "partition": None}, jobs=2) == [2, defaults | {"hours": 2.0}]


@pytest.mark.parametrize(
    ("executor", "options", "message"),
    [
        (
            "queue",
            {"executor_options": {"partitoin": "x"}},
            "queue has no option 'partitoin'; did you mean 'partition'?",
        ),
        ("local", {"executor_options": {"hours": "1"}}, "--executor local has no option 'hours'; it takes none"),
        ("queue", {"executor_options": {"tries": "many"}}, "--executor-option tries=many: expected a whole number"),
        *(("local", {name: -1}, f"--{name} -1: expected ") for name in ("jobs", "timeout", "memory", "retries")),
        *(("local", {name: "2h", "until_decided": True}, f"--{name}") for name in ("within", "most")),
        ("inline", {"timeout": 1}, "inline cannot stop a trial"),
        ("inline", {"isolate": True}, "inline has no process"),
        ("local", {"shard": "3/2"}, "--shard 3/2: expected I/N"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(start, executor, options, message):
    with pytest.raises(SuiteError) as raised:
        start(executor, **options)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_where_trials_run_elsewhere_the_user_alone_says_how_many(start, tiny):
    tiny["split"]["repetitions"] = 1
    assert start(executor_options={"cluster": "there"})[0] is None
    assert start("far", jobs=3)[0] == 3
    tiny["exclusive"] = True
    assert start()[0] == 1
    for arguments in ({"executor": "far"}, {"executor_options": {"cluster": "there"}}):
        with pytest.raises(SuiteError, match="'exclusive'"):
            start(**arguments)


def test_a_crash_is_repeated_as_often_as_asked(run, tiny, method, tmp_path):
    shaky = {"name": "drawn", "params": {"log": str(tmp_path / "log"), "deaths": 3}}
    tiny.update(algorithms=[shaky], adversaries=[], split={**tiny["split"], "repetitions": 1})
    options = {"plugins": [method], "executor": "local", "jobs": 1, "retries": 1}
    (row,) = run(**options).records
    assert (row["status"], row["error"]) == ("crashed", "the worker process died (exit code 9), 2 times")
    (row,) = run(**options).records
    assert row["status"] == "ok"
    assert (tmp_path / "log").read_text().count("fit") == 4


def test_all_that_a_run_was_made_of_is_in_its_manifest(run, tmp_path, tiny):
    (tmp_path / "note.txt").write_text("one\n")
    for words in ("init -q", "add note.txt", "-c user.name=a -c user.email=a@b commit -qm note"):
        subprocess.run(["git", "-C", str(tmp_path), *words.split()], check=True, capture_output=True)
    (tmp_path / "note.txt").write_text("two\n")
    values = [float(n % 7 + 1) for n in range(10)]
    tiny |= {"feature_values": values, "metrics": ["error", "roc_auc", "accuracy"]}
    deletes = {"name": "random-delete", "budgets": [1]}
    tiny["adversaries"] = [{**deletes, "label": "mine"}, {**deletes, "label": "zero", "params": {"fill": "zero"}}]
    folder = run().folder
    manifest = json.loads((folder / "manifest.json").read_text())
    environment = manifest["environment"]
    assert environment["cpu"]
    assert environment["memory_mb"] > 100
    assert environment["versions"]["numpy"]
    assert any(library["user_api"] == "blas" for library in environment["blas"])
    assert manifest["ingredients"]["algorithm:svm"]
    assert load(str(folder / "suite.yaml")).suite == load(manifest["suite_path"]).suite
    assert manifest["situations"] == {
        "mine": "If features go at random",
        "zero": "If features go at random with fill: zero",
    }
    assert manifest["shares"] == {"error": "wrong on", "accuracy": "right on"}
    assert len(manifest["source"]["commit"]) == 40
    assert " M note.txt" in manifest["source"]["changed_files"]
    assert "+two" in (folder / "uncommitted.diff").read_text()
    records = benchkit.load(folder).records
    assert manifest["trials"] == [row["trial"] for row in records]
    (name,) = {row["feature_values"] for row in records}
    assert len(name) < 30
    assert manifest["feature_values"] == {name: values}  # once
    assert json.dumps(values) not in (folder.parent / "trials.jsonl").read_text()
