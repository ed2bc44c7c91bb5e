"""Models that runs keep: read without trust where that executes nothing."""

import pickle

import numpy as np
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression

from benchkit.errors import JournalError
from benchkit.journal.store import model_path, read_model, write_model

X = np.array([[0.0], [1.0], [2.0], [3.0]])
Y = np.array([-1, -1, 1, 1])


class OfAPlugin(LogisticRegression):
    """An estimator of somebody's own: stored by pickling, for skops does not know it."""


class Marks:
    """Leaves a file behind where it is made."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_an_estimator_of_scikit_learn_is_read_from_any_run(tmp_path):
    fitted = LogisticRegression(C=0.5).fit(X, Y)
    assert write_model(tmp_path / "models", "t1", fitted)
    assert model_path(tmp_path / "models", "t1").suffix == ".skops"
    again = read_model(tmp_path / "models", "t1", trusted=False)
    assert again.C == 0.5
    np.testing.assert_array_equal(again.coef_, fitted.coef_)


def test_an_estimator_of_a_plugin_is_pickled_and_read_only_where_that_is_trusted(tmp_path):
    assert write_model(tmp_path, "t1", OfAPlugin().fit(X, Y))
    assert model_path(tmp_path, "t1").suffix == ".joblib"
    with pytest.raises(JournalError, match="nobody said that this run is trusted"):
        read_model(tmp_path, "t1", trusted=False)
    assert isinstance(read_model(tmp_path, "t1", trusted=True), OfAPlugin)


def test_a_safe_file_executes_nothing_whatever_it_holds(tmp_path):
    for content, message in (
        (skops.io.dumps(OfAPlugin().fit(X, Y)), "not as it was stored"),
        (pickle.dumps(Marks(tmp_path / "executed")), "damaged"),
    ):
        (tmp_path / "t1.skops").write_bytes(content)
        with pytest.raises(JournalError, match=message):
            read_model(tmp_path, "t1", trusted=True)
    assert not (tmp_path / "executed").exists()


def test_what_cannot_be_pickled_leaves_nothing_behind(tmp_path):
    assert not write_model(tmp_path, "t1", lambda: None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"not a pickle", b"cno_such_module\nx\n."])
def test_a_damaged_pickle_that_is_trusted_is_one_line(tmp_path, content):
    (tmp_path / "t1.joblib").write_bytes(content)
    with pytest.raises(JournalError, match=r"t1\.joblib: cannot be unpickled: \w+") as caught:
        read_model(tmp_path, "t1", trusted=True)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("trial", ["../outside", "*", "[o]utside", ""])
def test_a_strangers_name_of_a_trial_leads_to_no_other_file(tmp_path, trial):
    folder = tmp_path / "models"
    folder.mkdir()
    write_model(tmp_path, "outside", OfAPlugin().fit(X, Y))
    write_model(folder, "outside-not", OfAPlugin().fit(X, Y))
    with pytest.raises(JournalError, match="no model of a trial"):
        read_model(folder, trial, trusted=True)
