"""Data prepared: read-only and loaded once, streams from names, what tuning sees, steps and feature values."""

import pickle
from functools import lru_cache

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csr_matrix
from sklearn.metrics import mutual_info_score

import benchkit
from benchkit import Data, NotApplicableError, PreprocessingStep
from benchkit.plugin.manager import registry
from benchkit.suite.expand import expand
from benchkit.suite.load import load
from benchkit.trial import prepared
from benchkit.trial.preparation import feature_values, preprocessor
from benchkit.trial.prepared import Part, check_loaded, copied_megabytes, forget, prepare, protected
from benchkit.trial.record import compact
from benchkit.trial.seeds import integer, stream


def test_standard_deviations_of_the_training_part_leave_gaps_out():
    X = np.array([[1.0, np.nan, 2.0], [3.0, np.nan, np.nan], [8.0, np.nan, 4.0]])
    part = Part(X, np.zeros(3), X)
    np.testing.assert_allclose(part.means, [4, 0, 3])
    np.testing.assert_allclose(part.deviations, [np.std([1, 3, 8]), 0, 1])
    assert Part(sparse.csr_matrix(np.eye(3)), np.zeros(3), None).deviations is None


def test_what_is_protected_is_not_copied_again_and_of_a_sparse_matrix_every_array_is(tmp_path):
    X = protected(sparse.csr_matrix(np.eye(3)))
    assert not any(part.flags.writeable for part in (X.data, X.indices, X.indptr))
    assert np.array_equal(X.toarray(), np.eye(3))
    np.save(tmp_path / "X.npy", np.ones(3))
    once, mapped = protected(np.ones(3)), np.asarray(np.load(tmp_path / "X.npy", mmap_mode="r"))
    on_write = np.asarray(np.load(tmp_path / "X.npy", mmap_mode="c"))
    on_write.flags.writeable = False
    assert protected([1, 2]) == [1, 2]
    before = copied_megabytes()
    assert protected(once) is once
    assert protected(mapped) is mapped
    assert protected(view := once[1:]) is view
    assert copied_megabytes() == before
    assert protected(on_write) is not on_write


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "dataset 'odd' loaded a NoneType, expected a benchkit.Data"),
        (Data(X=np.ones(4), y=np.ones(4)), r"has a ndarray of shape \(4,\) as X, expected a row for each sample"),
        (Data(X=np.ones((4, 2)), y=np.ones(3)), r"has X of shape \(4, 2\) but y of shape \(3,\)"),
        (Data(X=np.ones((4, 2)), y=np.array([1, 2, 3, np.nan])), "has NaN or infinite values in y"),
    ],
)
def test_what_is_no_dataset_is_named(data, message):
    with pytest.raises((TypeError, ValueError), match=message):
        check_loaded(data, "odd")


@pytest.mark.parametrize(("most", "held"), [(0.0, 0), (1e9, 1)])
def test_large_data_of_another_repetition_is_dropped_before_a_trial(tiny, write_suite, monkeypatch, most, held):
    """Else four repetitions of 4 GB would be 16."""
    monkeypatch.setattr(prepared, "_MOST", most)
    tiny |= {"algorithms": ["constant"], "adversaries": []}
    first, second = expand(load(write_suite(tiny)), registry())
    forget()
    for trial in (first, first):  # what is its own stays
        forget(trial)
        prepare(trial)
    assert prepared._load.cache_info().hits + prepared._prepare_shared.cache_info().hits >= 1
    forget(second)
    assert prepared._prepare_shared.cache_info().currsize == held


def test_equal_names_give_equal_streams_and_any_difference_another():
    assert np.array_equal(stream(1, "a", {"x": 1, "y": 2}).random(5), stream(1, "a", {"y": 2, "x": 1}).random(5))
    names = (("a",), ("b",), ("a", 0), ("a", "0"), ("a", None))
    numbers = {integer(seed, *each) for seed in (0, 1) for each in names}
    assert len(numbers) == 10
    assert all(0 <= number < 2**31 for number in numbers)


def test_altering_test_rows_never_changes_what_tuning_chose(tiny, write_suite, tmp_path, monkeypatch):
    """The canary: a leak of test rows into preprocessing, feature values or tuning would change a choice or a fit."""
    grids = {"svm": [0.001, 0.1, 10], "lp": [0.01, 1]}
    methods = [{"name": name, "tune": {"data": "corrupted", "grid": {"C": grid}}} for name, grid in grids.items()]
    tiny |= {"algorithms": methods, "feature_values": "mutual-information"}
    options = {"executor": "inline", "tracking": False, "only": {"repetition": "0"}, "keep_models": True}
    suite, draw, load = write_suite(tiny), prepared.draw_split, prepared._load
    parts = {}

    def remember(declared, split, data, repetition, *arguments):
        return parts.setdefault(repetition, draw(declared, split, data, repetition, *arguments))

    @lru_cache
    def load_altered(key):
        data, seconds = load(key)
        X = data.X.copy()
        X[parts[0].test] = 1e3 * np.random.default_rng(0).normal(size=X[parts[0].test].shape)
        return benchkit.Data(X=X, y=data.y, feature_names=data.feature_names, groups=data.groups), seconds

    def run(out):
        results = benchkit.run(suite, out=tmp_path / out, **options)
        assert results.ok
        models = [np.ravel(results.load_model(row["trial"]).coef_) for row in results.records]
        return [row["params"] for row in results.records], models, [row["metrics"] for row in results.records]

    monkeypatch.setattr(prepared, "draw_split", remember)
    params, models, metrics = run("as-is")
    monkeypatch.setattr(prepared, "_load", load_altered)
    altered_params, altered_models, altered_metrics = run("altered")
    assert params == altered_params
    assert all(np.array_equal(one, other) for one, other in zip(models, altered_models, strict=True))
    assert metrics != altered_metrics  # the rows were altered


RECORD = {"trial": "a1", "status": "ok", "params": {"C": 1}, "metrics": {"error": 0.25}, "budget": 2.0, "error": None}


def test_equal_values_are_kept_once_and_those_that_only_look_equal_stay_apart():
    kept = {}
    one, two = (compact(pickle.loads(pickle.dumps({**RECORD, "trial": trial})), kept) for trial in ("a1", "a2"))
    assert one == RECORD
    assert two == {**RECORD, "trial": "a2"}
    assert all(one[name] is two[name] for name in ("status", "params", "budget"))
    assert one["metrics"] is not two["metrics"]
    kinds = [compact({**RECORD, "params": {"C": value}}, kept)["params"]["C"] for value in (1, 1.0, True, -0.0, 0.0)]
    assert [repr(kind) for kind in kinds] == ["1", "1.0", "True", "-0.0", "0.0"]
    assert compact({**RECORD, "error": "{'C': 1}"}, kept)["error"] == "{'C': 1}"


def test_steps_in_order_missing_values_pass_and_sparse_stays_sparse():
    X = np.array([[0.0, 1.0], [2.0, np.nan], [40.0, 3.0]])
    made = preprocessor(["log1p", "standardize", {"clip": 1}], is_sparse=False).fit_transform(X)
    assert np.isnan(made[1, 1])
    assert np.nanmax(np.abs(made)) <= 1
    assert not np.isnan(preprocessor([{"impute": "mean"}], False).fit_transform(X)).any()
    scaled = preprocessor([{"scale": [0, 1]}], False).fit_transform(X)
    assert (np.nanmin(scaled), np.nanmax(scaled)) == (0, 1)
    assert preprocessor([], False) is None
    X = csr_matrix(np.diag([1.0, 20.0, 3.0]))
    assert preprocessor(["standardize", {"clip": 1.5}, "log1p"], is_sparse=True).fit_transform(X).nnz == 3
    step = {"mine": PreprocessingStep(name="mine", make=lambda: None)}
    with pytest.raises(NotApplicableError, match="mine does not support sparse data"):
        preprocessor(["mine"], True, declared=step)


def by_definition(X, y):
    """max over all midpoints of the mutual information, scaled to sum to n."""
    best = []
    for column in X.T:
        cuts = np.unique(column)[:-1]  # what lies above each level lies above the midpoint behind it
        best.append(max([mutual_info_score(column > cut, y) for cut in cuts], default=0.0))
    return np.array(best) * len(best) / sum(best)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
def test_equals_the_definition(classes, make):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, size=(60, 7)).astype(float)
    y = (X[:, 0] > 0) + (rng.random(60) < 0.3) * rng.integers(0, classes, 60)
    X[:, 6] = 1  # what is constant is worth nothing
    data = Data(X=make(X), y=y)
    np.testing.assert_allclose(feature_values("mutual-information", data.X, y, data), by_definition(X, y), atol=1e-12)


def test_kinds():
    X, y = np.eye(3), np.array([0, 1, 1])
    data = Data(X=X, y=y, feature_values=np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(feature_values("uniform", X, y, data), [1, 1, 1])
    np.testing.assert_array_equal(feature_values("given", X, y, data), [1, 2, 3])
    np.testing.assert_array_equal(feature_values([4.0, 5.0, 6.0], X, y, data), [4, 5, 6])
    for wrong, reason in (
        (("given", X, y, Data(X=X, y=y)), "declares none"),
        (([1.0, 2.0], X, y, data), "2 feature values given for 3"),
        (("given", X, y, Data(X=X, y=y, feature_values=-np.ones(3))), "finite numbers that are not negative"),
        (("mutual-information", np.ones((3, 2)), y, data), "all zero"),
    ):
        with pytest.raises(ValueError, match=reason):
            feature_values(*wrong)


PLUGIN = """
import numpy as np
from benchkit import Data, Dataset, PreprocessingStep, SplitMethod, hookimpl

def every_third(context):
    rows = np.random.default_rng(context.random_state).permutation(len(context.y))
    return rows[::3], rows[1::3], rows[2::3]

@hookimpl
def benchkit_datasets():
    counts = np.array([1, 2, 4, 1000, 2, 1] * 20)
    load = lambda: Data(X=counts[:, None] * np.ones((1, 2)), y=counts)
    return [Dataset(name="counts", task="regression", load=load)]

@hookimpl
def benchkit_splits():
    return [SplitMethod(name="every-third", make=lambda: every_third)]

@hookimpl
def benchkit_preprocessing_steps():
    return [PreprocessingStep(name="widens", make="sklearn.preprocessing:PolynomialFeatures")]
"""


def test_plugins_prepare_the_data_or_fail_with_a_reason(tiny, run_trials, write_plugin):
    tiny |= {"algorithms": ["logistic-regression"], "split": {"method": "every-third", "repetitions": 2}}
    tiny["adversaries"], plugins = [{"name": "greedy-delete", "budgets": ["50%"]}], [write_plugin(PLUGIN)]
    first, second = run_trials(tiny, plugins)
    assert first["budget"] == 5
    assert first["metrics"] != second["metrics"]
    # Counts are numbers, and no classes of which the places are counted: that correlates less.
    counts = {"datasets": ["counts"], "algorithms": ["mean"], "metrics": ["absent-correlation"]}
    shift = {"adversaries": [{"name": "column-shift", "params": {"scenario": "most"}, "budgets": [1]}]}
    assert run_trials(tiny | counts | shift, plugins)[0]["metrics"]["absent-correlation"] == pytest.approx(1)
    failed, _ = run_trials(tiny | {"preprocess": ["widens"]}, plugins)
    assert (failed["status"], "steps keep them" in failed["error"]) == ("failed", True)
