"""``benchkit publish``: rows of runs, as files that others can join with theirs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from filelock import FileLock, Timeout

from benchkit.journal import Manifest, PublishError, Record, read_run, runs_of
from benchkit.journal.outcomes import Outcomes
from benchkit.published.asked import Asked, asked_of, under_known_names
from benchkit.published.contribution import making, manifest_of, suite_spec, tuned_of, warnings_of
from benchkit.published.crate import CRATE, crate_text
from benchkit.published.index_format import INDEX, Index, index_text
from benchkit.published.losses import Key, RowLosses, key_of, losses_of_run
from benchkit.published.matching import Spot, spot_of
from benchkit.published.plain import plain_row, same_outcome
from benchkit.published.private_text import Scrubber
from benchkit.published.replacing import Answer, New, answer_of, forget_replaced, replaced
from benchkit.published.rows import PublishedRow, described_columns, to_parquet
from benchkit.published.stored import Stored, open_or_empty
from benchkit.published.transaction import finish, write_together
from benchkit.suite.names import digest

LICENCE = "CC-BY-4.0"
LARGE_FILE = 4 * 2**20
_MOST_NAMED = 3


@dataclass
class Published:
    """What publishing did.

    Attributes
    ----------
    added, known, replaced : int
        Rows that were written, that were there already with the same metrics, and that were taken out for new ones.
    sharper : int
        Rows that were there already, and have got the losses of their test rows.
    files : list of str
        Those that changed.
    conflicts : list of str
        Rows of one trial that tell different things; all of them are kept.
    large : list of str
        Files above 4 MB.
    """

    added: int = 0
    known: int = 0
    replaced: int = 0
    sharper: int = 0
    files: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    large: list[str] = field(default_factory=list)


def publish(
    runs: Iterable[str | Path],
    to: str | Path,
    *,
    licence: str = LICENCE,
    by: str = "",
    replace: bool = False,
    losses: bool = True,
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
    losses : bool, default=True
        Publish what each test row lost, too, where the runs have kept that: others then compare row by row.

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
            finish(folder)
            return _Writer(folder, licence, by, replace, losses).write(parts)
    except Timeout:
        raise PublishError(f"{folder}: another benchkit publishes here; try again when it has ended") from None
    except OSError as error:
        raise PublishError(f"{folder}: cannot write here: {error.strerror or error}") from None


class _Writer:
    """Joins rows with those of a folder."""

    def __init__(self, folder: Path, licence: str, by: str, replace: bool, with_losses: bool) -> None:
        self._with_losses = with_losses
        self._folder, self._licence, self._by, self._replace = folder, licence, by, replace
        self._stored: Stored = open_or_empty(folder)
        self._index: Index = self._stored.index
        self._rows: dict[str, list[PublishedRow]] = {}
        self._earlier: dict[str, list[PublishedRow]] = {}  # what its files held before
        self._losses: dict[str, dict[Key, RowLosses]] = {}
        self._gained: set[str] = set()  # files whose rows have got losses
        self._gone: list[PublishedRow] = []
        self._conflicts: list[dict[str, Any]] = []
        self._told = Published()

    def write(self, parts: Sequence[tuple[Manifest, list[Record], Path]]) -> Published:
        for manifest, records, folder in parts:
            self._add_run(manifest, records, folder)
        entries = {file["path"]: file for file in self._index["files"]}
        changed = {
            path: rows for path, rows in self._rows.items() if path in self._gained or rows != self._earlier[path]
        }
        contents = {path: to_parquet(rows, self._losses[path]) for path, rows in changed.items()}
        self._index["columns"] = described_columns()
        for path, content in contents.items():
            suite, profile, _ = path.split("/")
            entries[path] = {
                "path": path,
                "sha256": hashlib.sha256(content).hexdigest(),
                "bytes": len(content),
                "rows": len(changed[path]),
                "suite": suite,
                "profile": profile,
                "method": changed[path][0]["algorithm"],
            }
            if len(content) > LARGE_FILE:
                self._told.large.append(f"{path}: {len(content) / 2**20:.1f} MB")
        self._index["files"] = [entries[path] for path in sorted(entries)]
        if self._gone:
            self._forget_gone()
        conflicts = {each["text"]: each for each in (*self._index["conflicts"], *self._conflicts)}
        self._index["conflicts"] = [conflicts[text] for text in sorted(conflicts)]
        self._told.conflicts = [each["text"] for each in self._conflicts]
        write_together(self._folder, contents | index_contents(self._index))
        self._told.files = list(changed)
        return self._told

    def _forget_gone(self) -> None:
        rows = {each["path"]: self._rows.get(each["path"]) or self._stored.rows(each["path"]) for each in self._files()}
        forget_replaced(self._index, rows, self._gone)
        for key in {row["contribution"] for row in self._gone} & self._index["contributions"].keys():
            entry = self._index["contributions"][key]
            members = [row for row in rows[entry["file"]] if row["contribution"] == key]
            entry |= {"rows": len(members), "warnings": warnings_of(members), "tuned": tuned_of(members)}
        self._told.replaced = len(self._gone)

    def _files(self) -> list[dict[str, Any]]:
        files: list[dict[str, Any]] = self._index["files"]
        return files

    def _add_run(self, manifest: Manifest, records: Sequence[Record], folder: Path) -> None:
        scrub = Scrubber(manifest)
        designs = {name: scrub.value(design) for name, design in manifest["content"]["designs"].items()}
        content = {**manifest["content"], "designs": designs}
        manifest = {**manifest, "content": under_known_names(content, self._index["designs"])}
        places = asked_of(manifest)
        rows = [row for row in records if row["status"] != "interrupted" and row["trial"] in places]
        spec = suite_spec(manifest, scrub)
        by_method: dict[tuple[str, str], list[Record]] = {}
        for row in rows:
            origin = str(row.get("measured_in") or row["run"] or folder.name)
            by_method.setdefault((row["algorithm"], origin), []).append(row)
        if self._replace:
            self._take_out(manifest, rows, places, scrub)
        outcomes = Outcomes(folder.parents[1])
        for (label, origin), members in by_method.items():
            made_by = manifest_of(origin, manifest, folder)
            self._add_method(manifest, made_by, label, origin, members, places, spec, scrub, outcomes)

    def _add_method(
        self,
        manifest: Manifest,
        made_by: Manifest | None,
        label: str,
        origin: str,
        members: Sequence[Record],
        places: Mapping[str, Asked],
        spec: Mapping[str, Any],
        scrub: Scrubber,
        outcomes: Outcomes,
    ) -> None:
        suite, profile = str(manifest["suite"]), str(manifest.get("profile") or "default")
        label = scrub.text(label)
        path = self._read_rows(manifest, label)
        methods = {places[str(row["trial"])].method for row in members}
        spec_id = digest(spec)
        key = digest([suite, profile, label, origin, sorted(methods), spec_id, self._by, self._licence])
        kept: dict[str, RowLosses] = {}
        if self._with_losses:
            found = {str(row["trial"]): losses_of_run(row, outcomes) for row in members}
            kept = {trial: losses for trial, losses in found.items() if losses is not None}
        new = self._new_rows(path, key, origin, members, places, scrub, kept)
        if not new:
            return
        self._rows[path] += new
        self._told.added += len(new)
        self._index["suites"].setdefault(spec_id, spec)
        content = manifest["content"]
        for row in new:
            self._index["designs"][row["design"]] = content["designs"][row["design"]]
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
            "warnings": warnings_of(rows),
            "tuned": tuned_of(rows),
            **making(made_by, content["methods"], methods, scrub),
        }
        self._index["contributions"][key] = contribution

    def _read_rows(self, manifest: Manifest, label: str) -> str:
        """Read the rows of a method's file, if there is one; return its path."""
        path = f"{manifest['suite']}/{manifest.get('profile') or 'default'}/{_file_name(label)}.parquet"
        if path not in self._rows:
            there = any(file["path"] == path for file in self._files())
            self._earlier[path] = self._stored.rows(path) if there else []
            self._rows[path] = list(self._earlier[path])
            self._losses[path] = dict(self._stored.losses(path)) if there else {}
        return path

    def _take_out(
        self, manifest: Manifest, rows: Sequence[Record], places: Mapping[str, Asked], scrub: Scrubber
    ) -> None:
        """Take out what lay there before and these rows, if they ended ok, say anew."""
        content = manifest["content"]
        designs = content["designs"]
        methods = {name: scrub.value(method) for name, method in content["methods"].items()}
        answers: dict[str, dict[Answer, New]] = {}
        for row in rows:
            if row["status"] == "ok":
                place, path = places[str(row["trial"])], self._read_rows(manifest, scrub.text(row["algorithm"]))
                answer = answer_of(designs[place.design], methods[place.method], row)
                answers.setdefault(path, {})[answer] = place, row
        for path, given in answers.items():
            left = set(map(id, self._rows[path]))
            gone = replaced([row for row in self._earlier[path] if id(row) in left], given, self._index, self._by)
            self._gone += gone
            left -= set(map(id, gone))
            self._rows[path] = [row for row in self._rows[path] if id(row) in left]

    def _new_rows(
        self,
        path: str,
        key: str,
        origin: str,
        members: Sequence[Record],
        places: Mapping[str, Asked],
        scrub: Scrubber,
        losses: Mapping[str, RowLosses],
    ) -> list[PublishedRow]:
        """The rows that are not there yet; where one tells another thing than is there, that is said."""
        there: dict[str, list[PublishedRow]] = {}
        at: dict[tuple[str, Spot], list[PublishedRow]] = {}
        for known in self._rows[path]:
            there.setdefault(known["trial"], []).append(known)
            if self._index["contributions"][known["contribution"]]["by"] == self._by:
                at.setdefault(_place_of(known), []).append(known)
        new = []
        for row in members:
            place = places[str(row["trial"])]
            stamped = {"contribution": key, "run": origin, "design": place.design, "method": place.method}
            mine = cast(PublishedRow, {**plain_row(row, scrub), **stamped})
            others = there.get(row["trial"], [])
            # One's own trial has another id where code changed that its outcome does not depend on.
            same = [other for other in (*others, *at.get(_place_of(mine), ())) if same_outcome(mine, other)]
            if same:
                self._told.known += 1
                self._sharpen(path, same, losses.get(row["trial"]))
                continue
            for other in others:
                if other["status"] == mine["status"] == "ok":
                    where = f"{path}: {mine['algorithm']} on {mine['dataset']} #{mine['repetition']}"
                    values = f"run {other['run']} has {other['metrics']}, run {origin} has {mine['metrics']}"
                    text = f"{where} (trial {mine['trial']}): {values}"
                    self._conflicts.append({"trial": mine["trial"], "runs": [other["run"], origin], "text": text})
            new.append(mine)
            if row["trial"] in losses:
                self._losses[path][key_of(mine)] = losses[row["trial"]]
        return new

    def _sharpen(self, path: str, rows: Iterable[PublishedRow], losses: RowLosses | None) -> None:
        """Give one's own row that is there already its losses, unless it has them."""
        own = [row for row in rows if self._index["contributions"][row["contribution"]]["by"] == self._by]
        if losses is None or not own or key_of(own[0]) in self._losses[path]:
            return
        if losses.problem(own[0]["n_test"]):  # drawn otherwise, with the same outcome by chance
            return
        self._losses[path][key_of(own[0])] = losses
        self._gained.add(path)
        self._told.sharper += 1


def _place_of(row: PublishedRow) -> tuple[str, Spot]:
    """Which method answers what."""
    return row["method"], spot_of(row["design"], row)


def index_contents(index: Index) -> dict[str, bytes]:
    """Files that say what is published: the index, and the archive's metadata."""
    return {INDEX: index_text(index).encode(), CRATE: crate_text(index).encode()}


def _file_name(label: str) -> str:
    """A file's name for a label, which may hold any character; unlike labels get unlike names."""
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in label)
    plain = plain.lstrip("._-")[:80]
    return plain if plain and plain == label else f"{plain or 'method'}-{digest(label, 8)}"
