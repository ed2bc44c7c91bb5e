"""Any estimator from YAML."""

import pytest

import benchkit
from benchkit.plugin.manager import registry
from benchkit.report.analysis import Analysis
from benchkit.suite.schema import AlgorithmEntry
from benchkit.suite.source import SuiteError

BOOSTING = "sklearn.ensemble:HistGradientBoostingClassifier"


def test_an_estimator_is_named_by_its_class():
    entry = AlgorithmEntry.model_validate({"estimator": BOOSTING, "grid": {"max_depth": [1]}})
    assert (entry.name, entry.display_name) == (BOOSTING, "HistGradientBoostingClassifier")
    assert entry.tune[0].grid == {"max_depth": [1]}
    declared = registry().algorithms[BOOSTING]
    assert (declared.tasks, declared.accepts_missing, declared.accepts_sparse) == (("classification",), True, False)


SUITE = """\
name: own
datasets: [{{name: csv, path: {path}, target: kind}}]
split: {{repetitions: 2, train: 0.5, validation: 0.2}}
algorithms:
  - {{estimator: "{boosting}", label: boosting, params: {{max_iter: 5}}, grid: {{max_depth: [1, 2]}}}}
  - {{estimator: "sklearn.ensemble:RandomForestClassifier", params: {{n_estimators: 5}}}}
adversaries: [{{name: random-delete, params: {{fill: nan}}, budgets: [0, 1]}}]
metrics: [error, f1_macro, roc_auc]
"""


@pytest.fixture
def suite(tmp_path):
    lines = [f"{i % 7},{'' if i % 5 == 0 else i % 3},{'abc'[i % 3]}" for i in range(60)]
    (tmp_path / "own.csv").write_text("\n".join(["x,z,kind", *lines]))

    def write(boosting=BOOSTING):
        (tmp_path / "own.yaml").write_text(SUITE.format(path=tmp_path / "own.csv", boosting=boosting))
        return str(tmp_path / "own.yaml")

    return write


def test_estimators_of_a_suite_meet_gaps_and_text_classes(suite, tmp_path):
    results = benchkit.run(suite(), out=tmp_path / "runs", executor="inline", tracking=False)
    outcomes = {(row["algorithm"], row["status"]) for row in results.records}
    assert outcomes == {("boosting", "ok"), ("RandomForestClassifier", "ok")}
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
