"""Handwritten digits: of UCI as scikit-learn bundles them, USPS postcodes, MNIST in the idx format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from sklearn import datasets

from benchkit import Data, check_choice, require_file
from benchkit_datasets.problems import choose_problem
from benchkit_datasets.reading import map_labels, read_bytes, read_numbers


def _pixels(side: int) -> list[str]:
    return [f"pixel-{row}-{column}" for row in range(side) for column in range(side)]


def load_digits(
    pair: Sequence[int] | None = None, one_against_rest: int | None = None, task: Literal["odd-even"] | None = None
) -> Data:
    """1797 digits of 8 x 8 pixels, grey values divided by their largest, 16.

    Parameters
    ----------
    pair, one_against_rest, task
        A binary problem, see `benchkit_datasets.problems.choose_problem`; all ten classes where none is given.
    """
    bunch = datasets.load_digits()
    rows, y = choose_problem(bunch.target, pair, one_against_rest, task)
    return Data(X=bunch.data[rows] / 16.0, y=y, feature_names=_pixels(8))


USPS_PARTS = {"train": ("usps/zip.train.gz", 7291), "test": ("usps/zip.test.gz", 2007)}


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
        A binary problem, see `benchkit_datasets.problems.choose_problem`; all ten classes where none is given.
    part : {"all", "train", "test"}, default="all"
        Of 9298, 7291 and 2007 rows; "all" has the training rows first.
    scale : {"stored", "unit"}, default="stored"
        Grey values in [-1, 1] with -1 for the background, as the file has them, or in [0, 1] with 0 for the
        background. A pixel that an adversary sets to 0 turns mid-grey in the first and background in the second.
    """
    check_choice(("all", *USPS_PARTS), part=part)
    check_choice(("stored", "unit"), scale=scale)
    table = np.concatenate([_read_usps(kept) for kept in (USPS_PARTS if part == "all" else (part,))])
    rows, y = choose_problem(table[:, 0].astype(int), pair, one_against_rest, task)
    X = table[rows, 1:]
    return Data(X=(X + 1.0) / 2.0 if scale == "unit" else X, y=y, feature_names=_pixels(16))


def _read_usps(part: str) -> np.ndarray:
    name, rows = USPS_PARTS[part]
    path = require_file(name)
    table = read_numbers(path, columns=257, rows=rows, separator=None)
    map_labels(path, table[:, 0], {float(digit): digit for digit in range(10)})
    if np.abs(table[:, 1:]).max() > 1.0:
        raise ValueError(f"{path}: grey value {np.abs(table[:, 1:]).max():g} is outside [-1, 1]")
    return table


MNIST_PARTS = {"train": ("mnist/train", 60000), "test": ("mnist/t10k", 10000)}


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
        A binary problem, see `benchkit_datasets.problems.choose_problem`; all ten classes where none is given.
        Rows are chosen while pixels are bytes: a pair needs 90 MB as float64, everything 440 MB.
    part : {"all", "train", "test"}, default="all"
        Of 70,000, 60,000 and 10,000 rows; "all" has the training rows first.
    scale : {"unit", "stored"}, default="unit"
        Grey values divided by 255, in [0, 1], or as stored, 0 to 255. The background is 0 in both.
    """
    check_choice(("all", *MNIST_PARTS), part=part)
    check_choice(("unit", "stored"), scale=scale)
    kept = tuple(MNIST_PARTS) if part == "all" else (part,)
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
    return Data(X=X, y=y, feature_names=_pixels(28))


def _read_digits(part: str) -> np.ndarray:
    prefix, rows = MNIST_PARTS[part]
    path = require_file(f"{prefix}-labels-idx1-ubyte.gz")
    digits = _read_idx(path, (rows,)).astype(int)
    if digits.max() > 9:
        raise ValueError(f"{path}: label {digits.max()} in row {digits.argmax() + 1}, expected 0 to 9")
    return digits


def _read_pixels(part: str) -> np.ndarray:
    prefix, rows = MNIST_PARTS[part]
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
