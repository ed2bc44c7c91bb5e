"""The page of a collection: it links to the suites' pages beside it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from benchkit.report.analysis import Analysis
from benchkit.report.results import Results


def index(results: Results, analyses: Sequence[Analysis]) -> str:
    """Every suite with its trials and what came of its claims."""
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
