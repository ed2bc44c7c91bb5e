"""MNIST digits: 28 x 28 grey values, in the idx format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from benchkit import Data, require_file
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.parsing.content import read_bytes
from benchkit_datasets.problems.pairs import choose_problem

PARTS = {"train": ("mnist/train", 60000), "test": ("mnist/t10k", 10000)}


def load_mnist(
    pair: Sequence[int] | None = None,
    one_against_rest: int | None = None,
    task: Literal["odd-even"] | None = None,
    part: Literal["all", "train", "test"] = "all",
    scale: Literal["unit", "stored"] = "unit",
) -> Data:
    """MNIST digits.

    Parameters
    ----------
    pair, one_against_rest, task
        A binary problem, see `benchkit_datasets.problems.pairs.choose_problem`; all ten classes where none is given.
        Rows are chosen while pixels are bytes: a pair needs 90 MB as float64, everything 440 MB.
    part : {"all", "train", "test"}, default="all"
        Of 70,000, 60,000 and 10,000 rows; "all" has the training rows first.
    scale : {"unit", "stored"}, default="unit"
        Grey values divided by 255, in [0, 1], or as stored, 0 to 255. The background is 0 in both.
    """
    check_choice("part", part, ("all", *PARTS))
    check_choice("scale", scale, ("unit", "stored"))
    kept = tuple(PARTS) if part == "all" else (part,)
    digits = [_read_digits(each) for each in kept]
    rows, y = choose_problem(np.concatenate(digits), pair, one_against_rest, task)
    if isinstance(rows, slice):
        chosen = [_read_pixels(each) for each in kept]
    else:
        masks = np.split(rows, [len(digits[0])])
        chosen = [_read_pixels(each)[mask] for each, mask in zip(kept, masks, strict=False)]
    X = np.concatenate(chosen).astype(np.float64)
    if scale == "unit":
        X /= 255.0
    names = [f"pixel-{row}-{column}" for row in range(28) for column in range(28)]
    return Data(X=X, y=y, feature_names=names)


def _read_digits(part: str) -> np.ndarray:
    prefix, rows = PARTS[part]
    path = require_file(f"{prefix}-labels-idx1-ubyte.gz")
    digits = _read_idx(path, (rows,)).astype(int)
    if digits.max() > 9:
        raise ValueError(f"{path}: label {digits.max()} in row {digits.argmax() + 1}, expected 0 to 9")
    return digits


def _read_pixels(part: str) -> np.ndarray:
    prefix, rows = PARTS[part]
    return _read_idx(require_file(f"{prefix}-images-idx3-ubyte.gz"), (rows, 28, 28)).reshape(rows, 784)


def _read_idx(path: Path, shape: tuple[int, ...]) -> np.ndarray:
    """Unsigned bytes of an idx file: two zero bytes, the type 8, the number of axes, their big-endian sizes, data."""
    content = read_bytes(path)
    head = 4 + 4 * len(shape)
    if content[:4] != bytes([0, 0, 8, len(shape)]):
        raise ValueError(f"{path}: does not begin as an idx file of {len(shape)} axes of bytes")
    stored = tuple(np.frombuffer(content[4:head], dtype=">u4").tolist())
    if stored != shape:
        raise ValueError(f"{path}: shape {stored}, expected {shape}")
    if len(content) != head + int(np.prod(shape)):
        raise ValueError(f"{path}: {len(content) - head} bytes of data, expected {int(np.prod(shape))}")
    return np.frombuffer(content, dtype=np.uint8, offset=head).reshape(shape)
