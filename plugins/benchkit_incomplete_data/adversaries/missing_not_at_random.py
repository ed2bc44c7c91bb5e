"""Values that go missing because of what they are, or of the label: the assumption of missing at random broken."""

from __future__ import annotations

from numbers import Real
from typing import Literal

import numpy as np
from scipy.stats import rankdata

from benchkit import AttackContext, AttackResult
from benchkit_incomplete_data.adversaries.removal import check_dense, remove, smallest


class MissingNotAtRandom:
    """Removes a fraction of all entries, the likelier the larger the value or the label.

    Entry (i, j) is drawn without replacement with odds proportional to exp(strength r), r from -1 to 1 being the rank
    of x_ij in its column, or of y_i among the labels, equal values sharing one; a larger fraction removes what a
    smaller one does, and more. A group of columns is one entry and goes whole; its r is that of its largest column.

    Parameters
    ----------
    by : {"value", "label"}, default="value"
    strength : float, default=2.0
        0 is missing at random; the odds of the largest are exp(2 strength) times those of the smallest. A column of one
        value alone has r = 0.
    """

    def __init__(self, by: Literal["value", "label"] = "value", strength: float = 2.0) -> None:
        if by not in ("value", "label"):
            raise ValueError(f"by is {by!r}, expected 'value' or 'label'")
        if isinstance(strength, bool) or not (isinstance(strength, Real) and np.isfinite(strength)):
            raise ValueError(f"strength is {strength!r}, expected a number")
        self.by = by
        self.strength = strength

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Put NaN for ``attack.budget`` of the entries."""
        check_dense(attack)
        decisive = np.asarray(attack.X) if self.by == "value" else np.asarray(attack.y, dtype=float)[:, None]
        ranks = rankdata(decisive, axis=0, nan_policy="omit")
        least, most = np.fmin.reduce(ranks, axis=0), np.fmax.reduce(ranks, axis=0)
        middle, reach = (least + most) / 2, (most - least) / 2
        standing = np.nan_to_num((ranks - middle) / np.where(reach > 0, reach, 1.0))
        features = attack.features
        if not features.plain and standing.shape[1] == features.n_columns:
            standing = np.column_stack(
                [standing[:, features.of_column == feature].max(axis=1) for feature in range(features.n_features)]
            )
        # The smallest of exponential times with rates exp(strength r): drawing without replacement by those odds.
        times = attack.rng.exponential(size=(attack.X.shape[0], features.n_features)) / np.exp(self.strength * standing)
        return remove(attack, features.spread(smallest(times, attack.budget)))
