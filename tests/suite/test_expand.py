"""The expansion into trials, what joins a suite, and what a manifest says of the suite that they are from."""

import pytest

import benchkit
from benchkit.check.names import name_mistakes
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.manager import Registry, UnknownNameError, registry
from benchkit.report.analysis import Analysis
from benchkit.suite.expand import expand, join
from benchkit.suite.load import load
from benchkit.suite.schema import AlgorithmEntry
from benchkit.suite.source import SuiteError
from benchkit.suite.whole_suite import Suite, describe_adversaries

SMALL = {"name": "small", "datasets": ["breast"], "algorithms": ["svm"]}


def trials_of(path):
    return expand(load(path), registry())


def test_every_combination_once_and_entries_may_be_for_some_datasets_only(tiny, write_suite):
    tiny["datasets"] = ["breast", {"name": "digits", "pairs": "all", "group": "digits"}]
    tiny["algorithms"] = [{"name": "svm", "datasets": ["digits"]}, "constant"]
    tiny["adversaries"].append({"name": "random-delete", "budgets": [1], "datasets": ["breast"]})
    trials = trials_of(write_suite(tiny))
    assert len(trials) == 2 * 3 + 45 * 2 * 2 * 2
    assert len({trial.fields["cell"] for trial in trials}) == len(trials) // 2  # there are two repetitions
    assert {trial.axis for trial in trials} == {"budget"}
    assert {trial.dataset.label for trial in trials if trial.algorithm.label == "svm"} == {"digits"}
    assert {trial.dataset.label for trial in trials if trial.adversary.label == "random-delete"} == {"breast"}
    assert len({tuple(trial.dataset.params["pair"]) for trial in trials if trial.dataset.group == "digits"}) == 45
    tiny["datasets"][1]["pairs"] = "some"
    with pytest.raises(SuiteError, match="pairs is 'some'"):
        trials_of(write_suite(tiny))


@pytest.mark.parametrize(
    ("part", "name", "values"), [("dataset", "columns", ["mean", "all"]), ("algorithm", "C", [1, 2])]
)
def test_another_axis_than_the_budget(tiny, write_suite, part, name, values):
    tiny |= {"axis": {"parameter": f"{part}.{name}", "values": values}, "algorithms": ["svm"]}
    trials = trials_of(write_suite(tiny))
    assert len(trials) == 2 * 2 * 2
    assert all(getattr(t, part).params[name] == t.axis_value and t.axis == f"{part}.{name}" for t in trials)


def test_a_grid_that_the_budget_bounds(tiny, write_suite):
    grid = {"noise_budget": {"up_to_budget": [0, 1, 2]}, "C": [0.1, 1]}
    tiny["algorithms"] = ["constant", {"name": "lp", "tune": {"data": "corrupted", "grid": grid}}]
    tiny["adversaries"] = [{"name": name, "budgets": [0, 1, 4]} for name in ("greedy-delete", "greedy-corrupt")]
    trials = [trial for trial in trials_of(write_suite(tiny)) if trial.algorithm.label == "lp"]
    tried = {trial.adversary.amount: trial.algorithm.tune[0].grid for trial in trials}
    assert {budget: values["noise_budget"] for budget, values in tried.items()} == {0: [0], 1: [0, 1], 4: [0, 1, 2]}
    assert all(values["C"] == [0.1, 1] for values in tried.values())
    # What decides the outcome is what is tried: a value above the budget is no part of a trial's identity.
    assert trials[0].algorithm.identity["tune"][0]["grid"] == {"noise_budget": [0], "C": [0.1, 1]}
    assert len({id(trial.algorithm) for trial in trials}) == 3
    shares = {"name": "greedy-delete", "budgets": ["0%", "12.5%"]}  # until the values are known
    tiny |= {"algorithms": ["constant"], "adversaries": [shares]}
    shares = {(trial.axis_value, trial.adversary.amount) for trial in trials_of(write_suite(tiny))}
    assert shares == {(0.0, None), (0.125, None)}


def test_the_file_of_a_test_part_is_loaded_last_and_attacks_with_the_same_fill_are_compared():
    data = {"name": "csv", "path": "a.csv", "split": {"test": "b.csv", "repetitions": 1}}
    dataset = expand(load(SMALL | {"datasets": [data]}), registry())[0].dataset
    assert (dataset.whole.params, dataset.params) == ({"path": ["a.csv", "b.csv"]}, {"path": "a.csv"})
    for weak, compared in [({}, True), ({"fill": "zero"}, True), ({"fill": "nan"}, False)]:
        adversaries = ["exact-delete", {"name": "greedy-delete", "params": weak}]
        suite = Suite.model_validate(SMALL | {"adversaries": adversaries})
        assert bool(describe_adversaries(suite, registry())["attack_order"]["pairs"]) == compared


def test_titles_of_the_axis_of_budgets():
    for adversary, budgets, values, title in (
        ("greedy-delete", [0, 2], [1.0, 2.0], "features deleted (total cost)"),
        ("random-delete", [0, 2], "mutual-information", "features deleted"),
        ("greedy-delete", ["0%", "20%"], "mutual-information", "share of features deleted"),
    ):
        adversaries = [{"name": adversary, "label": "mine", "budgets": budgets}]
        suite = Suite.model_validate(SMALL | {"feature_values": values, "adversaries": adversaries})
        assert describe_adversaries(suite, registry())["axis_titles"] == {"mine": title}


FILE = """
from benchkit import Algorithm, Dataset, Metric, hookimpl

@hookimpl
def benchkit_algorithms():
    return [
        Algorithm(name="ridge", make="sklearn.linear_model:RidgeClassifier", grid={"alpha": [1, 10]}),
        Algorithm(name="least-squares", make="sklearn.linear_model:LinearRegression", tasks=["regression"]),
    ]

@hookimpl
def benchkit_datasets():
    return [Dataset(name="mine", load="benchkit_datasets.published.uci:load_breast")]

@hookimpl
def benchkit_metrics():
    return [Metric(name="my-error", compute="benchkit_baselines.metrics:error")]
"""


def joined(suite, files=(), names=()):
    found = Registry(files) if files else registry()
    loaded = join(load(suite), found, names, [str(file) for file in files])
    assert name_mistakes(loaded, Fingerprints(found), tuple(map(str, files))) == []
    return loaded.suite, expand(loaded, found)


def test_what_joins_is_tuned_where_that_can_be_runs_beside_the_first_and_leaves_the_other_trials():
    before, trials_before = joined("quickstart")
    suite, trials = joined("quickstart", names=["sec-svm", "mcf"])
    tuned, plain = [entry for entry in suite.algorithms if entry.name == "sec-svm"]
    assert (tuned.datasets, [stage.data for stage in tuned.tune]) == (["breast", "digits"], ["corrupted"])
    assert (plain.datasets, plain.tune) == (["label-copies"], [])
    reached = {trial.dataset.label for trial in trials if trial.algorithm.name == "mcf"}
    assert reached == {"breast", "digits", "label-copies"}
    assert [trial for trial in trials if trial.algorithm.name not in ("sec-svm", "mcf")] == trials_before
    again, _ = joined("quickstart", names=["lp", "breast", "greedy-delete", "error"])
    assert again == before
    for name, meant in {"sec-svn": "sec-svm", "rmse": "mean-squared-error", "auc": "roc_auc"}.items():
        with pytest.raises(UnknownNameError, match=f"did you mean '{meant}'"):
            joined("quickstart", names=[name])
    suite, trials = joined("quickstart", names=["random-delete", "exact-error", "logistic-toy"])
    assert suite.adversaries[-1].budgets == ["0%", "10%", "25%", "50%"]
    assert suite.metrics == ["error", "exact-error"]
    assert suite.datasets[-1].name == "logistic-toy"
    run = {(trial.dataset.name, trial.algorithm.label, trial.axis_value) for trial in trials}
    assert {key[1:] for key in run if key[0] == "logistic-toy"} == {key[1:] for key in run if key[0] == "breast"}


def test_a_file_joins_whole(tiny, write_suite, write_plugin):
    plugin = write_plugin(FILE)
    suite, trials = joined(write_suite(tiny), files=[plugin])
    assert [entry.name for entry in suite.algorithms] == ["svm", "constant", "ridge"]
    assert ([entry.name for entry in suite.datasets], suite.metrics) == (["breast", "mine"], ["error", "my-error"])
    assert len({(trial.dataset.name, trial.algorithm.name) for trial in trials}) == 2 * 3
    named, _ = joined(write_suite(tiny | {"metrics": ["my-error"]}), files=[plugin])  # then nothing else joins
    assert ([entry.name for entry in named.algorithms], named.metrics) == (["svm", "constant"], ["my-error"])


BOOSTING = "sklearn.ensemble:HistGradientBoostingClassifier"


def test_an_estimator_is_named_by_its_class():
    entry = AlgorithmEntry.model_validate({"estimator": BOOSTING, "grid": {"max_depth": [1]}})
    assert (entry.name, entry.display_name) == (BOOSTING, "HistGradientBoostingClassifier")
    assert entry.tune[0].grid == {"max_depth": [1]}
    declared = registry().algorithms[BOOSTING]
    assert (declared.tasks, declared.accepts_missing, declared.accepts_sparse) == (("classification",), True, False)


def test_estimators_of_a_suite_meet_gaps_and_text_classes(tmp_path):
    lines = [f"{i % 7},{'' if i % 5 == 0 else i % 4},{'abc'[i % 3]}" for i in range(60)]
    (tmp_path / "own.csv").write_text("\n".join(["x,z,kind", *lines]))
    suite = {"name": "own", "datasets": [{"name": "csv", "path": str(tmp_path / "own.csv"), "target": "kind"}]}
    suite |= {"split": {"repetitions": 2, "train": 0.5, "validation": 0.2}, "metrics": ["error", "f1_macro", "roc_auc"]}
    forest = {"estimator": "sklearn.ensemble:RandomForestClassifier", "params": {"n_estimators": 5}}
    suite["algorithms"] = [{"estimator": BOOSTING, "label": "boosting", "grid": {"max_iter": [2, 5]}}, forest]
    suite["adversaries"] = [{"name": "random-delete", "params": {"fill": "nan"}, "budgets": [0, 1]}]
    results = benchkit.run(suite, out=tmp_path / "runs", executor="inline", tracking=False)
    outcomes = {(row["algorithm"], row["status"]) for row in results.records}
    assert outcomes == {("boosting", "ok"), ("RandomForestClassifier", "ok")}
    for row in results.records:
        assert row["metrics"]["roc_auc"] is None
        assert row["no_value"] == {"roc_auc": "roc_auc is of two classes, and this data has 3"}
    again = benchkit.run(suite, out=tmp_path / "runs", executor="inline", tracking=False)
    assert (again.ran, again.reused) == (0, 8)
    assert any("roc_auc" in caution and "this data has 3" in caution for caution in Analysis(again).cautions)


def test_what_is_no_estimator(write_suite, tmp_path):
    reasons = {"sklearn.ensemble:Boosting": "Boosting", "no_such:C": "pip install no_such", "math:sqrt": "sqrt"}
    entries = "".join(f"- estimator: '{name}'\n" for name in reasons)
    with pytest.raises(SuiteError) as caught:
        benchkit.plan(write_suite(f"name: own\ndatasets: [breast]\nalgorithms:\n{entries}"), out=tmp_path / "runs")
    lines = [line for line in str(caught.value).splitlines() if "suite.yaml:" in line]
    for place, (line, reason) in enumerate(zip(lines, reasons.values(), strict=True)):
        assert f"suite.yaml:{4 + place}: algorithms.{place}" in line
        assert reason in line
