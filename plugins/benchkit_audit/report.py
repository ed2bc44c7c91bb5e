"""The report of an audit, in every form that it has, and conditions under which it fails."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, Literal

from benchkit import ReportTable, RequestError, nearest_name
from benchkit.document import Document
from benchkit_audit.document import document, tables
from benchkit_audit.estimates import Estimate
from benchkit_audit.findings import Finding, paragraph
from benchkit_audit.hardened import Hardened
from benchkit_audit.measure import Outcome

_FORM = re.compile(r"\s*([a-z][a-z0-9-]*)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(%?)\s*")
_FAMILIES = (
    *("loss", "column-loss", "outage-loss", "pair-loss", "worst-N", "row-worst-N", "random-N", "gap-change"),
    "overconfidence",
)


@dataclass(frozen=True)
class Judged:
    """What came of a condition."""

    condition: str  # as it was given
    measured: Estimate | None  # the number that it names; None where that was not measured
    # {"holds", "does not hold", "not decided", "not measured"}: A condition holds, or does not, where the whole
    # interval lies on one side of the limit
    verdict: Literal["holds", "does not hold", "not decided", "not measured"]
    text: str  # all of it in one line

    @property
    def failed(self) -> bool:
        """Whether the audit fails: the condition holds, or nothing was measured that could tell."""
        return self.verdict in ("holds", "not measured")

    def __str__(self) -> str:
        return self.text


def read_condition(text: str) -> tuple[str, bool, float]:
    """The number that a comparison such as ``worst-2 > 10 %`` names, whether it must be above the limit, and the limit.

    Raises
    ------
    RequestError
        It is none, or names no number of an audit.
    """
    match = _FORM.fullmatch(text)
    if not match:
        raise RequestError(f"--fail-if {text!r}: expected a comparison such as 'column-loss > 0.05'")
    name, sign, limit, per_cent = match.groups()
    if re.sub(r"-\d+$", "-N", name) not in _FAMILIES:
        near = nearest_name(name, _FAMILIES)
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(_FAMILIES)}"
        raise RequestError(f"--fail-if {text!r}: an audit has no {name!r}; {hint}")
    return name, sign.startswith(">"), float(limit) / (100 if per_cent else 1)


def judge_condition(text: str, measures: Mapping[str, Estimate]) -> Judged:
    """A condition against its number, judged by the interval.

    Raises
    ------
    RequestError
    """
    name, upwards, limit = read_condition(text)
    text, measured = text.strip(), measures.get(name)
    if measured is None:
        return Judged(text, None, "not measured", f"{text}: not measured; this audit has {', '.join(measures)}")
    beyond, within = measured.above(limit), measured.below(limit)
    if not upwards:
        beyond, within = within, beyond
    interval = f"{name} is {measured.value:.3g} [{measured.low:.3g}, {measured.high:.3g}]"
    said = "so" if beyond else "not so" if within else "not decided"
    verdict: Any = "holds" if beyond else "does not hold" if within else "not decided"
    return Judged(text, measured, verdict, f"{text}: {said}, {interval}")


@dataclass(frozen=True)
class AuditReport:
    """What `benchkit.audit` found.

    In a notebook it shows its page; ``print`` shows its text.

    Attributes
    ----------
    findings : tuple of Finding
        With ``code``, ``level``, ``text`` and ``advice``.
    paragraph : str
        What was found, in a few sentences.
    measures : mapping of str to Estimate
        Named numbers with their intervals: ``column-loss``, ``worst-2``, ``gap-change``, ...
    title : str
    seconds : float
        That it took.
    outcome : Outcome
        All that was measured.
    conditions : tuple of str
        Under which it fails, as `judge` takes them.
    """

    findings: tuple[Finding, ...]
    outcome: Outcome
    title: str = "Audit"
    seconds: float = 0.0
    conditions: tuple[str, ...] = ()

    @property
    def paragraph(self) -> str:
        """What was found, in a few sentences; only what is decided is said as a fact."""
        return paragraph(self.outcome, self.findings)

    @property
    def measures(self) -> Mapping[str, Estimate]:
        """Named numbers with their intervals."""
        return self.outcome.measures()

    @property
    def issues(self) -> tuple[Finding, ...]:
        """The findings that are issues."""
        return tuple(each for each in self.findings if each.level == "issue")

    @property
    def notes(self) -> list[str]:
        """What was done to the hold-out and the model on the way, but what stands under a table."""
        in_table = self.outcome.columns  # whose table says what a lost column becomes
        return [*self.outcome.notes, *([] if in_table else [self.outcome.filled.note])]

    def judge(self, *conditions: str) -> list[Judged]:
        """Whether conditions such as ``"column-loss > 0.05"`` hold, judged by the intervals.

        Each has a ``verdict``: "holds", "does not hold", "not decided" or "not measured".

        Raises
        ------
        RequestError
            One of them is no comparison, or names no number of an audit.
        """
        return [judge_condition(condition, self.measures) for condition in conditions]

    def tables(self) -> list[ReportTable]:
        """The tables of the report."""
        return [table for _, table in tables(self.outcome, self.findings)]

    def to_dict(self) -> dict[str, Any]:
        """Everything as mappings, lists, texts and numbers; NaN and infinity as None."""
        outcome, subject = self.outcome, self.outcome.subject
        columns = [
            {"source": each.source, "cost": each.cost, "alone": each.alone, "others_lost": each.others}
            for each in outcome.columns
        ]
        found: dict[str, Any] = _plain(
            {
                "title": self.title,
                "rows": subject.n_rows,
                "rows_given": outcome.given,
                "task": subject.task,
                "loss": subject.loss,
                "classes": list(subject.classes),
                "paragraph": self.paragraph,
                "findings": [_finding(each) for each in self.findings],
                "measures": self.measures,
                "fail_if": self.judge(*self.conditions),
                "before": outcome.before,
                "constant": {"answer": subject.constant[0], "loss": outcome.constant},
                "against_constant": outcome.against_constant,
                "against_constant_by_other_loss": outcome.by_other_loss,
                "fill": outcome.filled.note,
                "columns": columns,
                "pairs": outcome.pairs,
                "every_pair_tried": outcome.every_pair,
                "sets": outcome.sets,
                "random": outcome.random,
                "alone": outcome.alone,
                "outages": outcome.outages,
                "rows_attacked": outcome.attacked,
                "gap_readings": outcome.readings,
                "faults": outcome.probes,
                "confidence": outcome.confidences,
                "slices": outcome.slices,
                "slices_lost": {"lost": outcome.sliced_by, "slices": outcome.slices_lost},
                "hardened": [_hardened(each) for each in outcome.hardened],
                "skipped": outcome.skipped,
                "notes": self.notes,
                "seconds": round(self.seconds, 2),
            }
        )
        return found

    def to_json(self) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def document(self) -> Document:
        """The report as blocks, which each form shows."""
        return document(self)

    def to_markdown(self) -> str:
        """The report as Markdown."""
        return self.document().markdown()

    def to_html(self) -> str:
        """The report as one page that fetches nothing."""
        return self.document().html()

    def to_text(self, width: int = 100) -> str:
        """The report as a terminal shows it."""
        from benchkit.document.text import printable

        return printable(self.document().text(width))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{sum(each.level == level for each in self.findings)} {level}" for level in ("issue", "tip")
        )
        return f"<AuditReport {self.title!r}: {counts}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe srcdoc="{escape(self.to_html())}" style="width:100%;height:80vh;border:0"></iframe>'


def _finding(each: Finding) -> dict[str, str]:
    return {name: getattr(each, name) for name in ("name", "code", "level", "text", "advice")}


def _hardened(each: Hardened) -> dict[str, Any]:
    """A model that was trained for lost columns, and what is compared of it."""
    own = each.outcome
    said = {name: getattr(each, name) for name in ("name", "what", "price", "gain", "lost", "seconds", "failed")}
    if own is None:
        return said
    return {**said, "before": own.before, "sets": own.sets, "random": own.random, "rows_attacked": own.attacked}


def _plain(value: Any) -> Any:
    """What JSON holds."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {name: getattr(value, name) for name in value.__dataclass_fields__ if name != "losses"}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
