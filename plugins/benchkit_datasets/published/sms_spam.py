"""SMS spam collection (UCI): text messages as bags of words."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchkit import Data, check_count, require_file
from benchkit_datasets.parsing.content import read_text
from benchkit_datasets.parsing.rows import map_labels

FILE = "sms/SMSSpamCollection"
ROWS = 5574


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
    path = require_file(FILE)
    labels, messages = [], []
    for row, line in enumerate(read_text(path).rstrip("\n").split("\n"), start=1):
        label, tab, message = line.partition("\t")
        if not tab:
            raise ValueError(f"{path}: no tab in row {row}, expected a label, a tab and a message")
        labels.append(label)
        messages.append(message)
    if len(labels) != ROWS:
        raise ValueError(f"{path}: {len(labels)} rows, expected {ROWS}")
    y = map_labels(path, labels, {"ham": -1, "spam": 1})
    vectorizer = CountVectorizer(dtype=np.float64)
    X = vectorizer.fit_transform(messages).tocsr()
    # Of equally frequent terms the first of the alphabet: max_features breaks ties as its version of NumPy sorts.
    frequent = np.argsort(-X.sum(axis=0).A1, kind="stable")[:n_terms]
    kept = np.sort(frequent)
    return Data(X=X[:, kept], y=y, feature_names=vectorizer.get_feature_names_out()[kept].tolist())
