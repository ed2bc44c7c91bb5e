"""Running rows again, of a run and of published ones: what agrees, what differs, and what cannot be run."""

from dataclasses import replace

import pyarrow as pa
import pytest
from pyarrow import parquet

import benchkit
from benchkit.cli.main import main
from benchkit.errors import JournalError
from benchkit_results.publish import publish
from benchkit_results.verify import verify

from .conftest import RIDGE, SUITE, edit_manifest, run

LP = {"name": "lp", "params": {"noise_budget": "$budget", "C": 1}}


def checks(verification, what):
    """Whether each check of something holds."""
    return [check.holds for each in verification.verified for check in each.checks if check.what == what]


def test_rows_of_a_run_are_what_it_measured(first):
    results, _ = first
    verification = verify(results.folder, share=1.0, trust=True)
    assert verification.holds
    assert len(verification.verified) == 12
    assert checks(verification, "error") == [True] * 12
    assert checks(verification, "test rows that lose the same") == [True] * 12
    assert not verification.not_run
    assert len(verify(results.folder, share=0.25, trust=True).verified) == 3


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
    results = run(tmp_path, {**SUITE, "algorithms": [LP], "expect": []})
    publish([results.folder], tmp_path / "results")
    verification = verify(tmp_path / "results", trust=True)
    assert verification.holds
    assert checks(verification, "objective") == [True]


def test_what_a_published_suite_names_is_not_executed_unless_it_is_trusted(published):
    with pytest.raises(JournalError, match="add --trust"):
        verify(published)


def test_a_method_that_is_not_installed_is_said(tmp_path):
    plugin = tmp_path / "ridge.py"
    plugin.write_text(RIDGE)
    results = run(tmp_path / "run", {**SUITE, "algorithms": ["ridge"], "expect": []}, plugins=[plugin])
    publish([results.folder], tmp_path / "results")
    verification = verify(tmp_path / "results", share=1.0, trust=True)
    assert not verification.holds
    assert sum(verification.not_run.values()) == 6
    assert verify(tmp_path / "results", share=1.0, trust=True, plugins=[plugin]).holds


def test_rows_of_another_question_are_not_run(published):
    def edit(manifest):
        for design in manifest["content"]["designs"].values():
            design["code"]["protocol"] = "0"

    edit_manifest(published, edit)
    verification = verify(published, trust=True)
    assert not verification.holds
    assert "protocol" in next(iter(verification.not_run))


def test_repetitions_that_were_added_later_are_run_too(published):
    edit_manifest(published, lambda manifest: manifest["suite_as_run"]["split"].update(repetitions=1))
    verification = verify(published, share=1.0, trust=True)
    assert (verification.holds, len(verification.verified)) == (True, 12)


def test_a_metric_that_a_row_was_published_without_is_not_compared(published, with_column):
    with_column(**{"metrics.accuracy": pa.nulls(12, pa.float64())})
    edit_manifest(published, lambda manifest: manifest["suite_as_run"].update(metrics=["error", "accuracy"]))
    verification = verify(published, share=1.0, trust=True)
    assert verification.holds
    assert (len(checks(verification, "error")), checks(verification, "accuracy")) == (12, [])


def test_the_command_ends_with_an_exit_code(first, published, with_column, monkeypatch, capsys):
    def ended(*words):
        monkeypatch.setattr("sys.argv", ["benchkit", "verify", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code or 0, capsys.readouterr().out

    code, shown = ended(published, "--trust")
    assert code == 0
    assert "1 of 1" in shown
    code, shown = ended(with_column(**{"metrics.error": 0.5}), "--trust")
    assert code == 1
    assert "does not hold: " in shown


def test_data_sets_of_one_name_are_told_apart_by_their_parameters(tmp_path):
    pairs = [{"name": "digits", "params": {"pair": pair}} for pair in ([4, 7], [3, 5])]
    split = {**SUITE["split"], "repetitions": 1}
    results = run(tmp_path, {**SUITE, "datasets": pairs, "algorithms": ["constant"], "split": split, "expect": []})
    verification = verify(results.folder, share=1.0, trust=True)
    assert (verification.holds, len(verification.verified)) == (True, len(results.records))


def test_what_was_interrupted_is_no_verification(first, monkeypatch):
    whole = benchkit.run
    monkeypatch.setattr(benchkit, "run", lambda *args, **options: replace(whole(*args, **options), interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        verify(first[0].folder, share=0.0, trust=True)
