"""The journal survives torn and foreign lines and belongs to one run at a time; models are read without trust."""

import json
import math
import resource

import numpy as np
import pytest
import skops.io
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from benchkit.errors import JournalError
from benchkit.journal.store import Store, best, model_path, read_model, write_model


def record(trial, status="ok", **more):
    blank = {"cell": "c", "dataset": "d", "algorithm": "m", "repetition": 0, "metrics": {}}
    return {"trial": trial, "status": status, **blank, **more}


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path, "s")
    store.open()
    yield store
    store.close()


def test_the_latest_record_counts(store):
    store.append(record("a", "failed"), record("b"), record("a"))
    latest = best((row["trial"], row) for row in store.rows())
    assert {trial: row["status"] for trial, row in latest.items()} == {"a": "ok", "b": "ok"}


@given(cut=st.integers(0, 400))
def test_any_cut_loses_only_the_last_line(tmp_path_factory, cut):
    store = Store(tmp_path_factory.mktemp("runs"), "s")
    store.open()
    store.append(*(record(name, filler="x" * 20) for name in "abc"))
    store.close()
    content = store.journal.read_bytes()
    store.journal.write_bytes(content[: max(0, len(content) - cut)])
    ends = [end for end, byte in enumerate(content, start=1) if content[end : end + 1] in (b"\n",) and byte == ord("}")]
    kept = sum(end <= len(content) - cut for end in ends)
    store.open()
    store.append(record("d"))
    store.close()
    assert sorted(row["trial"] for row in store.rows()) == [*"abc"[:kept], "d"]


def test_numbers_that_json_has_not_become_null(store):
    store.append(record("a", metrics={"x": math.nan, "y": [math.inf, 1.0]}))
    row = json.loads(store.journal.read_text(), parse_constant=pytest.fail)
    assert row["metrics"] == {"x": None, "y": [None, 1.0]}


def test_a_full_disk_loses_nothing_that_is_written_and_spoils_no_next_line(store):
    store.append(record("a"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (store.journal.stat().st_size + 20, limits[1]))
    try:
        with pytest.raises(JournalError, match="trials.jsonl: cannot write: File too large"):
            store.append(record("b"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    store.append(record("b"), record("c"))
    assert [row["trial"] for row in store.rows()] == ["a", "b", "c"]
    assert store.damaged == []


X = np.array([[0.0], [1.0], [2.0], [3.0]])
Y = np.array([-1, -1, 1, 1])


class OfAPlugin(LogisticRegression):
    """An estimator of somebody's own: stored by pickling, for skops does not know it."""


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
    assert not write_model(tmp_path / "none", "t2", lambda: None)  # which cannot be pickled
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t1.skops", skops.io.dumps(OfAPlugin().fit(X, Y)), "not as it was stored"),
        ("t1.skops", b"cbuiltins\nopen\n(Vexecuted\nVw\ntR.", "damaged"),  # a pickle that makes a file
        ("t1.joblib", b"not a pickle", r"t1\.joblib: cannot be unpickled: \w+"),
        ("t1.joblib", b"cno_such_module\nx\n.", r"t1\.joblib: cannot be unpickled: \w+"),
    ],
)
def test_a_damaged_model_is_one_line_and_a_safe_file_executes_nothing(tmp_path, monkeypatch, name, content, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(JournalError, match=message) as caught:
        read_model(tmp_path, "t1", trusted=True)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "executed").exists()


def test_a_strangers_name_of_a_trial_leads_to_no_other_file(tmp_path):
    write_model(tmp_path, "outside", OfAPlugin().fit(X, Y))
    write_model(tmp_path / "models", "outside-not", OfAPlugin().fit(X, Y))
    for trial in ("../outside", "*", "[o]utside", ""):
        with pytest.raises(JournalError, match="no model of a trial"):
            read_model(tmp_path / "models", trial, trusted=True)
