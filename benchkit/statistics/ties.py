"""Methods that tie in every repetition: from how many on that shows them to be alike.

Values that do not count rows, such as coefficients, tie only where methods do the same thing. Rates of error count test
rows, and tie wherever no row happens to tell two methods apart. Where d rows of a test part do so on average, and rows
err independently, n repetitions all tie with a probability of exp(-d n) at most. So a difference of `UNSEEN` rows (of
0.15 % on 100 test rows) stays unseen with less than 5 % from ln(20) / `UNSEEN` = 20 repetitions on.
"""

from __future__ import annotations

import math

from benchkit.statistics.estimate import FEWEST, LEVEL

UNSEEN = 0.15
"""Rows of a test part by which methods may differ although all repetitions tie."""


def tied_from(counts_rows: bool, level: float = LEVEL) -> int:
    """Repetitions from which on exact ties count as alike.

    Parameters
    ----------
    counts_rows : bool
        Whether the values count test rows; see `benchkit.statistics.sampling.counts_rows`.
    level : float, default=0.95
        Closer to 1 where several comparisons share their 5 %.
    """
    return math.ceil(-math.log(1 - level) / UNSEEN) if counts_rows else FEWEST
