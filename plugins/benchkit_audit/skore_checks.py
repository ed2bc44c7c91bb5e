"""The findings of an audit as checks of skore: ``report.checks`` there shows them beside its own."""

from __future__ import annotations

from typing import Any

from benchkit import RequestError
from benchkit_audit.findings import CODES, Finding

# What an audit is told on the command line, and skore's report cannot know.
_NOT_THERE = ("BK013", "BK014")


class SkoreCheck:
    """One finding of an audit, after skore's protocol ``Check``.

    Attributes
    ----------
    code, title : str
        Of `benchkit_audit.findings.CODES`.
    report_types : list of str
        One fitted estimator with a test part.
    docs_url : None
    severity : {"issue", "tip"}
        Of the finding, once the audit was made.
    slow : bool
        An audit takes up to a minute: it is not made for the HTML of a report alone.
    """

    docs_url: str | None = None
    slow = True

    def __init__(self, code: str, audits: _Audits) -> None:
        self.code = code
        self.title = CODES[code][0].replace("-", " ").capitalize()
        self.report_types = ["estimator"]
        self.severity = "tip"
        self._audits = audits

    def check_function(self, report: Any) -> str | None:
        """What was found; None where the check passed."""
        from skore import CheckNotApplicable

        finding = self._audits.finding(report, self.code)
        if finding.level in ("not applicable", "skipped"):
            raise CheckNotApplicable(finding.text)
        if finding.level == "passed":
            return None
        self.severity = finding.level
        return f"{finding.text} {finding.advice}".strip()


class _Audits:
    """One audit for the checks of each report."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        # The report is kept, so that its identity is not given to another.
        self._made: dict[int, tuple[Any, tuple[Finding, ...]]] = {}

    def finding(self, report: Any, code: str) -> Finding:
        from skore import CheckNotApplicable

        from benchkit_audit.audit import audit

        if id(report) not in self._made:
            X, y = report.X_test, report.y_test
            if X is None or y is None:
                raise CheckNotApplicable("The report has no test part.")
            try:
                findings = audit(report.estimator_, X, y, **self._options).findings
            except RequestError as error:
                raise CheckNotApplicable(str(error)) from None
            self._made[id(report)] = report, findings
        return next(each for each in self._made[id(report)][1] if each.code == code)


def skore_checks(**options: Any) -> list[SkoreCheck]:
    """Checks for skore's reports of one estimator: ``report.checks.add(skore_checks())``.

    All share one audit of the fitted estimator on the report's test part, made when the first of them is asked.

    Parameters
    ----------
    options : mapping
        Of `benchkit.audit`, such as ``sources``, ``seconds``, ``seed``.

    Returns
    -------
    list of SkoreCheck
        With the codes of an audit's findings, BK001 and so on.

    Raises
    ------
    RequestError
        skore is not installed.
    """
    from importlib.util import find_spec

    if find_spec("skore") is None:
        raise RequestError("skore is not installed: pip install 'benchkit[skore]'")
    audits = _Audits(options)
    return [SkoreCheck(code, audits) for code in CODES if code not in _NOT_THERE]
