"""What a reader is warned of, and the answer in one line."""

import pytest

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
    assert "nothing is said about new rows for d: these records do not tell" in cautions(rows)
    assert "nothing is said" not in cautions(rows, Settings(scope="splits"))


def test_tests_on_all_rows(cell, cautions):
    whole = {"n_rows": 100, "n_test": 100, "generated": False}
    assert "every repetition tests on all rows" in cautions(cell("a", [0.1, 0.2, 0.3], **whole))


def test_a_warning_of_uncentred_targets_keeps_its_remedy(cell, cautions):
    rows = cell("torrent", [0.1] * 3)
    rows[0]["warnings"] = {"fit": {"UncentredTargetsWarning": 1}}
    told = "torrent: the fit raised UncentredTargetsWarning in 1 of 3 trials: the targets lie far from zero, and no "
    assert f"{told}intercept is fitted: say 'params: {{fit_intercept: true}}'" in cautions(rows)


def test_repeated_k_fold(cell, cautions):
    folded = {**SHARED, "folds": 2, "split": "k-fold"}
    assert "k-fold is repeated on d" in cautions(cell("a", [0.1, 0.2, 0.3, 0.4], **folded))
    assert "k-fold" not in cautions(cell("a", [0.1, 0.2], **folded))


def test_differences_that_only_more_rows_decide(cell, cautions):
    values = [0.21, 0.18, 0.25, 0.2, 0.23, 0.16]
    rows = cell("a", [0.2] * 6, **SHARED) + cell("b", values, **SHARED)
    told = "1 of 1 differences are too small for any number of repetitions of these rows to decide"
    assert f"as far as 6 repetitions tell, {told}" in cautions(rows)
    rows = cell("a", [0.2] * 36, **SHARED) + cell("b", values * 6, **SHARED)
    assert f"{told}: only more rows can" in cautions(rows)
    assert "as far as" not in cautions(rows)


def test_tuned_parameters_at_the_edge(cell, cautions):
    rows = cell("a", [0.1] * 10)
    for row in rows[:2]:
        row["at_edge"] = {"C": "highest"}
    assert "better values may lie: C of a (highest in 2 of 10 trials)" in cautions(rows)
    rows[0]["at_edge"] = {}
    assert "of the grid" not in cautions(rows)  # a tenth is not more than a tenth


def test_fits_that_did_not_converge(cell, cautions):
    rows = cell("a", [0.1] * 3)
    rows[1]["warnings"] = {"fit": {"ConvergenceWarning": 4}, "tune": {"RuntimeWarning": 1}}
    told = cautions(rows)
    assert "a: the fit raised ConvergenceWarning in 1 of 3 trials: it did not converge" in told
    assert "RuntimeWarning" not in told


def test_no_better_than_the_constant(cell, cautions):
    rows = cell("constant", [0.3, 0.4]) + cell("a", [0.4, 0.4]) + cell("b", [0.1, 0.2])
    order = {"attack_order": {"metrics": {"error": False}, "pairs": []}}
    assert "no better than constant: a on d under a at 1" in cautions(rows, **order)
    assert "b on d" not in cautions(rows, **order)
    assert "no better" not in cautions(rows)  # a metric that does not judge predictions


def test_failures_that_favour_a_method(cell, cautions):
    others = cell("b", [0.1, 0.1, 0.5])
    assert "a failed where the other algorithms do worse" in cautions(cell("a", [0.1, 0.1, None]) + others)
    assert "a failed where" not in cautions(cell("a", [None, 0.1, 0.5]) + others)
    interrupted = cell("a", [0.1, 0.1, None])
    interrupted[2]["status"] = "interrupted"
    assert "a failed where" not in cautions(interrupted + others)
    assert "a failed where" not in cautions(cell("a", [0.1, 0.1, None]) + others, Settings(failures="worst"))


@pytest.fixture
def curve(cell):
    def curve(algorithm, means, **fields):
        return [
            row
            for place, mean in enumerate(means)
            for row in cell(
                algorithm,
                [mean + step for step in (-0.004, 0.003, 0.001, 0.0013, -0.0013)],
                axis_value=float(place),
                **fields,
            )
        ]

    return curve


def test_the_answer_in_one_line(curve, make_results):
    noisy = curve("b", [0.3, 0.5, 0.7])
    rows = curve("c", [0.31, 0.5, 0.7]) + noisy + curve("a", [0.1, 0.2, 0.3])
    (answer,) = Analysis(make_results(rows)).answers
    assert answer.startswith("under a a is most robust on d: mean error over the budget 0.200, 0.300 [")
    assert answer.endswith("better than b; decided on new rows")
    (curve_of_a, *_) = Analysis(make_results(rows)).robustness(Analysis(make_results(rows)).grids[0])
    assert curve_of_a.algorithm == "a"  # the best first


def test_an_answer_that_is_not_decided(cell, make_results):
    rows = cell("a", [0.20, 0.25, 0.22, 0.19], **SHARED) + cell("b", [0.22, 0.24, 0.21, 0.23], **SHARED)
    (answer,) = Analysis(make_results(rows)).answers
    assert "a is best on d" in answer
    assert answer.endswith("undecided on new rows")  # of four repetitions no forecast is made
    more = cell("a", [0.20, 0.25, 0.22, 0.19] * 40, **SHARED) + cell("b", [0.22, 0.24, 0.21, 0.23] * 40, **SHARED)
    (answer,) = Analysis(make_results(more)).answers
    assert "undecided on new rows, and no number of repetitions of these rows will decide" in answer
    more = cell("a", [0.20, 0.25, 0.22, 0.19, 0.22], **SHARED) + cell("b", [0.22, 0.24, 0.21, 0.23, 0.24], **SHARED)
    (answer,) = Analysis(make_results(more), Settings(scope="splits")).answers
    assert "more repetitions" in answer


def test_answers_over_several_data_sets_are_counted(curve, make_results):
    rows = [
        row
        for name, means in (("one", (0.1, 0.2)), ("two", (0.3, 0.2)))
        for algorithm, mean in zip("ab", means, strict=True)
        for row in curve(algorithm, [mean, mean + 0.1], dataset=name)
    ]
    (answer,) = Analysis(make_results(rows)).answers
    assert "of 2 data sets on new rows: a on 1 (by 0.100, decided on 1), b on 1 (by 0.100, decided on 1)" in answer
    rows = [row for row in rows if row["dataset"] == "one"]
    rows += [row for name, mean in (("a", 0.1), ("b", 0.5)) for row in curve(name, [mean] * 2, dataset="two")]
    (answer,) = Analysis(make_results(rows)).answers
    assert answer.endswith("of 2 data sets on new rows: a on 2 (by 0.100 to 0.400, decided on 2)")


def test_what_is_judged_is_named_under_the_tables(cell, make_results):
    rows = cell("a", [0.1, 0.11, 0.12, 0.13], **SHARED) + cell("b", [0.51, 0.5, 0.52, 0.55], **SHARED)
    notes = " | ".join(Analysis(make_results(rows)).notes)
    assert "* worse than the best on new rows (--scope splits: on these rows): corrected resampled t-test" in notes
    notes = " | ".join(Analysis(make_results(rows), Settings(scope="splits", margin=0.2)).notes)
    assert "differences are judged on these rows (--scope rows: on new rows); none is significant" in notes
    assert "equivalent: error within 0.2 of the reference" in notes
