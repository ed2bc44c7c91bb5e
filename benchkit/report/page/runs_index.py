"""``index.html`` of an output folder: every run in it, the newest first, with what it answers."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from urllib.parse import quote

from benchkit.journal import JournalError, read_manifest
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.neutral import read_markdown
from benchkit.report.page.frame import framed
from benchkit.report.page.section import Section
from benchkit.report.renderers.html import html_table

NAME = "index.html"
_MANIFEST, _PAGE, _TABLES = "manifest.json", "report.html", "tables.md"
_MOST_RUNS = 500
_ANSWER_WITHIN = 2**16  # bytes at the beginning of a run's tables


def write_index(out: Path) -> None:
    """Write the page anew, beside the old one and then in its place."""
    folders = sorted((path.parent for path in out.glob(f"*/*/{_MANIFEST}")), key=lambda run: run.name, reverse=True)
    table = ReportTable(
        columns=["suite", "profile", "when", "state", "answer", "report"],
        rows=[_row(folder) for folder in folders[:_MOST_RUNS]],
        note="" if len(folders) <= _MOST_RUNS else f"the newest {_MOST_RUNS} of {len(folders):,} runs",
    )
    text = framed("Runs of this folder", f"{len(folders):,} runs", [Section("Runs", html_table(table, "claims"))])
    beside = out / f".{NAME}.{os.getpid()}"
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(out / NAME)
    finally:
        beside.unlink(missing_ok=True)


def _row(folder: Path) -> list[ReportCell | str]:
    suite, page = folder.parent.name, folder / _PAGE
    try:
        manifest = read_manifest(folder)
    except JournalError as error:
        return [suite, "", folder.name, ReportCell("unreadable", emphasis="code bad"), str(error), ""]
    ended = bool(manifest.get("complete", True))
    address = "/".join(quote(name, safe="") for name in (suite, folder.name, _PAGE))
    return [
        ReportCell(suite, hint=str(manifest["title"])),
        str(manifest.get("profile", "")),
        str(manifest.get("started", ""))[:16].replace("T", " ") or folder.name,
        ReportCell("ended" if ended else "not ended", emphasis="code good" if ended else "code bad"),
        _answer(folder / _TABLES),
        ReportCell("open", href=address) if page.exists() else "",
    ]


def _answer(tables: Path) -> str:
    """The first answer of a run, with which its tables begin below their title."""
    with contextlib.suppress(OSError), tables.open("rb") as file:
        for line in file.read(_ANSWER_WITHIN).decode(errors="replace").split("\n")[1:]:
            if line.startswith("- "):
                return read_markdown(line[2:])
            if line:
                break
    return ""
