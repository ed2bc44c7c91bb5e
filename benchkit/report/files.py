"""The files that a run's folder holds beside its manifest, the list of all runs, and reports in declared formats."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchkit.document import Document, Heading, Table
from benchkit.errors import JournalError, RequestError
from benchkit.journal.manifest import read_manifest
from benchkit.plugin.declarations import ReportCell, ReportFormat, ReportTable
from benchkit.plugin.guard import guarded, of
from benchkit.report.analysis import Analysis
from benchkit.report.results import Results
from benchkit.whole_file import write_whole

PAGE, PLOTS = "report.html", "plots"
_OVERVIEW = "overview.json"
_FILES = ("summary.md", "tables.md", "points.csv", "records.parquet", PAGE, _OVERVIEW)
_MANIFEST, _INDEX = "manifest.json", "index.html"
_MOST_RUNS = 500


def write_files(
    analysis: Analysis,
    folder: Path,
    plots: bool = False,
    manifest: Mapping[str, Any] | None = None,
) -> None:
    """Write the report's files into the run's folder, with the curves in ``plots/``, which take seconds to draw.

    The page says what the manifest, by default the run's own, says of its making.

    Raises
    ------
    JournalError
        A link, a device or a pipe is where a file would be written: whoever made the run may have put it there.
    """
    from benchkit.report.documents import markdown, run_document, short_document
    from benchkit.report.exports import csv_text, parquet_bytes

    drawn = [folder / PLOTS, *(folder / PLOTS).glob("*")]
    for path in [*(folder / name for name in _FILES), *drawn]:
        kind = "folder" if path.name == PLOTS else "file"
        if path.is_symlink() or (path.exists() and not (path.is_dir() if kind == "folder" else path.is_file())):
            raise JournalError(f"{path} is no {kind} of a report but a link, a device or something else; remove it")
    facts = analysis.results.manifest if manifest is None else manifest
    overview = {"title": analysis.results.title or analysis.results.suite, "answer": next(iter(analysis.answers), "")}
    overview |= {name: facts[name] for name in ("profile", "started", "complete") if name in facts}
    contents: tuple[str | bytes, ...] = (
        short_document(analysis).markdown(),
        markdown(analysis),
        csv_text(analysis),
        parquet_bytes(analysis),
        run_document(analysis, facts).html(),
        json.dumps(overview),
    )
    for name, content in zip(_FILES, contents, strict=True):
        write_whole(folder / name, content)
    if plots:
        from benchkit.report.plots import write_plots

        write_plots(analysis, folder / PLOTS, curves_alone=True)


def write_index(out: Path) -> None:
    """Write ``index.html`` of an output folder: every run in it, the newest first, with what it answers."""
    folders = sorted((path.parent for path in out.glob(f"*/*/{_MANIFEST}")), key=lambda run: run.name, reverse=True)
    table = ReportTable(
        columns=["suite", "profile", "when", "state", "answer", "report"],
        rows=[_run_row(folder) for folder in folders[:_MOST_RUNS]],
        note="" if len(folders) <= _MOST_RUNS else f"the newest {_MOST_RUNS} of {len(folders):,} runs",
    )
    page = Document("Runs of this folder", [Heading("Runs"), Table(table, "claims")], f"{len(folders):,} runs")
    write_whole(out / _INDEX, page.html())


def _run_row(folder: Path) -> list[ReportCell | str]:
    suite = folder.parent.name
    try:
        about = dict(json.loads((folder / _OVERVIEW).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):  # not ended, of an earlier version, or damaged
        try:
            about = read_manifest(folder)
        except JournalError as error:
            return [suite, "", folder.name, ReportCell("unreadable", emphasis="code bad"), str(error), ""]
    ended = bool(about.get("complete", True))
    state = "ended" if ended else "a look of --until-decided" if about.get("until_decided") else "not ended"
    address = "/".join(quote(name, safe="") for name in (suite, folder.name, PAGE))
    return [
        ReportCell(suite, hint=str(about.get("title") or "")),
        str(about.get("profile") or ""),
        str(about.get("started") or "")[:16].replace("T", " ") or folder.name,
        ReportCell(state, emphasis="code bad" if state == "not ended" else "code good" if ended else ""),
        str(about.get("answer") or ""),
        ReportCell("open", href=address) if (folder / PAGE).exists() else "",
    ]


def write(results: Results, analyses: Sequence[Analysis], form: ReportFormat, output: Path | None) -> str | None:
    """Write a report to a file (of a collection in a format of separate files a folder), or return its text."""
    if results.members and output is not None and (form.separate or not form.text):
        output.mkdir(parents=True, exist_ok=True)
        for each in analyses:
            _save(_made(form, form.render, each), output / f"{each.results.suite}{form.suffix}")
        if form.join is not None:
            _save(_made(form, form.join, results, list(analyses)), output / f"index{form.suffix}")
        return None
    if results.members and form.join is not None:
        made = _made(form, form.join, results, list(analyses))
    else:
        parts = [_made(form, form.render, each) for each in analyses]
        made = "\n".join(map(str, parts)) if results.members else parts[0]
    if output is None:
        return str(made)
    _save(made, output)
    return None


def _made(form: ReportFormat, make: Callable[..., Any], *arguments: Any) -> str | bytes:
    """What a format makes; what goes wrong in a plugin's code is told in one line."""
    expected = str if form.text else bytes
    # What is wrong with the run, or with what was asked for, says so itself.
    with guarded(of(form), passing=(RequestError,)):
        made = make(*arguments)
        if not isinstance(made, expected):
            raise TypeError(f"made a {type(made).__name__}, expected {expected.__name__}")
    return made


def _save(made: str | bytes, path: Path) -> None:
    write_whole(path, made if isinstance(made, bytes) else made.rstrip("\n") + "\n")
