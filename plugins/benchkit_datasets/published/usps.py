"""USPS digits: 16 x 16 grey values of scanned postcodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from benchkit import Data, require_file
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.parsing.rows import map_labels, read_numbers
from benchkit_datasets.problems.pairs import choose_problem

FILES = {"train": ("usps/zip.train.gz", 7291), "test": ("usps/zip.test.gz", 2007)}


def load_usps(
    pair: Sequence[int] | None = None,
    one_against_rest: int | None = None,
    task: Literal["odd-even"] | None = None,
    part: Literal["all", "train", "test"] = "all",
    scale: Literal["stored", "unit"] = "stored",
) -> Data:
    """USPS digits, train and test joined to 9298 rows as Dekel, Shamir & Xiao 2010 use them.

    Parameters
    ----------
    pair, one_against_rest, task
        A binary problem, see `benchkit_datasets.problems.pairs.choose_problem`; all ten classes where none is given.
    part : {"all", "train", "test"}, default="all"
        Of 9298, 7291 and 2007 rows; "all" has the training rows first.
    scale : {"stored", "unit"}, default="stored"
        Grey values in [-1, 1] with -1 for the background, as the file has them, or in [0, 1] with 0 for the
        background. A pixel that an adversary sets to 0 turns mid-grey in the first and background in the second.
    """
    check_choice("part", part, ("all", *FILES))
    check_choice("scale", scale, ("stored", "unit"))
    table = np.concatenate([_read(kept) for kept in (FILES if part == "all" else (part,))])
    rows, y = choose_problem(table[:, 0].astype(int), pair, one_against_rest, task)
    X = table[rows, 1:]
    names = [f"pixel-{row}-{column}" for row in range(16) for column in range(16)]
    return Data(X=(X + 1.0) / 2.0 if scale == "unit" else X, y=y, feature_names=names)


def _read(part: str) -> np.ndarray:
    name, rows = FILES[part]
    path = require_file(name)
    table = read_numbers(path, columns=257, rows=rows, separator=None)
    map_labels(path, table[:, 0], {float(digit): digit for digit in range(10)})
    if np.abs(table[:, 1:]).max() > 1.0:
        raise ValueError(f"{path}: grey value {np.abs(table[:, 1:]).max():g} is outside [-1, 1]")
    return table
