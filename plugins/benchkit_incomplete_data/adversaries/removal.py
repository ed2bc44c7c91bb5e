"""Removing entries of the training part."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult, NotApplicableError


def remove(attack: AttackContext, missing: np.ndarray) -> AttackResult:
    """The rows with NaN where the mask says, which becomes the truth ``missing``."""
    check_dense(attack)
    return AttackResult(X=np.where(missing, np.nan, attack.X), y=attack.y, truth={"missing": missing})


def check_dense(attack: AttackContext) -> None:
    """Refuse sparse data, in which a missing value has no place of its own."""
    if sparse.issparse(attack.X):
        raise NotApplicableError("missing values need dense data")


def smallest(keys: np.ndarray, share: float) -> np.ndarray:
    """Mask of the smallest keys, so large a share of them: a larger share holds what a smaller one does."""
    order = np.argsort(keys, axis=None, kind="stable")
    mask = np.zeros(keys.size, dtype=bool)
    mask[order[: round(share * keys.size)]] = True
    return mask.reshape(keys.shape)
