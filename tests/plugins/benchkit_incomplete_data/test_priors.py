"""The EM imputers and the class-wise mean against direct maximisation, textbook steps and closed forms."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal
from sklearn.utils.estimator_checks import parametrize_with_checks

from benchkit_incomplete_data.priors.class_mean import ClassMeanImputer
from benchkit_incomplete_data.priors.gaussian_em import GaussianEMImputer
from benchkit_incomplete_data.priors.mixture_em import GaussianMixtureEMImputer
from benchkit_incomplete_data.solvers.kernels import make_kernel

IMPUTERS = [GaussianEMImputer(), GaussianMixtureEMImputer(n_components=3, random_state=0), ClassMeanImputer()]


@parametrize_with_checks(IMPUTERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_conforms(estimator, check):
    check(estimator)


def incomplete(seed=0, n=60, d=4, share=0.4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    return np.where(rng.random(X.shape) < share, np.nan, X), X


@pytest.mark.parametrize(("ridge", "entries"), [(0.0, 4_000_000), (0.1, 12)])
def test_gaussian_em_maximises_the_penalised_likelihood(monkeypatch, ridge, entries):
    monkeypatch.setattr("benchkit_incomplete_data.priors.gaussian_em._BATCH_ENTRIES", entries)
    X, _ = incomplete(n=25, d=2, share=0.3)
    found = GaussianEMImputer(ridge=ridge, max_iter=5000, tol=1e-13).fit(X)
    location, scale = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    scaled = (X - location) / scale

    def loss(p):
        factor = np.array([[np.exp(p[2]), 0], [p[3], np.exp(p[4])]])
        covariance = factor @ factor.T
        total = 0.5 * ridge * len(X) * (np.linalg.slogdet(covariance)[1] + np.trace(np.linalg.inv(covariance)))
        for row in scaled:
            seen = ~np.isnan(row)
            if seen.any():
                total -= multivariate_normal.logpdf(row[seen], p[:2][seen], covariance[np.ix_(seen, seen)])
        return total

    best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    assert found.log_likelihood_path_[-1] == pytest.approx(-best.fun, abs=1e-6)
    np.testing.assert_allclose(found.mean_, location + best.x[:2] * scale, atol=1e-4)


def test_mixture_em_reaches_a_stationary_point_of_its_penalised_likelihood():
    X, _ = incomplete(n=30, d=2, share=0.3)
    model = GaussianMixtureEMImputer(n_components=2, ridge=0.05, max_iter=20000, tol=1e-14, random_state=0).fit(X)
    location, scale = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    scaled, prior = (X - location) / scale, 0.05 * len(X)

    def loss(p):
        share = 1 / (1 + np.exp(-p[0]))
        means, variances = p[1:5].reshape(2, 2), np.exp(p[5:])
        total = 0.5 * prior * (np.log(variances) + (1 + (means**2).sum(axis=1)) / variances).sum()
        for row in scaled:
            seen = ~np.isnan(row)
            from_means, v = row[seen] - means[:, seen], variances[:, None]
            densities = np.prod(np.exp(-(from_means**2) / (2 * v)) / np.sqrt(2 * np.pi * v), axis=1)
            total -= np.log([share, 1 - share] @ densities)
        return total

    means = (model.means_ - location) / scale
    start = np.concatenate([[np.log(model.weights_[0] / model.weights_[1])], means.ravel(), np.log(model.variances_)])
    assert loss(start) == pytest.approx(-model.log_likelihood_path_[-1], rel=1e-9)
    assert np.abs([(loss(start + 1e-5 * e) - loss(start - 1e-5 * e)) / 2e-5 for e in np.eye(len(start))]).max() < 1e-4


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("shape", [(60, 4), (8, 20)])
@pytest.mark.parametrize("imputer", [GaussianEMImputer(tol=0), GaussianMixtureEMImputer(tol=0, random_state=0)])
def test_the_likelihood_never_falls(imputer, shape):
    for share in (0.2, 0.6, 0.9):
        X, _ = incomplete(n=shape[0], d=shape[1], share=share)
        path = imputer.fit(X).log_likelihood_path_
        assert np.diff(path).min() >= -1e-9 * np.abs(path).max()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("imputer", IMPUTERS, ids=lambda each: type(each).__name__)
def test_hard_data_is_imputed(imputer):
    X, complete = incomplete(n=10, d=15, share=0.6)
    complete[:, 1] = complete[:, 0]
    X[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, complete[:, 1])
    X[3] = np.nan  # wholly missing
    X[:, 5] = np.where(np.isnan(X[:, 5]), np.nan, 7.3)  # constant
    X[:, 6] = np.nan  # never seen
    filled = imputer.fit_transform(X)
    assert np.isfinite(filled).all()
    np.testing.assert_array_equal(filled[~np.isnan(X)], X[~np.isnan(X)])
    np.testing.assert_allclose(filled[:, 5], 7.3)
    np.testing.assert_allclose(filled[:, 6], 0.0, atol=1e-12)
    assert np.isfinite(imputer.transform(np.full((2, 15), np.nan))).all()


def test_maximum_likelihood_that_does_not_exist_is_one_clear_error():
    X, _ = incomplete(n=6, d=12, share=0.0)
    for ridge in (0.0, 1e-14):
        with pytest.raises(ValueError, match="give GaussianEMImputer a larger ridge than"):
            GaussianEMImputer(ridge=ridge).fit(X)


@pytest.mark.parametrize("imputer", [GaussianEMImputer(), GaussianMixtureEMImputer(random_state=0)])
def test_a_constant_column_says_nothing_of_the_others(imputer):
    # The mean of equal values is not always that value.
    X, _ = incomplete()
    filled = []
    for constant in (0.5, 0.1):
        column = np.where(np.arange(len(X)) % 7 == 0, np.nan, constant)
        filled.append(imputer.fit(np.column_stack([X, column])).transform(np.column_stack([X, column + 1e-9])))
        np.testing.assert_allclose(filled[-1][:, -1], constant, atol=1e-8)
    np.testing.assert_allclose(filled[0][:, :-1], filled[1][:, :-1], atol=1e-9)


def test_a_mixture_puts_the_mean_given_what_is_observed():
    X, _ = incomplete(n=80, d=3)
    model = GaussianMixtureEMImputer(n_components=2, random_state=0).fit(X)
    scale = np.nanstd(X, axis=0)
    rows = np.array([[np.nan, 1.0, -1.0], [0.5, np.nan, np.nan]])
    for values, found in zip(rows, model.transform(rows), strict=True):
        seen = ~np.isnan(values)
        joint = [
            share * multivariate_normal.pdf(values[seen], mean[seen], np.diag(variance * scale[seen] ** 2))
            for share, mean, variance in zip(model.weights_, model.means_, model.variances_, strict=True)
        ]
        np.testing.assert_allclose(found[~seen], (np.array(joint) @ model.means_ / sum(joint))[~seen])


@pytest.mark.parametrize(
    ("imputer", "message"),
    [
        (GaussianEMImputer(ridge="0.1"), "ridge is '0.1', expected a number of at least 0"),
        (GaussianEMImputer(max_iter=2.5), "max_iter is 2.5, expected a whole number of at least 0"),
        (GaussianMixtureEMImputer(ridge=0), "ridge is 0, expected a positive number"),
        (GaussianMixtureEMImputer(n_components=0), "n_components is 0, expected a whole number of at least 1"),
        (GaussianMixtureEMImputer(tol=np.nan), "tol is nan, expected a number of at least 0"),
        (ClassMeanImputer(max_evaluations=True), "max_evaluations is True, expected a whole number"),
    ],
)
def test_bad_parameters_are_refused(imputer, message):
    with pytest.raises(ValueError, match=message):
        imputer.fit(incomplete()[0])


def labelled(seed=0):
    X, _ = incomplete(seed, n=14, d=3)
    y = np.repeat([-1, 1], [8, 6])
    return X + 2.0 * (y[:, None] > 0), y


def test_class_mean_with_a_linear_kernel_is_the_class_mean():
    X, y = labelled()
    found = ClassMeanImputer(kernel="linear").fit_transform(X, y)
    for label in (-1, 1):
        rows = X[y == label]
        np.testing.assert_allclose(found[y == label], np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows))


def test_class_mean_is_stationary_for_definition_1():
    X, y = labelled()
    missing = np.isnan(X)
    found = ClassMeanImputer(gamma=0.2, tol=1e-12, max_evaluations=3000).fit_transform(X, y)
    lower, upper = (np.broadcast_to(end, X.shape)[missing] for end in (np.nanmin(X, 0), np.nanmax(X, 0)))
    kernel = make_kernel("rbf", 0.2, X)

    def definition(values):
        rows = found.copy()
        rows[missing] = values
        total = 0.0
        for label in (-1, 1):
            K = kernel.matrix(rows[y == label], rows[y == label])
            total += (np.diag(K)[:, None] - 2 * K + np.diag(K)[None]).sum() / len(K)
        return total

    reached = definition(found[missing])
    better = minimize(definition, found[missing], method="L-BFGS-B", bounds=list(zip(lower, upper, strict=True)))
    assert better.fun >= reached - 1e-6
    means = np.where(missing, np.nanmean(X, axis=0), X)
    assert reached < definition(means[missing])


@pytest.mark.parametrize("unit", [1e-5, 1e5])
def test_class_mean_in_other_units_is_the_same(unit):
    X, y = labelled()
    expected = ClassMeanImputer(gamma=0.2).fit(X, y)
    found = ClassMeanImputer(gamma=0.2 / unit**2).fit(X * unit + 7 * unit, y)
    np.testing.assert_allclose(found.completed_ / unit - 7, expected.completed_, atol=1e-3)
    rows = X[:5]
    np.testing.assert_allclose(found.transform((rows + 7) * unit) / unit - 7, expected.transform(rows), atol=1e-3)


def test_the_nearest_class_is_that_of_the_nearest_mean_in_feature_space():
    # Without the spread of a class in feature space, its last term, a wide class would win rows of a narrow one.
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 0.1, (30, 2)), rng.normal(2.0, 3.0, (30, 2))])
    X[::5, 1] = np.nan
    imputer = ClassMeanImputer(gamma=0.05).fit(X, np.repeat([0, 1], 30))
    kernel = make_kernel("rbf", 0.05, X)
    rows = np.column_stack([np.linspace(-1.0, 3.0, 15), np.full(15, np.nan)])
    line = np.linspace(np.nanmin(X[:, 1]), np.nanmax(X[:, 1]), 2001)
    for row, found in zip(rows, imputer.transform(rows), strict=True):
        least = []
        for members in (slice(0, 30), slice(30, 60)):
            towards = imputer.completed_[members]
            options = np.column_stack([np.full(2001, row[0]), line])
            near = 1 - 2 * kernel.matrix(options, towards).mean(axis=1) + kernel.matrix(towards, towards).mean()
            least.append((near.min(), options[near.argmin(), 1]))
        assert found[1] == pytest.approx(min(least)[1], abs=0.02)
