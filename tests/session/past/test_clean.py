"""Cleaning removes what no manifest names, and nothing else."""

import shutil

import pytest

from benchkit.journal import JournalError, Store
from benchkit.session.past.clean import clean


def test_what_a_removed_run_leaves_behind(run, tmp_path):
    first = run(keep_models=True)
    second = run(settings={"seed": 8}, keep_models=True)
    store = Store(tmp_path / "runs", "tiny")
    assert len(store.read()) == 16
    shutil.rmtree(first.folder)
    (dry,) = clean(tmp_path / "runs", dry=True)
    assert len(store.read()) == 16
    (cleaned,) = clean(tmp_path / "runs")
    assert cleaned == dry
    assert (cleaned.suite, cleaned.rows) == ("tiny", 8)
    assert cleaned.megabytes > 0
    kept = {row["trial"] for row in second.records}
    assert set(store.read()) == kept
    assert {path.stem for path in store.models.iterdir()} == kept
    assert not store.fits.exists()
    assert run(settings={"seed": 8}, keep_models=True).reused == 8
    assert run(settings={"seed": 8}).ran == 0


def test_lines_that_were_replaced_or_torn_and_a_damaged_manifest_that_stops_it(run, tmp_path):
    results = run()
    store = Store(tmp_path / "runs", "tiny")
    store.journal.write_text(store.journal.read_text() * 2 + '{"torn')
    (cleaned,) = clean(tmp_path / "runs")
    assert cleaned.rows == 9
    assert len(store.journal.read_text().splitlines()) == 8
    (results.folder / "manifest.json").write_text("{")
    with pytest.raises(JournalError, match="not a manifest"):
        clean(tmp_path / "runs")
    assert len(store.read()) == 8
