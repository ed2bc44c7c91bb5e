"""What an executor is told: declared with its type, read from text or Python, refused in one line."""

import json

import pytest

import benchkit
from benchkit.suite.source import SuiteError

PLUGIN = """
import json
from concurrent.futures import Future
from pathlib import Path

from benchkit import Executor, ExecutorOption, hookimpl

class Told:
    capacity = 1

    def __init__(self, jobs, **told):
        Path(__file__).with_suffix(".json").write_text(json.dumps([jobs, told]))

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        return None

    def submit(self, function, *args, timeout):
        future = Future()
        future.set_result(function(*args))
        return future

@hookimpl
def benchkit_executors():
    options = [
        ExecutorOption(name="partition", summary="Where jobs are queued"),
        ExecutorOption(name="hours", type=float, default=12.0),
        ExecutorOption(name="tries", type=int, default=1),
        ExecutorOption(name="nested", type=bool, default=False),
        ExecutorOption(name="cluster", elsewhere=True),
    ]
    return [
        Executor(name="queue", make=Told, options=options),
        Executor(name="far", make=Told, elsewhere=True),
    ]
"""


@pytest.fixture
def run(tiny, write_suite, write_plugin, tmp_path):
    """Run a suite; return what the executor was told."""
    plugin = write_plugin(PLUGIN)

    def run_it(executor="queue", suite=tiny, **options):
        arguments = {"plugins": [plugin], "out": tmp_path / "runs", "executor": executor, "fresh": True, **options}
        benchkit.run(write_suite(suite), tracking=False, **arguments)
        return json.loads(plugin.with_suffix(".json").read_text())

    return run_it


DEFAULTS = {"partition": None, "hours": 12.0, "tries": 1, "nested": False, "cluster": None}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, {}),
        (
            {"partition": "long", "hours": "1.5", "tries": "3", "nested": "yes"},
            {"partition": "long", "hours": 1.5, "tries": 3, "nested": True},
        ),
        ({"hours": 2, "partition": None}, {"hours": 2.0}),
    ],
)
def test_every_option_arrives_in_its_type(run, given, told):
    assert run(executor_options=given, jobs=2) == [2, DEFAULTS | told]


@pytest.mark.parametrize(
    ("executor", "given", "message"),
    [
        ("queue", {"partitoin": "x"}, "--executor queue has no option 'partitoin'; did you mean 'partition'?"),
        ("local", {"hours": "1"}, "--executor local has no option 'hours'; it takes none"),
        ("queue", {"tries": "many"}, "--executor-option tries=many: expected a whole number"),
        ("queue", {"hours": "soon"}, "--executor-option hours=soon: expected a number"),
    ],
)
def test_a_wrong_option_is_one_line(run, executor, given, message):
    with pytest.raises(SuiteError) as raised:
        run(executor, executor_options=given)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_where_trials_run_elsewhere_the_user_alone_says_how_many(run, tiny):
    assert run(executor_options={"cluster": "there"})[0] is None
    assert run("far")[0] is None
    assert run("far", jobs=3)[0] == 3
    exclusive = {**tiny, "exclusive": True}
    assert run(suite=exclusive)[0] == 1
    for arguments in ({"executor": "far"}, {"executor_options": {"cluster": "there"}}):
        with pytest.raises(SuiteError, match="'exclusive'"):
            run(suite=exclusive, **arguments)


def test_an_executor_may_run_functions_as_local_workers_do():
    with benchkit.LocalExecutor(1, None, None) as workers:
        assert workers.submit(divmod, 7, 2, timeout=None).result(60) == (3, 1)
        assert isinstance(
            workers.submit(exec, "import os; os._exit(3)", timeout=None).exception(60), benchkit.EndedError
        )
