"""What the page on the exact worst case of trees says of a run is what the run measured."""

import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "docs" / "site"))
from exact_trees import section  # noqa: E402

sys.path.remove(str(ROOT / "docs" / "site"))


def run(**changed):
    """Two splits of two models at N = 0, 4 and 8, each row closed at once, querying half a point off at N = 4."""
    rows = [
        {"model": model, "algorithm": model, "fill": "nan", "by": by, "budget": budget, "repetition": split}
        | {"error": 0.1 * budget - (0.005 if by == "query" and budget == 4 else 0), "n_test": 200, "n_train": 1000}
        | {"worst-case-bound": 0.1 * budget + 0.01, "open-rows": 0.0, "rows-within-a-second": 1.0, "cpu_seconds": 10.0}
        | {"slowest-row-seconds": 0.25 if budget == 8 else 0.0004}
        for model in ("xgboost", "dropout")
        for by in ("exact", "query")
        for budget in (0.0, 4.0, 8.0)
        for split in (0, 1)
    ]
    frame = pd.DataFrame(rows)
    for column, (chosen, value) in changed.items():
        frame.loc[frame.eval(chosen), column.replace("_", "-")] = value
    return frame


def test_shares_slowest_rows_and_errors_are_those_of_the_run():
    told = " ".join(section(run()).split())
    assert "400 test rows of 2 random splits with 1,000 to train" in told
    assert "| xgboost | nan | 0.0 (0.0) | 40.0 (0.5) | 80.0 (0.0) |" in told
    assert "The slowest row up to there took 250 ms. No row of any point was left open" in told
    assert "reaches the exact error at 4 of 6 points" in told
    assert "1 min of one processor" in told  # a fit that trials share is in the seconds of each


def test_a_row_that_is_not_closed_is_never_rounded_away():
    told = " ".join(
        section(
            run(
                rows_within_a_second=("model == 'dropout' and budget == 4 and by == 'exact'", 0.9999),
                open_rows=("model == 'dropout' and budget == 4 and by == 'exact'", 0.002),
            )
        ).split()
    )
    assert "Hardened ones: 99.9 % up to N = 6 (least: dropout, nan, N = 4), and 100 % beyond" in told
    assert "At 1 of 6 points rows were left open after 10,000 nodes, at most 0.2 % (dropout, nan, N = 4)" in told


def test_a_run_that_is_not_whole_is_refused():
    part = run()
    with pytest.raises(SystemExit, match="not whole"):
        section(part[~((part["budget"] == 8) & (part["repetition"] == 1))])
