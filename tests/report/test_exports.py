"""Markdown, CSV, JSON and parquet hold every number and hide no failure."""

import csv
import io
import json

import pytest
from pyarrow import parquet

import benchkit
from benchkit.report.analysis import Analysis
from benchkit.report.documents import markdown
from benchkit.report.exports import csv_text, json_text, parquet_bytes
from benchkit.report.stored_results import load


@pytest.fixture
def results(tiny, write_suite, tmp_path, unseen):
    tiny["adversaries"][0]["budgets"] = [0, 1, 2, 3, 4, 11]
    return benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", tracking=False)


def test_markdown_marks_the_best_and_shows_failures(results):
    text = markdown(Analysis(results))
    best = min((point for point in results.points() if point.axis_value == 0), key=lambda point: point.mean)
    assert f"**{best.mean:.3f}" in text
    assert "0 of 2" in text
    assert "| svm | breast | greedy-delete | 2 | ValueError: budget 11 exceeds 10" in text
    assert "4 of 24 trials did not end ok" in text
    assert "means leave failed trials out" in text


def test_csv_and_json_have_every_point(results):
    analysis = Analysis(results)
    rows = list(csv.DictReader(io.StringIO(csv_text(analysis))))
    objects = json.loads(json_text(analysis))
    assert len(rows) == len(objects) == 12
    expected = "dataset dataset_params group adversary algorithm budget axis axis_value metric mean stderr n failed"
    assert list(objects[0]) == expected.split()
    assert list(rows[0])[: len(objects[0])] == list(objects[0])
    assert objects[-1]["failed"] == 2
    assert objects[-1]["mean"] is None
    point = next(p for p in analysis.points if analysis.comparison(p))
    row = next(r for r in rows if r["algorithm"] == point.algorithm and float(r["axis_value"]) == point.axis_value)
    assert float(row["p_holm"]) == analysis.comparison(point).holm
    assert float(row["low"]) == pytest.approx(point.interval()[0])


def test_parquet_has_every_record(results, tmp_path):
    (tmp_path / "r.parquet").write_bytes(parquet_bytes(Analysis(results)))
    table = parquet.read_table(tmp_path / "r.parquet").to_pylist()
    assert [row["trial"] for row in table] == [row["trial"] for row in results.records]
    assert [row["metrics.error"] for row in table] == [row["metrics"].get("error") for row in results.records]
    assert {row["status"] for row in table} == {"ok", "failed"}
    assert "budget 11 exceeds 10" in {row["error"] for row in table if row["error"]}.pop()


def test_a_run_on_disk_gives_the_same_tables(results, tmp_path):
    again = load(tmp_path / "runs" / "tiny")
    assert markdown(Analysis(again)) == markdown(Analysis(results))
    assert load(results.folder).planned == 24
