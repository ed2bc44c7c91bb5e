"""Running rows again, of a run and of published ones: what agrees, what differs, and what cannot be run."""

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import benchkit
from benchkit.errors import JournalError, PublishError
from benchkit.trial.rows import RowOutcomes, TestPart
from benchkit_results.publish import publish
from benchkit_results.rows import RowLosses, read_losses, read_rows, write_rows
from benchkit_results.stored import open_stored
from benchkit_results.verify import verify

from .conftest import RIDGE, SUITE, edit_manifest, join, run


@pytest.fixture(autouse=True)
def _inline(monkeypatch):
    """Trials run again in this process: a worker's start is half of the time."""
    monkeypatch.setattr(benchkit, "run", partial(benchkit.run, executor="inline"))


def checks(verification, what):
    return [check.holds for each in verification.verified for check in each.checks if check.what == what]


def test_rows_of_a_run_are_what_it_measured_and_data_sets_of_one_name_are_told_apart_by_parameters(first, tmp_path):
    results, _ = first
    verification = verify(results.folder, share=1.0, trust=True)
    assert verification.holds
    assert len(verification.verified) == 12
    assert checks(verification, "error") == [True] * 12
    assert checks(verification, "test rows that lose the same") == [True] * 12
    assert not verification.not_run
    assert len(verify(results.folder, share=0.25, trust=True).verified) == 3
    pairs = [{"name": "digits", "params": {"pair": pair}} for pair in ([4, 7], [3, 5])]
    split = {**SUITE["split"], "repetitions": 1}
    results = run(tmp_path, {**SUITE, "datasets": pairs, "algorithms": ["constant"], "split": split, "expect": []})
    verification = verify(results.folder, share=1.0, trust=True)
    assert (verification.holds, len(verification.verified)) == (True, len(results.records))


def test_rows_that_are_false_differ_beyond_the_tolerance_and_their_losses_one_by_one(published, with_column):
    table = parquet.read_table(next(published.rglob("records.parquet")))
    off = [0.01] * 5 + [0.03] * 7
    errors = [value - by for value, by in zip(table["metrics.error"].to_pylist(), off, strict=True)]
    # Another row is wrong instead: the mean stays what it was.
    wrong = table["wrong"].to_pylist()
    moved = [bytes([each[0] ^ (0b11 << 6 if each[0] >> 6 in (1, 2) else 0), *each[1:]]) for each in wrong]
    different = sum(one != other for one, other in zip(moved, wrong, strict=True))
    assert different > 0
    with_column(wrong=pa.array(moved, pa.binary()), **{"metrics.error": pa.array(errors, pa.float64())})
    verification = verify(published, share=1.0, tolerance=0.02, trust=True)
    assert not verification.holds
    assert checks(verification, "error") == [True] * 5 + [False] * 7
    assert checks(verification, "test rows that lose the same").count(False) == different


def test_models_prove_what_they_state(tmp_path):
    lp = {"name": "lp", "params": {"noise_budget": "$budget", "C": 1}}
    results = run(tmp_path, {**SUITE, "algorithms": [lp], "expect": []})
    publish([results.folder], tmp_path / "results")
    verification = verify(tmp_path / "results", trust=True)
    assert verification.holds
    assert checks(verification, "objective") == [True]


def test_rows_of_another_question_are_not_run_and_what_a_suite_names_only_if_it_is_trusted(published):
    with pytest.raises(JournalError, match="add --trust"):
        verify(published)

    def edit(manifest):
        for design in manifest["content"]["designs"].values():
            design["code"]["protocol"] = "0"

    edit_manifest(published, edit)
    verification = verify(published, trust=True)
    assert not verification.holds
    assert "protocol" in next(iter(verification.not_run))


def test_a_method_that_is_not_installed_is_said(tmp_path):
    plugin = tmp_path / "ridge.py"
    plugin.write_text(RIDGE)
    results = run(tmp_path / "run", {**SUITE, "algorithms": ["ridge"], "expect": []}, plugins=[plugin])
    publish([results.folder], tmp_path / "results")
    verification = verify(tmp_path / "results", share=1.0, trust=True)
    assert not verification.holds
    assert sum(verification.not_run.values()) == 6
    assert verify(tmp_path / "results", share=1.0, trust=True, plugins=[plugin]).holds


def test_later_repetitions_are_run_too_and_a_metric_that_rows_lack_is_not_compared(published, with_column):
    with_column(**{"metrics.accuracy": pa.nulls(12, pa.float64())})

    def edit(manifest):
        manifest["suite_as_run"]["split"].update(repetitions=1)
        manifest["suite_as_run"].update(metrics=["error", "accuracy"])

    edit_manifest(published, edit)
    verification = verify(published, share=1.0, trust=True)
    assert (verification.holds, len(verification.verified)) == (True, 12)
    assert (len(checks(verification, "error")), checks(verification, "accuracy")) == (12, [])


def test_the_command_ends_with_an_exit_code(published, with_column, here, monkeypatch):
    (suite,) = published.iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(benchkit, "run", benchkit.run.func)  # by a worker
        holds = here("verify", str(suite), "--trust")
    assert (holds.returncode, "1 of 1" in holds.stdout) == (0, True)
    fails = here("verify", str(with_column(**{"metrics.error": 0.5})), "--trust")
    assert (fails.returncode, "does not hold: " in fails.stdout) == (1, True)


def test_what_was_interrupted_is_no_verification(first, monkeypatch):
    whole = benchkit.run
    monkeypatch.setattr(benchkit, "run", lambda *args, **options: replace(whole(*args, **options), interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        verify(first[0].folder, share=0.0, trust=True)


def outcomes(rows, loss, groups=None):
    classes = (0, 1) if loss.dtype == bool else None
    return RowOutcomes(TestPart(np.asarray(rows, np.int32), np.zeros(len(rows)), classes, groups), loss)


def of_svm(results):
    """A run of one method, for the others to join."""
    return replace(results, rows=[row for row in results.rows if row["algorithm"] == "svm"])


@given(st.data(), st.booleans(), st.booleans())
def test_what_is_packed_is_unpacked_row_by_row(data, classifies, grouped):
    rows = data.draw(st.lists(st.integers(0, 300), min_size=1, max_size=40, unique=True))
    one = st.booleans() if classifies else st.floats(0, 1e6, width=32)
    loss = np.array(data.draw(st.lists(one, min_size=len(rows), max_size=len(rows))), bool if classifies else "f4")
    groups = np.arange(len(rows), dtype=np.int32) // 3 if grouped else None
    kept = RowLosses.of(outcomes(rows, loss, groups))
    assert kept.problem(len(rows)) == ""
    again = kept.unpacked()
    order = np.argsort(rows)
    assert (again.part.rows == np.array(rows)[order]).all()
    assert (again.loss == loss[order]).all()
    assert again.loss.dtype == loss.dtype
    assert (again.part.groups is None) == (groups is None)
    assert groups is None or (again.part.groups == groups[order]).all()
    assert kept.differing(RowLosses.of(outcomes(rows, loss, groups)), 0.0) == 0


def test_rows_that_lose_something_else_are_counted():
    kept = RowLosses.of(outcomes([4, 2, 9], np.array([True, False, False])))

    def differ(rows, loss, tolerance=1e-6):
        return kept.differing(RowLosses.of(outcomes(rows, np.array(loss))), tolerance)

    assert differ([2, 4, 9], [False, False, True]) == 2
    assert differ([2, 4, 8], [False, True, False]) == 3
    assert differ([2, 4, 9], np.zeros(3, "f4")) == 3
    assert kept.differing(None, 1e-6) == 3
    kept = RowLosses.of(outcomes([0, 1], np.array([1.0, 1e4], "f4")))
    assert differ([0, 1], np.array([1.001, 1e4 + 1e-3], "f4")) == 1


def test_a_run_beside_published_rows_has_the_intervals_of_one_run(first):
    results, folder = first
    joined = join(of_svm(results), folder)
    assert {bool(row.get("published")) for row in joined.rows} == {True, False}
    alone, together = (
        [(each.by_rows, each.low, each.high, each.holm) for each in given.comparisons()] for given in (results, joined)
    )
    assert together == alone
    assert all(by_rows for by_rows, *_ in alone)


def test_rows_without_losses_stand_beside_others_and_made_up_losses_are_not_believed(first, tmp_path, with_column):
    results, _ = first
    (written,) = publish([results.folder], tmp_path / "results", losses=False)
    assert (written.rows, written.with_losses) == (12, 0)
    joined = join(of_svm(results), tmp_path / "results")
    assert not any(each.by_rows for each in joined.comparisons())
    # Published again, the run has them.
    (written,) = publish([results.folder], tmp_path / "results")
    assert (written.rows, written.with_losses) == (12, 12)
    (published,) = open_stored(tmp_path / "results").runs.values()
    assert len(published.losses) == 12
    folder = with_column(wrong=b"\xff" * 7 + b"\xf0")
    joined = join(of_svm(results), folder)
    assert len(joined.rows) == len(results.rows)
    assert not any(each.by_rows for each in joined.comparisons())


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"tested": b"\xff"}, "losses of 8 rows, where 60 were tested"),
        ({"wrong": b"\0" * 7}, "not one loss for each tested row"),
        ({"wrong": b"\0" * 7 + b"\x01"}, "a loss of a row that was not tested"),
        ({"wrong": None}, "expected losses as `wrong` or as `squared`"),
        ({"squared": b"\0" * 240}, "expected losses as `wrong` or as `squared`"),
        ({"wrong": None, "squared": b"\0" * 239}, "not one loss for each tested row"),
        ({"wrong": None, "squared": np.full(60, np.nan, "<f4").tobytes()}, "a squared error that is none"),
        ({"wrong": None, "squared": np.full(60, -1, "<f4").tobytes()}, "a squared error that is none"),
        ({"groups": b"\0"}, "not one group for each tested row"),
    ],
)
def test_losses_that_cannot_be_are_refused_in_one_line(columns, complaint, with_column):
    (published,) = open_stored(with_column(**columns)).runs.values()
    assert published.rows
    with pytest.raises(PublishError, match=complaint) as refusal:
        _ = published.losses
    assert "\n" not in str(refusal.value)


def test_groups_and_how_many_there_are_survive(first, tmp_path):
    (published,) = open_stored(first[1]).runs.values()
    row = {**published.rows[0], "units": {"groups": 30}}
    losses = {row["trial"]: RowLosses(b"\xff" * 7 + b"\xf0", groups=b"\1\0\0\0" * 60, squared=b"\0" * 240)}
    write_rows(tmp_path / "f.parquet", [row], losses)
    assert read_rows(tmp_path / "f.parquet", published.name) == [row]
    assert read_losses(tmp_path / "f.parquet") == losses
