"""Tables fit their width, mark the best and hide no failure."""

import csv
import io
import json

import pytest
from rich.console import Console

import benchkit
from benchkit.report.results import load_results
from benchkit.report.tables import csv_text, json_text, markdown, rich_tables


@pytest.fixture
def results(tiny, write_suite, tmp_path):
    tiny["adversaries"][0]["budgets"] = [0, 1, 2, 3, 4, 11]
    return benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", tracking=False)


def test_wide_tables_are_broken_to_fit(results):
    console = Console(width=60, file=io.StringIO(), force_terminal=False)
    for table in rich_tables(results, 60):
        console.print(table)
    text = console.file.getvalue()
    assert all(len(line) <= 60 for line in text.splitlines())
    assert text.count("error on breast under greedy-delete") > 1
    assert "…" not in text


def test_markdown_marks_the_best_and_shows_failures(results):
    text = markdown(results)
    best = min((point for point in results.points() if point.axis_value == 0), key=lambda point: point.mean)
    assert f"**{best.mean:.3f}" in text
    assert "0 of 2" in text
    assert "2 x svm on breast: failed: ValueError: budget 11 exceeds 10" in text


def test_csv_and_json_have_every_point(results):
    rows = list(csv.DictReader(io.StringIO(csv_text(results))))
    objects = json.loads(json_text(results))
    assert len(rows) == len(objects) == 12
    assert list(objects[0]) == list(rows[0])
    expected = "dataset dataset_params group adversary algorithm budget axis axis_value metric mean stderr n failed"
    assert list(objects[0]) == expected.split()
    assert objects[-1]["failed"] == 2
    assert objects[-1]["mean"] is None


def test_a_run_on_disk_gives_the_same_tables(results, tmp_path):
    again = load_results(tmp_path / "runs" / "tiny", {"error": False})
    assert markdown(again) == markdown(results)
    assert load_results(results.folder, {}).planned == 24
