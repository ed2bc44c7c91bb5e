"""What is printed where bold type cannot be seen, and after Ctrl-C."""

import pytest

from benchkit.cli.interface.show_results import print_interrupted, print_results
from benchkit.report.analysis import Analysis


@pytest.fixture
def rows():
    def row(repetition, algorithm, value, status="ok"):
        return {
            **{"trial": "t", "cell": algorithm, "status": status, "dataset": "d", "dataset_params": {}, "group": None},
            **{"feature_values": "uniform", "adversary": "a", "adversary_params": {}, "algorithm": algorithm},
            **{"params": {}, "budget": 1.0, "axis": "budget", "axis_value": 1.0, "repetition": repetition},
            **{"metrics": {"error": value} if status == "ok" else {}, "error_type": status, "error": "why"},
            **{"n_rows": 90, "n_train": 60, "n_validation": 0, "n_test": 30},
            **{"generated": True, "split": "random", "folds": None},
        }

    return row


def test_the_best_is_marked_by_a_sign(rows, make_results, capsys):
    results = make_results([rows(r, name, base) for r in range(3) for name, base in (("good", 0.1), ("bad", 0.3))])
    print_results(Analysis(results))
    text = capsys.readouterr().out
    assert "_0.100_" in text
    assert "_0.300_" not in text
    assert "_underlined_: the best of each column" in text
    assert "in bold" not in text


def test_an_interrupted_run_ends_in_five_lines(rows, make_results, capsys):
    records = [rows(0, "good", 0.1), rows(0, "bad", 0, "failed")]
    print_interrupted(make_results(records, interrupted=True, planned=3, seconds=3.0))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0] == "interrupted after 3.0 s: 1 of 3 trials are left"
    assert lines[2].startswith("did not end ok: 1 x bad on d under a")
    assert lines[-1].startswith("results so far: benchkit report ")


@pytest.fixture
def make_results(tmp_path):
    from benchkit.report.results import Results

    def make(records, **fields):
        known = {"suite": "s", "title": "S", "metrics": ["error"], "greater_is_better": {"error": False}}
        return Results(rows=records, folder=tmp_path, **{**known, **fields})

    return make
