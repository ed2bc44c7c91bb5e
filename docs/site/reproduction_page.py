"""The page that says which of the papers' claims a collection's run reproduces, and what rivals are told and tune."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal, get_args

from benchkit.document.markdown import markdown_table
from benchkit.document.text import markdown_text
from benchkit.plugin.declarations import Algorithm, ReportCell, ReportTable
from benchkit.plugin.manager import Registry
from benchkit.report.claims import CLAIMS_NOTE
from benchkit.report.claims.forms import Number
from benchkit.report.claims.verdict import Outcome, Verdict
from benchkit.report.questions import TITLE, open_table, questions_of, tally
from benchkit.report.results import Results
from benchkit.report.tables import verdict_cell
from benchkit.statistics.estimate import LEVEL
from benchkit.suite.schema import AlgorithmEntry, Tune, UpToBudget
from benchkit.suite.whole_suite import Suite


def knowledge(suite: Suite, registry: Registry) -> ReportTable | None:
    """A row for each entry of the suite's algorithms; None where nobody could be told of an adversary.

    Parameters
    ----------
    suite : Suite
    registry : Registry
        That declares which parameters are the budget and the feature values.
    """
    declared = [registry.algorithms[entry.name] for entry in suite.algorithms]
    if not suite.adversaries or not any(each.budget_param or each.values_param for each in declared):
        return None
    rows = [
        [entry.display_name, _budget(entry, each), _values(suite, entry, each), *_tuned(entry)]
        for entry, each in zip(suite.algorithms, declared, strict=True)
    ]
    return ReportTable(
        title="What each method is told and tunes",
        columns=["method", "prepares for", "knows the feature values", "tunes", "judged on"],
        rows=rows,
        align=("left", "text", "left", "text", "text"),
    )


def _budget(entry: AlgorithmEntry, declared: Algorithm) -> str:
    name = declared.budget_param
    if name is None:
        return "nothing"
    if any(_tries(stage, name) for stage in entry.tune):
        return f"what it tunes ({name})"
    if name in entry.params:
        return f"{name} = {entry.params[name]}"
    return f"the test's budget ({name})"


def _tries(stage: Tune, name: str) -> bool:
    return name in (stage.space or {}) or (isinstance(stage.grid, Mapping) and name in stage.grid)


def _values(suite: Suite, entry: AlgorithmEntry, declared: Algorithm) -> str:
    if declared.values_param is None:
        return "no"
    if declared.values_param in entry.params:
        return "as the suite says"
    applies = [each for each in suite.datasets if entry.datasets is None or each.display_name in entry.datasets]
    rules = {str(suite.feature_values if each.feature_values is None else each.feature_values) for each in applies}
    return "yes (all are 1)" if rules == {"uniform"} else "yes"


def _tuned(entry: AlgorithmEntry) -> Sequence[str]:
    if not entry.tune:
        return "nothing", "-"
    stages = [_grid(stage) for stage in entry.tune]
    rows = dict.fromkeys(
        f"{stage.data} {'validation rows' if stage.folds is None else f'rows of {stage.folds} folds'}"
        for stage in entry.tune
    )
    return ", then ".join(stages), ", then ".join(rows)


def _grid(stage: Tune) -> str:
    if stage.space is not None:
        return ", ".join(f"{name} of {values}" for name, values in stage.space.items())
    if not isinstance(stage.grid, Mapping):
        return "its default grid"
    return "; ".join(f"{name} of {_listed(values)}" for name, values in stage.grid.items())


def _listed(values: Sequence[Any] | UpToBudget) -> str:
    if isinstance(values, UpToBudget):
        return f"{_listed(values.up_to_budget)} up to the budget"
    return ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)


def numbers(verdicts: Sequence[Verdict]) -> ReportTable | None:
    """A row for each verdict on a printed number that was judged, and a line on all of them; None where there is none.

    Parameters
    ----------
    verdicts : sequence of Verdict
        Those without a number are left out.
    """
    judged = [(verdict, verdict.number) for verdict in verdicts if verdict.number is not None]
    if not judged:
        return None
    rows = [
        [
            verdict.claim,
            f"{number.theirs:.4g}" + (f" ± {number.their_error:.2g}" if number.their_error else ""),
            f"{number.ours:.4g} ± {number.our_error:.2g}",
            f"{number.difference:+.3g} [{number.low:+.3g}, {number.high:+.3g}]",
            verdict.repetitions,
            _consistent(verdict),
            "" if verdict.outcome != "contradicted" else verdict.explanation,
        ]
        for verdict, number in judged
    ]
    return ReportTable(
        title="Numbers",
        columns=["number", "theirs", "ours", "ours - theirs", "repetitions", "consistent", "reason"],
        rows=rows,
        align=(0.25, "right", "right", "right", "right", "left", 0.3),
        note=on_the_whole([number for verdict, number in judged if verdict.outcome in ("supported", "contradicted")]),
    )


def _consistent(verdict: Verdict) -> ReportCell:
    words = {"supported": "yes", "contradicted": "no"}
    emphasis = {"supported": "badge good", "contradicted": "badge bad"}
    return ReportCell(words.get(verdict.outcome, "open"), emphasis=emphasis.get(verdict.outcome, "badge open"))


def on_the_whole(judged: Sequence[Number]) -> str:
    """All numbers in one line: how many are consistent, and to which side ours lie."""
    if not judged:
        return ""
    consistent = sum(number.consistent for number in judged)
    higher = sum(number.difference > 0 for number in judged)
    told = f"Of {len(judged)} numbers {consistent} are consistent with the paper's"
    told += f" (of as many equal ones about {(1 - LEVEL) * len(judged):.1f} would not be)"
    told += f"; {higher} of ours are higher, {len(judged) - higher} are not"
    if all(abs(number.theirs) <= 1 for number in judged) and max(abs(number.theirs) for number in judged) > 1e-3:
        told += f"; the mean of ours minus theirs is {100 * fmean(each.difference for each in judged):+.1f} points"
    return told + "."


@dataclass(frozen=True)
class PaperSize:
    """What a suite is at the size of the paper.

    Attributes
    ----------
    trials : int
    hours : float or None
        Of one processor; None where they are not known.
    """

    trials: int
    hours: float | None


@dataclass(frozen=True)
class Paper:
    """A page of claims: its file, its title, the runs of the suites that it is about, and claims over their tables."""

    file: str
    title: str
    suites: Sequence[Results]
    over_tables: Sequence[Verdict] = ()

    def verdicts(self) -> list[Verdict]:
        """All of its claims, judged."""
        return [*self.over_tables, *(verdict for each in self.suites for verdict in each.verdicts())]


def front(title: str, opening: str, papers: Sequence[Paper], sizes: Mapping[str, PaperSize]) -> str:
    """Markdown: what a reader may take home, and a row for each paper, which leads to its page.

    Parameters
    ----------
    title : str
    opening : str
        Markdown below the title.
    papers : sequence of Paper
    sizes : mapping of str to PaperSize
        By suite.
    """
    columns = ["page", *KINDS, "suites"]
    rows = []
    for paper in papers:
        counts = _counts(paper.verdicts())
        of_size = Counter(size_of(each, sizes) for each in paper.suites)
        cells = [", ".join(str(counts[kind][outcome]) for outcome in _words(kind)) for kind in KINDS]
        link = f"[{paper.title}](reproduction/{paper.file})"
        rows.append([link, *cells, ", ".join(str(of_size[size]) for size in _SIZES)])
    lines = [" | ".join(each) for each in [columns, [":--", *["--:"] * (len(columns) - 1)], *rows]]
    table = [f"| {line} |" for line in lines]
    order = (
        "How many of each are supported, contradicted, undecided, not run; of numbers how many are consistent with "
        "ours, not consistent, of too few repetitions, not run; of suites how many ran whole, in part, reduced."
    )
    tally = _tally([verdict for paper in papers for verdict in paper.verdicts()])
    opened = [f"# {title}", "", opening.strip(), "", *tally, "", *_causes(papers)]
    return "\n".join([*opened, "## Paper by paper", "", order, "", *table, "", _HOW_JUDGED, ""])


def _causes(papers: Sequence[Paper]) -> Iterator[str]:
    """Why printed numbers are not consistent with ours: how many of each suite, by how sure the reason is."""
    rows = []
    for results in (each for paper in papers for each in paper.suites):
        verdicts = [each for each in results.verdicts() if kind_of(each) == NUMBERS and each.outcome == "contradicted"]
        tested = sum(bool(each.stated.reason and each.stated.tested_by) for each in verdicts)
        with_reason = sum(bool(each.stated.reason) for each in verdicts)
        if verdicts:
            rows.append([results.suite, len(verdicts), tested, with_reason - tested, len(verdicts) - with_reason])
    if rows:
        total = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
        columns = ["suite", "not consistent", "reason tested", "reason guessed", "reason unknown"]
        yield "Why printed numbers are not consistent with ours:"
        yield ""
        yield from markdown_table(ReportTable(columns=columns, rows=[*rows, ["all", *total]]))
        yield ""


def paper_page(
    paper: Paper,
    sizes: Mapping[str, PaperSize] | None = None,
    told: Mapping[str, ReportTable] | None = None,
    notes: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Markdown: every claim with the paper's value and ours, why it does not hold, what ran and where.

    Parameters
    ----------
    paper : Paper
    sizes : mapping of str to PaperSize, optional
        By suite, to be told beside what ran.
    told : mapping of str to ReportTable, optional
        By suite, what its methods are told and tune.
    notes : mapping of str to sequence of str, optional
        By suite, sentences to begin with, such as on whose rows it is judged.
    """
    sizes = sizes or {}
    lines = [f"# {markdown_text(paper.title)}", "", *_tally(paper.verdicts()), "", _HOW_JUDGED, ""]
    if paper.over_tables:
        lines += ["## Over tables", "", _OVER_TABLES, "", *markdown_table(_beside_the_paper(paper.over_tables)), ""]
    lines += [*_claims(paper.suites, sizes, told or {}, notes or {}), *_open(paper.suites)]
    lines += ["## What ran", "", *_provenance(paper.suites), "", *_suites(paper.suites, sizes), ""]
    return "\n".join(lines)


def _provenance(suites: Sequence[Results]) -> Iterator[str]:
    """Where and how the suites ran; what differs between them is listed."""
    manifests = [each.manifest for each in suites]
    here = [manifest.get("environment", {}) for manifest in manifests]
    facts = {
        "profile": [manifest.get("profile", "") for manifest in manifests],
        "started": [str(manifest.get("started", ""))[:10] for manifest in manifests],
        "machine": [f"{at.get('cpu')}, {at.get('processors')} processors, {at.get('memory_mb')} MB" for at in here],
        "Python": [at.get("python") for at in here],
        "benchkit": [at.get("versions", {}).get("benchkit", "?") for at in here],
        "commit": [_commit(manifest.get("source")) for manifest in manifests],
    }
    yield from (f"- {name}: {', '.join(map(str, dict.fromkeys(values)))}" for name, values in facts.items())


def _commit(source: Mapping[str, Any] | None) -> str:
    """The commit that the suites were at, and whether files differed from it."""
    if source is None:
        return "unknown (an installed package)"
    return f"{source['commit'][:12]}{' with uncommitted changes' if source['changed_files'] else ''}"


_HOW_JUDGED = (
    f"{CLAIMS_NOTE} Differences are paired by repetition within a data set, and a mean over several counts all "
    "repetitions of each; the numbers of the point that decides, or is furthest from it, are shown. A reason "
    "is tested by the experiment that it names, a conjecture, or unknown. Claims of gr06-fig1, ds08-fig1, dsx10-fig1, "
    "dhs08-fig1, roofs-fig2, roofs-table4, dsx10-fig5 and dsx10-fig7 (of these two digits 0 against 1 alone) that were "
    "undecided got at most twice their repetitions (dhs08-fig1: ten in all) after their "
    "intervals had been seen, so that a decision there is wrong somewhat more often than in one of twenty cases."
)

_OVER_TABLES = (
    "Each is one number per table, a mean over its splits; its mean over tables has Student's 95 % interval: supported "
    "where all of that lies above the bar, contradicted where it lies below. More: [TabFSBench, judged](tabfsbench.md)."
)

CLAIMS, NUMBERS, CONTROLS = KINDS = (
    "claims of the papers",
    "numbers that the papers print",
    "controls of ours",
)
"""What verdicts are on."""
_OF_NUMBERS = {
    "supported": "consistent with ours",
    "contradicted": "not consistent",
    "undecided": "with too few repetitions",
}


def _words(kind: str) -> dict[str, str]:
    """The outcomes of a kind of verdict, and what they are called there."""
    words = _OF_NUMBERS if kind == NUMBERS else {}
    return {outcome: words.get(outcome, outcome) for outcome in get_args(Outcome)}


def _counts(verdicts: Sequence[Verdict]) -> dict[str, Counter[str]]:
    """How many verdicts of each kind have each outcome."""
    return {kind: Counter(each.outcome for each in verdicts if kind_of(each) == kind) for kind in KINDS}


def _tally(verdicts: Sequence[Verdict]) -> Iterator[str]:
    for kind, counts in _counts(verdicts).items():
        if counts or kind != NUMBERS:
            outcomes = ", ".join(f"{counts[outcome]} {words}" for outcome, words in _words(kind).items())
            yield f"- {counts.total()} {kind}: {outcomes}."


def kind_of(verdict: Verdict) -> str:
    """Which of `KINDS` a verdict is on."""
    if verdict.stated.control:
        return CONTROLS
    return NUMBERS if verdict.stated.stderr is not None else CLAIMS


_SIZES = {"whole": "", "part": " (in part)", "reduced": " (at reduced size)"}


def size_of(results: Results, sizes: Mapping[str, PaperSize]) -> Literal["whole", "part", "reduced"]:
    """Whether a suite ran at the size of the paper, with all of its trials or with a part of them.

    Parameters
    ----------
    results : Results
        Of one suite.
    sizes : mapping of str to PaperSize
        By suite; one that is not there is whole where its profile is ``paper``.
    """
    profile = str(results.manifest.get("profile"))
    if profile not in ("paper", "part"):
        return "reduced"
    size = sizes.get(results.suite)
    return "part" if profile == "part" or (size is not None and len(results.rows) < size.trials) else "whole"


def _beside_the_paper(verdicts: Sequence[Verdict]) -> ReportTable | None:
    """A row for each claim with the paper's value and ours; None where there is none."""
    rows = [
        [
            verdict_cell(verdict),
            verdict.claim,
            verdict.stated.source,
            verdict.stated.paper,
            verdict.expected,
            "; ".join(text for text in (verdict.evidence, verdict.lacking) if text),
            verdict.explanation if verdict.outcome == "contradicted" else "",
        ]
        for verdict in verdicts
    ]
    columns = ["verdict", "claim", "source", "paper", "expected", "ours", "reason"]
    return ReportTable(title="Claims", columns=columns, rows=rows) if rows else None


def _claims(
    suites: Sequence[Results],
    sizes: Mapping[str, PaperSize],
    told: Mapping[str, ReportTable],
    notes: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    for each in suites:
        verdicts = each.verdicts()
        if not verdicts:
            continue
        size = _SIZES[size_of(each, sizes)]
        yield f"## {each.suite}: {markdown_text(each.title)}{size}"
        yield ""
        yield from (line for note in notes.get(each.suite, ()) for line in (markdown_text(note), ""))
        printed = [verdict for verdict in verdicts if kind_of(verdict) == NUMBERS]
        parts: list[tuple[str, ReportTable | None]] = [
            ("", _beside_the_paper([verdict for verdict in verdicts if kind_of(verdict) == CLAIMS])),
            ("Numbers that the paper prints (with no error where it prints none):", numbers(printed)),
            ("Numbers not judged:", _beside_the_paper([each for each in printed if each.number is None])),
            ("Controls of ours:", _beside_the_paper([each for each in verdicts if each.stated.control])),
            ("What each method is told of the adversary, and what it tunes:", told.get(each.suite)),
        ]
        for heading, table in parts:
            if table is not None:
                yield from [heading, ""] if heading else []
                yield from (*markdown_table(table), "", *([markdown_text(table.note), ""] if table.note else []))


def _open(suites: Sequence[Results]) -> Iterator[str]:
    """What is open of the suites whose repetitions go on until their questions are decided."""
    until_decided = [each for each in suites if each.until_decided]
    asked = [(each, questions) for each in until_decided if (questions := questions_of(each))]
    if asked:
        yield from (f"## {TITLE}", "")
        for each, questions in asked:
            yield f"- {each.suite}: {tally(questions, each)}"
            table = open_table([(questions, each)])
            yield from (f"    - {markdown_text(str(text))}" for _, text, _ in (table.cells if table else ()))
        yield ""


def _suites(suites: Sequence[Results], sizes: Mapping[str, PaperSize]) -> Iterator[str]:
    columns = ["suite", "trials", "not ok", "CPU minutes"]
    rows = [[each.suite, len(each.rows), _problems(each), _minutes(each)] for each in suites]
    align = ["text", "right", "text", "right"]
    if sizes:
        columns += ["trials at the paper's size", "hours of that"]
        rows = [row + _size(sizes.get(each.suite)) for row, each in zip(rows, suites, strict=True)]
        align += ["right", "right"]
    yield from markdown_table(ReportTable(columns=columns, rows=rows, align=align))


def _size(size: PaperSize | None) -> list[Any]:
    if size is None:
        return ["", ""]
    return [size.trials, "unknown" if size.hours is None else format(size.hours, ".2g")]


def _problems(results: Results) -> str:
    """What did not end ok, by status and kind of error: the page is read on other machines than it was made on."""
    kinds = Counter((row["status"], row["error_type"]) for row in results.rows if row["status"] != "ok")
    shown = (f"{count} {status} ({error})" for (status, error), count in kinds.most_common())
    return ", ".join(shown) or "none"


def _minutes(results: Results) -> str:
    """What the rows took; rows of another machine do not say it."""
    known = [seconds for row in results.rows if (seconds := row.get("cpu_seconds")) is not None]
    if not known:
        return "unknown"
    return f"{'' if len(known) == len(results.rows) else 'at least '}{sum(known) / 60:.1f}"
