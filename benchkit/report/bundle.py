"""A run as one archive that another person can open, report on and run again."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchkit.journal import JournalError
from benchkit.report.files import PLOTS, write_files
from benchkit.report.results import Results, plugin_files
from benchkit.suite import yaml_text

_README = """{title}

Run {run} of suite {suite}, {started}.

    report.html                 open it in a browser
    suite.yaml, plugins/        the suite as it was run, and the plugin files that it needs
    environment.json            machine and versions
    runs/{suite}/               journal, manifest, tables, records, plots

    benchkit report BUNDLE                  reports on it, without unpacking
    tar xzf BUNDLE && cd {name}
    benchkit report runs/{suite}            the same, unpacked
    benchkit plan suite.yaml                what would run again here: whatever code, data or versions changed
    benchkit run suite.yaml                 runs it
"""


def write_bundle(results: Results, path: Path) -> None:
    """Write suite, plugin files, manifest, records, environment and report into one ``.tar.gz``.

    Parameters
    ----------
    results : Results
        Of a run on disk.
    path : Path

    Raises
    ------
    JournalError
        A plugin file is no longer there, or the archive cannot be written.
    """
    manifest = results.manifest
    run = manifest.get("run") or results.folder.name
    name = f"{results.suite}-{run}"
    plugins = _plugin_files(manifest)
    # Opening a bundle must not run its code, so the manifest tells what only the plugins would.
    told = {**manifest, "plugins": [], "greater_is_better": dict(results.greater_is_better)}
    suite = {**manifest["suite_as_run"], **({"plugins": [f"plugins/{key}" for key in plugins]} if plugins else {})}
    readme = _README.format(
        title=results.title or results.suite, run=run, suite=results.suite, started=manifest.get("started"), name=name
    )
    home = f"{name}/runs/{results.suite}"
    partial = path.with_name(path.name + ".partial")
    try:
        with tarfile.open(partial, "w:gz") as archive, tempfile.TemporaryDirectory() as scratch:
            made = Path(scratch)
            write_files(results, made)
            _add(archive, f"{name}/README.txt", readme)
            _add(archive, f"{name}/suite.yaml", yaml_text.write(suite))
            _add(archive, f"{name}/environment.json", json.dumps(manifest.get("environment", {}), indent=1))
            for key, file in plugins.items():
                archive.add(file, f"{name}/plugins/{key}")
            lines = "".join(json.dumps(row, default=str) + "\n" for row in results.records)
            _add(archive, f"{home}/trials.jsonl", lines)
            _add(archive, f"{home}/{run}/manifest.json", json.dumps(told, indent=1, default=str))
            for file in sorted(made.iterdir()):
                archive.add(file, f"{home}/{run}/{file.name}")
            archive.add(made / "report.html", f"{name}/report.html")
            if (results.folder / PLOTS).is_dir():
                archive.add(results.folder / PLOTS, f"{home}/{run}/{PLOTS}")
        partial.replace(path)
    except OSError as error:
        raise JournalError(f"{path}: cannot write: {error.strerror or error}") from None


@contextmanager
def opened(reference: Path) -> Iterator[Path]:
    """The folder of a run: the reference itself, or, while the context lasts, that of an unpacked bundle.

    Raises
    ------
    JournalError
        It is a file, but no bundle.
    """
    if not reference.is_file():
        yield reference
        return
    with tempfile.TemporaryDirectory(prefix="benchkit-bundle-") as scratch:
        try:
            with tarfile.open(reference) as archive:
                archive.extractall(scratch, filter="data")
        except tarfile.ReadError:
            raise JournalError(f"{reference}: not a bundle, nor a run's folder") from None
        except (tarfile.TarError, OSError, EOFError) as error:
            raise JournalError(f"{reference}: not a bundle: {error}") from None
        found = sorted(Path(scratch).glob("*/runs/*/*/manifest.json"))
        if len(found) != 1:
            raise JournalError(f"{reference}: not a bundle: it holds {len(found)} runs")
        yield found[0].parent


def _add(archive: tarfile.TarFile, name: str, text: str) -> None:
    content = text.encode()
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def _plugin_files(manifest: Mapping[str, Any]) -> dict[str, Path]:
    """Plugin files by a name of their own in the bundle."""
    found: dict[str, Path] = {}
    for path in plugin_files(manifest):
        if not path.is_file():
            raise JournalError(f"{path}: this plugin file of the run is gone; without it a bundle could not run again")
        key, number = path.name, 2
        while key in found:
            key, number = f"{path.stem}_{number}{path.suffix}", number + 1
        found[key] = path
    return found
