"""Noting in a run's manifest how fast its machine is, where the run lies on the machine that made it."""

from __future__ import annotations

from pathlib import Path

from benchkit.journal import read_manifest, runs_of, write_manifest
from benchkit.journal.origin import is_own
from benchkit.session.provenance import environment
from benchkit.session.speed import is_probe, measure_speed

_MACHINE = ("host", "cpu", "processors")


def note_speed(reference: str | Path) -> None:
    """Measure this machine for two seconds, and note it in the manifests of runs that were made on it.

    Parameters
    ----------
    reference : path
        A run's folder, or a suite's or collection's, which stands for its newest run.
    """
    here = environment()
    speed = None
    for folder in runs_of(reference):
        manifest = read_manifest(folder)
        there = manifest.get("environment") or {}
        known = manifest.get("probe")
        measured = known if is_probe(known) else None
        told = "compiled_for" in there or (measured is not None and "compiled_for" in measured)
        if (measured and told) or any(there.get(name) != here[name] for name in _MACHINE):
            continue
        if is_own(folder, manifest):
            if measured is None:
                measured = speed = speed or measure_speed()
            # Runs of earlier versions do not tell what their loops were compiled for.
            probe = measured if told else {**measured, "compiled_for": here["compiled_for"]}
            write_manifest(folder, {**manifest, "probe": probe})
