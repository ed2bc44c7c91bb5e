"""The page that says which of the papers' claims a collection's run reproduces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from benchkit.report.collection import CollectionResults
from benchkit.report.results import Results
from benchkit.report.verdict import Outcome, Verdict


def reproduction(results: CollectionResults) -> str:
    """Markdown: where it ran, every claim with the paper's value and ours, what failed and why, what ran.

    Parameters
    ----------
    results : CollectionResults
    """
    verdicts = list(results.verdicts())
    lines = [f"# {results.title or results.name}", "", *_provenance(results), "", *_summary(verdicts), ""]
    lines += ["## Claims", "", *_claims(results), *_not_reproduced(verdicts), "## What ran", "", *_suites(results), ""]
    return "\n".join(lines)


def _provenance(results: CollectionResults) -> Iterator[str]:
    manifest = results.manifest
    yield f"Written by `benchkit report {results.folder} --format markdown`, from the journals of that run."
    yield ""
    here = manifest.get("environment", {})
    facts = {
        "command": f"`{manifest.get('command', '')}`",
        "profile": manifest.get("profile", ""),
        "started": manifest.get("started", ""),
        "machine": f"{here.get('cpu')}, {here.get('processors')} processors, {here.get('memory_mb')} MB",
        "Python": here.get("python"),
        "commit": _commit(manifest.get("source")),
    }
    yield from (f"- {name}: {value}" for name, value in facts.items())


def _commit(source: Mapping[str, Any] | None) -> str:
    """The commit that the suites were at, and whether files differed from it."""
    if source is None:
        return "unknown (an installed package)"
    return f"{source['commit'][:12]}{' with uncommitted changes' if source['changed_files'] else ''}"


def _summary(verdicts: list[tuple[str, Verdict]]) -> Iterator[str]:
    counts = Counter(verdict.outcome for _, verdict in verdicts)
    told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in get_args(Outcome))
    yield f"{len(verdicts)} claims: {told}."
    yield ""
    yield (
        "A claim that speaks of several points is as good as its worst one, whose numbers are shown with their 95 % "
        "intervals over repetitions, paired for differences. (noise): the interval crosses the limit, and the verdict "
        "may turn with more repetitions."
    )


def _claims(results: CollectionResults) -> Iterator[str]:
    for each in results.results:
        verdicts = each.verdicts()
        if not verdicts:
            continue
        yield f"### {each.suite}: {each.title}"
        yield ""
        yield "| verdict | claim | source | paper | expected | ours |"
        yield "|---|---|---|---|---|---|"
        for verdict in verdicts:
            outcome = verdict.outcome if verdict.outcome == "reproduced" else f"**{verdict.outcome}**"
            outcome += "" if verdict.settled else " (noise)"
            cells = (outcome, verdict.claim, verdict.source, verdict.paper, verdict.expected, verdict.evidence)
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
        yield ""


def _not_reproduced(verdicts: list[tuple[str, Verdict]]) -> Iterator[str]:
    failed = [(suite, verdict) for suite, verdict in verdicts if verdict.outcome == "not reproduced"]
    if not failed:
        return
    yield "## Not reproduced"
    yield ""
    for suite, verdict in failed:
        why = f"Likely reason: {verdict.reason}." if verdict.reason else "No reason known."
        source = f", {verdict.source}" if verdict.source else ""
        yield f"- **{verdict.claim}** ({suite}{source}): {verdict.summary}. {why}"
    yield ""


def _suites(results: CollectionResults) -> Iterator[str]:
    yield "| suite | trials | not ok | CPU minutes |"
    yield "|---|---:|---|---:|"
    for each in results.results:
        yield f"| {each.suite} | {len(each.records)} | {_problems(each)} | {_minutes(each):.1f} |"
    names = [each.suite for each in results.results]
    absent = [name for name in results.manifest.get("suites", []) if name not in names]
    if absent:
        yield ""
        yield f"Not run: {', '.join(absent)}."


def _problems(results: Results) -> str:
    """What did not end ok, by status and kind of error: the page is read on other machines than it was made on."""
    kinds = Counter((row["status"], row["error_type"]) for row in results.records if row["status"] != "ok")
    shown = (f"{count} {status} ({error})" for (status, error), count in kinds.most_common())
    return ", ".join(shown) or "none"


def _minutes(results: Results) -> float:
    return sum(row.get("cpu_seconds") or 0.0 for row in results.records) / 60
