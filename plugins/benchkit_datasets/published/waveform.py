"""Waveform (UCI, version 1): 5000 rows that Breiman's generator once made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from benchkit import Data, require_file
from benchkit_datasets.parsing.rows import map_labels, read_numbers
from benchkit_datasets.problems.wave_classes import choose_wave_problem

FILE = "uci/waveform.data"


def load_waveform(
    classes: Literal["binary", "all"] = "binary",
    pair: Sequence[int] | None = None,
    one_against_rest: int | None = None,
) -> Data:
    """The file's 5000 noisy mixtures of two of three base waves at 21 points; its numbers have two decimals.

    Parameters
    ----------
    classes : {"binary", "all"}, default="binary"
        +1 for class 1 and -1 for classes 0 and 2, as the IDA benchmark has it (verified row by row); or 0, 1, 2.
    pair, one_against_rest
        Another binary problem, see `benchkit_datasets.problems.pairs.choose_problem`.
    """
    path = require_file(FILE)
    table = read_numbers(path, columns=22, rows=5000)
    waves = map_labels(path, table[:, 21], {0.0: 0, 1.0: 1, 2.0: 2})
    rows, y = choose_wave_problem(waves, classes, pair, one_against_rest)
    return Data(X=table[rows, :21], y=y, feature_names=[f"x{point}" for point in range(1, 22)])
