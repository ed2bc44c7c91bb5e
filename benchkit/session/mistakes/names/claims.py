"""What claims speak of."""

from __future__ import annotations

from benchkit.session.mistakes.names.known import check_listed
from benchkit.session.mistakes.names.labels import labels
from benchkit.session.mistakes.names.mistake import MistakeError, Mistakes
from benchkit.suite.claims.claim import MEASURES, Claim
from benchkit.suite.source import Location
from benchkit.suite.whole_suite import Suite


def check_claims(suite: Suite) -> Mistakes:
    """What claims compare, and where: the suite has it, and an axis that they can tell by."""
    algorithms = list(dict.fromkeys(entry.display_name for entry in suite.algorithms))
    adversaries = list(dict.fromkeys(entry.display_name for entry in suite.adversaries))
    groups = list(dict.fromkeys(entry.group for entry in suite.datasets if entry.group))
    for position, claim in enumerate(suite.expect):
        at: Location = ["expect", position]
        yield from check_listed(claim.algorithms, algorithms, "algorithm", [*at, claim.names_in])
        yield from _check_axis_of(claim, suite, at)
        if claim.metric is not None and claim.metric not in (*suite.metrics, *MEASURES):
            yield MistakeError([*at, "metric"], f"metric {claim.metric!r} is not among the suite's metrics")
        yield from check_listed(claim.datasets, labels(suite), "dataset", [*at, "datasets"])
        yield from check_listed(claim.groups, groups, "group", [*at, "groups"])
        yield from check_listed(claim.adversaries, adversaries, "adversary", [*at, "adversaries"])


def _check_axis_of(claim: Claim, suite: Suite, at: Location) -> Mistakes:
    """Refuse claims about how far along the axis where the axis has no numbers to tell by."""
    if claim.needs_axis is None:
        return
    if suite.axis is None:
        places = {budget for entry in suite.adversaries for budget in entry.budgets}
        known = sorted(float(each.removesuffix("%")) if isinstance(each, str) else each for each in places)
        name = "the budget"
    else:
        name, known = suite.axis.parameter, suite.axis.values
    numbers = [value for value in known if isinstance(value, int | float) and not isinstance(value, bool)]
    fitting = [value for value in numbers if value > 0] if claim.needs_axis == "positive numbers" else numbers
    if len(numbers) < len(known) or len(fitting) < 2:
        has = ", ".join(map(str, known)) or "no values"
        needs = f"{claim.form!r} needs an axis of two {claim.needs_axis} or more"
        yield MistakeError([*at, claim.form], f"{needs}; {name} has {has}")
