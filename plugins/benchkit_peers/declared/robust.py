"""Robust and sparse regression of today: the extra ``peers-robust``."""

from benchkit import Algorithm, Environment

ALGORITHMS = [
    Algorithm(
        name="tukey",
        make="benchkit_peers.estimators.m_regression:MRegression",
        environment=Environment(requirements=["statsmodels>=0.14.4"]),
        tasks=("regression",),
        summary="Regression with Tukey's biweight, which leaves large residuals out (statsmodels' RLM)",
        grid={"tuning": [2.0, 3.0, 4.685, 6.0, 9.0]},
        reference="Beaton & Tukey 1974; Huber & Ronchetti 2009, Robust statistics, chapter 7",
        formula="min sum_i rho((y_i - b - w.x_i) / s), rho constant beyond the tuning constant, s the MAD",
    ),
    Algorithm(
        name="abess",
        make="benchkit_peers.estimators.best_subset:BestSubsetRegression",
        environment=Environment(requirements=["abess>=0.4.11"]),
        tasks=("regression",),
        summary="Least squares on the best subset of features, found by splicing",
        grid={"ic_type": ["aic", "bic", "gic", "ebic"]},
        reference="Zhu, Wen, Zhu, Zhang & Wang 2020, A polynomial algorithm for best-subset selection",
        formula="min |y - X w|^2 subject to |w|_0 <= s, s by an information criterion",
    ),
    Algorithm(
        name="median-regression",
        make="sklearn.linear_model:QuantileRegressor",
        tasks=("regression",),
        summary="The conditional median, by linear programming (scikit-learn's QuantileRegressor)",
        defaults={"quantile": 0.5, "solver": "highs", "alpha": 0.0},
        grid={"alpha": [0.0, 0.001, 0.01, 0.1, 1.0]},
        accepts_sparse=True,
        reference="Koenker & Bassett 1978, Regression quantiles",
        formula="min (1/n) sum_i |y_i - b - w.x_i| / 2 + alpha |w|_1",
    ),
]
