"""The tuner: it has candidates judged; benchkit keeps what was tried, and takes the best."""

from __future__ import annotations

from benchkit import TuningContext


class MyMethod:
    """Judge every candidate on some rows, and the better half of them on all rows.

    Parameters
    ----------
    share : float, default=0.25
        Of the rows, for the first look.
    """

    def __init__(self, share: float = 0.25) -> None:
        if not 0 < share <= 1:
            raise ValueError(f"share is {share!r}, expected more than 0 and at most 1")
        self.share = share

    def __call__(self, context: TuningContext) -> None:
        """Search."""
        if context.grid is None:
            raise ValueError("my-method takes lists of values, not distributions")
        candidates = list(context.grid)[: context.candidates]
        losses = context.judge(candidates, rows=max(1, round(self.share * context.n_rows)))
        # NaN, where a candidate has no score, compares with nothing: it comes last.
        order = sorted(range(len(candidates)), key=lambda place: (losses[place] != losses[place], losses[place]))
        context.judge([candidates[place] for place in order[: (len(order) + 1) // 2]])
