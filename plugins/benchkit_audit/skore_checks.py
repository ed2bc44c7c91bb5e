"""The findings of an audit as checks of skore: ``report.checks`` there shows them beside its own."""

from __future__ import annotations

from typing import Any

from benchkit import RequestError
from benchkit_audit.audit import audit
from benchkit_audit.findings import CODES
from benchkit_audit.report import AuditReport

# What an audit is told on the command line, and skore's report cannot know.
_NOT_THERE = ("BK013", "BK014")


class SkoreCheck:
    """One finding of an audit, after skore's protocol ``Check``; all share the audits that were made."""

    docs_url: str | None = None
    slow = True  # it is not made for the HTML of a report alone

    def __init__(self, code: str, options: dict[str, Any], audits: dict[int, tuple[Any, AuditReport]]) -> None:
        self.code = code
        self.title = CODES[code][0].replace("-", " ").capitalize()
        self.report_types = ["estimator"]
        self.severity = "tip"
        self._options, self._audits = options, audits

    def check_function(self, report: Any) -> str | None:
        """What was found; None where the check passed."""
        from skore import CheckNotApplicable

        if id(report) not in self._audits:
            if report.X_test is None or report.y_test is None:
                raise CheckNotApplicable("The report has no test part.")
            try:
                made = audit(report.estimator_, report.X_test, report.y_test, **self._options)
            except RequestError as error:
                raise CheckNotApplicable(str(error)) from None
            # The report is kept, so that its identity is not given to another.
            self._audits[id(report)] = report, made
        finding = next(each for each in self._audits[id(report)][1].findings if each.code == self.code)
        if finding.level in ("not applicable", "skipped"):
            raise CheckNotApplicable(finding.text)
        if finding.level == "passed":
            return None
        self.severity = finding.level
        return f"{finding.text} {finding.advice}".strip()


def skore_checks(**options: Any) -> list[SkoreCheck]:
    """Checks for skore's reports of one estimator: ``report.checks.add(skore_checks())``.

    All share one audit of the fitted estimator on the report's test part, made when the first of them is asked.

    Parameters
    ----------
    options : mapping
        Of `benchkit.audit`, such as ``sources``, ``seconds``, ``seed``.
    """
    from importlib.util import find_spec

    if find_spec("skore") is None:
        raise RequestError("skore is not installed: pip install 'benchkit[skore]'")
    audits: dict[int, tuple[Any, AuditReport]] = {}
    return [SkoreCheck(code, options, audits) for code in CODES if code not in _NOT_THERE]
