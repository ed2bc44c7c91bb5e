"""What tuning cost, and what it bought by when."""

import pytest

from benchkit.cli.interface.show_results import print_results
from benchkit.report.analysis import Analysis
from benchkit.report.plots import write_plots
from benchkit.report.tuning_cost import tuning_costs


def stage(scores, spent, rows=None, metric="error", stopped=False):
    count = len(scores)
    return {
        "metric": metric,
        "judged": count,
        "stopped": stopped,
        "scores": scores,
        "spent": spent,
        "rows": rows or [10] * count,
    }


def test_trajectories_are_medians_of_the_best_so_far(make_row):
    rows = [
        make_row(r, 0.2, tune_seconds=4.0 + r) | {"tuning": [stage([0.5, 0.6, low], [1.0, 2.0, 4.0], stopped=r == 0)]}
        for r, low in enumerate((0.1, 0.3, 0.4))
    ]
    (cost,) = tuning_costs(rows, "error", {"error": False})["d", "a"]
    assert (cost.trials, cost.judged, cost.seconds, cost.stopped) == (3, (3, 3, 3), (5.0, 6.0), 1)
    assert cost.score == pytest.approx(0.2)
    assert cost.trajectory[0] == (1.0, 0.5)
    assert cost.trajectory[-1] == (pytest.approx(4.0), 0.3)
    assert {score for _, score in cost.trajectory} == {0.5, 0.3}  # 0.6 was no improvement


def test_rounds_on_fewer_rows_do_not_count_and_greater_may_be_better(make_row):
    row = make_row(0, 0.2, tune_seconds=3.0)
    row["tuning"] = [stage([0.99, 0.7, 0.8], [1.0, 2.0, 3.0], rows=[5, 10, 10], metric="auc")]
    (cost,) = tuning_costs([row], "error", {"error": False, "auc": True})["d", "a"]
    assert cost.trajectory[0] == (2.0, 0.7)
    assert cost.trajectory[-1][1] == 0.8


def test_it_is_printed_and_drawn(make_row, make_results, tmp_path, capsys):
    rows = [
        make_row(r, 0.1 * k, algorithm=f"method-{k}", tune_seconds=2.0) | {"tuning": [stage([0.5, 0.4], [0.1, 2.0])]}
        for k in (1, 2)
        for r in range(3)
    ]
    analysis = Analysis(make_results(rows))
    print_results(analysis, full=True)
    assert "Tuning on d under a" in capsys.readouterr().out
    assert tmp_path / "tuning-error-d-a.svg" in write_plots(analysis, tmp_path, ("svg",))
    assert "seconds of tuning" in (tmp_path / "tuning-error-d-a.svg").read_text()
