"""A metric is no part of what a trial is: a record gains values, and its rows stay its own."""

import pytest

import benchkit
from benchkit.session.plan import Request, plan_suite
from benchkit.session.preview import reasons

ROWS = 8 * 60

PLUGIN = """
from benchkit import Metric, hookimpl

def wrong(context):
    return (context.y != context.predictions) * FACTOR

@hookimpl
def benchkit_metrics():
    return [
        Metric(name="mine", compute=lambda context: float(wrong(context).mean()), row_values=wrong, needs="labels"),
        Metric(name="ends", compute=lambda context: __import__("os")._exit(3), needs="labels"),
        Metric(name="broken", compute=lambda context: 1 / 0, needs="labels"),
    ]
"""


@pytest.fixture
def run(tiny, write_suite, write_plugin, tmp_path):
    """Runs the suite with some metrics, of a plugin whose own counts errors by a factor."""

    def run_it(*metrics, factor=1.0, name="tiny", **options):
        run_it.suite = {**tiny, "name": name, "plugins": [str(write_plugin(PLUGIN.replace("FACTOR", str(factor))))]}
        path = write_suite({**run_it.suite, "metrics": list(metrics)})
        run_it.request = Request(path, out=tmp_path / "runs")
        return benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False, plots=False, **options)

    return run_it


def values(results, name):
    return [row["metrics"][name] for row in results.records]


def assert_rows_are_there(results):
    """All that reads the rows of a run: the export, metrics computed afterwards, and intervals of differences."""
    loaded = benchkit.load(results.folder)
    assert len(loaded.rows_to_pandas()) == ROWS
    assert None not in values(loaded.with_metrics("recall_macro"), "recall_macro")
    assert all(each.by_rows for each in loaded.comparisons() if each.metric == "error")


def test_a_metric_of_the_model_runs_the_trials_again_which_keep_rows_of_their_own(run):
    first = run("error")
    again = run("error", "fit-seconds")
    assert (again.ran, again.reused) == (8, 0)
    assert [row["trial"] for row in again.records] == [row["trial"] for row in first.records]
    assert values(again, "error") == values(first, "error")
    for results in (again, first):
        assert_rows_are_there(results)
    assert {row["run"] for row in benchkit.load(first.folder).records} == {first.folder.name}
    assert run("fit-seconds", "error").ran == 4  # the SVM's C is chosen by the first metric
    assert run("error").ran == 0


def test_a_metric_whose_code_changed_has_the_value_of_today(run):
    first = run("error", "mine")
    assert values(first, "mine") == values(first, "error")
    assert run("error", "mine").ran == 0
    changed = run("error", "mine", factor=2.0)
    assert (changed.ran, changed.reused) == (0, 8)
    doubled = [2 * value for value in values(first, "error")]
    assert values(changed, "mine") == pytest.approx(doubled)
    assert values(benchkit.load(changed.folder), "mine") == pytest.approx(doubled)
    assert values(benchkit.load(first.folder), "mine") == values(first, "mine")
    assert_rows_are_there(changed)
    back = run("error", "mine")
    assert (back.ran, values(back, "mine")) == (0, values(first, "mine"))


def test_a_metric_that_raises_fails_in_its_trials_and_one_that_ends_its_process_not_the_command(run):
    first = run("error")
    broken = run("error", "broken")
    assert (broken.ran, broken.statuses) == (8, {"failed": 8})
    assert all("broken" in row["error"] for row in broken.records)
    assert run("error").ran == 0
    assert benchkit.plan({**run.suite, "metrics": ["error", "ends"]}, out=first.folder.parent.parent).left == 8


def test_without_rows_a_changed_metric_runs_its_trials_again_and_the_plan_says_why(run, write_suite, write_plugin):
    def why(*metrics):
        write_suite({**run.suite, "metrics": list(metrics)})
        return reasons(plan_suite(run.request))

    first = run("error", "mine", settings={"keep.rows": "none"})
    assert why("error", "mine") == {}
    assert why("error", "mine", "fit-seconds") == {"metric fit-seconds is new": 8}
    write_plugin(PLUGIN.replace("FACTOR", "2.0"))
    assert why("error", "mine") == {"metric mine changed": 8}
    assert why("mine", "error") == {"benchkit_file_my_plugin changed": 4, "metric mine changed": 4}
    changed = run("error", "mine", factor=2.0, settings={"keep.rows": "none"})
    assert (changed.ran, values(changed, "mine")) == (8, pytest.approx([2 * value for value in values(first, "error")]))
