"""A report in one of the formats: of one suite, or of each suite of a collection."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

from benchkit.report.analysis import Analysis
from benchkit.report.formats.exports import csv_text, json_text, write_parquet
from benchkit.report.formats.latex import latex
from benchkit.report.formats.markdown import markdown
from benchkit.report.formats.reproduction import reproduction
from benchkit.report.page.document import page
from benchkit.report.results import Results

FILES_ONLY = ("parquet",)
"""Formats that are no text."""


def write(results: Results, analyses: Sequence[Analysis], form: str, output: Path | None) -> str | None:
    """Write a report to a file, or return its text where no file is named.

    Parameters
    ----------
    results : Results
    analyses : sequence of Analysis
        Of each of its suites.
    form : {"text", "markdown", "latex", "csv", "json", "html", "parquet"}
    output : Path or None
        A file; of a collection's HTML and parquet a folder, which gets one file for each suite.

    Raises
    ------
    OSError
    """
    if results.members and output is not None and form in ("html", "parquet"):
        _write_each(results, analyses, form, output)
        return None
    if form == "parquet":
        assert output is not None
        write_parquet(analyses[0], output)
        return None
    text = _of_all(results, analyses, form) if results.members else _of_one(analyses[0], form)
    if output is None:
        return text
    output.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    return None


def _of_one(analysis: Analysis, form: str) -> str:
    if form == "html":
        return page(analysis, analysis.results.manifest)
    writers = {"text": markdown, "markdown": markdown, "latex": latex, "csv": csv_text, "json": json_text}
    return writers[form](analysis)


def _of_all(results: Results, analyses: Sequence[Analysis], form: str) -> str:
    """One text for all suites; rows of data say which suite they are of."""
    if form in ("text", "markdown"):
        return reproduction(results)
    if form == "html":
        return _index(results)
    if form == "json":
        rows = [{"suite": each.results.suite, **row} for each in analyses for row in json.loads(json_text(each))]
        return json.dumps(rows, indent=1)
    if form == "csv":
        return _joined_csv(analyses)
    return "\n".join(_of_one(each, form) for each in analyses)


def _joined_csv(analyses: Sequence[Analysis]) -> str:
    tables = [(each.results.suite, list(csv.reader(io.StringIO(csv_text(each))))) for each in analyses]
    header = list(dict.fromkeys(column for _, table in tables for column in table[0]))
    text = io.StringIO()
    writer = csv.DictWriter(text, ["suite", *header], restval="", lineterminator="\n")
    writer.writeheader()
    for suite, (columns, *rows) in tables:
        writer.writerows({"suite": suite, **dict(zip(columns, row, strict=True))} for row in rows)
    return text.getvalue()


def _write_each(results: Results, analyses: Sequence[Analysis], form: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for each in analyses:
        if form == "parquet":
            write_parquet(each, folder / f"{each.results.suite}.parquet")
        else:
            (folder / f"{each.results.suite}.html").write_text(_of_one(each, form), encoding="utf-8")
    if form == "html":
        (folder / "index.html").write_text(_index(results), encoding="utf-8")


def _index(results: Results) -> str:
    """A page that links to the suites' pages beside it."""
    rows = []
    for each in results.suites:
        verdicts = [verdict.outcome for verdict in each.verdicts()]
        told = ", ".join(f"{verdicts.count(outcome)} {outcome}" for outcome in dict.fromkeys(verdicts)) or "-"
        link = f'<a href="{escape(each.suite)}.html">{escape(each.title or each.suite)}</a>'
        rows.append(f"<tr><td>{link}</td><td>{len(each.rows)}</td><td>{escape(told)}</td></tr>")
    title = escape(results.title or results.suite)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    table = f"<table><tr><th>suite</th><th>trials</th><th>claims</th></tr>{''.join(rows)}</table>"
    style = "body{font-family:sans-serif;max-width:60rem;margin:2rem auto}td,th{padding:.3rem .8rem;text-align:left}"
    body = f"<body><h1>{title}</h1>{table}</body>"
    return f'<!doctype html><html lang="en"><head>{head}<style>{style}</style></head>{body}</html>'
