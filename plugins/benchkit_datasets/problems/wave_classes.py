"""Problems that the three classes of the waveform data make, from the file and from the generator alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.problems.pairs import choose_problem


def choose_wave_problem(
    waves: np.ndarray, classes: str, pair: Sequence[int] | None, one_against_rest: int | None
) -> tuple[np.ndarray | slice, np.ndarray]:
    """Rows and labels as of `choose_problem`; class 1 against the rest where only ``classes="binary"`` is given."""
    check_choice("classes", classes, ("binary", "all"))
    if classes == "binary" and pair is None and one_against_rest is None:
        one_against_rest = 1
    return choose_problem(waves, pair, one_against_rest)
