"""A plan tells which methods are trained for other values in place of what is lost than the adversary leaves."""

from pathlib import Path

from benchkit.session.options import Request
from benchkit.session.plan import plan_suite

SUITE = """\
name: own
datasets: [breast]
split: {repetitions: 1, train: 0.5, validation: 0.25, test: 0.25}
algorithms:
  - constant
  - column-dropout
  - {name: adversarial-columns, params: {fill: FILL}}
adversaries: [{name: exact-tree-delete, budgets: [0, 1]}]
metrics: [error]
"""


def warnings_of(fill, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.yaml").write_text(SUITE.replace("FILL", fill))
    return list(plan_suite(Request("own.yaml")).warnings)


def test_another_fill_is_told_with_who_has_it(tmp_path, monkeypatch):
    told = "exact-tree-delete leaves zero in place of what it deletes, and "
    advice = "that may protect little; give both the same `fill` where you can"
    assert warnings_of("zero", tmp_path, monkeypatch) == [f"{told}column-dropout prepares for mean: {advice}"]
    assert warnings_of("mean", tmp_path, monkeypatch) == [
        f"{told}column-dropout, adversarial-columns prepare for mean: {advice}"
    ]


def test_the_fill_that_is_tuned_is_not_judged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tuned = SUITE.replace("column-dropout", "{name: column-dropout, tune: {grid: {fill: [zero, mean]}}}")
    Path("own.yaml").write_text(tuned.replace("FILL", "zero"))
    assert list(plan_suite(Request("own.yaml")).warnings) == []
