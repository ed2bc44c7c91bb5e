"""``benchkit publish``: runs without what is private, as folders that others can join with theirs."""

from __future__ import annotations

import glob
import hashlib
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from benchkit.journal import JournalError, Manifest, PublishError, Record, read_manifest, read_run, runs_of
from benchkit.journal.manifest import FILE as MANIFEST
from benchkit.journal.manifest import write_manifest
from benchkit.journal.outcomes import Outcomes
from benchkit.published.losses import losses_of_run
from benchkit.published.rows import FILE as RECORDS
from benchkit.published.rows import PublishedRow, write_rows
from benchkit.published.scrub import Scrubber
from benchkit.published.stored import FORMAT, SUMS

LICENCE = "CC-BY-4.0"
_OF_SUITE = ("greater_is_better", "ranges", "attack_order", "feature_values", "axis_titles", "situations", "shares")
_ARCHITECTURES = ("x86_64", "amd64", "arm64", "aarch64", "ppc64le", "riscv64")


@dataclass(frozen=True)
class Published:
    """A run that was published.

    Attributes
    ----------
    folder : Path
    rows, with_losses : int
        Rows of it, and those with what each test row lost.
    """

    folder: Path
    rows: int
    with_losses: int


def publish(
    runs: Iterable[str | Path], to: str | Path, *, licence: str = LICENCE, by: str = "", losses: bool = True
) -> list[Published]:
    """Write runs, without what is private, into a folder of published results, each as a folder ``SUITE/RUN``.

    A run that lies there already is written anew; nothing else in the folder is touched. Of rows that answer one
    question with one method, readers take the newest; older runs can be deleted.

    Parameters
    ----------
    runs : iterable of path
        Runs' folders, or suites' or collections' folders, which stand for their newest run.
    to : path
        Folder; made where it is not there.
    licence : str, default="CC-BY-4.0"
        SPDX identifier of the licence that the rows are given under.
    by : str, default=""
        Who publishes, if that is to be said.
    losses : bool, default=True
        Publish what each test row lost, too, where the runs have kept that: others then compare row by row.

    Returns
    -------
    list of Published

    Raises
    ------
    PublishError, JournalError
    """
    parts = [read_run(run) for reference in runs for run in runs_of(reference)]
    for manifest, _, run in parts:
        if "content" not in manifest:
            raise PublishError(
                f"{run}: made by a version that did not note what its trials ask; 'benchkit run' the suite again "
                "(rows that are still valid are reused), and publish that run"
            )
    target = Path(to)
    try:
        published = [_publish(target, *part, licence, by, losses) for part in parts]
        write_sums(target)
    except OSError as error:
        raise PublishError(f"{target}: cannot write here: {error.strerror or error}") from None
    return published


def write_sums(folder: Path) -> None:
    """List all files of published runs with their SHA-256, as ``sha256sum`` does."""
    files = sorted(path for name in (MANIFEST, RECORDS) for path in folder.glob(f"*/*/{name}"))
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}" for path in files
    ]
    (folder / SUMS).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _publish(
    target: Path, manifest: Manifest, records: list[Record], folder: Path, licence: str, by: str, with_losses: bool
) -> Published:
    scrub = Scrubber(manifest)
    run, places = str(manifest.get("run") or folder.name), manifest["content"]["places"]
    rows: list[PublishedRow] = []
    losses, outcomes = {}, Outcomes(folder.parents[1])
    for record in records:
        if record["status"] == "interrupted" or record["trial"] not in places:
            continue
        design, method = places[record["trial"]]
        origin = str(record.get("measured_in") or record["run"] or run)
        rows.append(cast(PublishedRow, {**_plain(record, scrub), "run": origin, "design": design, "method": method}))
        kept = losses_of_run(record, outcomes) if with_losses else None
        if kept is not None:
            losses[record["trial"]] = kept
    if not rows:
        raise PublishError(f"{folder}: no trial of it has ended: nothing to publish")
    today = datetime.now(UTC).date().isoformat()
    made_by = {name: _manifest_of(name, manifest, folder) for name in {run, *(row["run"] for row in rows)}}
    origins = {name: _origin(made, scrub, today) for name, made in sorted(made_by.items())}
    told = {
        "benchkit_results": FORMAT,
        "by": by,
        "licence": licence,
        "suite": manifest["suite"],
        "title": scrub.text(manifest["title"]),
        "run": run,
        "profile": str(manifest.get("profile") or "default"),
        "started": str(manifest.get("started") or ""),
        "environment": _environment(origins[run]),
        "source": {"commit": origins[run]["commit"] or "unknown", "changed_files": []},
        "origins": origins,
        "suite_as_run": scrub.value(
            {key: value for key, value in manifest["suite_as_run"].items() if key != "plugins"}
        ),
        **{name: manifest.get(name) or {} for name in _OF_SUITE},
        "content": scrub.value({key: manifest["content"][key] for key in ("designs", "methods")}) | {"places": {}},
        "trials": [],
    }
    home = target / str(manifest["suite"])
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=home) as scratch:
        made = Path(scratch) / run
        made.mkdir()
        write_rows(made / RECORDS, rows, losses)
        write_manifest(made, told)
        if (home / run).exists():
            os.replace(home / run, Path(scratch) / "before")
        os.replace(made, home / run)
    return Published(home / run, len(rows), len(losses))


def _plain(record: Record, scrub: Scrubber) -> dict[str, Any]:
    """A row without what is private: error messages, which may name anything, are left out whole."""
    kept = {key: value for key, value in record.items() if key not in ("error", "metrics", "measured_in", "tuning")}
    scrubbed = scrub.value(kept | {"candidates": _candidates(record)})
    own = {"trial": record["trial"], "cell": record["cell"], "metrics": dict(record["metrics"])}
    return {**scrubbed, **own}


def _candidates(record: Record) -> list[dict[str, Any]] | None:
    """What tuning tried, stage by stage: values of its parameters and their scores, without the seconds of each."""
    return [
        {
            **{name: stage[name] for name in ("metric", "judged_on", "params", "scores")},
            "values": [[_short(value) for value in values] for values in stage["values"]],
        }
        for stage in record.get("tuning") or ()
    ] or None


def _short(value: Any) -> Any:
    """Six significant digits, which tell the values of a grid apart."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _manifest_of(origin: str, manifest: Manifest, folder: Path) -> Manifest:
    """The manifest of the run that measured rows: this run's, or an earlier one's, perhaps of a suite beside it."""
    if origin in (manifest.get("run"), folder.name):
        return manifest
    for place in (folder.parent / origin, *sorted(folder.parent.parent.glob(f"*/{glob.escape(origin)}"))):
        try:
            return read_manifest(place)
        except JournalError:  # `benchkit clean` may have taken it: its rows remain
            continue
    return {}


def _origin(manifest: Manifest, scrub: Scrubber, published: str) -> dict[str, Any]:
    """Where and with which code a run was made; nothing is said of one that is gone."""
    environment, source = manifest.get("environment") or {}, manifest.get("source") or {}
    versions = environment.get("versions") or {}
    used = {
        name for method in (manifest.get("content") or {}).get("methods", {}).values() for name in method["versions"]
    }
    used |= {"numpy", "scipy", "scikit-learn"}
    return {
        "started": str(manifest.get("started") or ""),
        "published": published,
        "machine": scrub.value(_machine(environment)),
        "python": str(environment.get("python") or ""),
        "benchkit": str(versions.get("benchkit") or ""),
        "versions": {name: str(versions[name]) for name in sorted(used) if name in versions},
        "commit": source.get("commit"),
        "uncommitted_changes": bool(source.get("changed_files")),
    }


def _machine(environment: Mapping[str, Any]) -> dict[str, Any]:
    """What numbers need to know of a machine: no name, nothing of its owner."""
    memory = environment.get("memory_mb")
    words = str(environment.get("platform") or "").split("-")
    system = [words[0], *(word for word in words if word.lower() in _ARCHITECTURES)]
    # The kernels of BLAS give a product its last bits: the library's, and those for which processor.
    kernels = {
        " ".join(str(part) for part in (library.get("internal_api"), library.get("architecture")) if part)
        for library in environment.get("blas") or ()
        if library.get("user_api") == "blas"
    }
    return {
        "cpu": environment.get("cpu"),
        "processors": environment.get("processors"),
        "memory_gb": round(memory / 1024) if isinstance(memory, int | float) else None,
        "system": "-".join(dict.fromkeys(system)) or None,
        "kernels": ", ".join(sorted(kernels)) or None,
        "compiled_for": environment.get("compiled_for"),
    }


def _environment(origin: Mapping[str, Any]) -> dict[str, Any]:
    """Where a run was made, in the words of a run's manifest."""
    machine = origin["machine"]
    memory = machine["memory_gb"]
    return {
        "cpu": machine["cpu"],
        "processors": machine["processors"],
        "memory_mb": None if memory is None else 1024 * memory,
        "platform": machine["system"],
        "python": origin["python"],
        "versions": {**origin["versions"], "benchkit": origin["benchkit"]},
    }
