"""Texts as bags of words: IMDb reviews with their rating (Maas et al. 2011), spam messages; all sparse."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Literal

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer

from benchkit import Data, check_choice, check_count, parse_once, require_file
from benchkit_datasets.problems import draw_rows
from benchkit_datasets.reading import map_labels, read_bytes, read_text

IMDB_PARTS = {"train": "imdb/train/labeledBow.feat.gz", "test": "imdb/test/labeledBow.feat.gz"}
TERMS = 89527
IMDB_ROWS = 25000
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
    check_choice(("all", *IMDB_PARTS), part=part)
    if n_terms is not None:
        check_count(most=TERMS, n_terms=n_terms)
    terms = _read_vocabulary()[:n_terms]
    read = [_read(file, len(terms)) for kept, file in IMDB_PARTS.items() if part in ("all", kept)]
    X = sparse.vstack([counts for counts, _ in read], format="csr")
    y = np.concatenate([ratings for _, ratings in read])
    rows = draw_rows(len(y), n, subset_seed)
    return Data(X=X[rows], y=y[rows], feature_names=terms)


def _read_vocabulary() -> list[str]:
    path = require_file("imdb/imdb.vocab")
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
    if rows != IMDB_ROWS:
        raise ValueError(f"{path}: {rows} rows, expected {IMDB_ROWS}")
    try:
        counts, ratings = load_svmlight_file(BytesIO(content), n_features=TERMS, zero_based=True)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{path}: not a bag of words in LIBSVM form ({' '.join(str(error).split())})") from None
    if not (np.isfinite(counts.data).all() and counts.data.min() >= 1):
        raise ValueError(f"{path}: a count is not a number of at least 1")
    return Data(X=counts, y=map_labels(path, ratings, RATINGS).astype(np.float64))


def load_sms_spam(n_terms: int | None = 185) -> Data:
    """Word counts of 5574 messages; label +1 for spam, -1 for ham.

    A stand-in for the private mailbox of Globerson & Roweis 2006 (5000 mails, 40 % spam, 185 terms), which nobody else
    has: of the same kind and width, but with 13 % spam and much shorter texts, so its numbers are not theirs.

    Parameters
    ----------
    n_terms : int or None, default=185
        The most frequent terms of the whole collection, lower-cased words of two characters or more; None for all.

    Returns
    -------
    Data
        X is a CSR matrix of float64 counts, its columns in the order of the alphabet.
    """
    if n_terms is not None:
        check_count(n_terms=n_terms)
    path = require_file("sms/SMSSpamCollection")
    labels, messages = [], []
    for row, line in enumerate(read_text(path).rstrip("\n").split("\n"), start=1):
        label, tab, message = line.partition("\t")
        if not tab:
            raise ValueError(f"{path}: no tab in row {row}, expected a label, a tab and a message")
        labels.append(label)
        messages.append(message)
    if len(labels) != 5574:
        raise ValueError(f"{path}: {len(labels)} rows, expected 5574")
    y = map_labels(path, labels, {"ham": -1, "spam": 1})
    vectorizer = CountVectorizer(dtype=np.float64)
    X = vectorizer.fit_transform(messages).tocsr()
    # Of equally frequent terms the first of the alphabet: max_features breaks ties as its version of NumPy sorts.
    frequent = np.argsort(-X.sum(axis=0).A1, kind="stable")[:n_terms]
    kept = np.sort(frequent)
    return Data(X=X[:, kept], y=y, feature_names=vectorizer.get_feature_names_out()[kept].tolist())
