"""Tables of trials: where a weaker attack did more damage than a stronger one, and what tuning cost."""

import pytest

import benchkit
from benchkit.report.analysis import Analysis
from benchkit.report.documents import run_document
from benchkit.report.trial_tables import inconsistencies, tuning

ORDER = {"metrics": {"error": False}, "pairs": [{"stronger": "exact", "weaker": "greedy", "uniform_only": False}]}


def test_a_weaker_attack_that_wins_is_flagged_with_count_and_excess(make_row):
    errors = {"exact": (0.4, 0.4), "greedy": (0.5, 0.6)}
    rows = [make_row(r, error, adversary=name) for name, both in errors.items() for r, error in enumerate(both)]
    (failure,) = inconsistencies(rows, ORDER)
    assert (failure.stronger, failure.weaker) == ("exact", "greedy")
    assert (failure.repetitions, failure.excess) == (2, pytest.approx(0.2))


@pytest.mark.parametrize(
    "other",
    [{"params": {"C": 2}}, {"budget": 3.0}, {"repetition": 1}, {"status": "failed"}, {"metrics": {"error": None}}],
)
def test_only_the_same_model_within_the_same_budget_is_compared(make_row, other):
    weaker = make_row(0, 0.5, adversary="greedy") | other
    assert inconsistencies([make_row(0, 0.4, adversary="exact"), weaker], ORDER) == []


def test_a_run_with_an_attack_that_boasts_says_so_and_so_does_its_report(idle, write_suite, tmp_path, here):
    suite = {
        "name": "boast",
        "datasets": [{"name": "digits", "pair": [4, 7]}],
        "split": {"train": 100, "test": 100},
        "algorithms": [{"name": "svm", "params": {"C": 0.1}}],
        "adversaries": [{"name": name, "budgets": [0, 8]} for name in ("idle", "exact-delete", "greedy-delete")],
    }
    options = {"out": tmp_path / "runs", "plugins": [idle], "executor": "inline", "tracking": False}
    results = benchkit.run(str(write_suite(suite)), **options)
    (failure,) = results.inconsistencies()
    assert (failure.stronger, failure.weaker, failure.repetitions) == ("idle", "greedy-delete", 1)
    shown = here("report", str(results.folder), "--details").stdout
    assert "idle" in shown.partition("Consistency check failures")[2]
    assert "Consistency check failures" in (results.folder / "report.html").read_text()


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
