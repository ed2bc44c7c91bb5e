"""Terminal, Markdown, CSV, JSON and parquet hold every number and hide no failure."""

import csv
import io
import json

import pytest
from pyarrow import parquet

from benchkit.report.analysis import Analysis
from benchkit.report.documents import markdown
from benchkit.report.exports import csv_text, json_text, parquet_bytes
from benchkit.report.tables import means

WHY = "budget 11 exceeds 10"


@pytest.fixture
def results(make_row, make_results):
    """Two methods at six budgets, the last of which the SVM cannot bear."""
    rows = []
    for name, start in {"svm": 0.1, "constant": 0.4}.items():
        for budget in (0.0, 1.0, 2.0, 3.0, 4.0, 11.0):
            for r in range(2):
                fields = {"algorithm": name, "axis_value": budget, "dataset": "breast", "adversary": "greedy-delete"}
                if (name, budget) == ("svm", 11.0):
                    rows.append(make_row(r, None, "failed", error=WHY, **fields))
                else:
                    rows.append(make_row(r, start + 0.01 * r + 0.02 * budget, **fields))
    return make_results(rows)


def test_markdown_marks_the_best_and_shows_failures(results):
    text = markdown(Analysis(results))
    best = min((point for point in results.points() if point.axis_value == 0), key=lambda point: point.mean)
    assert f"**{best.mean:.3f}" in text
    assert "0 of 2" in text
    assert f"| svm | breast | greedy-delete | 2 | ValueError: {WHY}" in text
    assert "2 of 24 trials did not end ok" in text


def test_csv_and_json_have_every_point(results):
    analysis = Analysis(results)
    rows = list(csv.DictReader(io.StringIO(csv_text(analysis))))
    objects = json.loads(json_text(analysis))
    assert len(rows) == len(objects) == 12
    expected = "dataset dataset_params group adversary algorithm budget axis axis_value metric mean stderr n failed"
    assert list(objects[0]) == expected.split()
    assert list(rows[0])[: len(objects[0])] == list(objects[0])
    assert (objects[5]["failed"], objects[5]["mean"]) == (2, None)
    point = next(p for p in analysis.points if analysis.comparison(p))
    row = next(r for r in rows if r["algorithm"] == point.algorithm and float(r["axis_value"]) == point.axis_value)
    assert float(row["p_holm"]) == analysis.comparison(point).holm
    assert float(row["low"]) == pytest.approx(point.interval()[0])


def test_parquet_has_every_record(results, tmp_path):
    (tmp_path / "r.parquet").write_bytes(parquet_bytes(Analysis(results)))
    table = parquet.read_table(tmp_path / "r.parquet").to_pylist()
    assert [row["cell"] for row in table] == [row["cell"] for row in results.records]
    assert [row["metrics.error"] for row in table] == [row["metrics"].get("error") for row in results.records]
    assert {row["error"] for row in table} == {None, WHY}


def test_a_metric_without_a_value_is_no_failed_trial(make_row, make_results):
    rows = [make_row(r, 0.1, algorithm=name) for r in range(3) for name in ("good", "silent")]
    for row in rows[1::2]:
        row["metrics"] = {"error": None}
    analysis = Analysis(make_results(rows))
    (cell,) = (row[1] for row in means(analysis, analysis.grids[0]).cells if str(row[0]) == "silent")
    assert (str(cell), cell.emphasis) == ("-", "")
    assert any("3 of 3 trials of silent" in caution for caution in analysis.cautions)
