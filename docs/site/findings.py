"""The sentences that open REPRODUCTION.md: templates, whose numbers are expressions over published rows.

``findings.yaml`` holds them. A number between braces is one of the sentence's ``numbers``: a claim in the form that
suites write, with the ``suite`` whose rows it is about, and how the number is shown. What the words of a sentence say
stands under ``holds``, as claims with the ``outcome`` that they must have.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

from benchkit.report.claims.forms import ClaimPoint
from benchkit.report.claims.verdict import Verdict, judge
from benchkit.report.points import UNLIMITED
from benchkit.report.results import Results
from benchkit.suite.claims import Claim

ResultsOf = Callable[[str], Results]
"""The published rows of a suite; of ``SUITE/PROFILE`` those of that profile."""

WIDTH = 120
TEMPLATES = Path(__file__).with_name("findings.yaml")
_OWN = ("suite", "times", "digits", "unit", "interval", "take", "pairs", "printed", "outcome")


def read_findings(path: Path = TEMPLATES) -> dict[str, Any]:
    """``opening``, ``sentences`` and ``closing``."""
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def findings(results_of: ResultsOf, templates: Mapping[str, Any] | None = None) -> str:
    """The page's opening as Markdown, with the numbers that the rows give.

    Raises
    ------
    ValueError
        The rows do not give a number, or a claim of ``holds`` has another outcome; the message says where.
    """
    templates = read_findings() if templates is None else templates
    lines = [
        textwrap.fill(
            f"{place}. {told(sentence, results_of)}",
            WIDTH,
            break_on_hyphens=False,
            subsequent_indent=" " * len(f"{place}. "),
        )
        for place, sentence in enumerate(templates["sentences"], start=1)
    ]
    closing = [
        textwrap.fill(told(sentence, results_of), WIDTH, break_on_hyphens=False) for sentence in templates["closing"]
    ]
    return "\n\n".join([templates["opening"].strip(), "\n".join(lines), *closing]) + "\n"


def told(sentence: Mapping[str, Any], results_of: ResultsOf) -> str:
    """One sentence with its numbers, in one line."""
    for claim in sentence.get("holds", ()):
        verdict, _ = _judged(claim, results_of)
        if verdict.outcome != claim["outcome"]:
            raise ValueError(f"findings.yaml says {claim}, and the rows say {verdict.outcome}: {verdict.evidence}")
    shown = {name: number(said, results_of) for name, said in sentence.get("numbers", {}).items()}
    names = set(re.findall(r"\{(\w+)\}", sentence["text"]))
    if names != set(shown):
        raise ValueError(f"findings.yaml: numbers {sorted(shown)} where the sentence has {sorted(names)}")
    return " ".join(sentence["text"].format(**shown).split())


def number(said: Mapping[str, Any], results_of: ResultsOf) -> str:
    """A number as the page shows it: ``4.4 points [0.9, 7.9]``."""
    times, digits = said.get("times", 1), said.get("digits", 1)
    unit = f" {said['unit']}" if "unit" in said else ""
    take = said.get("take")
    if "printed" in said:
        return _of_printed(said, results_of)
    if take in ("supported", "contradicted", "undecided", "points"):
        return str(sum(getattr(verdict, take) for verdict, _ in _each(said, results_of)))
    checks = [check for _, found in _each(said, results_of) for check in found]
    if not checks:
        raise ValueError(f"findings.yaml: no row gives {dict(said)}")
    if take in ("least", "most"):
        means = [times * check.measured.mean for check in checks]
        return _decimal(min(means) if take == "least" else max(means), digits) + unit
    if len(checks) > 1:
        raise ValueError(f"findings.yaml: {len(checks)} numbers, where one is asked for: {dict(said)}")
    low, high = sorted(times * end for end in checks[0].interval)
    ends = f" [{_decimal(low, digits)}, {_decimal(high, digits)}]" if said.get("interval", True) else ""
    return f"{_decimal(times * checks[0].measured.mean, digits)}{unit}{ends}"


def _of_printed(said: Mapping[str, Any], results_of: ResultsOf) -> str:
    """Of the numbers that a paper prints, of those whose claims match: how many, how many consistent, how far off."""
    verdicts = [
        verdict
        for verdict in results_of(said["suite"]).verdicts()
        if verdict.number is not None and re.search(said["printed"], verdict.claim)
    ]
    if not verdicts:
        raise ValueError(f"findings.yaml: no printed number of {said['suite']} matches {said['printed']!r}")
    found = [verdict.number for verdict in verdicts if verdict.number is not None]
    take, times, digits = said["take"], said.get("times", 1), said.get("digits", 1)
    if take == "points":
        return str(len(verdicts))
    if take == "supported":
        return str(sum(verdict.outcome == "supported" for verdict in verdicts))
    if take == "mean":
        return _decimal(times * fmean(each.difference for each in found), digits)
    ratios = [each.ours / each.theirs for each in found]
    return _decimal({"least ratio": min, "most ratio": max}[take](ratios), digits)


def _decimal(value: float, digits: int) -> str:
    """What is rounded to zero is zero, without a sign."""
    shown = f"{value:.{digits}f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown


def _each(said: Mapping[str, Any], results_of: ResultsOf) -> Iterator[tuple[Verdict, Sequence[ClaimPoint]]]:
    """The claim, or with ``pairs`` the same claim of each pair of algorithms."""
    for pair in said.get("pairs", (None,)):
        yield _judged(said if pair is None else {**said, "order": pair}, results_of)


def _judged(said: Mapping[str, Any], results_of: ResultsOf) -> tuple[Verdict, Sequence[ClaimPoint]]:
    """As the page judges a suite's own claims; means are over points where something is lost, as its opening says."""
    results = results_of(said["suite"])
    claim = Claim.model_validate({"claim": "finding", **{key: value for key, value in said.items() if key not in _OWN}})
    metric = claim.metric or results.metrics[0]
    limits = results.ranges.get(metric, UNLIMITED)
    direction = results.greater_is_better.get(metric, False)
    trivial = results.trivial if metric in results.attack_order.get("metrics", ()) else ()
    rows = results.rows
    if "on_average" in said and "at" not in said:  # a mean over all budgets speaks of those at which something is lost
        rows = [row for row in rows if row["axis"] != "budget" or row["axis_value"] != 0]
    verdict = judge(claim, rows, metric, direction, limits, trivial)
    return verdict, verdict.judged
