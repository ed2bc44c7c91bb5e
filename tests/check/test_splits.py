"""What a split asks of columns and files, and they do not have, is told before anything runs."""

from pathlib import Path

import pytest

from benchkit.session.options import Request
from benchkit.session.plan import plan_suite
from benchkit.suite.source import SuiteError

HEADER = "patient,day,word,size,outcome\n"
TABLE = HEADER + "".join(
    f"P{row // 4},2024-01-{row // 2 + 1:02},{'x' if row else 'y'} {row % 3},{row}.5,{'ill' if row % 2 else 'well'}\n"
    for row in range(24)
)
ENTRY = "name: csv, path: own.csv, target: outcome, drop: [patient, day, word]"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text(TABLE)
    Path("other.csv").write_text(HEADER.replace("size", "height") + "P9,2024-02-01,z,1,ill\n")
    Path("later.csv").write_text(HEADER + "P9,2024-02-01,z,1,ill\n")


def planned(split, algorithms="[constant]", entry=ENTRY):
    Path("own.yaml").write_text(f"name: own\ndatasets:\n  - {{{entry}}}\nsplit: {split}\nalgorithms: {algorithms}\n")
    return plan_suite(Request("own.yaml"))


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ("{groups: pateint}", "own.yaml:4: split.groups: the data has no column 'pateint'; did you mean 'patient'?"),
        ("{stratify: sex}", "own.yaml:4: split.stratify: the data has no column 'sex'; it has patient, day, word"),
        ("{groups: patient, method: k-fold, folds: 7}", "own.yaml:4: split: 6 groups are too few for 7 folds"),
        ("{time: word, test: 0.2}", "own.yaml:4: split.time: column 'word' cannot be ordered: 'y 0' in row 1"),
        ("{time: day, test: 0.25, repetitions: 5}", "own.yaml:4: split.time: there is room for 3 origins only"),
        ("{test: gone.csv}", "own.yaml:4: split.test: there is no file gone.csv in"),
        ("{test: other.csv}", "other.csv: has no column 'size', which own.csv has: both need the same columns"),
        ("{test: {column: patient, value: P7}}", "own.yaml:4: split.test: column 'patient' is 'P7' in no row"),
        ("{test: {colunm: patient, value: P7}}", "unknown key 'colunm'; did you mean 'column'?"),
        ("{time: day}", "'time' needs 'test', the rows that each repetition tests on"),
    ],
)
def test_each_is_told_with_its_place(split, message):
    with pytest.raises(SuiteError) as caught:
        planned(split)
    assert message in str(caught.value)


def test_tuning_asks_for_more_folds_than_there_are_groups():
    with pytest.raises(SuiteError, match=r"own.yaml:5: algorithms.0.tune: 4 folds, .* csv has 3 groups"):
        planned("{groups: patient}", "[{name: svm, tune: {folds: 4}}]")


def test_a_reader_of_one_file():
    Path("own.txt").write_text("1 1:1\n-1 1:2\n")
    with pytest.raises(SuiteError, match="split.test: libsvm takes one file alone: name its test rows by a column"):
        planned("{test: more.txt}", entry="name: libsvm, path: own.txt")


@pytest.mark.parametrize(
    "split",
    [
        "{groups: patient, method: k-fold, folds: 3}",
        "{time: day, test: 0.25, repetitions: 3}",
        "{test: later.csv}",
        "{test: {column: patient, value: P2}, groups: patient}",
        "{stratify: word}",
    ],
)
def test_what_there_is_room_for(split):
    assert planned(split).warnings == ()


def test_groups_that_are_a_feature_too():
    [warning] = planned("{groups: patient}", entry=ENTRY.replace("patient, ", "")).warnings
    assert warning.startswith("own.yaml:4: split.groups: patient is a feature too")


def test_the_file_of_test_rows_decides_the_ids():
    ids = planned("{test: later.csv}").trials.keys()
    assert ids == planned("{test: ./later.csv}").trials.keys()
    Path("later.csv").write_text(Path("later.csv").read_text() + "P9,2024-02-02,z,2,well\n")
    assert ids.isdisjoint(planned("{test: later.csv}").trials)
