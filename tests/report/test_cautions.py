"""What a reader is warned of; where a weaker attack did more damage than a stronger one, and what tuning cost."""

from itertools import product

import pytest

import benchkit
from benchkit.report.analysis import Analysis, Settings
from benchkit.report.documents import run_document
from benchkit.report.tables import means
from benchkit.report.trial_tables import inconsistencies, tuning

SHARED = {"n_rows": 400, "n_test": 100, "generated": False}


@pytest.fixture
def cautions(make_results):
    def cautions(rows, settings=None, **fields):
        return " | ".join(Analysis(make_results(rows, **fields), settings).cautions)

    return cautions


def test_records_that_do_not_tell_their_rows_and_differences_that_only_more_rows_decide(cell, cautions):
    old = {"n_rows": None, "n_test": None}
    rows = cell("a", [0.1, 0.2, 0.3], **old) + cell("b", [0.3, 0.4, 0.6], **old)
    assert "nothing can be said about new rows for d: these records do not tell" in cautions(rows)
    assert "nothing is said" not in cautions(rows, Settings(scope="splits"))
    values = [0.21, 0.18, 0.25, 0.2, 0.23, 0.16]
    rows = cell("a", [0.2] * 6, **SHARED) + cell("b", values, **SHARED)
    told = "1 of 1 differences is surely too small to see with these rows"
    assert told not in cautions(rows)  # six repetitions do not exclude that more would
    rows = cell("a", [0.2] * 36, **SHARED) + cell("b", values * 6, **SHARED)
    assert told in cautions(rows)


def test_tuned_parameters_at_the_edge_and_fits_that_did_not_converge(cell, cautions):
    rows = cell("a", [0.1] * 10)
    for row in rows[:2]:
        row["at_edge"] = {"C": "highest"}
    assert "better values may lie: widen it for C of a (highest in 2 of 10 trials)" in cautions(rows)
    elsewhere = [{**row, "cell": "other", "at_edge": {}} for row in rows]
    assert "(highest in 2 of 20 trials)" in cautions(rows + elsewhere)
    rows[0]["at_edge"] = {}
    assert "end of a grid" not in cautions(rows)  # a tenth is not more than a tenth
    rows = cell("a", [0.1] * 3)
    rows[1]["warnings"] = {"fit": {"ConvergenceWarning": 4}, "tune": {"RuntimeWarning": 1}}
    told = cautions(rows)
    assert "a: the fit raised ConvergenceWarning in 1 of 3 trials: it did not converge" in told
    assert "RuntimeWarning" not in told


def test_what_has_no_value_is_counted_and_few_repetitions_are_of_methods_compared(cell, cautions, make_results):
    rows = cell("a", [0.1] * 6) + cell("b", [0.2, 0.3, 0.2, 0.4, 0.2, 0.3])
    for row in (rows[1], rows[4]):
        row["metrics"], row["no_value"] = {}, {"error": "one class is absent"}
    told = cautions(rows)
    assert "error has no value in 2 of 6 trials of a: one class is absent; its means are of the others" in told
    analysis = Analysis(make_results(rows))
    assert [row[1].count for row in means(analysis, analysis.grids[0]).cells] == ["4 of 6", ""]
    failed = cell("c", [0.1, 0.2, *[None] * 4])
    assert "too few for the tests" not in cautions(rows[6:] + cell("d", [0.1] * 6) + failed)


def test_no_better_than_the_constant(cell, cautions):
    rows = cell("constant", [0.3, 0.4]) + cell("a", [0.4, 0.4]) + cell("b", [0.1, 0.2])
    order = {"attack_order": {"metrics": {"error": False}, "pairs": []}}
    told = cautions(rows, **order)
    assert "better than that of constant, which looks at no feature: a on d under a at 1." in told
    assert "b on d" not in told
    assert "significantly better than that of" not in cautions(rows)  # a metric that does not judge predictions
    diverged = cell("constant", [0.3, 0.4]) + cell("a", [0.4, 5000.0])
    seconds = [{**row, "metrics": {"fit-seconds": row["metrics"]["error"]}} for row in diverged]
    timed = {"metrics": ["fit-seconds"], "greater_is_better": {"fit-seconds": False}}
    assert "1,000 times" not in cautions(rows) + cautions(seconds, **timed)
    assert "looks at no feature: a on d under a" in cautions(diverged)


@pytest.mark.parametrize(
    ("constant", "other"), [([0.3, 0.3, 0.3, 0.9], [0.31, 0.31, 0.31, None]), ([0.3, 0.3, 0.3, 0], [0.29] * 3 + [None])]
)
def test_no_better_contradicts_neither_the_table_nor_what_both_have(cell, cautions, constant, other):
    """The table's means, and those over the repetitions that both have, name another method the better one."""
    order = {"attack_order": {"metrics": {"error": False}, "pairs": []}}
    assert "significantly better than that of" not in cautions(cell("constant", constant) + cell("a", other), **order)


def test_failures_that_favour_a_method(cell, cautions):
    others = cell("b", [0.1, 0.1, 0.5])
    assert "a failed where the other algorithms do worse" in cautions(cell("a", [0.1, 0.1, None]) + others)
    assert "a failed where" not in cautions(cell("a", [None, 0.1, 0.5]) + others)
    interrupted = cell("a", [0.1, 0.1, None])
    interrupted[2]["status"] = "interrupted"
    assert "a failed where" not in cautions(interrupted + others)


def test_rows_that_cannot_be_read_are_told_with_the_remedy(tiny, tmp_path):
    run = benchkit.run({**tiny, "adversaries": []}, out=tmp_path, executor="inline", tracking=False)
    (rows,) = (path for path in (tmp_path / "tiny" / "rows").glob("*.arrows") if "parts" not in path.name)
    assert not any("cannot be read" in said for said in Analysis(benchkit.load(run.folder)).cautions)
    rows.write_bytes(rows.read_bytes()[:900])
    (told,) = (said for said in Analysis(benchkit.load(run.folder)).cautions if "cannot be read" in said)
    assert f"{rows}: damaged" in told
    assert "--fresh" in told


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


def test_a_run_with_an_attack_that_boasts_says_so_and_so_does_its_report(idle, tmp_path, here):
    suite = {"name": "boast", "datasets": [{"name": "digits", "pair": [4, 7]}], "split": {"train": 100, "test": 100}}
    suite["algorithms"] = [{"name": "svm", "params": {"C": 0.1}}]
    suite["adversaries"] = [{"name": name, "budgets": [0, 8]} for name in ("idle", "exact-delete", "greedy-delete")]
    results = benchkit.run(suite, out=tmp_path / "runs", plugins=[idle], executor="inline", tracking=False)
    (failure,) = results.inconsistencies()
    assert (failure.stronger, failure.weaker, failure.repetitions) == ("idle", "greedy-delete", 1)
    shown = here("report", str(results.folder), "--details").stdout
    assert "idle" in shown.partition("Consistency check failures")[2]
    assert "Consistency check failures" in (results.folder / "report.html").read_text()


def test_what_each_method_judged_took_and_reached_is_a_row(make_row, make_results):
    rows = []
    for k, r in product((1, 2), range(3)):
        stages = [{"metric": "error", "judged": 3 + k * r, "stopped": r == 0}]
        rows.append(make_row(r, 0.1 * k, algorithm=f"method-{k}", tune_seconds=4.0 + r, tuning=stages))
    analysis = Analysis(make_results(rows))
    (table,) = tuning(analysis.records, "error")
    shown = [[round(cell.value, 9) for cell in row[1:]] for row in table.cells]
    assert shown == [[3, 4, 5.0, 6.0, 1, 0.1], [3, 5, 5.0, 6.0, 1, 0.2]]
    assert "Tuning on d under a" in run_document(analysis).text()
    (other,) = tuning([row | {"metrics": {"error": None, "r2": 0.5}} for row in rows[:1]], "error")
    assert other.cells[0][-1].text == "r2 0.500"
