"""Writing the report of an audit, as ``benchkit audit`` and ``benchkit report`` do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.cli.interface.json_answer import json_answer

if TYPE_CHECKING:
    from benchkit.auditing.report import AuditReport

FORMATS = ("text", "markdown", "html", "json")


def format_of(form: str, output: Path | None) -> str:
    """The format that was asked for; that of the file's suffix where none was."""
    from benchkit.errors import RequestError

    if form not in FORMATS:
        raise RequestError(f"--format {form}: expected one of {', '.join(FORMATS)}")
    if form == "text" and output is not None:
        return {".html": "html", ".json": "json", ".md": "markdown"}.get(output.suffix.lower(), "text")
    return form


def write_audit(report: AuditReport, form: str, output: Path | None) -> None:
    """Print it, or write it into a file; ``answer`` is that of ``--json``."""
    from benchkit.errors import RequestError
    from benchkit.regular_file import write_whole

    made: dict[str, Callable[[], str]] = {
        "markdown": report.to_markdown,
        "html": report.to_html,
        "json": report.to_json,
        "text": report.to_text,
        "answer": lambda: _answer(report),
    }
    if output is not None:
        try:
            write_whole(output, made[form]())
        except OSError as error:
            raise RequestError(f"{output}: cannot be written: {error.strerror}") from None
        print(report.paragraph)
        print(f"written to {output}")
    elif form == "text":
        from benchkit.auditing.terminal import show_report
        from benchkit.cli.interface.console import Console

        show_report(report, Console(highlight=False))
    else:
        print(made[form]())


def _answer(report: AuditReport) -> str:
    """The findings as rows, the rest beside them."""
    said = report.to_dict()
    rows, notes = said.pop("findings"), said.pop("notes")
    return json_answer("audit", rows, said, notes)
