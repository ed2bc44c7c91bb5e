"""What a model proves of itself."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit import MetricContext, NotApplicableError


def model_certified_accuracy(evaluation: MetricContext) -> float:
    """Share of rows that are right and that the model itself proves to stay so, whatever features of the budget go.

    The model has ``certified(X, budget, feature_values)``, a mask of rows, and says in ``certifies`` against what: its
    proof is of "anything" in place of what is lost, or of "gaps" alone.
    """
    model = evaluation.model
    if not hasattr(model, "certified"):
        raise NotApplicableError(
            f"{type(model).__name__} proves nothing of itself, as feature-partition and gap-model do"
        )
    clean = evaluation.uncorrupted if evaluation.uncorrupted is not None else evaluation.X
    if sparse.issparse(clean):
        raise NotApplicableError("needs dense data")
    changed = (clean != evaluation.X) & ~(np.isnan(evaluation.X) & np.isnan(clean))
    if model.certifies == "gaps" and not np.isnan(evaluation.X[changed]).all():
        raise NotApplicableError(
            f"{type(model).__name__} proves what gaps do, and this adversary leaves values: give it 'fill: nan'"
        )
    kept = model.certified(clean, evaluation.budget, evaluation.feature_values)
    return float((kept & (model.predict(clean) == evaluation.y)).mean())
