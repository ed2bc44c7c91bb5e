"""Small published tables of numbers and categories: UCI, StatLib, the KDD Cup 2004, L. Torgo's collection."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from sklearn import datasets

from benchkit import Data, check_choice, require_file
from benchkit_datasets.problems import choose_wave_problem, draw_rows
from benchkit_datasets.reading import (
    find_codes,
    join_blocks,
    make_block,
    map_labels,
    parse_numbers,
    read_fields,
    read_numbers,
    read_text,
    to_numbers,
)


def _read_labelled(file: str, columns: int, rows: int, labels: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and the labels in the last column."""
    path = require_file(file)
    fields = read_fields(path, columns, rows)
    return to_numbers(path, [row[:-1] for row in fields]), map_labels(path, [row[-1] for row in fields], labels)


def load_breast(columns: Literal["mean", "all"] = "mean") -> Data:
    """Breast Cancer Wisconsin (Diagnostic): 569 images of cell nuclei; label +1 for malignant.

    Parameters
    ----------
    columns : {"mean", "all"}, default="mean"
        The ten means, as the "10 features" of Dekel, Shamir & Xiao 2010, or also their errors and worst values (30).
    """
    check_choice(("mean", "all"), columns=columns)
    bunch = datasets.load_breast_cancer()
    kept = 10 if columns == "mean" else 30
    names = [str(name) for name in bunch.feature_names[:kept]]
    return Data(X=bunch.data[:, :kept], y=np.where(bunch.target == 0, 1, -1), feature_names=names)


def load_spambase() -> Data:
    """4601 e-mails; 48 word and 6 character frequencies in percent, 3 lengths of capital runs; label +1 for spam."""
    X, y = _read_labelled("spambase/spambase.data", 58, 4601, {"0": -1, "1": 1})
    names = [*(f"word-{j}" for j in range(1, 49)), *(f"char-{j}" for j in range(1, 7))]
    return Data(X=X, y=y, feature_names=[*names, "capital-average", "capital-longest", "capital-total"])


def load_ionosphere() -> Data:
    """351 radar returns, real and imaginary parts of 17 pulses in [-1, 1]; label +1 for a good one, -1 for a bad one.

    The second feature is 0 in every row.
    """
    X, y = _read_labelled("uci/ionosphere.data", 35, 351, {"b": -1, "g": 1})
    names = [f"pulse-{pulse}-{part}" for pulse in range(1, 18) for part in ("real", "imaginary")]
    return Data(X=X, y=y, feature_names=names)


def load_sonar() -> Data:
    """208 sonar returns, energy in 60 frequency bands in [0, 1]; label +1 for a mine, -1 for a rock."""
    X, y = _read_labelled("uci/sonar.all-data", 61, 208, {"R": -1, "M": 1})
    return Data(X=X, y=y, feature_names=[f"band-{band}" for band in range(1, 61)])


def load_magic() -> Data:
    """19020 simulated air showers, ten features of their image; label +1 for a gamma ray, -1 for a hadron."""
    X, y = _read_labelled("uci/magic04.data.gz", 11, 19020, {"h": -1, "g": 1})
    names = ["length", "width", "size", "conc", "conc1", "asym", "m3-long", "m3-trans", "alpha", "dist"]
    return Data(X=X, y=y, feature_names=names)


DIABETES_NAMES = ("pregnancies", "glucose", "pressure", "skin", "insulin", "bmi", "pedigree", "age")
# Nobody alive has none of these.
NEVER_ZERO = ("glucose", "pressure", "skin", "insulin", "bmi")


def load_diabetes(zeros_missing: bool = False) -> Data:
    """Diabetes within five years; label +1 for yes.

    Parameters
    ----------
    zeros_missing : bool, default=False
        Whether zeros of glucose (5), pressure (35), skin (227), insulin (374) and BMI (11), which stand for values
        that were not measured, become NaN. False leaves them as they are, as the IDA benchmark does.
    """
    check_choice((False, True), zeros_missing=zeros_missing)
    X, y = _read_labelled("uci/pima-indians-diabetes.data", 9, 768, {"0": -1, "1": 1})
    if zeros_missing:
        columns = [DIABETES_NAMES.index(name) for name in NEVER_ZERO]
        X[:, columns] = np.where(X[:, columns] == 0.0, np.nan, X[:, columns])
    return Data(X=X, y=y, feature_names=list(DIABETES_NAMES))


def load_waveform(
    classes: Literal["binary", "all"] = "binary", pair: Sequence[int] | None = None, one_against_rest: int | None = None
) -> Data:
    """The file's 5000 noisy mixtures of two of three base waves at 21 points; its numbers have two decimals.

    Parameters
    ----------
    classes : {"binary", "all"}, default="binary"
        +1 for class 1 and -1 for classes 0 and 2, as the IDA benchmark has it (verified row by row); or 0, 1, 2.
    pair, one_against_rest
        Another binary problem, see `benchkit_datasets.problems.choose_problem`.
    """
    X, waves = _read_labelled("uci/waveform.data", 22, 5000, {"0": 0, "1": 1, "2": 2})
    rows, y = choose_wave_problem(waves, classes, pair, one_against_rest)
    return Data(X=X[rows], y=y, feature_names=[f"x{point}" for point in range(1, 22)])


HOUSING_NAMES = ("CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT")


def load_housing(without_b: bool = False) -> Data:
    """Median value of homes, in 1000 USD, capped at 50.

    Column B is 1000 (share of Black residents - 0.63)^2: it builds the assumption that self-segregation raises prices
    into the data and cannot be inverted, which is why scikit-learn dropped the set. It is here to repeat published
    numbers, not as an example to follow.

    Parameters
    ----------
    without_b : bool, default=False
        Whether to leave column B out, which gives 12 features; published results have it.
    """
    check_choice((False, True), without_b=without_b)
    table = read_numbers(require_file("uci/housing.data"), columns=14, rows=506, separator=None)
    kept = [j for j, name in enumerate(HOUSING_NAMES) if not (without_b and name == "B")]
    return Data(X=table[:, kept], y=table[:, 13], feature_names=[HOUSING_NAMES[j] for j in kept])


# "Not available", by feature (from 1), as the organisers document it.
MISSING_CODES = {999.0: (20, 21, 22, 44, 45, 46), 9999.0: (29, 55)}


def load_physics(
    missing_codes: bool = False, n: int | None = None, subset_seed: int = 0, expected_rows: int | None = 50000
) -> Data:
    """Two types of particles in a collider; 78 features without names; labels -1 and +1 for the file's 0 and 1.

    Parameters
    ----------
    missing_codes : bool, default=False
        Whether the codes 999 (features 20-22, 44-46) and 9999 (features 29, 55) for "not available" become NaN.
    n : int, optional
        Number of rows to draw; all where absent. Dick, Haider & Scheffer 2008 use 6179 (1000 + 5179).
    subset_seed : int, default=0
        Seed of that draw, the same in every repetition.
    expected_rows : int or None, default=50000
        Rows that the file must have; None for an excerpt of any length.
    """
    check_choice((False, True), missing_codes=missing_codes)
    path = require_file("physics/phy_train.dat")
    # Tabs in the original; any blanks are taken, since copies differ there and no field is empty.
    table = read_numbers(path, columns=80, rows=expected_rows, separator=None)
    y = map_labels(path, table[:, 1], {0.0: -1, 1.0: 1})
    X = table[:, 2:]
    if missing_codes:
        for code, features in MISSING_CODES.items():
            columns = np.array(features) - 1
            X[:, columns] = np.where(X[:, columns] == code, np.nan, X[:, columns])
    rows = draw_rows(len(X), n, subset_seed)
    return Data(X=X[rows], y=y[rows], feature_names=[f"x{j}" for j in range(1, 79)])


def load_ailerons(n: int | None = None, subset_seed: int = 0) -> Data:
    """Control action on the ailerons of an F16; 13750 states of the aircraft in 40 features.

    Parameters
    ----------
    n : int, optional
        Number of rows to draw; all where absent. Dick, Haider & Scheffer 2008 use 2000.
    subset_seed : int, default=0
        Seed of that draw, the same in every repetition; the paper's own subset is not known.
    """
    return _load_arff("torgo/ailerons.arff.gz", 41, 13750, n, subset_seed)


def load_cpu_act(n: int | None = None, subset_seed: int = 0) -> Data:
    """Share of time, in percent, that processors run in user mode; 8192 moments of a computer in 21 features.

    Parameters
    ----------
    n : int, optional
        Number of rows to draw; all where absent. Dick, Haider & Scheffer 2008 use 1500.
    subset_seed : int, default=0
        Seed of that draw, the same in every repetition; the paper's own subset is not known.
    """
    return _load_arff("torgo/cpu_act.arff.gz", 22, 8192, n, subset_seed)


def _load_arff(file: str, columns: int, expected_rows: int, n: int | None, subset_seed: int) -> Data:
    path = require_file(file)
    head, _, body = read_text(path).partition("@data\n")
    names = re.findall(r"^@attribute\s+(\S+)\s+(?:real|numeric|integer)\b", head, re.MULTILINE | re.IGNORECASE)
    if len(names) != columns:
        raise ValueError(f"{path}: {len(names)} numbers are declared, expected {columns}")
    values = parse_numbers(path, body, columns, expected_rows)
    rows = draw_rows(len(values), n, subset_seed)
    return Data(X=values[rows, :-1], y=values[rows, -1], feature_names=names[:-1])


# In the order of the authors' description; that of the bands is their natural one.
BREAST_CANCER = {
    "age": ("10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80-89", "90-99"),
    "menopause": ("lt40", "ge40", "premeno"),
    "tumor-size": tuple(f"{low}-{low + 4}" for low in range(0, 60, 5)),
    "inv-nodes": (*(f"{low}-{low + 2}" for low in range(0, 33, 3)), "33-35", "36-39"),
    "node-caps": ("no", "yes"),
    "deg-malig": ("1", "2", "3"),
    "breast": ("left", "right"),
    "breast-quad": ("left_up", "left_low", "right_up", "right_low", "central"),
    "irradiat": ("no", "yes"),
}


def load_breast_cancer(
    missing: Literal["drop", "keep"] = "drop", encoding: Literal["ordinal", "one-hot"] = "ordinal"
) -> Data:
    """Recurrence of breast cancer; label +1 for a recurrence.

    Parameters
    ----------
    missing : {"drop", "keep"}, default="drop"
        Drop the nine rows with a missing value, which leaves the 277 of Dick, Haider & Scheffer 2008 and of the IDA
        benchmark; or keep all 286, with NaN.
    encoding : {"ordinal", "one-hot"}, default="ordinal"
        Nine columns of positions 0, 1, ... in the order of the authors' description (bands by size); or one column for
        each category that a row of the file has, the columns of an attribute being one group.
    """
    check_choice(("drop", "keep"), missing=missing)
    check_choice(("ordinal", "one-hot"), encoding=encoding)
    path = require_file("uci/breast-cancer.data")
    columns = list(zip(*read_fields(path, columns=10, rows=286), strict=True))
    y = map_labels(path, columns[0], {"no-recurrence-events": -1, "recurrence-events": 1})
    codes = {
        name: find_codes(path, name, values, BREAST_CANCER[name], missing="?")
        for name, values in zip(BREAST_CANCER, columns[1:], strict=True)
    }
    complete = ~np.isnan(np.column_stack(list(codes.values()))).any(axis=1)
    rows = complete if missing == "drop" else np.ones(286, dtype=bool)
    if encoding == "ordinal":
        X = np.column_stack(list(codes.values()))
        return Data(X=X[rows], y=y[rows], feature_names=list(BREAST_CANCER))
    blocks, names = [], []
    for name, values in codes.items():
        block = make_block(values, len(BREAST_CANCER[name]))
        # Bands such as an age of 10-19 occur in the description but in no row.
        present = np.nan_to_num(block).any(axis=0)
        blocks.append(block[:, present])
        names += [f"{name}={category}" for category, kept in zip(BREAST_CANCER[name], present, strict=True) if kept]
    X, groups = join_blocks(blocks)
    return Data(X=X[rows], y=y[rows], feature_names=names, groups=groups)


GERMAN_NAMES = (
    *("checking-account", "duration", "credit-history", "purpose", "amount", "savings", "employment"),
    *("installment-rate", "status-and-sex", "other-debtors", "residence-since", "property", "age"),
    *("other-installments", "housing", "existing-credits", "job", "dependants", "telephone", "foreign-worker"),
)
# Codes that occur, by attribute (from 1): A11 to A14 of the first. Attribute 4 also has "A47", and attribute 9 "A95",
# in the description only.
_CODES: dict[int, Sequence[int]] = {
    **dict.fromkeys((1, 9, 12, 17), range(1, 5)),
    **dict.fromkeys((6, 7), range(1, 6)),
    **dict.fromkeys((10, 14, 15), range(1, 4)),
    **dict.fromkeys((19, 20), range(1, 3)),
    **{3: range(5), 4: (*range(7), 8, 9, 10)},
}
GERMAN_CATEGORIES = {number: [f"A{number}{code}" for code in codes] for number, codes in _CODES.items()}


def load_german(encoding: Literal["ordinal", "one-hot"] = "ordinal") -> Data:
    """Credit risk; label +1 for a bad risk.

    Parameters
    ----------
    encoding : {"ordinal", "one-hot"}, default="ordinal"
        Twenty columns, a category being the number in its code ("A34" is 34, "A410" is 410), which is what the IDA
        benchmark's file has up to scale: its twelve purposes "A410" (others) lie far from all the rest. Or one column
        a category (61 in all), the columns of an attribute being one group.
    """
    check_choice(("ordinal", "one-hot"), encoding=encoding)
    path = require_file("uci/german.data")
    columns = list(zip(*read_fields(path, columns=21, rows=1000, separator=None), strict=True))
    y = map_labels(path, columns[20], {"1": -1, "2": 1})
    blocks, names = [], []
    for number, (name, values) in enumerate(zip(GERMAN_NAMES, columns[:20], strict=True), start=1):
        categories = GERMAN_CATEGORIES.get(number)
        if categories is None:
            blocks.append(to_numbers(path, [[value] for value in values], column=number))
            names.append(name)
            continue
        codes = find_codes(path, name, values, categories)
        if encoding == "ordinal":
            blocks.append(np.array([[float(value[1:])] for value in values]))
            names.append(name)
        else:
            blocks.append(make_block(codes, len(categories)))
            names += [f"{name}={category}" for category in categories]
    X, groups = join_blocks(blocks)
    return Data(X=X, y=y, feature_names=names, groups=groups if encoding == "one-hot" else ())
