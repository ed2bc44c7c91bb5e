"""What is wrong with data as it was read, or why it could not be."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.plugin.declarations import Dataset
from benchkit.session.mistakes.data.reading import Facts, Unreadable
from benchkit.session.mistakes.findings import Findings
from benchkit.suite.plan import PlannedDataset
from benchkit.suite.schema import DatasetEntry
from benchkit.suite.source import Location, SuiteText


def tell_unreadable(
    why: Unreadable,
    cell: PlannedDataset,
    declared: Dataset,
    entry: DatasetEntry,
    source: SuiteText,
    at: Location,
    findings: Findings,
) -> None:
    """Add to the findings why the data of a cell could not be read."""
    if why.stopped:
        message = f"{cell.label} was not looked at before the run: reading it {why.message}; its trials will show more"
        findings.warnings.append(str(source.error(at, message)))
        return
    if why.absent:
        # A published file that is absent is skipped and said so; a user's own was asked for, unless marked optional.
        if declared.paths is None:
            return
        said = str(source.error(source.place_of_parameter(at, "path"), why.message))
        if entry.optional:
            findings.warnings.append(f"{said}; its trials will be skipped")
        else:
            findings.mistakes.append(said)
        return
    if entry.label is not None and why.label_is_target:
        findings.mistakes.append(_of_label(entry, source, at))
        return
    # The parameter that the message quotes is the one to mend.
    quoted = [key for key, value in cell.params.items() if repr(value) in why.message or f"{key} is" in why.message]
    where = source.place_of_parameter(at, quoted[0]) if quoted else at
    findings.mistakes.append(str(source.error(where, " ".join(why.message.split()))))


def label_mistakes(
    entry: DatasetEntry, declared: Dataset, facts: Facts, source: SuiteText, at: Location
) -> Iterator[str]:
    """A label that names a column: its writer meant the column to predict."""
    columns = {*facts.feature_names, *facts.group_names, facts.target_name}
    if declared.paths is not None and entry.label is not None and entry.label in columns:
        yield _of_label(entry, source, at)


def _of_label(entry: DatasetEntry, source: SuiteText, at: Location) -> str:
    message = (
        f"{entry.label!r} is a column of the data, and 'label' is only the name that reports show: write "
        f"'target: {entry.label}' for the column to predict, and another label or none"
    )
    return str(source.error([*at, "label"], message))
