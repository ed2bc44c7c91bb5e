"""``benchkit publish``: rows of runs, as files that others can join with theirs."""

from __future__ import annotations

import glob
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from benchkit.journal import JournalError, Manifest, Record, read_manifest, read_run, runs_of
from benchkit.publish.crate import CRATE, crate_text
from benchkit.publish.designs import Place, places_of
from benchkit.publish.errors import PublishError
from benchkit.publish.index_format import INDEX, Index, index_text
from benchkit.publish.machine import machine_class
from benchkit.publish.private_text import Scrubber
from benchkit.publish.replacing import Answer, answer_of, forget_replaced, replaced
from benchkit.publish.rows import to_parquet
from benchkit.publish.stored import Stored, open_or_empty
from benchkit.suite.names import digest

LICENCE = "CC-BY-4.0"
LARGE_FILE = 2**20
_MOST_NAMED = 3


@dataclass
class Published:
    """What publishing did.

    Attributes
    ----------
    added, known, replaced : int
        Rows that were written, that were there already with the same metrics, and that were taken out for new ones.
    files : list of str
        Those that changed.
    conflicts : list of str
        Rows of one trial that tell different things; all of them are kept.
    large : list of str
        Files above 1 MB.
    """

    added: int = 0
    known: int = 0
    replaced: int = 0
    files: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    large: list[str] = field(default_factory=list)


def publish(
    runs: Iterable[str | Path], to: str | Path, *, licence: str = LICENCE, by: str = "", replace: bool = False
) -> Published:
    """Write the rows of runs into a folder of published results; what lies there is kept, and joined.

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
    replace : bool, default=False
        Take out what was published under this name before, of the same suite and profile, where these runs answer the
        same question with the same method: it was made with earlier code, or on another machine.

    Returns
    -------
    Published

    Raises
    ------
    PublishError, JournalError
    """
    folder = Path(to)
    parts = [read_run(run) for reference in runs for run in runs_of(reference)]
    for manifest, _, run in parts:
        if "content" not in manifest:
            raise PublishError(
                f"{run}: made by a version that did not note what its trials ask; 'benchkit run' the suite again "
                "(rows that are still valid are reused), and publish that run"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock", timeout=10):
            return _Writer(folder, licence, by, replace).write(parts)
    except Timeout:
        raise PublishError(f"{folder}: another benchkit publishes here; try again when it has ended") from None
    except OSError as error:
        raise PublishError(f"{folder}: cannot write here: {error.strerror or error}") from None


class _Writer:
    """Joins rows with those of a folder."""

    def __init__(self, folder: Path, licence: str, by: str, replace: bool) -> None:
        self._folder, self._licence, self._by, self._replace = folder, licence, by, replace
        self._stored: Stored = open_or_empty(folder)
        self._index: Index = self._stored.index
        self._rows: dict[str, list[Record]] = {}
        self._gone: list[Record] = []
        self._told = Published()

    def write(self, parts: Sequence[tuple[Manifest, list[Record], Path]]) -> Published:
        for manifest, records, folder in parts:
            self._add_run(manifest, records, folder)
        entries = {file["path"]: file for file in self._index["files"]}
        without = {self._index["contributions"][row["contribution"]]["file"] for row in self._gone}
        changed = {
            path: rows
            for path, rows in self._rows.items()
            if path in without or len(rows) > entries.get(path, {}).get("rows", 0)
        }
        for path, rows in changed.items():
            content = to_parquet(rows)
            target = self._folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(target, content)
            suite, profile, _ = path.split("/")
            entries[path] = {
                "path": path,
                "sha256": hashlib.sha256(content).hexdigest(),
                "bytes": len(content),
                "rows": len(rows),
                "suite": suite,
                "profile": profile,
                "method": rows[0]["algorithm"],
            }
            if len(content) > LARGE_FILE:
                self._told.large.append(f"{path}: {len(content) / 2**20:.1f} MB")
        self._index["files"] = [entries[path] for path in sorted(entries)]
        self._index["conflicts"] = sorted({*self._index["conflicts"], *self._told.conflicts})
        if self._gone:
            self._forget_gone()
        write_index(self._folder, self._index)
        self._told.files = list(changed)
        return self._told

    def _forget_gone(self) -> None:
        rows = {each["path"]: self._rows.get(each["path"]) or self._stored.rows(each["path"]) for each in self._files()}
        forget_replaced(self._index, rows, self._gone)
        for key in {row["contribution"] for row in self._gone} & self._index["contributions"].keys():
            entry = self._index["contributions"][key]
            members = [row for row in rows[entry["file"]] if row["contribution"] == key]
            entry |= {"rows": len(members), "warnings": _warnings(members), "tuned": _tuned(members)}
        self._told.replaced = len(self._gone)

    def _files(self) -> list[dict[str, Any]]:
        files: list[dict[str, Any]] = self._index["files"]
        return files

    def _add_run(self, manifest: Manifest, records: Sequence[Record], folder: Path) -> None:
        scrub = Scrubber(manifest)
        places = places_of(manifest)
        rows = [row for row in records if row["status"] != "interrupted" and row["trial"] in places]
        spec = _suite_spec(manifest, scrub)
        by_method: dict[tuple[str, str], list[Record]] = {}
        for row in rows:
            origin = str(row.get("measured_in") or row["run"] or folder.name)
            by_method.setdefault((row["algorithm"], origin), []).append(row)
        if self._replace:
            self._take_out(manifest, rows, places, scrub)
        for (label, origin), members in by_method.items():
            made_by = _manifest_of(origin, manifest, folder)
            self._add_method(manifest, made_by, label, origin, members, places, spec, scrub)

    def _add_method(
        self,
        manifest: Manifest,
        made_by: Manifest | None,
        label: str,
        origin: str,
        members: Sequence[Record],
        places: Mapping[str, Place],
        spec: Mapping[str, Any],
        scrub: Scrubber,
    ) -> None:
        suite, profile = str(manifest["suite"]), str(manifest.get("profile") or "default")
        label = scrub.text(label)
        path = self._read_rows(manifest, label)
        methods = {places[str(row["trial"])].method for row in members}
        key = digest([suite, profile, label, origin, sorted(methods)])
        new = self._new_rows(path, key, origin, members, places, scrub)
        if not new:
            return
        self._rows[path] += new
        self._told.added += len(new)
        spec_id = digest(spec)
        self._index["suites"].setdefault(spec_id, spec)
        content = manifest["content"]
        for row in new:
            self._index["designs"][row["design"]] = scrub.value(content["designs"][row["design"]])
        rows = [row for row in self._rows[path] if row["contribution"] == key]
        contribution = {
            "file": path,
            "suite_spec": spec_id,
            "suite": suite,
            "profile": profile,
            "method": label,
            "methods": {name: scrub.value(content["methods"][name]) for name in sorted(methods)},
            "run": origin,
            "published": datetime.now(UTC).date().isoformat(),
            "by": self._by,
            "licence": self._licence,
            "rows": len(rows),
            "warnings": _warnings(rows),
            "tuned": _tuned(rows),
            **_making(made_by, content["methods"], methods, scrub),
        }
        self._index["contributions"][key] = contribution

    def _read_rows(self, manifest: Manifest, label: str) -> str:
        """Read the rows of a method's file, if there is one; return its path."""
        path = f"{manifest['suite']}/{manifest.get('profile') or 'default'}/{_file_name(label)}.parquet"
        if path not in self._rows:
            there = any(file["path"] == path for file in self._files())
            self._rows[path] = list(self._stored.rows(path)) if there else []
        return path

    def _take_out(
        self, manifest: Manifest, rows: Sequence[Record], places: Mapping[str, Place], scrub: Scrubber
    ) -> None:
        """Take out what these rows, if they ended ok, say anew."""
        content = manifest["content"]
        designs = {name: scrub.value(design) for name, design in content["designs"].items()}
        methods = {name: scrub.value(method) for name, method in content["methods"].items()}
        answers: dict[str, set[Answer]] = {}
        for row in rows:
            if row["status"] == "ok":
                place, path = places[str(row["trial"])], self._read_rows(manifest, scrub.text(row["algorithm"]))
                answers.setdefault(path, set()).add(answer_of(designs[place.design], methods[place.method], row))
        for path, given in answers.items():
            gone = replaced(self._rows[path], given, self._index, self._by)
            self._gone += gone
            known = set(map(id, gone))
            self._rows[path] = [row for row in self._rows[path] if id(row) not in known]

    def _new_rows(
        self,
        path: str,
        key: str,
        origin: str,
        members: Sequence[Record],
        places: Mapping[str, Place],
        scrub: Scrubber,
    ) -> list[Record]:
        """The rows that are not there yet; where one tells another thing than is there, that is said."""
        there: dict[str, list[Record]] = {}
        for row in self._rows[path]:
            there.setdefault(row["trial"], []).append(row)
        new = []
        for row in members:
            place = places[str(row["trial"])]
            mine = {**_plain(row, scrub), "contribution": key, "run": origin}
            mine |= {"design": place.design, "method": place.method}
            others = there.get(row["trial"], [])
            if any(_same(mine, other) for other in others):
                self._told.known += 1
                continue
            for other in others:
                if other["status"] == mine["status"] == "ok":
                    where = f"{path}: {mine['algorithm']} on {mine['dataset']} #{mine['repetition']}"
                    values = f"run {other['run']} has {other['metrics']}, run {origin} has {mine['metrics']}"
                    self._told.conflicts.append(f"{where} (trial {mine['trial']}): {values}")
            new.append(mine)
        return new


def write_index(folder: Path, index: Index) -> None:
    """Write the index and the archive's metadata, each whole.

    Raises
    ------
    OSError
    """
    _write_whole(folder / INDEX, index_text(index).encode())
    _write_whole(folder / CRATE, crate_text(index).encode())


def _write_whole(path: Path, content: bytes) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_bytes(content)
    partial.replace(path)


def _manifest_of(origin: str, manifest: Manifest, folder: Path) -> Manifest | None:
    """The manifest of the run that measured rows: this run's, or an earlier one's, perhaps of a suite beside it."""
    if origin in (manifest.get("run"), folder.name):
        return manifest
    for place in (folder.parent / origin, *sorted(folder.parent.parent.glob(f"*/{glob.escape(origin)}"))):
        try:
            return read_manifest(place)
        except JournalError:  # `benchkit clean` may have taken it: its rows remain
            continue
    return None


def _suite_spec(manifest: Manifest, scrub: Scrubber) -> dict[str, Any]:
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


def _making(
    made_by: Manifest | None, known: Mapping[str, Any], methods: Iterable[str], scrub: Scrubber
) -> dict[str, Any]:
    """Where and with which code rows were made; nothing is said of a run that is gone."""
    environment = (made_by or {}).get("environment") or {}
    source = (made_by or {}).get("source") or {}
    everything = environment.get("versions") or {}
    used = {name for method in methods for name in known[method]["versions"]}
    used |= {"numpy", "scipy", "scikit-learn"}
    return {
        "started": str((made_by or {}).get("started") or ""),
        "machine": scrub.value(machine_class(environment)),
        "python": str(environment.get("python") or ""),
        "benchkit": str(everything.get("benchkit") or ""),
        "versions": {name: str(everything[name]) for name in sorted(used) if name in everything},
        "commit": source.get("commit"),
        "uncommitted_changes": bool(source.get("changed_files")),
        "probe": (made_by or {}).get("probe"),
    }


def _plain(row: Record, scrub: Scrubber) -> Record:
    """A row without what is private: error messages, which may name anything, are left out whole."""
    kept = {key: value for key, value in row.items() if key not in ("error", "metrics", "measured_in", "tuning")}
    return {
        **scrub.value(kept | {"candidates": _candidates(row)}),
        "trial": row["trial"],
        "cell": row["cell"],
        "metrics": dict(row["metrics"]),
        "error": None,
    }


def _candidates(row: Record) -> list[dict[str, Any]] | None:
    """What tuning tried, stage by stage: values of its parameters and their scores, without the seconds of each."""
    stages = row.get("tuning") or []
    return [
        {
            "metric": stage["metric"],
            "judged_on": stage["judged_on"],
            "params": stage["params"],
            "values": [[_short(value) for value in values] for values in stage["values"]],
            "scores": stage["scores"],
        }
        for stage in stages
    ] or None


def _short(value: Any) -> Any:
    """Six significant digits, which tell the values of a grid apart."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _same(mine: Record, other: Record) -> bool:
    if mine["status"] != other["status"]:
        return False
    names = {*mine["metrics"], *other["metrics"]}
    return all(mine["metrics"].get(name) == other["metrics"].get(name) for name in names)


def _warnings(rows: Iterable[Record]) -> list[str]:
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update(f"{kind} while fitting" for kind in (row.get("warnings") or {}).get("fit", {}))
        if row["status"] != "ok":
            counts[
                f"{row['status']}{': ' + row['error_type'] if row['error_type'] not in (None, row['status']) else ''}"
            ] += 1
    return [f"{kind} in {count} trials" for kind, count in counts.most_common()]


def _tuned(rows: Iterable[Record]) -> dict[str, dict[str, int]]:
    """How often each value of a parameter was chosen, of rows that were tuned."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        if row.get("tune_seconds") is not None:
            for name, value in row["params"].items():
                counts.setdefault(name, Counter())[json.dumps(value, default=str)] += 1
    return {name: dict(values.most_common(50)) for name, values in counts.items()}


def _file_name(label: str) -> str:
    """A file's name for a label, which may hold any character; unlike labels get unlike names."""
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in label)
    plain = plain.lstrip("._-")[:80]
    return plain if plain and plain == label else f"{plain or 'method'}-{digest(label, 8)}"
