"""What the index says of a contribution: the rows of a method that one run made."""

from __future__ import annotations

import glob
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchkit.journal import JournalError, Manifest, Record, read_manifest
from benchkit.published.machine import machine_class
from benchkit.published.private_text import Scrubber


def manifest_of(origin: str, manifest: Manifest, folder: Path) -> Manifest | None:
    """The manifest of the run that measured rows: this run's, or an earlier one's, perhaps of a suite beside it."""
    if origin in (manifest.get("run"), folder.name):
        return manifest
    for place in (folder.parent / origin, *sorted(folder.parent.parent.glob(f"*/{glob.escape(origin)}"))):
        try:
            return read_manifest(place)
        except JournalError:  # `benchkit clean` may have taken it: its rows remain
            continue
    return None


def suite_spec(manifest: Manifest, scrub: Scrubber) -> dict[str, Any]:
    """A suite as it was run, with what is needed to report its rows."""
    as_run = {key: value for key, value in manifest["suite_as_run"].items() if key != "plugins"}
    return {
        "suite": manifest["suite"],
        "title": scrub.text(manifest["title"]),
        "as_run": scrub.value(as_run),
        "greater_is_better": manifest["greater_is_better"],
        "ranges": {name: list(limits) for name, limits in (manifest.get("ranges") or {}).items()},
        "attack_order": manifest.get("attack_order") or {},
        "feature_values": manifest.get("feature_values") or {},
    }


def making(
    made_by: Manifest | None, known: Mapping[str, Any], methods: Iterable[str], scrub: Scrubber
) -> dict[str, Any]:
    """Where and with which code rows were made; nothing is said of a run that is gone."""
    environment = (made_by or {}).get("environment") or {}
    source = (made_by or {}).get("source") or {}
    everything = environment.get("versions") or {}
    probe = (made_by or {}).get("probe")
    used = {name for method in methods for name in known[method]["versions"]}
    used |= {"numpy", "scipy", "scikit-learn"}
    return {
        "started": str((made_by or {}).get("started") or ""),
        "machine": scrub.value(machine_class(environment, probe)),
        "python": str(environment.get("python") or ""),
        "benchkit": str(everything.get("benchkit") or ""),
        "versions": {name: str(everything[name]) for name in sorted(used) if name in everything},
        "commit": source.get("commit"),
        "uncommitted_changes": bool(source.get("changed_files")),
        "probe": probe,
    }


def warnings_of(rows: Iterable[Record]) -> list[str]:
    """What fits warned of and what did not end ok, and in how many trials."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update(f"{kind} while fitting" for kind in (row.get("warnings") or {}).get("fit", {}))
        if row["status"] != "ok":
            counts[
                f"{row['status']}{': ' + row['error_type'] if row['error_type'] not in (None, row['status']) else ''}"
            ] += 1
    return [f"{kind} in {count} trials" for kind, count in counts.most_common()]


def tuned_of(rows: Iterable[Record]) -> dict[str, dict[str, int]]:
    """How often each value of a parameter was chosen, of rows that were tuned."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        if row.get("tune_seconds") is not None:
            for name, value in row["params"].items():
                counts.setdefault(name, Counter())[json.dumps(value, default=str)] += 1
    return {name: dict(values.most_common(50)) for name, values in counts.items()}
