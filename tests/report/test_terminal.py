"""Tables for the terminal fit their width and mark what differs."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

import benchkit
from benchkit.document.terminal import terminal_tables
from benchkit.report.analysis import Analysis, Settings
from benchkit.report.tables import claims, differences, means, ranks, robustness
from benchkit.suite.claims import read_claim


@pytest.fixture
def results(tiny, write_suite, tmp_path, unseen):
    tiny["adversaries"][0]["budgets"] = [0, 1, 2, 3, 4, 11]
    return benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", tracking=False)


def show(tables, width, before=""):
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    for table in tables:
        for part in terminal_tables(replace(table, title=before + table.title), width):
            console.print(part)
    return console.file.getvalue()


def of_each_grid(table, analysis):
    return [table(analysis, grid) for grid in analysis.grids]


def test_wide_tables_are_broken_to_fit(results):
    text = show(of_each_grid(means, Analysis(results)), 60)
    assert all(len(line) <= 60 for line in text.splitlines())
    assert text.count("error on breast under greedy-delete") > 1
    assert "\u2026" not in text
    assert "0 of 2" in text


def test_a_metric_without_a_value_is_no_failed_trial(make_row, make_results):
    rows = [make_row(r, 0.1, algorithm=name) for r in range(3) for name in ("good", "silent")]
    for row in rows[1::2]:
        row["metrics"] = {"error": None}
    analysis = Analysis(make_results(rows))
    (table,) = of_each_grid(means, analysis)
    (cell,) = (row[1] for row in table.cells if str(row[0]) == "silent")
    assert (str(cell), cell.emphasis, cell.hint) == ("-", "", "no value, though trials ended ok")
    assert "0 of" not in show([table], 80)
    assert "error is no number in 3 of 3 trials of silent" in " ".join(analysis.cautions)


@pytest.fixture
def analysis(make_row, make_results):
    rows = [
        make_row(r, base + shift + 0.01 * r + 0.1 * place, algorithm=name, dataset=dataset, axis_value=place)
        for dataset, base in {"one": 0.1, "two": 0.2, "three": 0.3}.items()
        for name, shift in {"good": 0.0, "bad": 0.2}.items()
        for place in (0.0, 1.0)
        for r in range(8)
    ]
    claim = read_claim({"claim": "good is good", "order": ["good", "bad"]})
    return Analysis(make_results(rows, expectations=[claim]))


def test_what_a_full_report_adds_fits_80_columns(analysis):
    text = show(of_each_grid(robustness, analysis), 80, "Robustness: ")
    text += show([*ranks(analysis), claims(analysis.verdicts)], 80)
    text += show(of_each_grid(differences, analysis), 80, "Against best: ")
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "Robustness: error on one under a" in text
    assert "Ranks over 3 datasets: error under a" in text
    assert "Against best: error on two under a" in text
    assert "supported" in text


def test_groups_stand_for_their_members(make_row, make_results):
    rows = [
        make_row(r, 0.1, algorithm="m", dataset="usps", dataset_params={"pair": pair}, pair=str(pair), group="pairs")
        for pair in ([1, 2], [3, 4])
        for r in range(2)
    ]
    results = make_results(rows)
    assert [grid.name for grid in Analysis(results).grids] == ["pairs"]
    shown = Analysis(results, Settings(details=True)).grids
    assert [grid.name for grid in shown] == ["usps pair=[1, 2]", "usps pair=[3, 4]", "pairs"]
