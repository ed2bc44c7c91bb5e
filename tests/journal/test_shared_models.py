"""Trials that share a fit keep its file once, each under its own name."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from benchkit.journal.models import read_model, write_model


class Odd(LogisticRegression):
    """Stored by pickling: skops does not know it."""


@pytest.mark.parametrize("kind", [LogisticRegression, Odd])
def test_the_same_model_is_one_file(tmp_path, kind):
    X = np.random.default_rng(0).normal(size=(40, 3))
    one, other = (kind(C=C).fit(X, X[:, 0] > 0) for C in (1.0, 0.1))
    for trial, model in (("a1", one), ("b2", one), ("c3", other)):
        assert write_model(tmp_path, trial, model)
    files = {path.stem: path.stat().st_ino for path in tmp_path.iterdir()}
    assert files["a1"] == files["b2"] != files["c3"]
    assert read_model(tmp_path, "b2", trusted=True).coef_.tolist() == one.coef_.tolist()
    assert read_model(tmp_path, "c3", trusted=True).coef_.tolist() == other.coef_.tolist()
    assert write_model(tmp_path, "b2", other)  # of a fresh run, which gave another
    assert read_model(tmp_path, "b2", trusted=True).coef_.tolist() == other.coef_.tolist()
    assert read_model(tmp_path, "a1", trusted=True).coef_.tolist() == one.coef_.tolist()


def test_a_file_that_is_gone_is_written_again(tmp_path):
    model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    assert write_model(tmp_path, "a1", model)
    for path in tmp_path.iterdir():
        path.unlink()
    assert write_model(tmp_path, "b2", model)
    assert read_model(tmp_path, "b2", trusted=False).coef_.tolist() == model.coef_.tolist()
