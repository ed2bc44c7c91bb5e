"""Intervals of differences are those of the formula, computed from the rows as a table."""

import math
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import benchkit
from benchkit.report.analysis import Analysis
from benchkit.report.grid import arrange
from benchkit.report.standings import standings
from benchkit.statistics import difference

SUITE = {
    "name": "tiny",
    "datasets": ["breast"],
    "split": {"repetitions": 4, "train": 100, "test": 80},
    "preprocess": ["standardize"],
    "algorithms": [{"name": "svm", "params": {"C": 0.01}}, "logistic-regression"],
    "adversaries": [{"name": "random-delete", "budgets": [4]}],
    "seed": 3,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return benchkit.run(SUITE, out=tmp_path_factory.mktemp("out"), executor="inline", tracking=False)


def test_the_interval_is_that_of_the_formula(run):
    (compared,) = run.comparisons()
    frame = run.rows_to_pandas().pivot_table(index=["repetition", "row"], columns="algorithm", values="loss")
    d = (frame[compared.algorithm] - frame[compared.reference]).reset_index(name="d")
    by_row = d.groupby("row")["d"].agg(["sum", "size"])
    m, n, units = d["d"].mean(), len(d), len(by_row)
    of_rows = sum((s - c * m) ** 2 for s, c in by_row.to_numpy()) / n**2 * units / (units - 1)
    splits = d.groupby("repetition")["d"].mean()
    low = of_rows + splits.var() / 4
    variance = max(low, min(splits.var() * (1 / 4 + 80 / (569 - 80)), low + of_rows)) + 4 / units**2
    assert compared.by_rows
    assert compared.difference == pytest.approx(m)
    assert (compared.high - compared.low) / 2 == pytest.approx(1.959963984540054 * math.sqrt(variance))
    assert compared.test == "test of both methods row by row"


def test_the_site_and_the_answers_estimate_a_difference_as_the_stars_do(run):
    (compared,) = run.comparisons()
    points = run.points()
    ends = sorted((compared.low, compared.high))

    def is_the_same(measured, sign=1):
        return sorted(sign * end for end in measured.interval()) == pytest.approx(ends)

    by_name = {point.algorithm: point.measurement for point in points}
    assert is_the_same(difference(by_name[compared.algorithm], by_name[compared.reference]))
    leading = standings(*arrange(points, {"error": False}))
    assert is_the_same(leading.ahead)


def test_a_report_of_kept_rows_imports_no_pandas(run):
    """It would take a third of the time of such a report."""
    asked = "import sys, benchkit; print(benchkit.load(sys.argv[1]).comparisons()[0].by_rows, 'pandas' in sys.modules)"
    called = subprocess.run([sys.executable, "-c", asked, run.folder], capture_output=True, text=True, check=True)
    assert called.stdout.split() == ["True", "False"]


def test_rows_of_another_number_than_the_methods_share_tell_nothing(run):
    one, other = (point.measurement for point in run.points())
    assert difference(one, other).rows is not None
    (name,) = {part[1] for part in one.values}
    swapped = replace(other, rows=lambda part: other.rows((1, name)))  # tested on other rows
    assert difference(one, swapped).rows is None


def test_values_of_rows_by_other_code_than_the_means_are_not_mixed_with_them(run):
    one, _ = run.points()
    metric = run.kept_rows.metrics["error"]
    changed = replace(metric, row_values=lambda context: 2.0 * (context.y != context.predictions))
    kept = replace(run.kept_rows, metrics={"error": changed}, columns=None)
    measured = replace(one.measurement, rows=kept.of_method("error", one.records))
    assert difference(measured, one.measurement).rows is None
    (message,) = kept.unreadable
    assert message.startswith("error was computed by other code")


def test_values_of_rows_of_a_wrong_shape_are_refused(run):
    from benchkit import Metric, NotApplicableError
    from benchkit.report.kept_rows import row_values

    metric = Metric(name="odd", compute=lambda e: 0.0, needs="labels", row_values=lambda e: np.zeros(3))
    with pytest.raises(NotApplicableError, match=r"shape \(3,\) of 80 rows"):
        row_values(metric, run.kept_rows.outcomes.of(run.rows[0]))


OWN = """
import numpy as np
from benchkit import Metric, hookimpl

benchkit_api = 1

def costs(context):
    return np.where(context.predictions == context.y, 0.0, 1.0 + context.y)

def cost(context):
    return float(costs(context).mean())

@hookimpl
def benchkit_metrics():
    return [Metric(name="cost", compute=cost, needs="labels", row_values=costs, range=(0, 2))]
"""


def test_a_metric_of_ones_own_reads_rows_in_the_run_and_in_its_report(tmp_path, write_plugin):
    suite = {**SUITE, "name": "own", "adversaries": [], "metrics": ["cost"]}
    run = benchkit.run(suite, plugins=[write_plugin(OWN)], out=tmp_path / "out", executor="inline", tracking=False)
    at_once, later = ([each.by_rows for each in results.comparisons()] for results in (run, benchkit.load(run.folder)))
    assert at_once == later == [True]
    shutil.copytree(tmp_path / "out", tmp_path / "elsewhere")
    plugin = write_plugin(OWN + "# edited")
    assert [each.by_rows for each in benchkit.load(run.folder).comparisons()] == [False]
    plugin.write_text(OWN)
    moved = tmp_path / "elsewhere" / run.folder.relative_to(tmp_path / "out")
    foreign = Analysis(benchkit.load(moved))
    assert [each.by_rows for each in foreign.comparisons] == [False]
    assert any("cost" in caution and "--trust" in caution for caution in foreign.cautions)
    assert Analysis(benchkit.load(moved, trust=True)).comparisons[0].by_rows
