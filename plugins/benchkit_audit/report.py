"""The report of an audit, in every form that it has, and conditions under which it fails."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from html import escape
from typing import Any, Literal

import pandas as pd

from benchkit import RequestError, nearest_name
from benchkit.document import Document
from benchkit.document.text import printable
from benchkit_audit.document import document
from benchkit_audit.estimates import Estimate, number_text
from benchkit_audit.findings import Finding
from benchkit_audit.guard import guard_list
from benchkit_audit.measure import Outcome
from benchkit_audit.summary import paragraph, steps

_FORM = re.compile(r"\s*([a-z][a-z0-9-]*)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(%?)\s*")
_FAMILIES = ("loss", "column-loss", "outage-loss", "pair-loss", "gap-change", "worst-N", "row-worst-N", "random-N")


@dataclass(frozen=True)
class Judged:
    """What came of a condition: it holds, or does not, where the whole interval lies on one side of the limit."""

    condition: str  # as it was given
    measured: Estimate | None  # the number that it names; None where that was not measured
    verdict: Literal["holds", "does not hold", "not decided", "not measured"]
    text: str  # all of it in one line
    failed: bool  # whether the audit fails: it holds, was not measured, or is not decided where that is asked


def read_condition(text: str) -> tuple[str, bool, float]:
    """The number that a comparison such as ``worst-2 > 10 %`` names, whether above the limit it holds, and that."""
    match = _FORM.fullmatch(text)
    if not match:
        raise RequestError(f"--fail-if {text!r}: expected a comparison such as 'column-loss > 0.05'")
    name, sign, limit, per_cent = match.groups()
    if re.sub(r"-\d+$", "-N", name) not in _FAMILIES:
        near = nearest_name(name, _FAMILIES)
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(_FAMILIES)}"
        raise RequestError(f"--fail-if {text!r}: an audit has no {name!r}; {hint}")
    return name, sign.startswith(">"), float(limit) / (100 if per_cent else 1)


def judge_condition(
    text: str, measures: Mapping[str, Estimate], undecided: str = "pass", most: float = math.inf
) -> Judged:
    """A condition against its number, judged by the interval; no number of a metric is more than ``most``."""
    name, upwards, limit = read_condition(text)
    text, measured = text.strip(), measures.get(name)
    if measured is None:
        needs = " (it needs --attacker)" if name.startswith("row-worst") else ""
        has = f"not measured{needs}; this audit has {', '.join(measures)}"
        return Judged(text, None, "not measured", f"{text}: {has}", True)
    if limit > most:
        hint = f"no loss is above {most:g}: write 5 points as 0.05, or as '5 %'"
        return Judged(text, measured, "not measured", f"{text}: {hint}", True)
    beyond, within = measured.above(limit), measured.below(limit)
    if not upwards:
        beyond, within = within, beyond
    value, low, high = (number_text(each, 3) for each in (measured.value, measured.low, measured.high))
    known = math.isfinite(measured.high - measured.low)
    interval = f"{name} is {value}{f' [{low}, {high}]' if known else ', and these rows are too few for an interval'}"
    verdict: Any = "holds" if beyond else "does not hold" if within else "not decided"
    failed = beyond or (verdict == "not decided" and undecided == "fail")
    counts_as = "fails" if failed else "passes"
    answer = f"not decided, {counts_as}" if verdict == "not decided" else counts_as
    return Judged(text, measured, verdict, f"{text}: {answer}, {interval}", failed)


@dataclass(frozen=True)
class AuditReport:
    """What `benchkit.audit` found.

    In a notebook it shows its page; ``print`` shows its text.

    Attributes
    ----------
    findings : tuple of Finding
        With ``code``, ``level``, ``text`` and ``advice``.
    title : str
    seconds : float
        That it took.
    outcome : Outcome
        All that was measured.
    conditions : tuple of str
        Under which it fails, as `judge` takes them.
    undecided : {"pass", "fail"}
        What comes of a condition that the interval does not decide.
    """

    findings: tuple[Finding, ...]
    outcome: Outcome
    title: str = "Audit"
    seconds: float = 0.0
    conditions: tuple[str, ...] = ()
    undecided: str = "pass"

    @property
    def paragraph(self) -> str:
        """How good the model is, in a few sentences; only what is decided is said as a fact."""
        return paragraph(self.outcome)

    @property
    def steps(self) -> list[str]:
        """What to do, the most urgent first."""
        return steps(self.outcome, self.findings)

    @property
    def measures(self) -> Mapping[str, Estimate]:
        """Named numbers with their intervals: ``column-loss``, ``worst-2``, ``gap-change``, ..."""
        return self.outcome.measures()

    @property
    def notes(self) -> list[str]:
        """What was done to the hold-out and the model on the way; what a lost column becomes stands under its table."""
        return [*self.outcome.notes, *([] if guard_list(self.outcome) else [self.outcome.filled.note])]

    def judge(self, *conditions: str) -> list[Judged]:
        """Whether conditions such as ``"column-loss > 0.05"`` hold, judged by the intervals.

        Each has a ``verdict``: "holds", "does not hold", "not decided" or "not measured".
        """
        most = self.outcome.subject.metric.most
        return [judge_condition(condition, self.measures, self.undecided, most) for condition in conditions]

    @property
    def guard(self) -> pd.DataFrame:
        """What to guard, in the order of harm: a row for each column, or pair of columns."""
        return self.tables["guard"]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All that was measured, by name, with plain columns; a cost is a rise of the loss with its ends."""
        parts = {"guard": guard_list(self.outcome), "findings": self.findings, **self._parts}
        return {
            name: pd.json_normalize(_plain(items), sep="_")
            .rename(columns=lambda column: column.removesuffix("_value"))
            .map(lambda entry: " + ".join(entry) if isinstance(entry, list) else entry)
            for name, items in parts.items()
        }

    @property
    def _parts(self) -> dict[str, Any]:
        names = "columns pairs sets random rows_attacked outages slices faults gap_readings fillers"
        return {name: getattr(self.outcome, name) for name in names.split()}

    def to_dict(self) -> dict[str, Any]:
        """Everything as mappings, lists, texts and numbers; NaN and infinity as None."""
        outcome, subject = self.outcome, self.outcome.subject
        metric = subject.metric
        summary: dict[str, Any] = _plain(
            {
                "title": self.title,
                "rows": subject.n_rows,
                "task": subject.task,
                "classes": list(subject.classes),
                "metric": {"name": metric.name, "why": metric.why, "score": metric.score(outcome.before.value)},
                "positive": None if metric.case is None else subject.classes[metric.case],
                "beside": outcome.beside,
                "paragraph": self.paragraph,
                "steps": self.steps,
                "guard": guard_list(outcome),
                "findings": [{"name": each.name, **vars(each)} for each in self.findings],
                "measures": self.measures,
                "fail_if": self.judge(*self.conditions),
                "before": outcome.before,
                "constant": {"answer": subject.constant[0], "loss": outcome.constant},
                "against_constant": outcome.against_constant,
                "fill": outcome.filled.note,
                **self._parts,
                "beyond_plain": outcome.beyond_plain,
                "hardened": outcome.hardened,
                "skipped": outcome.skipped,
                "notes": self.notes,
                "seconds": round(self.seconds, 2),
            }
        )
        return summary

    def to_json(self) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def document(self, details: bool = True) -> Document:
        """The report as blocks, which each form shows; without details as much as a screen holds."""
        return document(self, details)

    def to_markdown(self) -> str:
        """All of it as Markdown."""
        return self.document().markdown()

    def to_latex(self) -> str:
        """All of it as LaTeX."""
        return self.document().latex()

    def to_html(self) -> str:
        """All of it as one page that fetches nothing."""
        return self.document().html()

    def to_text(self, width: int = 100, details: bool = True) -> str:
        """The report as a terminal shows it."""
        return printable(self.document(details).text(width))

    def __str__(self) -> str:
        return self.to_text(details=False)

    def __repr__(self) -> str:
        return f"<AuditReport {self.title!r}: {sum(each.level == 'issue' for each in self.findings)} issues>"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.to_html())}" style="width:100%;height:80vh;border:0"></iframe>'


def _plain(value: Any) -> Any:
    """What JSON holds."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {name: each for name, each in vars(value).items() if name not in ("losses", "outcome")}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
