"""Declaration of RoOFS."""

from benchkit import Algorithm
from benchkit_robust_regression.declared.recovery import ROOFS

ALGORITHMS = [
    Algorithm(
        name="roofs",
        streaming=True,
        make="benchkit_robust_regression.estimators.roofs:RoOFS",
        summary="Keeps the k best of the features that arrive in batches, fitted to the rows that look clean",
        tasks=("regression",),
        grid={"n_selected": [0.05, 0.1, 0.2, 0.4]},
        accepts_sparse=True,
        reference=f"{ROOFS}, Algorithm 1",
        formula="w <- largest k of w + eta X_S'(y - X w)_S / n, S = the tau rows with the smallest residuals",
    ),
]
