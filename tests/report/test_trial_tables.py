"""Tables of trials: where a weaker attack did more damage than a stronger one, and what tuning cost."""

import pytest

import benchkit
from benchkit.report.analysis import Analysis
from benchkit.report.documents import run_document
from benchkit.report.trial_tables import inconsistencies, tuning

WEAKLING = """
from benchkit import Adversary, AttackResult, hookimpl

class Nothing:
    def corrupt(self, attack):
        return AttackResult(X=attack.X, y=attack.y)

@hookimpl
def benchkit_adversaries():
    return [Adversary(name="braggart", make=Nothing, stronger_than=("greedy-delete",))]
"""


def record(adversary, error, **more):
    fields = {
        "dataset": "d",
        "dataset_params": {},
        "repetition": 0,
        "algorithm": "a",
        "params": {"C": 1},
        "budget": 2.0,
    }
    fields |= {"feature_values": "uniform", "status": "ok", "metrics": {"error": error}}
    fields |= {"adversary": adversary, "adversary_params": {}, "axis": "budget", "axis_value": 2.0}
    return {**fields, **more}


def order(uniform_only=False, greater_is_better=False):
    pair = {"stronger": "exact", "weaker": "greedy", "uniform_only": uniform_only}
    return {"metrics": {"error": greater_is_better}, "pairs": [pair]}


def test_a_weaker_attack_that_wins_is_flagged_with_count_and_excess():
    rows = [record("exact", 0.4), record("greedy", 0.5)]
    rows += [record("exact", 0.4, repetition=1), record("greedy", 0.6, repetition=1)]
    (failure,) = inconsistencies(rows, order())
    assert (failure.repetitions, failure.excess) == (2, pytest.approx(0.2))
    assert str(failure) == (
        "a on d: greedy does more damage than exact, which is said to be at least as strong: "
        "error by up to 0.2 in 2 trials"
    )


@pytest.mark.parametrize(
    "other",
    [{"params": {"C": 2}}, {"budget": 3.0}, {"repetition": 1}, {"status": "failed"}, {"metrics": {"error": None}}],
)
def test_only_the_same_model_within_the_same_budget_is_compared(other):
    assert inconsistencies([record("exact", 0.4), record("greedy", 0.5, **other)], order()) == []


def test_a_run_with_an_attack_that_boasts_says_so_and_so_does_its_report(write_plugin, write_suite, tmp_path, here):
    suite = {
        "name": "boast",
        "datasets": [{"name": "digits", "pair": [4, 7]}],
        "split": {"train": 100, "test": 100},
        "algorithms": [{"name": "svm", "params": {"C": 0.1}}],
        "adversaries": [{"name": name, "budgets": [0, 8]} for name in ("braggart", "exact-delete", "greedy-delete")],
    }
    results = benchkit.run(
        str(write_suite(suite)),
        out=tmp_path / "runs",
        plugins=[write_plugin(WEAKLING)],
        executor="inline",
        tracking=False,
    )
    (failure,) = results.inconsistencies()
    assert (failure.stronger, failure.weaker, failure.repetitions) == ("braggart", "greedy-delete", 1)
    shown = here("report", str(results.folder), "--details").stdout
    assert "braggart" in shown.partition("Consistency check failures")[2]
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
