"""What a report of a run says, in which order: of one suite, in short and whole, and of a collection."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchkit.document import Block, Code, Document, Facts, Fold, Heading, Note, Table, Text, Tiles
from benchkit.document.text import BEST_IN_BOLD, counted
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.answers import BROKEN, MARK, OWN
from benchkit.report.claims import CLAIMS_NOTE
from benchkit.report.own_methods import own_comparisons
from benchkit.report.plots import gallery
from benchkit.report.results import Results
from benchkit.report.row_sections import predicted_blocks
from benchkit.report.standings import FAR
from benchkit.report.tables import MOST_PANELS, claims, differences, in_short, means, overviews, ranks
from benchkit.report.trial_tables import FAILURES, TUNING_NOTE, failures, tuning
from benchkit.statistics.sampling import SCOPE_NAMES
from benchkit.suite import yaml_text

_MOST_CLAIMS = 6  # of a short report, a line each
_MOST_PROBLEMS = 20
_MOST_TABLES = 6  # of a notebook
_MOST_DIFFERENCES = 3000
_MOST_OPEN = 4  # tables of a page; more of them are folded
# Of a manifest: long, or shown elsewhere.
_ELSEWHERE = ("trials", "positions", "suite_as_run", "feature_values", "seal", "content", "answered")


def short_document(analysis: Analysis) -> Document:
    """The answer, one table for each metric, what became of claims, and what failed; ``more`` says what is left out."""
    results, verdicts = analysis.results, analysis.verdicts
    blocks: list[Block] = [*_answers(analysis)]
    if len(verdicts) <= _MOST_CLAIMS:
        for verdict in verdicts:
            numbers = "" if verdict.outcome == "supported" else f" ({verdict.evidence})"
            blocks.append(Text(f"claim {verdict.outcome}: {verdict.claim}{numbers}"))
    else:
        blocks.append(Text(f"claims: {counted(Counter(verdict.outcome for verdict in verdicts))}"))
    if analysis.questions:
        from benchkit.report.questions import tally

        blocks.append(Text(tally(analysis.questions, results)))
    blocks += _problems(results)
    more = ["every table", "tests", *(title for title, _ in results.sections())]
    more += ["what claims rest on"] * bool(verdicts) + [_count_cautions(analysis)] * bool(analysis.cautions)
    return Document(results.title or results.suite, blocks, more=", ".join(more))


def detailed_document(analysis: Analysis) -> Document:
    """The whole report of a run, for those who read it from its end on: the answer comes last."""
    cautions: list[Block] = [Note(line) for line in analysis.cautions]
    cautions = [Heading("Cautions"), *cautions] if cautions else []
    blocks = [*_body(analysis), *cautions, Heading("Answer"), *_problems(analysis.results)]
    return Document(analysis.results.title or analysis.results.suite, [*blocks, *_answers(analysis, whole=True)])


def run_document(analysis: Analysis, manifest: Mapping[str, Any] | None = None) -> Document:
    """The whole report of a run, the answer first; with a manifest also what the page alone shows: how it was made."""
    results, made = analysis.results, manifest or {}
    blocks: list[Block] = [Heading("Summary"), Tiles(_tiles(analysis))]
    blocks += [Note(f"warning: {text}", warns=True) for text in (*results.leaks, *analysis.changes)]
    blocks += _sentences(analysis, whole=True)
    suite = made.get("suite_as_run", {})
    blocks += [Text(str(suite[key]).strip()) for key in ("source", "description") if suite.get(key)]
    if manifest is not None and (curves := gallery(analysis)) is not None:
        blocks += [Heading("Curves", page=True), curves, Heading("Means over the axis")]
    blocks += [*_overviews(analysis), *_body(analysis, page=manifest is not None)]
    if manifest is not None:
        shown = {key: value for key, value in manifest.items() if key not in _ELSEWHERE}
        blocks += [Heading("Provenance", page=True), Facts(shown)]
        blocks += [Heading("Suite as run", page=True), Code(yaml_text.write(manifest["suite_as_run"], width=110))]
    known = [results.suite, made.get("profile"), made.get("started"), made.get("run")]
    facts = " · ".join(str(fact) for fact in known if fact)
    return Document(results.title or results.suite, blocks, facts, name=results.suite)


def collection_document(results: Results) -> Document:
    """The claims of all suites with their verdicts, what went wrong, and what is open."""
    from benchkit.report.questions import open_table, questions_of, tally

    judged = [(each.suite, verdict) for each in results.suites for verdict in each.verdicts()]
    table = claims([verdict for _, verdict in judged], CLAIMS_NOTE, [suite for suite, _ in judged])
    blocks: list[Block] = [] if table is None else [Table(table, "claims")]
    for each in results.suites:
        blocks += [Text(f"{each.suite}: {count} x {problem}") for count, problem in each.problems()]
        blocks += [Text(f"{each.suite}: consistency check: {line}", strong=True) for line in each.inconsistencies()]
    asked = [(questions, each) for each in results.suites if each.until_decided and (questions := questions_of(each))]
    blocks += [Text(f"{each.suite}: {tally(questions, each)}") for questions, each in asked]
    if (left := open_table(asked)) is not None:
        blocks.append(Table(left))
    outcomes = counted(Counter(verdict.outcome for _, verdict in judged)) or "none"
    return Document(results.title or results.suite, [*blocks, Text(f"claims: {outcomes}; files in {results.folder}")])


def slices_document(analysis: Analysis) -> Document:
    """Who suffers, by the column that the reader named."""
    return Document(analysis.results.title or analysis.results.suite, list(_by(analysis)))


def _overviews(analysis: Analysis) -> Iterator[Block]:
    """The means over the axis by metric, and what readers are warned of."""
    by_metric = [[grid for grid in analysis.grids if grid.metric == metric] for metric in analysis.metrics]
    tables = [table for grids in by_metric for table in overviews(analysis, grids, intervals=True)]
    legend = _legend(analysis, tables, [f"[low, high]: 95 % interval {SCOPE_NAMES[analysis.settings.scope]}"])
    yield from (Table(replace(table, note=""), "overview", legend) for table in tables)
    if tables:
        yield Note(legend)
    if analysis.cautions:
        yield Fold(_count_cautions(analysis), [Note(line, warns=True) for line in analysis.cautions])


def _body(analysis: Analysis, page: bool = False) -> Iterator[Block]:
    """Section after section; what the page alone shows, curves and predictions of rows, is made for it alone."""
    results, baseline, grids = analysis.results, analysis.settings.baseline, analysis.grids
    few = len(grids) <= _MOST_OPEN
    looks = " Repetitions were run until the claims were decided, and the intervals hold at every look."
    if (judged := claims(analysis.verdicts, CLAIMS_NOTE + (looks if results.until_decided else ""))) is not None:
        yield from (Heading("Claims"), Table(judged, "claims"))
    if analysis.questions:
        from benchkit.report.questions import TITLE, question_table, tally

        yield from (Heading(TITLE), Table(question_table(analysis.questions)))
        yield Note(tally(analysis.questions, results))
    yield Heading("Tables")
    for grid in grids:
        yield Fold(grid.title, [Table(means(analysis, grid), "means", "; ".join(analysis.legend(grid)))], few)
    yield from map(Note, analysis.notes)
    yield from _section("Ranks over datasets", ranks(analysis), open=True)
    if analysis.settings.by is not None:
        yield from _by(analysis)
    if len(analysis.comparisons) > _MOST_DIFFERENCES:
        yield Heading(f"Differences from {baseline}", details=True)
        yield Note(f"{len(analysis.comparisons):,} differences: see points.csv")
    else:
        note = (
            f"Paired by repetition and data set, with 95 % intervals {SCOPE_NAMES[analysis.settings.scope]}. "
            "In bold: p below 0.05 after Holm's correction"
        )
        compared = [table for grid in grids if (table := differences(analysis, grid)) is not None]
        before = f"Against {baseline}: "
        yield from _section(f"Differences from {baseline}", compared, note, before=before, details=True)
    tuned = tuning(analysis.records, analysis.metrics[0])
    opened = len(tuned) <= MOST_PANELS / 2
    yield from _section("Tuning", tuned, TUNING_NOTE, before="Tuning on ", open=opened, details=True)
    yield from analysis.changed_columns
    if page:
        yield from predicted_blocks(analysis)
    if (failed := failures(results.rows, results.damaged)) is not None:
        yield from (Heading(FAILURES), Table(failed))
    for title, content in results.sections():
        yield Heading(title)
        if isinstance(content, Document):
            yield from content.blocks
        else:
            yield Table(content) if content.columns else Note(content.note, warns=True)


def _section(
    heading: str,
    tables: Sequence[ReportTable],
    note: str = "",
    before: str = "",
    open: bool = False,
    details: bool = False,
) -> Iterator[Block]:
    """Tables that fold, unless there are none; outside of its section a title says what is ``before`` it, too."""
    if tables:
        yield Heading(heading, details)
        for table in tables:
            named = replace(table, title=f"{before}{table.title}")
            yield Fold(table.title, [Table(named)], open, narrow=not details)
        if note:
            yield Note(note)


def _by(analysis: Analysis) -> Iterator[Block]:
    """Who suffers most in a sentence for each table, and the tables."""
    from benchkit.report.slices import slices_note, slices_table

    sliced, remarks = analysis.slices
    yield Heading(f"By {analysis.settings.by}")
    yield from (Text(each.answer, strong=True) for each in sliced)
    yield from map(Note, remarks)
    for each in sliced:
        table = Table(slices_table(each), "means second-name", f"{each.answer}. {slices_note([each])}")
        yield Fold(table.content.title, [table], len(sliced) <= MOST_PANELS)
    if sliced:
        yield Note(slices_note(sliced))


def _answers(analysis: Analysis, whole: bool = False) -> Iterator[Block]:
    """What of the data speaks against believing the answers, the answers, and the tables that stand beside them."""
    yield from (Note(f"warning: {text}", warns=True) for text in (*analysis.results.leaks, *analysis.changes))
    yield from _sentences(analysis, whole)
    tables = in_short(analysis)
    yield from map(Table, tables)
    signs = [f"[low, high] in the answer: 95 % interval {SCOPE_NAMES[analysis.settings.scope]}"]
    signs += ["points: percentage points"] * any(panel.grid.share for panel in analysis.judged_panels)
    if tables:
        yield Note(_legend(analysis, tables, signs * any("[" in answer for answer in analysis.answers)))


def _sentences(analysis: Analysis, whole: bool) -> Iterator[Block]:
    """The answers; after those on own methods the tables of their comparisons."""
    of_own, others = analysis.answers_in_parts
    yield from (Text(text, strong=True) for text in of_own)
    for table in own_comparisons(analysis, whole):
        yield Table(table, f"overview{' second-name' * (table.align[1] == 'left')}")
    yield from (Text(text, strong=True) for text in others)


def _legend(analysis: Analysis, tables: Sequence[ReportTable], more: Sequence[str]) -> str:
    """What the signs in tables of means over an axis say."""
    marks = {cell.mark for table in tables for row in table.cells for cell in row}
    signs = [analysis.star_note] * (MARK in marks) + [f"{OWN} own method"] * (OWN in marks)
    broken = f"{BROKEN} breaks down: more than {FAR:,} times the loss of a method that looks at no feature"
    signs += [broken] * (BROKEN in marks)
    return "; ".join([BEST_IN_BOLD, *signs, *more])


def _problems(results: Results) -> Iterator[Block]:
    problems = results.problems()
    if problems:
        yield Text(FAILURES, strong=True)
        yield from (Text(f"  {count} x {text}") for count, text in problems[:_MOST_PROBLEMS])
    if len(problems) > _MOST_PROBLEMS:
        yield Text(f"  and {len(problems) - _MOST_PROBLEMS} more kinds")


def _count_cautions(analysis: Analysis) -> str:
    count = len(analysis.cautions)
    return f"{count} caution{'' if count == 1 else 's'}"


def _tiles(analysis: Analysis) -> Sequence[tuple[str, str, str]]:
    """Name, number and class of each."""
    results = analysis.results
    statuses = results.statuses
    ended, ok = len(results.own_rows), statuses.pop("ok", 0)
    tiles = [("trials", f"{ended:,}" if results.planned in (None, ended) else f"{ended:,} of {results.planned:,}", "")]
    tiles.append(("ended ok", f"{ok:,}", "good" if ok == ended else ""))
    if beside := len(results.rows) - ended:
        tiles.append(("published rows", f"{beside:,}", ""))
    tiles += [(status, f"{count:,}", "bad") for status, count in statuses.most_common()]
    if total := len(analysis.verdicts):
        counts = Counter(verdict.outcome for verdict in analysis.verdicts)
        held, broken, undecided = counts["supported"], counts["contradicted"], counts["undecided"]
        tiles.append(("claims supported", f"{held} of {total}", "good" if held == total else "bad" if broken else ""))
        tiles += [("claims contradicted", str(broken), "bad")] * bool(broken)
        tiles += [("claims undecided", str(undecided), "")] * bool(undecided)
    numbers = {len(point.values) for point in analysis.points if point.values and not point.of_group}
    repetitions = " to ".join(f"{count}" for count in sorted({min(numbers, default=0), max(numbers, default=0)}))
    return [*tiles, ("algorithms", str(len(analysis.algorithms)), ""), ("repetitions", repetitions, "")]


def markdown(analysis: Analysis) -> str:
    """A run as Markdown."""
    return run_document(analysis).markdown(analysis.settings.details)


def joined_markdown(results: Results, analyses: Sequence[Analysis]) -> str:
    """The claims of a collection, then each suite."""
    return "\n".join([collection_document(results).markdown(), *map(markdown, analyses)])


def latex(analysis: Analysis) -> str:
    """A run's tables as LaTeX."""
    return run_document(analysis).latex(analysis.settings.details)


def html(analysis: Analysis) -> str:
    """A run as a page, with what its manifest says of its making."""
    return run_document(analysis, analysis.results.manifest).html()


def joined_html(results: Results, analyses: Sequence[Analysis]) -> str:
    """What a folder of pages begins with: every suite of a collection, and what came of its claims."""
    rows = [
        [
            ReportCell(each.title or each.suite, href=f"{each.suite}.html"),
            ReportCell(str(len(each.rows)), len(each.rows)),
            counted(Counter(verdict.outcome for verdict in each.verdicts())) or "-",
        ]
        for each in results.suites
    ]
    table = ReportTable(columns=["suite", "trials", "claims"], rows=rows, align=("left", "right", "left"))
    return Document(results.title or results.suite, [Heading("Suites"), Table(table, "left")]).html()


def notebook(results: Results, analyses: Sequence[Analysis]) -> str:
    """Answers, the first tables, and how the trials ended, as a notebook shows them."""
    from benchkit.document.html import notebook  # Jinja2, which an answer does not wait for

    shown = [(analysis, grid) for analysis in analyses for grid in analysis.grids]
    blocks: list[Block] = [Text(line) for line in results.answer().splitlines()]
    blocks += [Table(means(analysis, grid)) for analysis, grid in shown[:_MOST_TABLES]]
    if len(shown) > _MOST_TABLES:
        blocks.append(Text(f"and {len(shown) - _MOST_TABLES} more tables: .table() has all"))
    notes = dict.fromkeys(note for each in analyses for note in [*each.notes, *each.cautions])
    blocks += [Note(text) for text in (". ".join(notes), f"{results.ending}; files in {results.folder}") if text]
    return notebook(Document(results.title or results.suite, blocks))
