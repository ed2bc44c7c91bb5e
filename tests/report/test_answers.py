"""The answer in plain sentences: nobody who is no better than the constant is crowned, nobody left out in silence."""

import re
from dataclasses import replace

import numpy as np
import pytest

import benchkit
from benchkit.report.analysis import Analysis, Settings
from benchkit.report.answers import _rounded
from benchkit.report.documents import short_document
from benchkit.report.own_methods import own_comparisons
from benchkit.report.tables import in_short, overviews

SHARED = {"n_rows": 400, "n_test": 100, "generated": False}
NOISE = (-0.004, 0.003, 0.001, 0.0013, -0.0013)
NOISY = (-0.05, 0.05, 0.03, -0.04, 0.01)


@pytest.fixture
def curve(cell):
    """Records of one method along the axis; None where all trials of a point failed."""

    def curve(algorithm, means, noise=NOISE, **fields):
        values = [[None if mean is None else mean + step for step in noise] for mean in means]
        places = [{"axis_value": float(place), "budget": float(place)} for place in range(len(means))]
        return [row for at, own in zip(places, values, strict=True) for row in cell(algorithm, own, **at, **fields)]

    return curve


@pytest.fixture
def answer(make_results):
    def answer(rows, settings=None, **fields):
        results = make_results(rows, axis_titles={"a": "features deleted"}, **fields)
        return "\n".join(Analysis(results, settings).answers)

    return answer


def level(curve, name, mean, **fields):
    """A method that says the same whatever happens: alike in all repetitions."""
    return curve(name, [mean] * 3, noise=[0.0] * 5, **fields)


@pytest.mark.parametrize("repetitions", [2, 5])
def test_who_is_the_same_in_every_repetition_is_named_with_the_best(curve, answer, repetitions):
    noise = NOISE[:repetitions]
    rows = [*curve("a", [0.1, 0.2, 0.3], noise), *curve("b", [0.1, 0.2, 0.3], noise), *curve("c", [0.3] * 3, noise)]
    told = answer(rows)
    assert told.startswith("Under a on d, ")
    assert "a or b" in told
    assert ("use " in told) == (repetitions > 2)
    assert "they are equal in every repetition" in told
    assert "not significantly worse" not in told


def test_the_interval_of_a_lead_ends_where_differences_of_the_metric_do(make_row, make_results):
    values = {"a": [0.0, 0.5, 0.1], "b": [1.0, 0.5, 0.9]}
    rows = [make_row(r, value, algorithm=name) for name, own in values.items() for r, value in enumerate(own)]
    (free,) = Analysis(make_results(rows)).answers
    (ended,) = Analysis(make_results(rows, ranges={"error": (0, 1)})).answers
    assert float(free.partition("]")[0].rpartition(" ")[2]) > 1.5
    assert "b (by 0.600 [" in ended
    assert ", 1.000]) is not significantly worse" in ended


def without(metric, row, distance=None):
    """The trial of a data set that one of two metrics does not judge."""
    values = {"error": row["metrics"]["error"], "mean-absolute-error": distance, metric: None}
    return {**row, "metrics": values, "no_value": {metric: f"metric {metric} does not judge this"}}


def test_a_data_set_is_answered_by_the_first_metric_that_judges_it(curve, make_results):
    classes = curve("b", [0.3, 0.5, 0.7]) + curve("a", [0.1, 0.2, 0.3])
    numbers = curve("d", [0.3, 0.5, 0.7], dataset="n") + curve("c", [0.1, 0.2, 0.3], dataset="n")
    metrics = {"error": False, "mean-absolute-error": False}
    rows = [without("mean-absolute-error", row) for row in classes]
    rows += [without("error", row, 10 * row["metrics"]["error"]) for row in numbers]
    results = make_results(rows, metrics=[*metrics], greater_is_better=metrics)
    analysis = Analysis(results)
    classes, numbers = analysis.answers
    assert classes.startswith("Under a on d, use a: its mean error over budget 0 to 2 is 0.200;")
    mean = "its average mean-absolute-error over budget 0 to 2 is 2.000;"
    assert numbers.startswith(f"Under a on n, use c: {mean}")
    assert [table.columns[0] for table in in_short(analysis)] == ["error", "mean-absolute-error"]
    same = {"c": "a", "d": "b"}  # then own methods are of both kinds
    rows = [{**row, "algorithm": same.get(row["algorithm"], row["algorithm"])} for row in results.rows]
    analysis = Analysis(replace(results, rows=rows, declared_elsewhere=["a"]))
    by_error, by_distance, *_ = analysis.answers
    assert own_comparisons(analysis, whole=True) == []  # of one comparison by each metric
    assert re.match(r"By mean error.*: 0\.300 \[", by_error)
    assert re.match(r"By average mean-absolute-error.*: 3\.000 \[", by_distance)


@pytest.mark.parametrize("equal", [("constant", "fdrop"), ("fdrop", "constant")])
def test_a_method_that_equals_the_constant_is_not_crowned(equal, curve, answer):
    """Whichever of the two the suite names first."""
    first, second = equal
    told = answer(level(curve, first, 0.36) + level(curve, second, 0.36) + curve("svm", [0.4, 0.5, 0.6]))
    assert told.startswith("Under a on d, no method beats always answering the largest class (constant), whose mean")
    assert " error over 0 to 2 features deleted is 0.360." in told
    assert "use " not in told


def test_a_method_without_a_mean_is_not_called_better_nor_compared_without_a_shared_repetition(curve, answer, make_row):
    rows = level(curve, "constant", 0.5) + curve("a", [0.2, 0.9, 0.9]) + curve("b", [None, None, None])
    text = answer(rows + curve("c", [0.3, 0.9, 0.9]))
    assert "At 0 features deleted, a and c are better." in text
    assert text.splitlines()[-1].startswith("b is left out")
    methods = {"svm": (0.1, range(3)), "lp": (0.2, range(3)), "constant": (0.4, range(3, 6))}
    rows = [make_row(at, mean, algorithm=name) for name, (mean, repetitions) in methods.items() for at in repetitions]
    assert "svm" in answer(rows)


def test_from_where_on_nothing_helps(curve, answer):
    for of_b, of_a, where in (
        ([0.2, 0.3, 0.7], [0.1, 0.6, 0.6], "At 2 features deleted, no method is significantly better than always"),
        ([0.2, 0.6, 0.7], [0.1, 0.6, 0.6], "from 1 feature deleted on, no method is significantly better"),
        ([0.2, 0.3, 0.4], [0.1, 0.2, 0.6], "At 2 features deleted, a is not significantly better than"),
    ):
        rows = level(curve, "constant", 0.5) + curve("b", of_b) + curve("a", of_a)
        assert where in answer(rows)
    told = answer(rows + curve("c", [0.6, 0.7, 0.8]) + curve("d", [0.1, 0.2, 0.3]))
    assert "a is not significantly better than always answering the largest class (constant); c is" in told


def test_who_fails_now_and_then_competes_with_nobody(make_curves, make_results):
    """A method that fails in the worst repetitions has the best mean of the others."""
    rows = [row for row in make_curves({"a": 0.1, "b": 0.3, "c": 0.1}, ["d", "e", "f"], 2)]
    for row in rows:
        if (row["algorithm"], row["repetition"] >= 4) == ("c", True):
            row |= {"metrics": {}, "status": "failed", "error_type": "ValueError", "error": "no luck"}
    analysis = Analysis(make_results(rows))
    (short,), (whole,) = in_short(analysis), overviews(analysis, analysis.grids)
    names = [str(row[0]).strip() for row in short.cells]
    assert [names.index(name) % 4 for name in "abc"] == [1, 2, 3]
    assert [row[0].text for row in whole.cells] == ["a", "b", "c"]
    assert {row[1].count for row in [short.cells[3], whole.cells[2]]} == {"4 of 6"}
    assert "not compared" in short.note
    assert [ranking.algorithms for _, _, ranking in analysis.rankings] == [("a", "b")]


def test_a_method_with_a_failed_cell_is_named_with_the_reason(curve, answer):
    rows = curve("a", [0.1, 0.2, None], error="noise_budget is 4, expected < 4") + curve("b", [0.3, 0.4, 0.5])
    told = answer(rows + curve("c", [0.4, 0.5, 0.6]))
    assert "use b" in told
    assert "a is left out: 5 of its trials did not end ok at 2 features deleted" in told
    assert "(ValueError: noise_budget is 4, expected < 4)." in told
    both = [
        {**row, "dataset": name, "cell": f"{name}-{row['cell']}", "error": None}
        for row in rows + curve("c", [0.4, 0.5, 0.6])
        for name in "de"
    ]
    told = answer(both)
    assert "left out: on each 5 of its trials did not end ok at 2 features deleted (ValueError)." in told


def test_details_ask_nothing_more(make_curves, make_results):
    results = make_results(make_curves({"a": 0.1, "b": 0.3}, ["d", "e"], 2, group="g"))
    short, whole = (Analysis(results, Settings(details=details)).answers for details in (False, True))
    assert short == whole


def test_a_lead_that_is_not_decided_names_who_is_as_good_and_what_would_decide_it_of_each_rival(curve, answer):
    rows = curve("a", [0.2, 0.3, 0.4], **SHARED) + curve("b", [0.202, 0.302, 0.402], NOISY, **SHARED)
    told = answer(rows + curve("c", [0.6, 0.7, 0.8], **SHARED))
    assert "use a" in told
    assert "b (by 0.002 [" in told
    # Of 400 (1 - (3 / 4)^5) rows.
    assert "]) is not significantly worse, as far as the tested rows (about 305 of 400) can tell" in told
    assert "; c (by 0.400 [" in told
    assert "as far as 5 repetitions can tell" in answer(rows, Settings(scope="splits"))
    rows = curve("a", [0.2, 0.3, 0.4], **SHARED)
    for name, by in (("b", 0.0001), ("c", 0.02)):
        rows += curve(name, [0.2 + by, 0.3 + by, 0.4 + by], NOISY, **SHARED)
    text = answer(rows)
    assert "for c, if the differences stay as they are (a rough guess from 5 repetitions: run 30 before" in text
    assert "a cannot be told apart from b with these data" in text
    assert [_rounded(value) for value in (2.0, 9.73, 9.99, 128.0)] == [2.0, 9.8, 10.0, 130.0]


def test_an_own_method_is_compared_with_those_that_look_at_features(curve, make_results):
    rows = curve("constant", [0.3, 0.3], **SHARED) + curve("b", [0.3, 0.6], **SHARED)
    rows += curve("mine", [0.2, 0.5], **SHARED)
    results = replace(make_results(rows, declared_elsewhere=["mine"]), trivial={"constant": "always answering no"})
    answer, *_ = Analysis(results).answers
    assert "mine is significantly better than the best other method: 0.100 [" in answer
    assert "ahead of b on d under a. It is significantly worse than always answering no (constant)." in answer
    own = replace(results, declared_elsewhere=["constant"])
    assert "constant is significantly better than the best other method" in Analysis(own).answers[0]


def test_it_begins_with_where_the_readers_methods_stand(curve, make_results):
    rows = [row for place, name in enumerate("abcdefgh") for row in curve(name, [0.1 * place, 0.1 * place + 0.05])]
    both = rows + [{**row, "dataset": "e", "cell": f"{row['cell']}e"} for row in rows]
    analysis = Analysis(make_results(both, declared_elsewhere=["h", "a", "h"]))
    leads, behind, last = analysis.answers
    assert "a is significantly better than the best other method on 2 of 2 data sets, by 0.100." in leads
    assert "h is significantly worse than the best other method on 2 of 2 data sets, by 0.600." in behind
    (table,) = own_comparisons(analysis, whole=False)
    heads, of_a, of_h = table.cells[::3], table.cells[1:3], table.cells[4:]
    assert [str(row[0]).split("†")[0] for row in heads] == ["a", "h"]
    assert [(str(other), amount.text) for _, other, amount in of_a] == [("b", "0.100 better")] * 2
    assert [(str(other), amount.text) for _, other, amount in of_h] == [("b", "0.600 worse")] * 2  # a is own, too
    assert len(own_comparisons(analysis, whole=True)) == 3
    assert "a has the lowest mean error on 2 of 2 data sets" in last


def test_places_that_are_all_of_an_adversary_or_of_a_data_set_are_named_so_and_tables_are_of_one_adversary(
    curve, make_results
):
    places = [(name, under) for name in ("d", "e") for under in ("go", "worst")]
    rows = []
    for name, under in places:
        for place, method in enumerate(("a", "mine", "other", "two")):
            skipped = (method in ("mine", "other") and under == "worst") or (method == "two" and name == "e")
            means, at = [0.1 * place, 0.2], {"dataset": name, "adversary": under, "pair": under}
            why = {"status": "skipped", "error": f"no {'weights' if under == 'worst' and method != 'two' else 'pairs'}"}
            rows += [row | why for row in curve(method, [None] * 2, **at)] if skipped else curve(method, means, **at)
    analysis = Analysis(make_results(rows, declared_elsewhere=["mine"]))
    standing, left_out, *_, others = analysis.answers
    assert "2 of 2 data sets under go" in standing
    assert left_out == "mine and other are left out under worst, each because its trials were skipped (no weights)."
    assert others == "two is left out on e: its trials were skipped (no pairs)."
    tables = overviews(analysis, analysis.grids)
    assert [table.columns[1:] for table in tables] == [["d", "e"], ["d", "e"]]
    assert {row[0].text for table in tables for row in table.cells if row[0].mark} == {"mine"}


@pytest.mark.parametrize("own", [[], ["a"], ["b"]])
def test_a_method_far_beyond_the_trivial_one_breaks_down_and_is_no_matter_of_chance(own, curve, make_results):
    rows = curve("constant", [0.3, 0.4]) + curve("b", [0.1, 0.2]) + curve("a", [0.1, 5000.0], [-99, 2e4, -10, 5, 1])
    results = replace(make_results(rows, declared_elsewhere=own), trivial={"constant": "always answering no"})
    analysis = Analysis(results)
    text, (table,) = " ".join(analysis.answers), in_short(analysis)
    assert "a breaks down" in text
    assert "a (by" not in text
    assert "would" not in text
    assert {str(row[0]).strip(" †"): row[1].mark for row in table.cells[1:]} == {"b": "", "constant": "*", "a": "!"}
    assert "! breaks down" in short_document(analysis).text(width=400)


def test_an_own_method_does_not_lead_where_it_equals_the_best_nor_without_a_shared_repetition(curve, make_results):
    rows = [row for name in ("a", "mine") for row in curve(name, [0.2, 0.3], **SHARED)]
    rows += curve("b", [0.4, 0.5], **SHARED)
    both = rows + [{**row, "dataset": "e", "cell": f"{row['cell']}e"} for row in rows]
    for first in (rows, rows[::-1]):
        answer, *_ = Analysis(make_results(first, declared_elsewhere=["mine"])).answers
        assert "mine has the same mean as the best other method: a on d under a." in answer
    table, _ = own_comparisons(Analysis(make_results(both, declared_elsewhere=["mine"])), whole=False)
    assert [(str(other), amount.text) for _, other, amount in table.cells] == [("a", "equal")] * 2
    rows = curve("a", [0.2, 0.3]) + curve("b", [0.3, 0.4])
    others = [{**row, "repetition": row["repetition"] + 5} for row in curve("mine", [0.4, 0.5])]
    answers = Analysis(make_results(rows + others, declared_elsewhere=["mine"])).answers
    assert "use a" in " ".join(answers)


def test_of_data_sets_equals_share_a_lead_and_worse_is_said_of_those_led_or_of_every_other_method(curve, make_results):
    rows = []
    for at, of_c in (("d", 0.5), ("e", 0.5), ("f", 0.31)):
        of_a = 0.2 if at != "f" else 0.4
        for name, mean in (("a", of_a), ("b", of_a), ("c", of_c), ("constant", 0.3)):
            rows += curve(name, [mean, mean + 0.1], NOISY if name == "c" else NOISE, dataset=at, **SHARED)
    results = replace(make_results(rows), trivial={"constant": "always answering no"})
    answer = " ".join(Analysis(results).answers)
    assert "a and b share the lowest mean error on 2 of 3 data sets (d, e)" in answer
    assert "c is significantly worse than the best on these." in answer
    methods = {"a": 0.1, "b": 0.2, "c": 0.21, "d": 0.22, "constant": 0.5}
    rows = [row for name, mean in methods.items() for row in curve(name, [mean, mean + 0.01], **SHARED)]
    results = replace(make_results(rows), trivial={"constant": "always answering no"})
    assert "every other method is significantly worse, by 0.100 to 0.400." in " ".join(Analysis(results).answers)


def test_what_is_not_decided_of_an_own_method_is_said_with_its_directions(curve, make_results):
    rows = []
    for at, step in (("d", 0.002), ("e", -0.003), ("f", -0.1)):
        rows += curve("a", [0.3, 0.4], dataset=at, **SHARED)
        rows += curve("mine", [0.3 + step, 0.4 + step], NOISY, dataset=at, **SHARED)
    answer, *_ = Analysis(make_results(rows, declared_elsewhere=["mine"])).answers
    assert "mine is significantly better than the best other method on 1 of 3 data sets (f), by 0.100." in answer
    assert "not decided whether it is better than the best other method on 2 of 3 (d and e)" in answer
    assert ": it is between 0.002 behind and 0.003 ahead." in answer


@pytest.mark.parametrize(
    ("of_b", "outcome", "rival"), [(0.22, "it is not decided", "b"), (0.3, "is significantly", "c")]
)
def test_the_best_other_method_is_judged_first_and_then_whom_else_it_may_not_beat(
    of_b, outcome, rival, curve, make_results
):
    methods = {"mine": (0.2, NOISE), "b": (of_b, NOISY), "c": (0.31, (-0.9, 0.9, 0.5, -0.6, 0.1))}
    rows = []
    for at in "de":
        for name, (mean, noise) in methods.items():
            rows += curve(name, [mean, mean + 0.1], noise, dataset=at, **SHARED)
    analysis = Analysis(make_results(rows, declared_elsewhere=["mine"]))
    (table, _), answer = own_comparisons(analysis, whole=False), analysis.answers[0]
    assert outcome in answer.partition("best other method")[0]
    assert ("On d under a and e under a, it is not decided whether it is better than c." in answer) == (rival == "c")
    for row in table.cells:
        assert (str(row[1]), bool(row[2].mark), "(c)" in str(row[3])) == ("b", rival == "c", rival == "c")
    assert len(table.cells) == 2


def test_of_several_data_sets_an_own_method_is_counted_against_all_and_by_further_metrics(curve, make_results):
    rows = []
    for name in "de":
        for method, mean in (("a", 0.2), ("mine", 0.3), ("constant", 0.25 if name == "d" else 0.201)):
            noise = NOISY if mean == 0.201 else NOISE
            rows += curve(method, [mean, mean + 0.05], noise, dataset=name, **SHARED)
    rows = [{**row, "metrics": {**row["metrics"], "cost": -row["metrics"]["error"]}} for row in rows]
    results = make_results(rows, declared_elsewhere=["mine"], metrics=["error", "cost"])
    results = replace(results, greater_is_better={"error": False, "cost": False})
    analysis = Analysis(replace(results, trivial={"constant": "always answering the largest class"}))
    answer, (_, each, further) = " ".join(analysis.answers), own_comparisons(analysis, whole=False)
    assert each.columns == ["data set", "a", "constant"]
    shown = [[f"{cell.text}{cell.mark}" for cell in row[1:]] for row in each.cells]
    assert shown == [["-0.100*", "-0.050*"], ["-0.100*", "-0.099*"]]
    assert "is significantly worse everywhere than a and always answering the largest class (constant)." in answer
    assert further.columns == ["metric", "better", "difference"]
    assert [str(cell) for cell in further.cells[0]] == ["cost", "2 of 2", "0.100 better"]
    assert "On e no method is significantly better than always answering the largest class" in answer
    assert "It is significantly worse than constant." in answer


def test_a_method_that_beats_the_constant_counts_though_the_best_by_mean_is_not_sure_to(curve, answer):
    wild = (-0.2, 0.2, 0.15, -0.16, 0.01)
    rows = curve("a", [0.2, 0.25], wild, **SHARED) + curve("b", [0.22, 0.27], **SHARED)
    rows += curve("constant", [0.3, 0.35], **SHARED)
    text = answer(rows)
    assert "use a" in text
    assert "sure to beat" not in text
    assert "sure to beat" in answer([row for row in rows if row["algorithm"] != "b"])


@pytest.mark.parametrize(("first", "how"), [(0.202, "0.002 worse"), (0.198, "0.002 better")])
def test_within_a_margin_methods_are_as_good_and_of_many_comparisons_of_an_own_one_there_is_a_table(
    curve, make_results, first, how
):
    rows = []
    for name in "defg":
        rows += curve("a", [0.2, 0.3], dataset=name, **SHARED)
        rows += curve("mine", [first, first + 0.1], NOISY, dataset=name, **SHARED)
    analysis = Analysis(make_results(rows, declared_elsewhere=["mine"]), Settings(margin=0.2))
    assert "as good as the best other method, within the margin of 0.2, on 4 of 4 data sets." in analysis.answers[0]
    assert "as good on all, within the margin of 0.2" in analysis.answers[1]
    assert "would" not in " ".join(analysis.answers)
    table, _ = own_comparisons(analysis, whole=False)
    assert [(str(row[1]), row[2].text, str(row[3])) for row in table.cells] == [("a", how, "as good within 0.2")] * 4
    open_ones, _ = own_comparisons(Analysis(analysis.results), whole=False)
    assert all(str(row[3]) for row in open_ones.cells)
    assert "over 50 times as many rows on g." in " ".join(Analysis(make_results(rows)).answers)
    alone = [row for row in rows if row["dataset"] == "d"] + curve("b", [0.203, 0.303], NOISY, **SHARED)
    (answer,) = Analysis(make_results(alone), Settings(margin=0.2)).answers
    assert "as good within the margin of 0.2" in answer


def test_an_answer_begins_with_the_readers_method_though_all_trials_of_an_adversary_failed(curve, make_results):
    rows = [row for name, mean in (("mine", 0.2), ("b", 0.1)) for row in curve(name, [mean, mean + 0.1])]
    failing = {"adversary": "broken", "pair": "broken", "error": "takes 1 argument", "error_type": "TypeError"}
    rows += [row for name in ("mine", "b") for row in curve(name, [None, None], **failing)]
    analysis = Analysis(make_results(rows, declared_elsewhere=["mine"]))
    text = short_document(analysis).text(width=400)
    own = text.index("mine is significantly worse than the best other method: 0.100 [")
    assert own < text.index("Under a on d, use b") < text.index("20 x mine, b on d under broken")
    assert text.count("takes 1 argument") == 2  # in the answer, which says where nobody is compared, and in the note


def test_a_method_of_the_readers_which_ran_here_is_behind_undecided_or_of_too_few_repetitions(curve, make_results):
    rows = curve("a", [0.2, 0.3, 0.4], **SHARED) + curve("b", [0.202, 0.302, 0.402], NOISY, **SHARED)
    rows += curve("c", [0.6, 0.7, 0.8], **SHARED)
    first, *_ = Analysis(make_results(rows, declared_elsewhere=["b"])).answers
    assert "it is not decided whether b is better than a on d under a: it is 0.002 [" in first
    assert "It is significantly better than c." in first
    few = [row for row in rows if row["repetition"] < 2]
    first, answer = Analysis(make_results(few, declared_elsewhere=["b"])).answers
    assert "too few" in first
    assert "behind a on d under a" in first
    assert "told apart" not in first
    assert "use a" not in answer
    rows = [row for place, name in enumerate("abcdefg") for row in curve(name, [0.1 * place, 0.1 * place + 0.05])]
    rows = [row if row["algorithm"] == "g" else {**row, "published": "them"} for row in rows]
    analysis = Analysis(make_results(rows))
    assert "60 of published rows" in analysis.notes[-1]
    first, _ = analysis.answers
    assert "g is significantly worse than the best other method: 0.600 [" in first
    assert "It is significantly worse than b, c, d, e and f." in first


def test_several_data_sets_are_counted(curve, answer):
    one = curve("a", [0.1, 0.2], dataset="one") + curve("b", [0.2, 0.3], dataset="one")
    rows = one + curve("a", [0.3, 0.4], dataset="two") + curve("b", [0.2, 0.3], dataset="two")
    leads = "has the lowest mean error on 1 of 2 data sets (one) and b on 1 (two). Both leads are significant."
    assert answer(rows) == f"Under a, a {leads}"
    assert "too few repetitions" in answer([row for row in rows if row["repetition"] < 2])
    rows = one + curve("a", [0.5, 0.6], dataset="two") + curve("constant", [0.5, 0.6], dataset="two")
    told = answer(rows + curve("constant", [0.5] * 2, dataset="one"))
    assert "Under a, a has the lowest mean error on 1 of 2 data sets (one). The lead is significant." in told
    assert "On 1 of 2 data sets (two) no method beats always answering the largest class (constant)." in told


def test_an_adversary_that_changed_nothing_is_a_caution_and_no_contest(curve, make_results):
    rows = level(curve, "constant", 0.5) + level(curve, "a", 0.1) + level(curve, "b", 0.3)
    analysis = Analysis(make_results(rows))
    assert analysis.answers == []
    assert any(said.startswith("a changed nothing on d") for said in analysis.cautions)
    assert short_document(analysis).blocks[0].text.startswith("warning: a changed nothing on d")
    moved = Analysis(make_results(level(curve, "b", 0.3) + curve("a", [0.1, 0.2, 0.3])))
    assert not any("changed nothing" in said for said in moved.cautions)


@pytest.mark.usefixtures("unseen")
def test_a_method_that_is_told_the_budget_does_not_hide_that_nothing_changed(
    tiny, write_suite, idle, tmp_path, monkeypatch
):
    """o2b differs from budget to budget by itself: what was kept of the rows says that no value was changed."""
    monkeypatch.chdir(tmp_path)
    tiny["algorithms"] = [{"name": "o2b", "params": {"C": 0.3}}, {"name": "logistic-regression", "params": {"C": 1.0}}]
    tiny["adversaries"] = [{"name": name, "budgets": [0, 9]} for name in ("idle", "random-delete", "eager")]
    results = benchkit.run(write_suite(tiny), plugins=[idle], out="runs", executor="inline", tracking=False)
    analysis = Analysis(results)
    assert analysis.answers[0].startswith("If features go at random (random-delete on breast)")
    assert "idle" not in " ".join(analysis.answers)
    idle = next(grid for grid in analysis.grids if grid.adversary == "idle")
    levels = {name: len({tuple(point.parts.values()) for point in row.values()}) for name, row in idle.rows.items()}
    assert levels == {"o2b": 2, "logistic-regression": 1}
    assert analysis.cautions[0].startswith("idle changed nothing on breast")
    (caution,) = (said for said in analysis.cautions if "budget 0" in said)
    assert caution.startswith("eager changed values on breast")


@pytest.mark.usefixtures("unseen")
def test_an_adversary_is_answered_though_all_methods_say_the_same_whatever_it_changes(
    tiny, write_suite, tmp_path, monkeypatch
):
    """Of rare classes all methods may answer the other one to every row; then the answer was empty, without a word."""
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).normal(size=(200, 2))
    rows = [f"{a:.4f},{b:.4f},{'ill' if row % 25 == 0 else 'well'}" for row, (a, b) in enumerate(x)]
    (tmp_path / "rare.csv").write_text("\n".join(["a,b,state", *rows]) + "\n")
    tiny["datasets"] = [{"name": "csv", "path": "rare.csv", "target": "state", "label": "rare", "positive": "ill"}]
    tiny["algorithms"] = [{"name": "logistic-regression", "params": {"C": 0.001}}, "constant"]
    tiny["adversaries"] = [{"name": "random-delete", "budgets": [0, 1]}]
    tiny["metrics"] = ["balanced_accuracy"]
    results = benchkit.run(write_suite(tiny), out="runs", executor="inline", tracking=False)
    assert {row["metrics"]["balanced_accuracy"] for row in results.records} == {0.5}
    (told,) = Analysis(results).answers
    assert "no method beats always answering the largest class (constant), whose mean balanced_accuracy" in told
    assert "changed nothing" not in " ".join(Analysis(results).cautions)


WORDS = {"situations": {"a": "If features go at random"}, "shares": {"error": "wrong on"}}


def test_several_methods_without_a_mistake_are_no_merit_of_theirs(curve, answer):
    zero = [level(curve, name, 0.0, **SHARED) for name in ("b", "c")]
    rest = [*curve("a", [0.1, 0.2, 0.3], **SHARED), *level(curve, "constant", 0.4, **SHARED)]
    assert "On d, at 0 features deleted, b and c make no mistake" in answer([*zero[0], *zero[1], *rest], **WORDS)
    assert "b makes no mistake" in answer([*zero[0], *rest], **WORDS)
    assert "no mistake" not in answer(rest, **WORDS)


@pytest.mark.usefixtures("unseen")
def test_one_repetition_tells_what_the_rows_of_a_given_test_part_tell(tmp_path):
    """By hand: the two err on the same rows of 90 but a few, the constant on more than rows can explain."""
    rng = np.random.default_rng(0)
    for name, n_rows in (("train", 200), ("later", 90)):
        x = rng.normal(size=(n_rows, 2))
        y = (x[:, 0] + 0.5 * rng.normal(size=n_rows) > 0).astype(int)
        rows = [f"{a:.6f},{b:.6f},{label}" for (a, b), label in zip(x, y, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,label", *rows]) + "\n")
    data = {"name": "csv", "path": str(tmp_path / "train.csv"), "target": "label"}
    data["split"] = {"test": str(tmp_path / "later.csv")}
    methods = [{"name": "logistic-regression", "label": f"{C}", "params": {"C": C}} for C in (1.0, 0.5)]
    suite = {"name": "given", "datasets": [data], "algorithms": [*methods, "constant"], "metrics": ["error"]}
    (told,) = Analysis(benchkit.run(suite, out=tmp_path / "runs", executor="inline", plots=False)).answers
    assert "too few" not in told
    assert "as far as these 90 rows can tell. More repetitions alone would hardly decide it, but about " in told
    assert "guess" not in told  # a given part is the same each time


def test_in_time_where_dates_have_no_room_for_more_no_repetitions_are_asked_for(curve, answer):
    noise = (-0.03, 0.02, 0.03, -0.02, 0.01)
    for split, n_test, asked in (("random", 100, True), ("time", 100, True), ("time", 1500, False)):
        fields = {"split": split, "n_rows": 10_000, "n_test": n_test, "generated": False}
        told = answer(curve("a", [0.2, 0.3], **fields) + curve("b", [0.215, 0.315], noise, **fields))
        assert ("repetitions in all" in told) == asked
        assert ("as many rows" in told) != asked


def test_a_method_of_the_readers_whose_trials_were_skipped_is_named_once_with_the_reason(curve, make_results):
    rows = []
    for name in ("one", "two"):
        rows += curve("a", [0.1, 0.2], dataset=name) + curve("b", [0.2, 0.3], dataset=name)
        skipped = curve("mine", [None, None], dataset=name, error="a linear model is needed")
        rows += [{**row, "status": "skipped"} for row in skipped]
    analysis = Analysis(make_results(rows, declared_elsewhere=["mine"]))
    assert not any("did not end ok" in line for line in analysis.legend())  # but was skipped
    assert analysis.answers[0] == "mine is left out: its trials were skipped (a linear model is needed)."
