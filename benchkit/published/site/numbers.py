"""The numbers that pages show, as files beside them: tables and charts of a page are of these."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from benchkit.published.site.cases import Case
from benchkit.published.site.question import labels_of, tags_of
from benchkit.published.site.shown import Shown
from benchkit.report.page.section import Section
from benchkit.report.statistics.points import Point
from benchkit.statistics.estimate import LEVEL

if TYPE_CHECKING:
    import pandas as pd

TAGS: Mapping[str, str] = {
    "task": "predicts",
    "kind": "kinds",
    "share": "share_bin",
    "rows": "rows_bin",
    "columns": "columns_bin",
    "values": "values_of",
    "classes": "classes_of",
    "gaps": "training_data",
}
"""The parts of the front page's question, and the columns of ``cases.parquet`` that answer them."""


def files_of_suite(shown: Shown) -> dict[str, bytes]:
    """The means of a suite's curves with their intervals, as CSV and parquet beside its page, by address."""
    import pandas as pd

    rows = [_row(point, shown) for point in shown.analysis.points]
    return _files(shown.address.removesuffix(".html"), pd.DataFrame(rows))


def files_of_cases(cases: Sequence[Case]) -> dict[str, bytes]:
    """Every answer to every case of the front page."""
    import pandas as pd

    rows = [
        {
            "suite": case.shown.name,
            "case": case.grid.panel,
            "where": case.where,
            "metric": case.grid.metric,
            "share_lost": case.share,
            "repetitions": case.repetitions,
            "method": labels[answer.method],
            "mean": answer.mean,
            "low": answer.interval[0] if answer.interval else None,
            "high": answer.interval[1] if answer.interval else None,
            "tier": answer.tier,
            "fit_seconds": answer.seconds,
            "clean_mean": answer.clean,
            "trials": answer.trials,
            "run_again": answer.run_again,
            "reduced_size": case.shown.is_reduced,
            **tags,
        }
        for case, labels in zip(cases, labels_of(cases), strict=True)
        for tags in [{TAGS[part]: ", ".join(keys) for part, keys in tags_of(case).items()}]
        for answer in case.answers
    ]
    return _files("cases", pd.DataFrame(rows))


def files_of_gaps(cases: Sequence[Case]) -> dict[str, bytes]:
    """Every pair of methods of every case, with their paired difference."""
    import pandas as pd

    rows = []
    for case, labels in zip(cases, labels_of(cases), strict=True):
        for gap in case.gaps:
            low, high = gap.difference.interval(LEVEL, case.grid.limits_of_differences)
            rows.append(
                {
                    "suite": case.shown.name,
                    "case": case.grid.panel,
                    "where": case.where,
                    "metric": case.grid.metric,
                    "first": labels[gap.first],
                    "second": labels[gap.second],
                    "difference": gap.difference.mean,
                    "low": low,
                    "high": high,
                    "decided_for": {1: labels[gap.first], -1: labels[gap.second], 0: ""}[gap.told],
                }
            )
    return _files("pairs", pd.DataFrame(rows))


def files_of_over(judged: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """The tiers over data sets of every selection that the front page offers, by their numbers there."""
    import pandas as pd

    rows = [
        {"over": number, "data": ", ".join(each["data"]), "method": method, "tier": tier, "mean": mean}
        for number, each in enumerate(judged)
        for method, tier, mean in each["methods"]
    ]
    return _files("over-data", pd.DataFrame(rows, columns=["over", "data", "method", "tier", "mean"]))


def numbers_section(base: str, rows_files: Sequence[str] = ()) -> Section:
    """Where the numbers are, and the lines of Python that read them.

    Parameters
    ----------
    base : str
        Name of the files beside the page, without its ending.
    rows_files : sequence of str
        Files of the published rows behind them, below the folder of results.
    """
    line = f'pd.read_parquet("{base}.parquet")'
    told = (
        f'<p><a href="{escape(base)}.csv" download>CSV</a> · <a href="{escape(base)}.parquet" download>parquet</a></p>'
    )
    code = f'<pre tabindex="0"><code>import pandas as pd\n{escape(line)}</code></pre>'
    if rows_files:
        listed = ",\n    ".join(f'"{each}"' for each in rows_files)
        rows = escape(f"pd.concat(map(pd.read_parquet, [\n    {listed},\n]))")
        code += (
            "<p>The rows that these are means of, one for each trial, below the folder of published results:</p>"
            f'<pre tabindex="0"><code>{rows}</code></pre>'
        )
    return Section("The numbers", told + code)


def _files(base: str, frame: pd.DataFrame) -> dict[str, bytes]:
    sink = io.BytesIO()
    frame.to_parquet(sink, index=False)
    # A spreadsheet takes a cell that begins so for a formula.
    plain = frame.map(lambda cell: f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+@-" and cell else cell)
    return {f"{base}.csv": plain.to_csv(index=False).encode(), f"{base}.parquet": sink.getvalue()}


def _row(point: Point, shown: Shown) -> Mapping[str, object]:
    ends = point.interval() or (None, None)
    again, trials = shown.checked([point])
    return {
        "data": point.dataset,
        "parameters": json.dumps(point.dataset_params, sort_keys=True),
        "adversary": point.adversary,
        "method": point.algorithm,
        "axis": point.axis,
        "axis_value": str(point.axis_value),
        "budget": point.budget,
        "metric": point.metric,
        "mean": point.mean,
        "low": ends[0],
        "high": ends[1],
        "stderr": point.stderr,
        "repetitions": point.n,
        "failed": point.failed,
        "trials": trials,
        "run_again": again,
        "reduced_size": shown.is_reduced,
    }
