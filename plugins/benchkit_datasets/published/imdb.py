"""IMDb reviews (Maas et al. 2011): 50,000 bags of words with the reviewer's rating. Sparse throughout."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Literal

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from benchkit import Data, check_count, parse_once, require_file
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.parsing.content import read_bytes, read_text
from benchkit_datasets.parsing.rows import map_labels
from benchkit_datasets.problems.subsets import draw_rows

PARTS = {"train": "imdb/train/labeledBow.feat.gz", "test": "imdb/test/labeledBow.feat.gz"}
VOCABULARY = "imdb/imdb.vocab"
TERMS = 89527
ROWS = 25000
# Reviews with 5 or 6 stars are not in the labelled parts.
RATINGS = {float(rating): rating for rating in (1, 2, 3, 4, 7, 8, 9, 10)}


def load_imdb(
    n_terms: int | None = 10000,
    n: int | None = None,
    subset_seed: int = 0,
    part: Literal["all", "train", "test"] = "all",
) -> Data:
    """Word counts of film reviews; the target is the rating, 1 to 4 or 7 to 10 stars.

    Parameters
    ----------
    n_terms : int or None, default=10000
        The first so many terms of the authors' vocabulary, which is ordered by frequency; None for all 89,527. Zhang
        et al. use 10,000.
    n : int, optional
        Number of reviews to draw; all where absent. Zhang et al. use 10,000.
    subset_seed : int, default=0
        Seed of that draw, the same in every repetition.
    part : {"all", "train", "test"}, default="all"
        50,000 reviews, or the 25,000 of one part; "all" has the training reviews first.

    Returns
    -------
    Data
        X is a CSR matrix of float64 counts.
    """
    check_choice("part", part, ("all", *PARTS))
    if n_terms is not None:
        check_count(most=TERMS, n_terms=n_terms)
    terms = _read_vocabulary()[:n_terms]
    read = [_read(file, len(terms)) for kept, file in PARTS.items() if part in ("all", kept)]
    X = sparse.vstack([counts for counts, _ in read], format="csr")
    y = np.concatenate([ratings for _, ratings in read])
    rows = draw_rows(len(y), n, subset_seed)
    return Data(X=X[rows], y=y[rows], feature_names=terms)


def _read_vocabulary() -> list[str]:
    path = require_file(VOCABULARY)
    # Only a newline ends a term: the vocabulary has other characters that `splitlines` would break at.
    terms = read_text(path).rstrip("\n").split("\n")
    if len(terms) != TERMS:
        raise ValueError(f"{path}: {len(terms)} terms, expected {TERMS}")
    return terms


def _read(name: str, n_terms: int) -> tuple[sparse.csr_matrix, np.ndarray]:
    parsed = parse_once(require_file(name), _parse)
    return parsed.X[:, :n_terms], parsed.y


def _parse(path: Path) -> Data:
    """All counts and ratings of a file."""
    content = read_bytes(path)
    rows = content.rstrip().count(b"\n") + 1
    if rows != ROWS:
        raise ValueError(f"{path}: {rows} rows, expected {ROWS}")
    try:
        counts, ratings = load_svmlight_file(BytesIO(content), n_features=TERMS, zero_based=True)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{path}: not a bag of words in LIBSVM form ({' '.join(str(error).split())})") from None
    if not (np.isfinite(counts.data).all() and counts.data.min() >= 1):
        raise ValueError(f"{path}: a count is not a number of at least 1")
    return Data(X=counts, y=map_labels(path, ratings, RATINGS).astype(np.float64))
