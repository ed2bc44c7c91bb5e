"""Any estimator from YAML, pipelines by their steps; any function for what features cost."""

import pytest

import benchkit
from benchkit.plugin.manager import registry
from benchkit.report.analysis import Analysis
from benchkit.suite.schema import AlgorithmEntry
from benchkit.suite.source import SuiteError

BOOSTING = "sklearn.ensemble:HistGradientBoostingClassifier"
LOGISTIC = "sklearn.linear_model:LogisticRegression"
IMPUTER = "sklearn.impute:SimpleImputer"


def test_an_estimator_is_named_by_its_class_and_a_pipeline_by_its_steps():
    entry = AlgorithmEntry.model_validate({"estimator": BOOSTING, "grid": {"max_depth": [1]}})
    assert (entry.name, entry.display_name) == (BOOSTING, "HistGradientBoostingClassifier")
    assert entry.tune[0].grid == {"max_depth": [1]}
    declared = registry().algorithms[BOOSTING]
    assert (declared.tasks, declared.accepts_missing, declared.accepts_sparse) == (("classification",), True, False)
    steps = [{"estimator": IMPUTER, "params": {"strategy": "median"}}, LOGISTIC]
    entry = AlgorithmEntry.model_validate({"estimator": steps, "params": {"logisticregression__C": 0.5}})
    assert entry.display_name == "SimpleImputer+LogisticRegression"
    names = (entry.name, f"sklearn.preprocessing:StandardScaler | {LOGISTIC}")
    assert [registry().algorithms[name].accepts_missing for name in names] == [True, False]
    made = registry().algorithms[entry.name].make(**entry.params)
    assert (made[0].strategy, made[1].C) == ("median", 0.5)


SUITE = """\
name: own
datasets: [{{name: csv, path: {path}, target: kind}}]
split: {{repetitions: 2, train: 0.5, validation: 0.2}}
algorithms:
  - {{estimator: "{boosting}", label: boosting, params: {{max_iter: 5}}, grid: {{max_depth: [1, 2]}}}}
  - estimator: ["{imputer}", "sklearn.ensemble:RandomForestClassifier"]
    params: {{randomforestclassifier__n_estimators: 5}}
adversaries: [{{name: random-delete, params: {{fill: nan}}, budgets: [0, 1]}}]
metrics: [error, f1_macro, roc_auc]
"""


@pytest.fixture
def suite(tmp_path):
    lines = [f"{i % 7},{'' if i % 5 == 0 else i % 3},{'abc'[i % 3]}" for i in range(60)]
    (tmp_path / "own.csv").write_text("\n".join(["x,z,kind", *lines]))

    def write(boosting=BOOSTING):
        (tmp_path / "own.yaml").write_text(SUITE.format(path=tmp_path / "own.csv", boosting=boosting, imputer=IMPUTER))
        return str(tmp_path / "own.yaml")

    return write


def test_estimators_of_a_suite_meet_gaps_and_text_classes(suite, tmp_path):
    results = benchkit.run(suite(), out=tmp_path / "runs", executor="inline", tracking=False)
    outcomes = {(row["algorithm"], row["status"]) for row in results.records}
    assert outcomes == {("boosting", "ok"), ("SimpleImputer+RandomForestClassifier", "ok")}
    for row in results.records:
        assert row["metrics"]["roc_auc"] is None
        assert row["no_value"] == {"roc_auc": "roc_auc is of two classes, and this data has 3"}
    again = benchkit.run(suite(), out=tmp_path / "runs", executor="inline", tracking=False)
    assert (again.ran, again.reused) == (0, 8)
    assert any("roc_auc" in caution and "this data has 3" in caution for caution in Analysis(again).cautions)


@pytest.mark.parametrize("boosting", ["sklearn.ensemble:Boosting", "no_such_thing:C", "math:sqrt"])
def test_what_is_no_estimator(suite, boosting, tmp_path):
    reason = "pip install no_such_thing" if boosting == "no_such_thing:C" else boosting
    with pytest.raises(SuiteError, match=rf"own\.yaml:5: algorithms\.0.*{reason}"):
        benchkit.plan(suite(boosting=boosting), out=tmp_path / "runs")
