"""Whatever a journal or a manifest holds, reading it ends in records or in one line."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchkit
from benchkit.journal import JournalError, Store, find_group, read_group, read_manifest
from benchkit.report.analysis import Analysis
from benchkit.report.documents import markdown
from benchkit.report.stored_results import load
from benchkit.trial.record import DamagedLineError, parse_record

WRONG = [None, True, "\udc80", [1, "a"], {"a": []}, 10**400]


@pytest.fixture
def results(tiny, write_suite, tmp_path):
    claim = {"claim": "fine", "algorithm": "svm", "between": [0, 1]}
    path = write_suite({**tiny, "expect": [claim]})
    return benchkit.run(path, out=tmp_path / "runs", executor="inline", tracking=False)


def report(folder):
    return markdown(Analysis(load(folder)))


def refusal(read, *arguments, error=JournalError):
    """The one line that something cannot be read with; empty where it can."""
    try:
        read(*arguments)
    except error as problem:
        return str(problem)
    return ""


def test_every_wrong_type_of_a_row_costs_that_row_and_is_named(results):
    journal = results.folder.parent / "trials.jsonl"
    lines = journal.read_text().splitlines()
    row = json.loads(lines[2])
    for key in row:
        for wrong in WRONG:
            journal.write_text("\n".join([*lines[:2], json.dumps({**row, key: wrong}), *lines[3:]]) + "\n")
            loaded = load(results.folder)
            assert len(loaded.records) >= 7
            if len(loaded.records) < 8 and loaded.damaged:
                assert "trials.jsonl:3: " in loaded.damaged[0]
            report(results.folder)
        without = {name: value for name, value in row.items() if name != key}
        journal.write_text("\n".join([*lines[:2], json.dumps(without), *lines[3:]]) + "\n")
        report(results.folder)


def test_every_wrong_type_of_a_manifest_is_one_line(results):
    path = results.folder / "manifest.json"
    whole = json.loads(path.read_text())
    refused = 0
    for key in whole:
        for changed in [*({**whole, key: wrong} for wrong in WRONG), {k: v for k, v in whole.items() if k != key}]:
            path.write_text(json.dumps(changed))
            message = refusal(report, results.folder)
            refused += bool(message)
            assert "\n" not in message
    assert refused > 25
    suite = whole["suite_as_run"]
    for key in suite:
        for wrong in WRONG:
            path.write_text(json.dumps({**whole, "suite_as_run": {**suite, key: wrong}}))
            assert "\n" not in refusal(report, results.folder)


def test_bytes_at_random(results):
    draw = random.Random(7)
    for path in (results.folder / "manifest.json", results.folder.parent / "trials.jsonl"):
        whole = path.read_bytes()
        for _ in range(60):
            place, length = draw.randrange(len(whole)), draw.randrange(1, 40)
            path.write_bytes(whole[:place] + draw.randbytes(draw.randrange(30)) + whole[place + length :])
            assert "\n" not in refusal(report, results.folder)
        path.write_bytes(whole)


@given(st.text())
def test_any_text_is_a_record_or_a_damaged_line(text):
    message = refusal(parse_record, text, error=DamagedLineError)
    assert "\n" not in message
    assert message or isinstance(parse_record(text)["metrics"], dict)


RAISING = """
from sklearn.dummy import DummyClassifier
from benchkit import Algorithm, hookimpl

class Raising(DummyClassifier):
    def fit(self, X, y):
        raise ValueError({message})

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="raising", make=Raising)]
"""


@pytest.mark.parametrize("message", ["'a' + chr(0xdc80) + chr(27) + '[2J'", "'x' * 10**7", "'one\\ntwo'"])
def test_whatever_an_exception_says_is_one_bounded_line(tiny, write_suite, write_plugin, tmp_path, message):
    path = write_suite({**tiny, "algorithms": ["raising"], "split": {"train": 60, "test": 60}, "adversaries": []})
    plugin = write_plugin(RAISING.format(message=message))
    for _ in range(2):  # what one run has written, the next reads
        results = benchkit.run(path, plugins=[plugin], out=tmp_path / "runs", executor="inline", tracking=False)
        (record,) = results.records
        assert record["status"] == "failed"
        assert record["error"].isprintable()
        assert len((tmp_path / "runs" / "tiny" / "trials.jsonl").read_bytes()) < 10_000
        assert len((results.folder / "report.html").read_bytes()) < 1_000_000
        assert "failed" in report(results.folder)


def test_numbers_that_no_mean_has_room_for_are_damage():
    row = {"trial": "t", "status": "ok", "cell": "c", "dataset": "d", "algorithm": "a", "repetition": 0}
    assert parse_record(json.dumps({**row, "metrics": {"error": 1e99}}))["metrics"] == {"error": 1e99}
    for hostile in ({"metrics": {"error": 1e308}}, {"metrics": {}, "fit_seconds": -1e308}):
        with pytest.raises(DamagedLineError, match=r"1e\+308 is beyond 1e\+100, and no mean has room for it"):
            parse_record(json.dumps({**row, **hostile}))


def test_hostile_json_is_one_line(tmp_path):
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
