"""The journal: rows, and damage to them."""

import json
import math
import resource
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import benchkit
from benchkit.errors import JournalError
from benchkit.journal.manifest import find_group, read_group, read_manifest
from benchkit.journal.store import Store, best, model_path, read_model, write_model
from benchkit.report.analysis import Analysis
from benchkit.report.documents import markdown
from benchkit.report.stored_results import load
from benchkit.trial.record import parse_record
from tests.conftest import TINY
from tests.execute.conftest import PLUGIN, doing


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
    assert json.loads(store.journal.read_text(), parse_constant=pytest.fail)["metrics"] == {"x": None, "y": [None, 1.0]}


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


def test_an_estimator_of_scikit_learn_is_read_from_any_run_and_one_of_a_plugin_where_that_is_trusted(tmp_path):
    fitted = LogisticRegression(C=0.5).fit(X, Y)
    assert write_model(tmp_path / "models", "t1", fitted)
    assert model_path(tmp_path / "models", "t1").suffix == ".skops"
    again = read_model(tmp_path / "models", "t1", trusted=False)
    assert again.C == 0.5
    np.testing.assert_array_equal(again.coef_, fitted.coef_)
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
        ("t1.skops", None, "not as it was stored"),
        ("t1.skops", b"cbuiltins\nopen\n(Vexecuted\nVw\ntR.", "damaged"),  # a pickle that makes a file
        ("t1.joblib", b"not a pickle", r"t1\.joblib: cannot be unpickled: \w+"),
        ("t1.joblib", b"cno_such_module\nx\n.", r"t1\.joblib: cannot be unpickled: \w+"),
    ],
)
def test_a_damaged_model_is_one_line_and_a_safe_file_executes_nothing(tmp_path, monkeypatch, name, content, message):
    from skops import io  # not in every worker: it takes a second

    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(io.dumps(OfAPlugin().fit(X, Y)) if content is None else content)
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


WRONG = [None, True, "\udc80", [1, "a"], {"a": []}, 10**400]


@pytest.fixture(scope="module")
def run_once(tmp_path_factory):
    suite = {**TINY, "expect": [{"claim": "fine", "algorithm": "svm", "between": [0, 1]}]}
    return benchkit.run(suite, out=tmp_path_factory.mktemp("damage"), executor="inline", tracking=False)


@pytest.fixture
def folder(run_once, tmp_path):
    """A copy of a run."""
    return Path(shutil.copytree(run_once.folder.parent, tmp_path / "tiny")) / run_once.folder.name


def report(folder):
    return markdown(Analysis(load(folder)))


def refusal(read, *arguments, error=JournalError):
    """The one line that something cannot be read with; empty where it can."""
    try:
        read(*arguments)
    except error as problem:
        return str(problem)
    return ""


def test_every_wrong_type_of_a_row_costs_that_row_and_is_named(folder):
    journal = folder.parent / "trials.jsonl"
    lines = journal.read_text().splitlines()
    row = json.loads(lines[2])
    for key in row:
        wrong = [{**row, key: value} for value in WRONG] + [{name: row[name] for name in row if name != key}]
        messages = [refusal(parse_record, json.dumps(each), error=ValueError) for each in wrong]
        assert "\n" not in "".join(messages)
        taken = [each for each, message in zip(wrong, messages, strict=True) if not message]
        journal.write_text("\n".join([*lines[:2], json.dumps(wrong[3]), *map(json.dumps, taken), *lines[3:]]) + "\n")
        assert len(load(folder).records) >= 7
        report(folder)
    journal.write_text("\n".join([*lines[:2], json.dumps({**row, "metrics": 3}), *lines[3:]]) + "\n")
    assert "trials.jsonl:3: " in load(folder).damaged[0]


def test_every_wrong_type_of_a_manifest_is_one_line(folder):
    path = folder / "manifest.json"
    whole = json.loads(path.read_text())
    suite = whole["suite_as_run"]
    damaged = [{**whole, key: wrong} for key in whole for wrong in WRONG[1::2]]
    damaged += [{name: whole[name] for name in whole if name != key} for key in whole]
    damaged += [{**whole, "suite_as_run": {**suite, key: wrong}} for key in suite for wrong in WRONG[::2]]
    refused = 0
    for manifest in damaged:
        path.write_text(json.dumps(manifest))
        message = refusal(report, folder)
        refused += bool(message)
        assert "\n" not in message
    assert refused > 25


@given(st.lists(st.sampled_from('{}[]":,\\ \n0e-aé\udc80')).map("".join))  # of which any JSON and what is none is made
def test_any_text_is_a_record_or_a_damaged_line(text):
    message = refusal(parse_record, text, error=ValueError)
    assert "\n" not in message
    assert message or isinstance(parse_record(text)["metrics"], dict)


def test_whatever_an_exception_says_is_one_bounded_line(tiny, write_suite, write_plugin, tmp_path):
    said = {"odd": "'a' + chr(0xdc80) + chr(27) + '[2J'", "long": "'x' * 10**7", "lines": "'1' + chr(10) + '2'"}
    algorithms = [doing(label, f"raise ValueError({text})") for label, text in said.items()]
    path = write_suite({**tiny, "algorithms": algorithms, "split": {"train": 60, "test": 60}, "adversaries": []})
    plugin = write_plugin(PLUGIN)
    for _ in range(2):  # what one run has written, the next reads
        results = benchkit.run(path, plugins=[plugin], out=tmp_path / "runs", executor="inline", tracking=False)
        assert {row["status"] for row in results.records} == {"failed"}
        assert all(row["error"].isprintable() for row in results.records)
        assert len((tmp_path / "runs" / "tiny" / "trials.jsonl").read_bytes()) < 30_000
        assert len((results.folder / "report.html").read_bytes()) < 1_000_000
        assert "failed" in report(results.folder)


def test_numbers_that_no_mean_has_room_for_are_damage_and_hostile_json_is_one_line(tmp_path):
    assert parse_record(json.dumps(record("t", metrics={"error": 1e99})))["metrics"] == {"error": 1e99}
    for hostile in ({"metrics": {"error": 1e308}}, {"fit_seconds": -1e308}):
        with pytest.raises(ValueError, match=r"1e\+308"):
            parse_record(json.dumps(record("t", **hostile)))
    for name, read in (("manifest.json", read_manifest), ("collection.json", read_group)):
        (tmp_path / name).write_text("[" * 200_000)
        assert "not a manifest: Invalid JSON" in refusal(read, tmp_path)
    assert find_group(tmp_path) == tmp_path
    store = Store(tmp_path, "s")
    store.folder.mkdir()
    store.journal.write_bytes(b"x\n" * 30 + b"\n" * 30 + b"y\nz\n")
    assert store.rows() == []
    (line,) = store.damaged
    assert "32 lines were left out, the first: trials.jsonl:1: " in line
