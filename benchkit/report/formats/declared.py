"""A report in a declared format: of one suite, or of each suite of a collection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchkit.errors import RequestError
from benchkit.plugin.declarations import ReportFormat
from benchkit.plugin.guard import PluginError, guarded, of
from benchkit.regular_file import write_whole
from benchkit.report.analysis import Analysis
from benchkit.report.results import Results


class FormatError(PluginError):
    """A format could not make its report; the message is one line for the user."""


def write(results: Results, analyses: Sequence[Analysis], form: ReportFormat, output: Path | None) -> str | None:
    """Write a report to a file (of a collection in a format of separate files a folder), or return its text.

    Parameters
    ----------
    results : Results
    analyses : sequence of Analysis
        Of each of its suites.
    form : ReportFormat
    output : Path or None

    Raises
    ------
    FormatError, OSError
    """
    if results.members and output is not None and (form.separate or not form.text):
        output.mkdir(parents=True, exist_ok=True)
        for each in analyses:
            _save(_made(form, form.render, each), output / f"{each.results.suite}{form.suffix}")
        if form.join is not None:
            _save(_made(form, form.join, results, list(analyses)), output / f"index{form.suffix}")
        return None
    if results.members and form.join is not None:
        made = _made(form, form.join, results, list(analyses))
    elif results.members:
        made = "\n".join(str(_made(form, form.render, each)) for each in analyses)
    else:
        made = _made(form, form.render, analyses[0])
    if output is None:
        return str(made)
    _save(made, output)
    return None


def _made(form: ReportFormat, make: Callable[..., Any], *arguments: Any) -> str | bytes:
    """What a format makes; what goes wrong in a plugin's code is told in one line."""
    expected = str if form.text else bytes
    # What is wrong with the run, or with what was asked for, says so itself.
    with guarded(of(form), passing=(RequestError,), raising=FormatError):
        made = make(*arguments)
        if not isinstance(made, expected):
            raise TypeError(f"made a {type(made).__name__}, expected {expected.__name__}")
    return made


def _save(made: str | bytes, path: Path) -> None:
    write_whole(path, made if isinstance(made, bytes) else made.rstrip("\n") + "\n")
