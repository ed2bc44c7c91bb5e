"""Outcomes of rows are read as they were written, one trial without the others, and nothing that is damaged is."""

from contextlib import suppress
from dataclasses import asdict, replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.errors import JournalError
from benchkit.journal.rows import Outcomes, OutcomesWriter
from benchkit.trial.rows import RowOutcomes, TestPart

RUN = "20260101-120000-000000"


def binary(n=5, seed=0):
    rng = np.random.default_rng(seed)
    truth, predictions = (rng.integers(0, 2, n).astype(np.int32) for _ in range(2))
    second = rng.random(n)
    return RowOutcomes(
        TestPart(np.arange(n, dtype=np.int32), truth, ("no", "yes"), None, ("never", "always"), ("a", "b", "b")),
        truth != predictions,
        predictions,
        rng.normal(size=n),
        np.column_stack([1 - second, second]),
        ("no", "yes"),
        rng.random((n, 11)) < 0.3,
    )


def same(one, other):
    np.testing.assert_equal(asdict(replace(one, changed=None)), asdict(replace(other, changed=None)))


def test_each_is_read_alone_and_as_it_was(tmp_path):
    writer, outcomes = OutcomesWriter(tmp_path, "s", RUN), Outcomes(tmp_path)
    written = {f"{seed:016x}": binary(seed=seed) for seed in range(3)}
    places = {trial: writer.append(trial, kept) for trial, kept in written.items()}
    for trial in reversed(written):
        record = {"trial": trial, "outcomes": places[trial], "n_test": 5}
        losses = outcomes.of(record, losses_only=True)
        assert np.array_equal(losses.loss, written[trial].loss)
        assert losses.predictions is None
        same(read := outcomes.of(record), written[trial])
        assert np.array_equal(read.changed, np.pad(written[trial].changed, [(0, 0), (0, 5)]))
    same(Outcomes(tmp_path).of({"trial": "again", "outcomes": writer.append("again", binary())}), binary())
    for name, rows in ((f"{RUN}.arrows", 4), (f"{RUN}.parts.arrows", 3)):  # streams for any reader; a part is shared
        with pa.OSFile(str(tmp_path / "s" / "rows" / name)) as file:
            assert len(pa.ipc.open_stream(file).read_all()) == rows


@given(st.lists(st.tuples(st.floats(-1e9, 1e9, width=32), st.floats(-1e9, 1e9)), min_size=1, max_size=30))
def test_targets_are_kept_to_the_last_bit(tmp_path_factory, values):
    losses, predictions = map(np.array, zip(*values, strict=True))
    loss = losses.astype(np.float32)
    kept = RowOutcomes(TestPart(np.arange(len(loss), dtype=np.int32), predictions + 1, None), loss, predictions)
    folder = tmp_path_factory.mktemp("out")
    same(Outcomes(folder).of({"trial": "a", "outcomes": OutcomesWriter(folder, "s", RUN).append("a", kept)}), kept)


def test_above_the_limit_losses_alone_are_kept_and_a_torn_end_loses_its_own_trial_alone(tmp_path):
    writer, outcomes = OutcomesWriter(tmp_path, "s", RUN, limit=1), Outcomes(tmp_path)
    first, second = ({"trial": name, "outcomes": writer.append(name, binary())} for name in "ab")
    assert outcomes.of(second).predictions is None
    assert np.array_equal(outcomes.of(second).loss, binary().loss)
    path = tmp_path / "s" / "rows" / f"{RUN}.arrows"
    path.write_bytes(path.read_bytes()[:-7])
    assert outcomes.are_there(first)
    assert not outcomes.are_there(second)
    same(outcomes.of(first), binary())
    with pytest.raises(JournalError, match="damaged"):
        outcomes.of(second)


@pytest.mark.parametrize(
    ("record", "wrong", "message"),
    [
        ({"outcomes": "../s/rows/x.arrows:0+9"}, {}, "no place of rows"),
        ({"outcomes": "s/rows/x.arrows:0+9999999999"}, {}, "no place of rows"),
        ({"outcomes": "s/rows/x.arrows:0+9"}, {}, "gone"),
        ({"n_test": 6}, {}, "5 rows of a trial that was tested on 6"),
        ({"trial": "b"}, {}, "rows of another trial than b"),
        ({}, {"loss": np.zeros(4, dtype=bool)}, "damaged"),
        ({}, {"predictions": np.array([0, 1, 2, 0, 1], dtype=np.int32)}, "damaged"),
        ({}, {"predictions": np.array([0, -1, 1, 0, 1], dtype=np.int32)}, "damaged"),
        ({}, {"changed": np.zeros((4, 11), dtype=bool)}, "damaged"),
    ],
)
def test_rows_that_are_others_or_elsewhere_or_do_not_fit_together_are_refused(tmp_path, record, wrong, message):
    place = OutcomesWriter(tmp_path, "s", RUN).append("a", replace(binary(), **wrong))
    assert Outcomes(tmp_path).of({"trial": "a", "outcomes": None}) is None
    with pytest.raises(JournalError, match=message):
        Outcomes(tmp_path).of({"trial": "a", "outcomes": place, **record})


@pytest.mark.parametrize("name", [f"{RUN}.arrows", f"{RUN}.parts.arrows"])
def test_bytes_that_are_changed_are_read_or_refused(tmp_path, name):
    place = OutcomesWriter(tmp_path, "s", RUN).append("a", binary())
    path = tmp_path / "s" / "rows" / name
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    for _ in range(100):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with suppress(JournalError):
            read = Outcomes(tmp_path).of({"trial": "a", "outcomes": place})
            # It can be computed with: there is a value for each row, and each class is one of the part's.
            answers = (read.predictions, read.decision, read.probabilities, read.changed)
            for values in (read.part.truth, read.loss, *answers):
                assert values is None or len(values) == len(read.part.rows)
            for codes in (read.part.truth, read.predictions):
                assert codes is None or {*codes.tolist()} <= {*range(len(read.part.classes))}


def test_groups_are_kept_and_parts_of_an_earlier_version_have_none_and_no_names(tmp_path):
    plain = binary()
    grouped = replace(plain, part=replace(plain.part, groups=np.array([4, 4, 0, 0, 1], dtype=np.int32)))
    place = OutcomesWriter(tmp_path, "s", RUN).append("a", grouped)
    assert Outcomes(tmp_path).of({"trial": "a", "outcomes": place}).part.groups.tolist() == [4, 4, 0, 0, 1]
    path = tmp_path / f"s/rows/{RUN}.parts.arrows"
    table = pa.ipc.open_stream(path.read_bytes()).read_all().drop_columns(["groups", "names"])
    with pa.ipc.new_stream(path, table.schema) as stream:
        stream.write_table(table)
    read = Outcomes(tmp_path).of({"trial": "a", "outcomes": place})
    same(read, replace(plain, part=replace(plain.part, class_names=(), features=())))
    assert read.part.groups is None
