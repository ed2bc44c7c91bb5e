"""What joins a suite joins on the terms that the suite's own have."""

import pytest

from benchkit.check.names import name_mistakes
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.manager import UnknownNameError, discover, registry
from benchkit.suite.expand import expand
from benchkit.suite.join import join
from benchkit.suite.load import load

FILE = """
from benchkit import Adversary, Algorithm, Dataset, Metric, hookimpl

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
    found = discover(files) if files else registry()
    loaded = join(load(suite), found, names, [str(file) for file in files])
    assert name_mistakes(loaded, Fingerprints(found), tuple(map(str, files))) == []
    return loaded.suite, expand(loaded, found)


def test_what_joins_is_tuned_where_there_is_a_validation_part_and_leaves_the_other_trials_as_they_are():
    before, trials_before = joined("quickstart")
    suite, trials = joined("quickstart", names=["sec-svm", "mcf"])
    tuned, plain = [entry for entry in suite.algorithms if entry.name == "sec-svm"]
    assert (tuned.datasets, [stage.data for stage in tuned.tune]) == (["breast", "digits"], ["corrupted"])
    assert plain.datasets == ["label-copies"]
    assert plain.tune == []
    reached = {trial.dataset.label for trial in trials if trial.algorithm.name == "mcf"}
    assert reached == {"breast", "digits", "label-copies"}
    assert [trial for trial in trials if trial.algorithm.name not in ("sec-svm", "mcf")] == trials_before
    again, _ = joined("quickstart", names=["lp", "breast", "greedy-delete", "error"])
    assert again == before
    with pytest.raises(UnknownNameError, match="did you mean 'sec-svm'"):
        joined("quickstart", names=["sec-svn"])


def test_an_adversary_a_metric_and_a_dataset_beside_the_first():
    suite, trials = joined("quickstart", names=["random-delete", "exact-error", "logistic-toy"])
    assert suite.adversaries[-1].budgets == ["0%", "10%", "25%", "50%"]
    assert suite.metrics == ["error", "exact-error"]
    assert suite.datasets[-1].name == "logistic-toy"
    here, beside = (
        {(trial.algorithm.label, trial.axis_value) for trial in trials if trial.dataset.name == name}
        for name in ("logistic-toy", "breast")
    )
    assert here == beside


def test_a_file_joins_whole(tiny, write_suite, write_plugin):
    plugin = write_plugin(FILE)
    suite, trials = joined(write_suite(tiny), files=[plugin])
    assert [entry.name for entry in suite.algorithms] == ["svm", "constant", "ridge"]
    assert [entry.name for entry in suite.datasets] == ["breast", "mine"]
    assert suite.metrics == ["error", "my-error"]
    assert {(trial.dataset.name, trial.algorithm.name) for trial in trials} == {
        (dataset, algorithm) for dataset in ("breast", "mine") for algorithm in ("svm", "constant", "ridge")
    }
    named, _ = joined(write_suite(tiny | {"metrics": ["my-error"]}), files=[plugin])  # then nothing else joins
    assert [entry.name for entry in named.algorithms] == ["svm", "constant"]
    assert named.metrics == ["my-error"]
