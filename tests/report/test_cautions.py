"""What a reader is warned of, and the answer in one line."""

import pytest

import benchkit
from benchkit.report.analysis import Analysis, Settings

SHARED = {"n_rows": 400, "n_test": 100, "generated": False}


@pytest.fixture
def cell(make_row):
    """Records of one cell; values by repetition, None where the trial failed."""

    def cell(algorithm, values, **fields):
        return [
            make_row(r, value, "failed" if value is None else "ok", algorithm=algorithm, **fields)
            for r, value in enumerate(values)
        ]

    return cell


@pytest.fixture
def cautions(make_results):
    def cautions(rows, settings=None, **fields):
        return " | ".join(Analysis(make_results(rows, **fields), settings).cautions)

    return cautions


def test_records_that_do_not_tell_their_rows(cell, cautions):
    old = {"n_rows": None, "n_test": None}
    rows = cell("a", [0.1, 0.2, 0.3], **old) + cell("b", [0.3, 0.4, 0.6], **old)
    assert "nothing can be said about new rows for d: these records do not tell" in cautions(rows)
    assert "nothing is said" not in cautions(rows, Settings(scope="splits"))


def test_differences_that_only_more_rows_decide(cell, cautions):
    values = [0.21, 0.18, 0.25, 0.2, 0.23, 0.16]
    rows = cell("a", [0.2] * 6, **SHARED) + cell("b", values, **SHARED)
    told = "1 of 1 differences are too small to see with this much data; repeating will not help, more rows would"
    assert told not in cautions(rows)  # six repetitions do not exclude that more would
    rows = cell("a", [0.2] * 36, **SHARED) + cell("b", values * 6, **SHARED)
    assert told in cautions(rows)


def test_tuned_parameters_at_the_edge(cell, cautions):
    rows = cell("a", [0.1] * 10)
    for row in rows[:2]:
        row["at_edge"] = {"C": "highest"}
    assert "better values may lie: widen it for C of a (highest in 2 of 10 trials)" in cautions(rows)
    rows[0]["at_edge"] = {}
    assert "end of a grid" not in cautions(rows)  # a tenth is not more than a tenth


def test_fits_that_did_not_converge(cell, cautions):
    rows = cell("a", [0.1] * 3)
    rows[1]["warnings"] = {"fit": {"ConvergenceWarning": 4}, "tune": {"RuntimeWarning": 1}}
    told = cautions(rows)
    assert "a: the fit raised ConvergenceWarning in 1 of 3 trials: it did not converge" in told
    assert "RuntimeWarning" not in told


def test_no_better_than_the_constant(cell, cautions):
    rows = cell("constant", [0.3, 0.4]) + cell("a", [0.4, 0.4]) + cell("b", [0.1, 0.2])
    order = {"attack_order": {"metrics": {"error": False}, "pairs": []}}
    assert "error no better than that of constant, which looks at no feature: a on d under a at 1." in cautions(
        rows, **order
    )
    assert "b on d" not in cautions(rows, **order)
    assert "no better" not in cautions(rows)  # a metric that does not judge predictions


@pytest.mark.parametrize(
    ("constant", "other"), [([0.3, 0.3, 0.3, 0.9], [0.31, 0.31, 0.31, None]), ([0.3, 0.3, 0.3, 0], [0.29] * 3 + [None])]
)
def test_no_better_contradicts_neither_the_table_nor_what_both_have(cell, cautions, constant, other):
    """The table's means, and those over the repetitions that both have, name another method the better one."""
    order = {"attack_order": {"metrics": {"error": False}, "pairs": []}}
    assert "no better" not in cautions(cell("constant", constant) + cell("a", other), **order)


def test_failures_that_favour_a_method(cell, cautions):
    others = cell("b", [0.1, 0.1, 0.5])
    assert "a failed where the other algorithms do worse" in cautions(cell("a", [0.1, 0.1, None]) + others)
    assert "a failed where" not in cautions(cell("a", [None, 0.1, 0.5]) + others)
    interrupted = cell("a", [0.1, 0.1, None])
    interrupted[2]["status"] = "interrupted"
    assert "a failed where" not in cautions(interrupted + others)


def test_rows_that_cannot_be_read_are_told_with_the_remedy(tmp_path):
    suite = {
        "name": "tiny",
        "datasets": ["breast"],
        "split": {"repetitions": 2, "train": 60, "test": 60},
        "algorithms": ["svm", "constant"],
    }
    run = benchkit.run(suite, out=tmp_path, executor="inline", tracking=False)
    (rows,) = (path for path in (tmp_path / "tiny" / "rows").glob("*.arrows") if "parts" not in path.name)
    assert not any("cannot be read" in said for said in Analysis(benchkit.load(run.folder)).cautions)
    rows.write_bytes(rows.read_bytes()[:900])
    (told,) = (said for said in Analysis(benchkit.load(run.folder)).cautions if "cannot be read" in said)
    assert f"{rows}: damaged" in told
    assert "--fresh" in told
