"""The reasons why trials run again, and metrics, which are none."""

import pytest

import benchkit
from benchkit.identity import sources
from benchkit.session.plan import Request, plan_suite
from benchkit.session.preview import combinations, reasons

PLUGIN = """
import numpy
from benchkit import Algorithm, Data, DataFile, Dataset, hookimpl, require_file

def load():
    X = numpy.loadtxt(require_file("numbers.txt")).reshape(-1, 1)
    return Data(X=X, y=numpy.where(numpy.arange(len(X)) % 2, 1, -1))

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name=name, make=f"explained_package.{name}:Own") for name in ("mine", "other")]

@hookimpl
def benchkit_datasets():
    return [Dataset(name="numbers", load=load, files=[DataFile(name="numbers.txt")])]
"""
ESTIMATOR = "from sklearn.linear_model import LogisticRegression\nclass Own(LogisticRegression):\n    pass\n"


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """Arguments of `plan` for a suite that ran once, and the folder of its sources."""
    folder = tmp_path_factory.mktemp("explained")
    package = folder / "explained_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name in ("mine", "other"):
        (package / f"{name}.py").write_text(ESTIMATOR)
    (folder / "numbers.txt").write_text("\n".join(map(str, range(40))))
    (folder / "my_plugin.py").write_text(PLUGIN)
    others = [{"name": "other", "params": {"C": 2}}, {"name": "other", "label": "bad", "params": {"C": -1}}]
    content = {"name": "s", "datasets": ["numbers"], "algorithms": ["mine", *others], "split": {"repetitions": 2}}
    arguments = {"suite": content, "plugins": [folder / "my_plugin.py"], "out": folder / "runs"}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("BENCHKIT_DATA", str(folder))
        benchkit.run(**arguments, executor="inline", tracking=False)
        yield arguments, folder


def why(arguments, **changes):
    return reasons(plan_suite(Request(**arguments, **changes)))


FAILED, SETTING = {"failed before": 2}, "a setting of the suite changed"


def test_a_version(suite, monkeypatch):
    arguments, _ = suite
    real, packages = sources.installed()
    monkeypatch.setattr(sources, "installed", lambda: ({**real, "numpy": "0"}, packages))
    assert why(arguments, only={"algorithm": "mine"}) == {"numpy changed": 2}


@pytest.mark.parametrize(
    ("settings", "counts"),
    [
        ({"seed": 3}, {SETTING: 6}),
        ({"split.repetitions": 3}, FAILED),
        ({"algorithms": [{"name": "mine", "params": {"C": 3}}]}, {SETTING: 2}),
        ({"algorithms": [{"name": "mine", "label": "mine-too", "params": {"C": 4}}]}, {}),
    ],
)
def test_settings(suite, settings, counts):
    assert why(suite[0], settings=settings) == counts


def test_reused_failed_a_source_and_a_data_file(suite):
    arguments, folder = suite
    rows = combinations(plan_suite(Request(**arguments)))
    counts = [(row["algorithm"], row["trials"], row["reused"]) for row in rows]
    assert counts == [("mine", 2, 2), ("other", 2, 2), ("bad", 2, 0)]
    with (folder / "explained_package" / "mine.py").open("a") as file:
        file.write("# a comment\n")
    assert why(arguments) == FAILED
    with (folder / "explained_package" / "mine.py").open("a") as file:
        file.write("line = 1\n")
    assert why(arguments) == FAILED | {"explained_package.mine changed": 2}
    with (folder / "numbers.txt").open("a") as file:
        file.write("\n41\n")
    file = "file numbers.txt"
    assert why(arguments) == {f"{file}, explained_package.mine changed": 2, f"{file} changed": 4}


ROWS = 8 * 60

METRICS = """
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
        run_it.suite = {**tiny, "name": name, "plugins": [str(write_plugin(METRICS.replace("FACTOR", str(factor))))]}
        path = write_suite({**run_it.suite, "metrics": list(metrics)})
        run_it.request = Request(path, out=tmp_path / "runs")
        return benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False, plots=False, **options)

    return run_it


def measured(results, name):
    return [row["metrics"][name] for row in results.records]


def assert_rows_are_there(results):
    """All that reads the rows of a run: the export, metrics computed afterwards, and intervals of differences."""
    loaded = benchkit.load(results.folder)
    assert len(loaded.rows_to_pandas()) == ROWS
    assert None not in measured(loaded.with_metrics("recall_macro"), "recall_macro")
    assert all(each.by_rows for each in loaded.comparisons() if each.metric == "error")


def test_a_metric_of_the_model_runs_the_trials_again_which_keep_rows_of_their_own(run):
    first = run("error")
    again = run("error", "fit-seconds")
    assert (again.ran, again.reused) == (8, 0)
    assert [row["trial"] for row in again.records] == [row["trial"] for row in first.records]
    assert measured(again, "error") == measured(first, "error")
    for results in (again, first):
        assert_rows_are_there(results)
    assert {row["run"] for row in benchkit.load(first.folder).records} == {first.folder.name}
    assert run("fit-seconds", "error").ran == 4  # the SVM's C is chosen by the first metric
    assert run("error").ran == 0


def test_a_metric_whose_code_changed_has_the_value_of_today(run):
    first = run("error", "mine")
    assert measured(first, "mine") == measured(first, "error")
    assert run("error", "mine").ran == 0
    changed = run("error", "mine", factor=2.0)
    assert (changed.ran, changed.reused) == (0, 8)
    doubled = [2 * value for value in measured(first, "error")]
    assert measured(changed, "mine") == pytest.approx(doubled)
    assert measured(benchkit.load(changed.folder), "mine") == pytest.approx(doubled)
    assert measured(benchkit.load(first.folder), "mine") == measured(first, "mine")
    assert_rows_are_there(changed)
    back = run("error", "mine")
    assert (back.ran, measured(back, "mine")) == (0, measured(first, "mine"))


def test_a_metric_that_raises_costs_no_other_its_value_and_one_that_ends_its_process_not_the_command(run):
    first = run("error")
    broken = run("error", "broken")
    assert (broken.ran, broken.statuses, broken.ok) == (8, {"ok": 8}, False)
    assert measured(broken, "error") == measured(first, "error")
    assert all("broken" not in row["metrics"] for row in broken.rows)
    ((count, problem),) = benchkit.load(broken.folder).problems()
    assert count == 8
    assert "metric failed: ZeroDivisionError: metric broken: division by zero (my_plugin.py:" in problem
    assert "; traceback in" in problem
    assert run("error", "broken").ran == 8
    assert set(plan_suite(run.request).again.values()) == {"metric broken failed before"}
    assert run("broken").statuses == {"failed": 8}
    kept = run("error")
    assert (kept.ran, kept.ok, kept.problems()) == (0, True, [])
    assert benchkit.plan({**run.suite, "metrics": ["error", "ends"]}, out=first.folder.parent.parent).left == 8


def test_without_rows_a_changed_metric_runs_its_trials_again_and_the_plan_says_why(run, write_suite, write_plugin):
    def why(*metrics):
        write_suite({**run.suite, "metrics": list(metrics)})
        return reasons(plan_suite(run.request))

    first = run("error", "mine", settings={"keep.rows": "none"})
    assert why("error", "mine") == {}
    assert why("error", "mine", "fit-seconds") == {"metric fit-seconds is new": 8}
    write_plugin(METRICS.replace("FACTOR", "2.0"))
    assert why("error", "mine") == {"metric mine changed": 8}
    assert why("mine", "error") == {"my_plugin.py changed": 4, "metric mine changed": 4}
    changed = run("error", "mine", factor=2.0, settings={"keep.rows": "none"})
    assert (changed.ran, measured(changed, "mine")) == (
        8,
        pytest.approx([2 * value for value in measured(first, "error")]),
    )
