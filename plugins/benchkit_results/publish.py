"""``benchkit publish``: runs without what is private, as folders that others can join with theirs."""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

from benchkit import JournalError, PublishError, Record, Results, load, read_manifest
from benchkit.statistics.row_differences import has_mean
from benchkit_results.rows import FILE as RECORDS
from benchkit_results.rows import RowLosses, write_rows
from benchkit_results.stored import COMPUTES_WITH, FORMAT, MANIFEST

LICENCE = "CC-BY-4.0"
_OF_SUITE = ("greater_is_better", "ranges", "attack_order", "feature_values", "axis_titles", "situations", "shares")
_OF_ANSWERS = ("trivial", "until_decided", "leaks")
_NOT_PUBLISHED = ("error", "metrics", "measured_in", "tuning", "outcomes")
_ARCHITECTURES = ("x86_64", "amd64", "arm64", "aarch64", "ppc64le", "riscv64")

_LEFT_OUT = "(left out)"
_SHORTEST = 4  # characters; shorter names are words of other meanings
_SHORTEST_VALUE = 8
# An absolute path of two parts or more, also with ~ or a drive: not the path of an address such as https://a/b.
_PATH = re.compile(r"(?<![\w:/.~-])(?:~|[A-Za-z]:)?(?:[/\\][\w .@+~-]*[\w@+~-]){2,}[/\\]?")
_TOKEN = re.compile(
    r"\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_\w{20,}|sk-[\w-]{16,}|xox[a-z]-[\w-]{10,}"
    r"|AKIA[0-9A-Z]{12,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)"
)
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@]+@")
_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|SESSION", re.IGNORECASE)
# What these hold is said of every machine of a kind, or is a word of everyday text.
_HARMLESS = {"true", "false", "localhost", "root", "user", "home", "linux", "darwin", "main", "runner", "admin"}


@dataclass(frozen=True)
class Published:
    """A run that was published: its folder, its rows, and those with what each test row lost."""

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
    parts = [part for reference in runs for part in load(reference).suites]
    for part in parts:
        if "content" not in part.manifest:
            raise PublishError(
                f"{part.folder}: made by a version that did not note what its trials ask; 'benchkit run' the suite "
                "again (rows that are still valid are reused), and publish that run"
            )
    target = Path(to)
    try:
        return [_publish(target, part, licence, by, losses) for part in parts]
    except OSError as error:
        raise PublishError(f"{target}: cannot write here: {error.strerror or error}") from None


def _publish(target: Path, results: Results, licence: str, by: str, with_losses: bool) -> Published:
    manifest, folder = results.manifest, results.folder
    scrub = Scrubber(manifest)
    run, places = str(manifest.get("run") or folder.name), manifest["content"]["places"]
    rows, losses = [], {}
    for record in results.rows:
        if record["status"] == "interrupted" or record["trial"] not in places:
            continue
        design, method = places[record["trial"]]
        origin = str(record.get("measured_in") or record["run"] or run)
        rows.append({**_plain(record, scrub), "run": origin, "design": design, "method": method})
        kept = losses_of(results, record) if with_losses else None
        if kept is not None:
            losses[record["trial"]] = kept
    if not rows:
        raise PublishError(f"{folder}: no trial of it has ended: nothing to publish")
    today = datetime.now(UTC).date().isoformat()
    origins = {
        name: _origin(_manifest_of(name, manifest, folder), scrub, today)
        for name in sorted({run, *(row["run"] for row in rows)})
    }
    own = origins[run]
    machine = own["machine"]
    published = {
        "benchkit_results": FORMAT,
        "by": by,
        "licence": licence,
        "suite": manifest["suite"],
        "title": scrub.text(manifest["title"]),
        "run": run,
        "profile": str(manifest.get("profile") or "default"),
        "started": str(manifest.get("started") or ""),
        "environment": {  # in the words of a run's manifest
            "cpu": machine["cpu"],
            "processors": machine["processors"],
            "memory_mb": None if machine["memory_gb"] is None else 1024 * machine["memory_gb"],
            "platform": machine["system"],
            "python": own["python"],
            "versions": {**own["versions"], "benchkit": own["benchkit"]},
        },
        "source": {"commit": own["commit"] or "unknown", "changed_files": []},
        "origins": origins,
        "suite_as_run": scrub.value(
            {key: value for key, value in manifest["suite_as_run"].items() if key != "plugins"}
        ),
        **{name: manifest.get(name) or {} for name in _OF_SUITE},
        **{name: scrub.value(manifest[name]) for name in _OF_ANSWERS if manifest.get(name)},
        "content": scrub.value({key: manifest["content"][key] for key in ("designs", "methods")}) | {"places": {}},
        "trials": [],
    }
    home = target / str(manifest["suite"])
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=home) as scratch:
        made = Path(scratch) / run
        made.mkdir()
        write_rows(made / RECORDS, rows, losses)
        write_published_manifest(made, published)
        if (home / run).exists():
            os.replace(home / run, Path(scratch) / "before")
        os.replace(made, home / run)
    return Published(home / run, len(rows), len(losses))


def write_published_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of a published run, as JSON without indentation."""
    text = json.dumps(manifest, separators=(",", ":"), default=str)
    (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")


def losses_of(results: Results, record: Record) -> RowLosses | None:
    """The losses that a run has kept of a trial that ended ok; None where it has none that can be read and agree."""
    if record["status"] != "ok":
        return None
    try:
        losses = RowLosses.of(results.outcomes(record))
    except JournalError:
        return None
    if losses is None:
        return None
    mean = record["metrics"].get("error" if losses.squared is None else "mean-squared-error")
    return losses if mean is None or has_mean(losses.unpacked().loss, mean) else None


def _plain(record: Mapping[str, Any], scrub: Scrubber) -> dict[str, Any]:
    """A row without what is private: error messages, which may name anything, are left out whole."""
    kept = {key: value for key, value in record.items() if key not in _NOT_PUBLISHED}
    units = record["units"] if isinstance(record["units"], dict) else None
    own = {"trial": record["trial"], "cell": record["cell"], "metrics": dict(record["metrics"]), "units": units}
    return {**scrub.value(kept), **own}


def _manifest_of(origin: str, manifest: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """The manifest of the run that measured rows: this run's, or an earlier one's, perhaps of a suite beside it."""
    if origin in (manifest.get("run"), folder.name):
        return manifest
    for place in (folder.parent / origin, *sorted(folder.parent.parent.glob(f"*/{origin}"))):
        try:
            return read_manifest(place)
        except JournalError:  # its folder may have been deleted: its rows remain
            continue
    return {}


def _origin(manifest: Mapping[str, Any], scrub: Scrubber, published: str) -> dict[str, Any]:
    """Where and with which code a run was made; nothing is said of one that is gone."""
    environment, source = manifest.get("environment") or {}, manifest.get("source") or {}
    versions = environment.get("versions") or {}
    methods = (manifest.get("content") or {}).get("methods", {}).values()
    used = {*COMPUTES_WITH, *(name for method in methods for name in method["versions"])}
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


class Scrubber:
    """Replaces private text wherever it stands in plain values.

    Paths keep their last part; tokens, passwords in addresses, the names of the user and the machine, and the values of
    environment variables that are named like secrets, or hold a long value of letters and digits, go.
    """

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        environment = manifest.get("environment") or {}
        words = {getpass.getuser(), Path.home().name, platform.node(), platform.node().partition(".")[0]}
        words |= {str(environment.get("host") or "")}
        kept = [word for word in words if len(word) >= _SHORTEST and word.lower() not in _HARMLESS]
        secrets = {value for name, value in os.environ.items() if _is_secret(name, value)}
        parts = [re.escape(value) for value in sorted(secrets, key=len, reverse=True)]
        parts += [rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(kept, key=len, reverse=True)]
        self._private = re.compile("|".join(parts)) if parts else None

    def text(self, text: str) -> str:
        """A text without what is private."""
        text = _IN_ADDRESS.sub("", _TOKEN.sub(_LEFT_OUT, text))
        if self._private is not None:
            text = self._private.sub(_LEFT_OUT, text)
        return _PATH.sub(lambda match: PurePath(match[0].replace("\\", "/")).name, text)

    def value(self, value: Any, key: str = "") -> Any:
        """A plain value, its texts scrubbed, also those within it; of a user's data file the name stays alone."""
        if isinstance(value, str):
            return self.text(PurePath(value).name if key == "path" else value)
        if isinstance(value, Mapping):
            return {self.text(str(name)): self.value(item, str(name)) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value


def _is_secret(name: str, value: str) -> bool:
    """Whether a variable's value may be a secret: by its name, or as a long value that is neither words nor a path."""
    if len(value) < _SHORTEST_VALUE or value.lower() in _HARMLESS:
        return False
    digits = sum(character.isdigit() for character in value)
    random_like = digits >= 3 and len(value) >= 16 and re.fullmatch(r"[\w+=.-]+", value) is not None
    return _SECRET.search(name) is not None or random_like
