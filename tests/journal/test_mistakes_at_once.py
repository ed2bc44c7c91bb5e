"""What is read at once is what is read one by one; what cannot be is left to those who say what is the matter."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.journal import JournalError
from benchkit.journal import outcomes as reading
from benchkit.journal.outcomes import MistakesAtOnce, Outcomes, trials_schema
from benchkit.journal.outcomes_writer import OutcomesWriter
from benchkit.trial.outcomes import RowOutcomes, TestPart

RUN = "20260101-120000-000000"
ALL = 10**9


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(reading, "_ONE_BY_ONE", 0)


def trial(wrong, first=0):
    wrong = np.asarray(wrong, dtype=bool)
    part = TestPart(np.arange(first, first + len(wrong), dtype=np.int32), np.zeros(len(wrong), np.int32), ("a", "b"))
    return RowOutcomes(part, wrong, wrong.astype(np.int32), np.where(wrong, 1.0, -1.0))


def regression(n):
    part = TestPart(np.arange(n, dtype=np.int32), np.arange(n) / 2, None)
    return RowOutcomes(part, np.ones(n, dtype=np.float32), np.arange(n) / 2 + 1)


def write(folder, trials):
    writer = OutcomesWriter(folder, "s", RUN)
    return [{"trial": str(i), "outcomes": writer.append(str(i), each)} for i, each in enumerate(trials)]


def path_in(folder):
    return folder / "s" / "rows" / f"{RUN}.arrows"


def start(record):
    return int(record["outcomes"].split(":")[1].split("+")[0])


kinds = st.one_of(st.lists(st.booleans(), min_size=1, max_size=40).map(trial), st.integers(1, 9).map(regression))


@given(st.lists(kinds, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_in_any_order_they_are_those_that_are_read_one_by_one(tmp_path_factory, trials, random):
    folder = tmp_path_factory.mktemp("out")
    records = write(folder, trials)
    at_once = MistakesAtOnce(path_in(folder), ALL)
    outcomes = Outcomes(folder)
    random.shuffle(records)
    for record in records:
        kept, found = outcomes.of(record), at_once.of(start(record), record["trial"])
        assert (found is None) == (kept.part.classes is None)
        assert found is None or np.array_equal(found[1], kept.loss)
        assert at_once.of(start(record) + 1, record["trial"]) is None


def test_losses_are_the_same_after_as_before_they_are_read_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_ONE_BY_ONE", 3)
    records = write(tmp_path, [trial([i % 2, i % 3 == 0, True], first=i % 2) for i in range(9)])
    outcomes, one_by_one = Outcomes(tmp_path), Outcomes(tmp_path)
    told = [outcomes.losses_of(record) for record in records]
    assert [each.predictions is None for each in told] == [False] * 3 + [True] * 6
    for record, each in zip(records, told, strict=True):
        kept = one_by_one.of(record)
        assert np.array_equal(each.loss, kept.loss)
        assert np.array_equal(each.part.rows, kept.part.rows)


def test_a_regression_is_told_with_its_predictions(tmp_path, at_once):
    (record,) = write(tmp_path, [regression(4)])
    assert np.array_equal(Outcomes(tmp_path).losses_of(record).predictions, regression(4).predictions)
    assert Outcomes(tmp_path).losses_of({"trial": "a", "outcomes": None}) is None


def test_a_file_that_is_larger_than_wanted_is_read_one_by_one_from_there_on(tmp_path, at_once, monkeypatch):
    records = write(tmp_path, [trial([True, False, i == 2]) for i in range(3)])
    monkeypatch.setattr(reading, "_MOST_ROWS", 7)
    outcomes = Outcomes(tmp_path)
    told = [outcomes.losses_of(record) for record in records]
    assert [each.predictions is None for each in told] == [True, True, False]
    assert told[2].loss.tolist() == [True, False, True]


@pytest.mark.parametrize("left", [0, 1, 100, 832, 900])
def test_a_file_that_was_cut_short_is_damaged(tmp_path, monkeypatch, left):
    records = write(tmp_path, [trial([True]), trial([False])])
    path = path_in(tmp_path)
    path.write_bytes(path.read_bytes()[:left])
    for one_by_one in (0, 9):
        monkeypatch.setattr(reading, "_ONE_BY_ONE", one_by_one)
        with pytest.raises(JournalError, match="damaged"):
            Outcomes(tmp_path).losses_of(records[-1])


@pytest.mark.parametrize("left", [0, 1, 100])
def test_so_are_parts_that_were_cut_short(tmp_path, left):
    (record,) = write(tmp_path, [trial([True])])
    parts = path_in(tmp_path).with_suffix(".parts.arrows")
    parts.write_bytes(parts.read_bytes()[:left])
    with pytest.raises(JournalError, match="damaged"):
        Outcomes(tmp_path).losses_of(record)


def test_what_is_torn_or_gone_is_told_as_of_one(tmp_path, at_once):
    first, second = write(tmp_path, [trial([True]), trial([False])])
    path = path_in(tmp_path)
    path.write_bytes(path.read_bytes()[:-7])
    outcomes = Outcomes(tmp_path)
    assert outcomes.losses_of(first).loss.tolist() == [True]
    with pytest.raises(JournalError, match="damaged"):
        outcomes.losses_of(second)
    path.unlink()
    with pytest.raises(JournalError, match="gone"):
        Outcomes(tmp_path).losses_of(first)


@pytest.mark.parametrize("one_by_one", [0, 9])
def test_rows_of_another_trial_are_refused(tmp_path, monkeypatch, one_by_one):
    monkeypatch.setattr(reading, "_ONE_BY_ONE", one_by_one)
    first, second = write(tmp_path, [trial([True, False]), trial([False, True])])
    with pytest.raises(JournalError, match="rows of another trial"):
        Outcomes(tmp_path).losses_of({**first, "outcomes": second["outcomes"]})


def test_rows_of_another_number_are_refused(tmp_path, at_once):
    (record,) = write(tmp_path, [trial([True, False])])
    with pytest.raises(JournalError, match="2 rows of a trial that was tested on 3"):
        Outcomes(tmp_path).losses_of({**record, "n_test": 3})


def test_a_trial_whose_rows_are_not_those_of_its_part_is_refused(tmp_path, at_once):
    (record,) = write(tmp_path, [replace(trial([True, False]), loss=np.array([True]), predictions=None)])
    with pytest.raises(JournalError, match="damaged"):
        Outcomes(tmp_path).losses_of(record)


def test_a_stream_with_two_trials_in_a_batch_is_left_out(tmp_path):
    path = tmp_path / "x.arrows"
    batch = pa.RecordBatch.from_pylist([{"trial": "a", "part": "p", "wrong": [True]}] * 2, schema=trials_schema())
    with pa.ipc.new_stream(str(path), trials_schema()) as sink:
        sink.write_batch(batch)
    assert MistakesAtOnce(path, ALL).of(trials_schema().serialize().size, "a") is None


def test_bytes_that_are_changed_are_read_or_left_out(tmp_path):
    records = write(tmp_path, [trial([True, False, True]), trial([False] * 9)])
    path = path_in(tmp_path)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        read = MistakesAtOnce(path, ALL)
        for record in records:
            found = read.of(start(record), record["trial"])
            assert found is None or found[1].dtype == bool
