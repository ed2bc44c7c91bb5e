"""The fixtures and the decorator that authors of plugins use."""

import subprocess
import sys

import numpy as np

from benchkit.testing import tiny_attack, tiny_classification, tiny_regression

pytest_plugins = ["pytester"]

PLUGIN = """
from benchkit import Algorithm, hookimpl

@hookimpl
def benchkit_algorithms():
    return [
        Algorithm(name="ridge", make="sklearn.linear_model:RidgeClassifier", grid={"alpha": [1]}),
        Algorithm(name="wrong", make="sklearn.linear_model:RidgeClassifier", grid={"C": [1]}),
    ]
"""


def test_tiny_data_is_what_it_says():
    for n_classes in (2, 3):
        data = tiny_classification(n_classes=n_classes)
        assert data.X.shape == (60, len(data.feature_names))
        assert list(np.unique(data.y)) == ([-1, 1] if n_classes == 2 else [0, 1, 2])
        np.testing.assert_allclose(data.X.std(axis=0), 1)
    data = tiny_regression()
    residual = data.y - data.X @ data.truth["coef"]
    assert 0.05 < residual.std() / data.y.std() < 0.2
    attack = tiny_attack(data, 2.0, model="a model")
    assert attack.raw is data.X
    assert tiny_attack(data, 2.0).raw is None
    assert attack.feature_values.sum() == 6


def test_fixtures_and_rules_in_a_session_of_its_own(pytester):
    pytester.makepyfile(my_plugin=PLUGIN)
    pytester.makepyfile(
        """
        from benchkit.testing import parametrize_with_rules

        @parametrize_with_rules("my_plugin.py")
        def test_conforms(check):
            check()

        def test_run(benchkit_tiny_run):
            results = benchkit_tiny_run({"algorithms": ["ridge", "constant"]}, plugins=["my_plugin.py"])
            assert results.ok
            assert len(results.records) == 4
        """
    )
    found = pytester.runpytest_inprocess("-q", "-rA", "-p", "no:cacheprovider")
    outcomes = found.parseoutcomes()
    assert outcomes["failed"] == 1
    found.stdout.fnmatch_lines(["FAILED *test_conforms[[]wrong-grid-within-parameters[]]*"])
    assert outcomes["passed"] >= 9
    assert outcomes["skipped"] >= 3


def test_the_pytest_plugin_is_light():
    code = (
        "import sys, benchkit.testing.pytest_plugin;"
        "print([name for name in ('numpy', 'sklearn', 'yaml', 'rich', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
