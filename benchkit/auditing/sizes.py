"""How much is asked of the model, by how thorough an audit is to be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """Rows and questions; a question is a row that the model answers.

    Attributes
    ----------
    rows : int
        Of the hold-out; a larger one is sampled.
    search : int
        Rows that sets of columns are searched on; what is found is judged on the others.
    questions : int
        That a search may ask.
    attacked : int
        Rows whose own worst loss is sought.
    nodes : int
        Of the search that proves the worst loss of a row.
    probed : int
        Rows that each kind of fault is tried on, at least.
    largest : int
        Columns that a search loses at most.
    most_random : int or None
        Columns lost at random at most; all but one where None.
    draws : int
        Random sets of columns.
    trained : int
        Rows of a training table that models are trained on; a larger one is sampled.
    seconds : float or None
        When what is still open is skipped.
    """

    rows: int
    search: int
    questions: int
    attacked: int
    nodes: int
    probed: int
    largest: int
    most_random: int | None
    draws: int
    trained: int
    seconds: float | None


FAST = Sizes(10_000, 800, 150_000, 400, 1_000, 300, 5, None, 20, 3_000, 60.0)
THOROUGH = Sizes(500_000, 5_000, 5_000_000, 5_000, 10_000, 2_000, 10, None, 100, 50_000, None)
