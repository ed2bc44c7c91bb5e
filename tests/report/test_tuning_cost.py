"""What tuning cost, and what it bought."""

from benchkit.report.analysis import Analysis
from benchkit.report.documents import run_document
from benchkit.report.trial_tables import tuning


def test_what_each_method_judged_took_and_reached_is_a_row(make_row, make_results):
    rows = [
        make_row(r, 0.1 * k, algorithm=f"method-{k}", tune_seconds=4.0 + r)
        | {"tuning": [{"metric": "error", "judged": 3 + k * r, "stopped": r == 0}]}
        for k in (1, 2)
        for r in range(3)
    ]
    analysis = Analysis(make_results(rows))
    (table,) = tuning(analysis.records, "error")
    assert [[round(cell.value, 9) for cell in row[1:]] for row in table.cells] == [
        [3, 4, 5.0, 6.0, 1, 0.1],
        [3, 5, 5.0, 6.0, 1, 0.2],
    ]
    assert "Tuning on d under a" in run_document(analysis).text()
