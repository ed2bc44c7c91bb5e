"""What a machine can do is noted in runs that were made on it, and in no others."""

import json

import pytest

import benchkit
from benchkit.journal import read_manifest
from benchkit.session import calibrate
from benchkit.session.calibrate import note_speed


@pytest.fixture
def measured(monkeypatch):
    """Count measurements, which take no time here."""
    times = {"fastest": 1.0, "median": 1.0, "slowest": 1.0, "n": 5}
    calls = []

    def measure():
        calls.append(1)
        return dict.fromkeys(("matrix", "memory", "python"), times)

    monkeypatch.setattr(calibrate, "measure_speed", measure)
    return calls


@pytest.fixture
def run(tiny, write_suite, tmp_path):
    return lambda: benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", tracking=False)


def change(folder, **facts):
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["environment"] |= facts
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_run_of_this_machine_is_measured_once(run, measured):
    folder = run().folder
    for _ in range(2):
        note_speed(folder)
    assert len(measured) == 1
    manifest = read_manifest(folder)
    assert manifest["probe"]["matrix"]["median"] == 1.0
    # What was compiled for is the run's to say, which may have been told another processor.
    assert manifest["environment"]["compiled_for"]
    assert "compiled_for" not in manifest["probe"]


def test_runs_of_another_machine_are_left_as_they_are(run, measured):
    folder = run().folder
    change(folder, cpu="Another processor")
    note_speed(folder)
    assert not measured
    assert "probe" not in read_manifest(folder)
