"""What ``--json`` prints of each command: a type for its rows, and one for its summary where it has one.

The schema (``benchkit schema answers``) and the page docs/json.md are made from these types.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict


class ListRow(TypedDict):
    """A declaration, a suite or a plugin."""

    kind: Annotated[str, "what it is, as `benchkit list` takes it: algorithms, datasets, suites, ..."]
    name: Annotated[str, "its name"]
    summary: Annotated[str, "one line on it; a suite's title"]
    plugin: Annotated[str | None, "who declares it; null of suites and plugins"]
    shape: Annotated[NotRequired[str], "of data sets: rows and features"]
    files: Annotated[NotRequired[Literal["here", "absent", ""]], "of data sets: are their files on this machine?"]
    found_in: Annotated[NotRequired[str], "of plugins: the package or file"]


class ShowRow(TypedDict):
    """A declaration or suite of the name that was asked for."""

    kind: Annotated[str, "what it is: algorithm, dataset, suite, ..."]
    name: Annotated[str, "its name"]
    plugin: Annotated[str | None, "who declares it; null of suites"]
    facts: Annotated[dict[str, str], "what it declares, in words, by field"]
    files: Annotated[dict[str, str | None], "its data files, and where they are; null where absent"]
    options: Annotated[dict[str, str], "of executors: what --executor-option takes"]
    parameters: Annotated[dict[str, str | None], "its parameters with their defaults; null where it has none"]
    text: Annotated[str, "its documentation; of a suite its YAML"]


class PlanRow(TypedDict):
    """The trials of a combination; with --explain those of a combination with the same reason."""

    suite: Annotated[str, "name of the suite"]
    dataset: Annotated[str, "data set"]
    algorithm: Annotated[str, "method"]
    adversary: Annotated[str, "adversary; none where nothing is corrupted"]
    trials: Annotated[int, "trials that the plan has of it"]
    reused: Annotated[NotRequired[int], "those that are done already"]
    reason: Annotated[NotRequired[str], "with --explain: why they run or are reused"]


class PlanSummary(TypedDict):
    """The whole plan."""

    trials: Annotated[int, "trials in all"]
    reused: Annotated[int, "done already"]
    to_run: Annotated[int, "left to run; what suites share is counted once"]
    seconds: Annotated[float | None, "processor time that they may take; null where nothing is known"]
    origins: Annotated[list[str], "what that rests on"]


class ReportRow(TypedDict):
    """A point of a curve: the mean of a metric over repetitions."""

    suite: Annotated[str, "name of the suite"]
    dataset: Annotated[str, "data set or group"]
    dataset_params: Annotated[dict[str, Any], "its parameters"]
    group: Annotated[str | None, "group that the data set belongs to"]
    adversary: Annotated[str, "adversary; none where nothing is corrupted"]
    algorithm: Annotated[str, "method"]
    budget: Annotated[float | None, "budget of the adversary"]
    axis: Annotated[str, "what varies along the curve, such as budget"]
    axis_value: Annotated[Any, "where on it the point is"]
    metric: Annotated[str, "what is measured"]
    mean: Annotated[float | None, "mean over repetitions; null where none ended ok"]
    stderr: Annotated[float | None, "standard error over repetitions; null below two"]
    n: Annotated[int, "repetitions that ended ok with a value"]
    failed: Annotated[int, "trials that did not end ok"]


class ReportSummary(TypedDict):
    """The run."""

    run: Annotated[str, "its folder"]
    planned: Annotated[int | None, "trials of its plan"]
    statuses: Annotated[dict[str, int], "how many trials ended how: ok, failed, timeout, skipped, ..."]
    answers: Annotated[list[str], "which method to use, in sentences"]
    claims: Annotated[list[dict[str, str]], "claims of the suite, each with suite, claim and outcome"]


class CompareRow(TypedDict):
    """A cell in two runs."""

    run: Annotated[str, "the run that is compared"]
    against: Annotated[str, "the run that it is compared with"]
    dataset: Annotated[str, "data set"]
    adversary: Annotated[str, "adversary; none where nothing is corrupted"]
    axis: Annotated[str, "what varies along the curve"]
    axis_value: Annotated[Any, "where on it the cell is"]
    algorithm: Annotated[str, "method"]
    metric: Annotated[str, "what is measured"]
    before: Annotated[float | None, "mean in the run that is compared with"]
    after: Annotated[float | None, "mean in the other"]
    difference: Annotated[float | None, "after minus before, over shared repetitions where there are some"]
    low: Annotated[float | None, "lower end of its 95 % interval; null without shared repetitions"]
    high: Annotated[float | None, "upper end"]
    wilcoxon: Annotated[float | None, "p of Wilcoxon's signed-rank test"]
    holm: Annotated[float | None, "p after Holm's correction over the cells of the method"]
    dz: Annotated[float | None, "effect size: mean difference by its standard deviation"]
    n: Annotated[int, "shared repetitions"]


class CompareSummary(TypedDict):
    """All cells."""

    cells: Annotated[int, "cells that were compared"]
    worse: Annotated[int, "cells that are significantly worse"]
    environments: Annotated[dict[str, list[str]], "what differs in command, environment, source or suite, run by run"]


class JudgeRow(TypedDict):
    """A pair of methods."""

    first: Annotated[str, "a method"]
    second: Annotated[str, "another"]
    difference: Annotated[
        float | None, "how much better the first is; of times, how many times as long the second takes"
    ]
    low: Annotated[float | None, "lower end of its interval, which holds for all pairs at once"]
    high: Annotated[float | None, "upper end"]
    p: Annotated[float | None, "adjusted p-value"]
    verdict: Annotated[str, "better, worse, equal or open, of the first"]
    fewest: Annotated[float | None, "of an open pair: units that would decide it, at least"]
    most: Annotated[float | None, "and at most"]


class AuditRow(TypedDict):
    """A finding."""

    code: Annotated[str, "such as BK011"]
    name: Annotated[str, "its name in words"]
    level: Annotated[Literal["issue", "tip", "passed", "not applicable", "skipped"], "how it ended"]
    text: Annotated[str, "what was found"]
    advice: Annotated[str, "what to do"]


class CheckRow(TypedDict):
    """A rule that was tried on a declaration."""

    kind: Annotated[str, "kind of the declaration"]
    subject: Annotated[str, "its name"]
    rule: Annotated[str, "name of the rule"]
    outcome: Annotated[Literal["kept", "broken", "not asked"], "what became of it"]
    reason: Annotated[str, "why it is broken or was not asked"]
    seconds: Annotated[float, "time that it took"]
    same_as: Annotated[str, "the rule that the same mistake broke first, where there is one"]
    traceback: Annotated[str, "where something was raised that nobody expected"]


class VerifyRow(TypedDict):
    """What a record or a model states."""

    trial: Annotated[str, "its trial, in words"]
    algorithm: Annotated[str, "its method"]
    what: Annotated[str, "what is stated"]
    stated: Annotated[Any, "as stated"]
    recomputed: Annotated[Any, "as computed again"]
    holds: Annotated[bool, "whether they agree"]


class DebugRow(TypedDict):
    """A metric of the repeated trial."""

    metric: Annotated[str, "its name"]
    value: Annotated[float | None, "as computed now"]
    before: Annotated[float | None, "as the journal has it"]


class DebugSummary(TypedDict):
    """The repeated trial."""

    trial: Annotated[str, "in words"]
    params: Annotated[dict[str, Any], "parameters, as tuned"]
    same: Annotated[bool, "whether all that decides the outcome is as it was"]


class DataListRow(TypedDict):
    """A file of a data set."""

    dataset: Annotated[str, "data set"]
    file: Annotated[str, "name of the file"]
    path: Annotated[str | None, "where it is; null where it is not here"]
    bytes: Annotated[int | None, "its size"]


class DataListSummary(TypedDict):
    """Where was looked."""

    searched: Annotated[list[str], "folders, in their order"]


class DataVerifyRow(TypedDict):
    """A data set whose files were checked."""

    dataset: Annotated[str, "data set"]
    verdict: Annotated[Literal["right", "wrong", "absent", "unchecked"], "what came of it"]
    reason: Annotated[str, "why it is not right"]
    files: Annotated[dict[str, str | None], "its files, and where they are; null where absent"]


class EnvListRow(TypedDict):
    """An environment that methods declare."""

    algorithms: Annotated[list[str], "who needs it"]
    needs: Annotated[str, "packages and Python"]
    state: Annotated[Literal["built", "this interpreter", "not built"], "where its methods run"]
    python: Annotated[str | None, "version of Python of a built one"]
    folder: Annotated[str | None, "folder of a built one"]
    megabytes: Annotated[float | None, "size of a built one"]


class NoSummary(TypedDict):
    """Nothing beside the rows."""


OpenSummary = dict[str, Any]

# Command: its rows, and its summary.
ANSWERS: dict[str, tuple[type, Any]] = {
    "list": (ListRow, NoSummary),
    "show": (ShowRow, NoSummary),
    "plan": (PlanRow, PlanSummary),
    "report": (ReportRow, ReportSummary),
    "compare": (CompareRow, CompareSummary),
    "judge": (JudgeRow, OpenSummary),
    "audit": (AuditRow, OpenSummary),
    "check": (CheckRow, NoSummary),
    "verify": (VerifyRow, NoSummary),
    "debug": (DebugRow, DebugSummary),
    "data list": (DataListRow, DataListSummary),
    "data verify": (DataVerifyRow, NoSummary),
    "env list": (EnvListRow, NoSummary),
}
