"""A run as one archive that another person can open, report on and run again."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchkit.errors import JournalError
from benchkit.journal.manifest import plugin_files
from benchkit.report.analysis import Analysis
from benchkit.report.files import PLOTS, write_files
from benchkit.report.results import Results
from benchkit.suite import yaml_text


def _unpack(path: Path, folder: Path) -> None:
    """Unpack a ``.tar`` or ``.tar.gz`` into an empty folder: no links, no devices, nothing outside it."""

    def files_and_folders(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
        if not (member.isreg() or member.isdir()):
            raise ValueError(f"{member.name[:80]!r} in it is neither a file nor a folder")
        return tarfile.data_filter(member, folder)

    try:
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter=files_and_folders)
    except tarfile.ReadError:
        raise JournalError(f"{path}: not a bundle: it is no .tar.gz archive, nor a run's folder") from None
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise JournalError(f"{path}: not a bundle: {why}") from None


# How and where the run was made, and on which machine.
_OF_THE_MAKER = {"command", "folder", "suite_path", "seal", "host", "plugins", "plugin_digests"}


def without_private(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest without command, folders, the machine's name and the names of changed files.

    The machine itself (processor, memory, versions) and the commit stay: without them timings and code mean nothing.
    """
    kept = {key: value for key, value in manifest.items() if key not in _OF_THE_MAKER}
    kept |= {key: _without(kept[key]) for key in ("environment", "source", "merged") if key in kept}
    if "suite_as_run" in kept:
        kept["suite_as_run"] = {key: value for key, value in kept["suite_as_run"].items() if key != "plugins"}
    return kept


def _without(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {key: _without(item) for key, item in value.items() if key not in _OF_THE_MAKER}
        if kept.get("changed_files"):  # that there are some stays known
            kept["changed_files"] = ["(name left out)"] * len(kept["changed_files"])
        return kept
    return [_without(item) for item in value] if isinstance(value, list) else value


_README = """{title}

Run {run} of suite {suite}, {started}.

    report.html                 open it in a browser
    suite.yaml, plugins/        the suite as it was run, and the plugin files that it needs
    environment.json            machine and versions
    runs/{suite}/               journal, manifest, tables, records, plots; no test rows, so that intervals that are
                                computed from it anew are of repetitions, those of report.html of rows

    benchkit report BUNDLE                  reports on it, without unpacking, and executes nothing of it
    benchkit report BUNDLE --trust          the same with the report sections that its plugin files add
    tar xzf BUNDLE && cd {name}
    benchkit report runs/{suite}            the same, unpacked
    benchkit plan suite.yaml                what would run again here: whatever code, data or versions changed
    benchkit run suite.yaml                 runs it
"""


def write_bundle(results: Results, path: Path) -> None:
    """Write suite, plugin files, manifest, records, environment and report into one ``.tar.gz``.

    The command, folders and the machine's name stay out; see `without_private`.
    """
    if not path.name or path.is_dir():
        raise JournalError(f"{path}: a folder, expected a file such as {results.suite}.tar.gz")
    partial = path.with_name(path.name + ".partial")
    name = f"{results.suite}-{results.folder.name}"
    try:
        with tempfile.TemporaryDirectory() as scratch, tarfile.open(partial, "w:gz") as archive:
            root = Path(scratch) / name
            for each in results.suites:
                _lay_out(each, root / each.suite if results.members else root, root)
            if results.members:
                group = json.dumps(without_private(results.manifest), indent=1, default=str)
                _write(root / "runs" / results.suite / results.folder.name / "collection.json", group)
            archive.add(root, name)
        partial.replace(path)
    except OSError as error:
        raise JournalError(f"{path}: cannot write: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)


def _lay_out(results: Results, folder: Path, root: Path) -> None:
    """Write the run of one suite: what a person reads into a folder, journal and manifest below ``runs``."""
    manifest = without_private(results.manifest)
    run = manifest.get("run") or results.folder.name
    journal = root / "runs" / results.suite
    home = journal / run
    plugins = _plugin_files(results.folder, results.manifest)
    suite = {**manifest["suite_as_run"], **({"plugins": [f"plugins/{key}" for key in plugins]} if plugins else {})}
    # Seen from the run's folder; the digests tell a reader who trusts the bundle that the files are the run's.
    inside = {name: os.path.relpath(folder / "plugins" / key, home) for key, (name, _) in plugins.items()}
    digests = results.manifest.get("plugin_digests") or {}
    bundled = {
        **manifest,
        "plugins": list(inside.values()),
        "plugin_digests": {place: digests[name] for name, place in inside.items() if name in digests},
        "suite_as_run": suite,
        "greater_is_better": dict(results.greater_is_better),
    }
    title, started = results.title or results.suite, manifest.get("started")
    readme = _README.format(title=title, run=run, suite=results.suite, started=started, name=root.name)
    _write(folder / "README.txt", readme)
    _write(folder / "suite.yaml", yaml_text.write(suite))
    _write(folder / "environment.json", json.dumps(manifest.get("environment", {}), indent=1))
    for key, (_, file) in plugins.items():
        (folder / "plugins").mkdir(exist_ok=True)
        shutil.copy(file, folder / "plugins" / key)
    # Test rows stay where they are: a record that names none is reused, one whose rows are gone would run again.
    rows = ({**row, "outcomes": None} for row in results.records)
    _write(journal / "trials.jsonl", "".join(json.dumps(row, default=str) + "\n" for row in rows))
    _write(home / "manifest.json", json.dumps(bundled, indent=1, default=str))
    write_files(Analysis(results), home, manifest=bundled)
    shutil.copy(home / "report.html", folder / "report.html")
    if (results.folder / PLOTS).is_dir():
        shutil.copytree(results.folder / PLOTS, home / PLOTS)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


@contextmanager
def opened(reference: Path) -> Iterator[Path]:
    """The folder of a run: the reference itself, or, while the context lasts, that of an unpacked bundle."""
    if not reference.is_file():
        yield reference
        return
    with tempfile.TemporaryDirectory(prefix="benchkit-bundle-") as scratch:
        _unpack(reference, Path(scratch))
        manifests = sorted(Path(scratch).glob("*/runs/*/*/manifest.json"))
        groups = sorted(Path(scratch).glob("*/runs/*/*/collection.json"))
        if len(groups or manifests) != 1:
            raise JournalError(f"{reference}: not a bundle: it holds {len(manifests)} runs")
        try:
            yield (groups or manifests)[0].parent
        except JournalError as error:  # nobody knows of the temporary folder
            raise type(error)(str(error).replace(f"{scratch}/", f"{reference}: ")) from None


def _plugin_files(folder: Path, manifest: Mapping[str, Any]) -> dict[str, tuple[str, Path]]:
    """The manifest's name, and the path, of each plugin file, by the name that it gets in the bundle."""
    named: dict[str, tuple[str, Path]] = {}
    for name, path in plugin_files(folder, manifest).items():
        if not path.is_file():
            raise JournalError(f"{path}: this plugin file of the run is gone; without it a bundle could not run again")
        key, number = path.name, 2
        while key in named:
            key, number = f"{path.stem}_{number}{path.suffix}", number + 1
        named[key] = name, path
    return named
