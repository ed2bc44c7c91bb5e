"""What a reader must be warned of: why numbers may mean less than they seem to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from benchkit.journal import Record
from benchkit.journal.place import placed
from benchkit.report.comparisons import ALPHA, Comparison, by_place, family_size, repetitions_needed
from benchkit.report.grid import changed_nothing
from benchkit.report.points import CHARGED, TRIVIAL_METHODS, Point, curve_name, trivial_of
from benchkit.statistics.estimate import FEWEST
from benchkit.statistics.sampling import ROWS

if TYPE_CHECKING:
    from benchkit.report.analysis import Analysis

EDGE_SHARE = 0.1
"""Of a cell's trials: more of them at the edge of a grid are worth a word."""
_NAMED = 4
_EXPLODED = 1e6
# Records keep the class of a warning and not its words, of which these are the remedy.
_OF_WARNINGS = {
    "ConvergenceWarning": "it did not converge; raise its max_iter, or standardize the features",
    "UncentredTargetsWarning": "the targets lie far from zero, and no intercept is fitted: say "
    "'params: {fit_intercept: true}'",
}


def cautions(analysis: Analysis) -> list[str]:
    """All of them, a line each."""
    analysis.comparisons  # noqa: B018  # which reads the rows
    return [
        caution
        for check in (
            *(_unreadable, _unchanged, _sampling, _repetitions, _convergence, _meaning, _values, _explosions),
            *(_pollution, _tuning, _chance, _failures),
        )
        for caution in check(analysis)
    ]


def _unreadable(analysis: Analysis) -> list[str]:
    """Rows that were kept and cannot be read, by what was said of them."""
    said = analysis.results.kept_rows.unreadable
    if not said:
        return []
    more = f", and {len(said) - 1} more" if len(said) > 1 else ""
    return [
        f"some of the rows that were kept cannot be read ({next(iter(said))}{more}): repetitions alone tell what these "
        "would, and may decide otherwise; run the suite again with --fresh to have them"
    ]


def _sampling(analysis: Analysis) -> list[str]:
    """Records that do not tell how rows were drawn, and k-fold that is repeated."""
    points, scope = analysis.points, analysis.settings.scope
    said = []
    drawn = {name: way for point in points for name, way in point.drawn.items() if point.parts}
    unknown = [name for name, way in drawn.items() if not way.known]
    if unknown and scope == ROWS:
        said.append(
            f"nothing is said about new rows for {_listed(unknown)}: these records do not tell how many rows there "
            "were (they were made before records did); run them again, or see --scope splits"
        )
    whole = [name for name, way in drawn.items() if way.known and not way.fresh and way.n_test == way.n_rows]
    if whole and scope == ROWS:
        said.append(
            f"nothing is said about new rows for {_listed(whole)}: every repetition tests on all rows; keep some "
            "of them for testing ('split' in the suite)"
        )
    folded = {
        name: way.folds
        for point in points
        for name, way in point.drawn.items()
        if way.folds and len({repetition // way.folds for repetition in point.values}) > 1
    }
    if folded:
        said.append(
            f"k-fold is repeated on {_listed(folded)}: repeated folds test the same rows again, so do not wait for "
            "more of them to narrow intervals on new rows"
        )
    return said


def _repetitions(analysis: Analysis) -> list[str]:
    """Too few repetitions for a test, and differences that no number of repetitions can decide."""
    comparisons, reference = analysis.comparisons, analysis.settings.baseline
    said = []
    few: dict[tuple[int, int], None] = {}
    independent = {(each.metric, each.place) for each in comparisons if each.wilcoxon == each.wilcoxon}
    compared = {(each.metric, each.place) for each in comparisons}
    for here in by_place(analysis.points):
        known = [len(point.values) for point in here if point.values]
        place = here[0].metric, here[0].place
        if len(known) > 1 and place in compared and not _rows_alone_tell(here, comparisons):
            tested = place in independent
            needed = repetitions_needed(family_size(len(known), reference)) if tested else FEWEST
            if min(known) < needed:
                few[min(known), needed] = None
    if few:
        n, needed = min(few)
        times = "1 repetition is" if n == 1 else f"{n} repetitions are"
        said.append(f"{times} too few for a claim: run {needed} or more, below which no test here reaches p < {ALPHA}")
    shared = [each for each in comparisons if each.p_interval == each.p_interval and each.wilcoxon != each.wilcoxon]
    undecided = [each for each in shared if not each.significant()]
    never = [each for each in undecided if each.out_of_reach]
    if never and analysis.settings.scope == ROWS:
        small = "too small to see with this much data; repeating will not help, more rows would"
        said.append(f"{len(never)} of {len(shared)} differences are {small}")
    return said


def _rows_alone_tell(here: Sequence[Point], comparisons: Sequence[Comparison]) -> bool:
    """Whether methods were compared on the kept rows of a given test part, for which one repetition is enough."""
    given = all(way.given for point in here for way in point.drawn.values())
    place = here[0].metric, here[0].place
    return given and all(each.by_rows for each in comparisons if (each.metric, each.place) == place)


def _tuning(analysis: Analysis) -> list[str]:
    """Tuned parameters at an end of their grid in more than a tenth of a cell's trials."""
    cells: dict[str, list[Record]] = defaultdict(list)
    for row in analysis.records:
        if row["status"] == "ok":
            cells[row["cell"]].append(row)
    trials: Counter[tuple[str, str, str]] = Counter()
    of: Counter[tuple[str, str, str]] = Counter()
    for rows in cells.values():
        ends = Counter((row["algorithm"], *end) for row in rows for end in (row.get("at_edge") or {}).items())
        for end, count in ends.items():
            if count > EDGE_SHARE * len(rows):
                trials[end] += count
                of[end] += len(rows)
    told: dict[str, list[str]] = defaultdict(list)
    for key, count in trials.items():
        algorithm, parameter, side = key
        told[f"{parameter} of {algorithm}"].append(f"{side} in {count} of {of[key]} trials")
    if not told:
        return []
    shown = ", ".join(f"{name} ({', '.join(ends)})" for name, ends in told.items())
    return [f"tuning chose the end of a grid, beyond which better values may lie: widen it for {shown}"]


def _convergence(analysis: Analysis) -> list[str]:
    """Warnings of the fits whose models were scored, by class."""
    rows: Counter[tuple[str, str]] = Counter()
    trials: Counter[str] = Counter()
    first: dict[tuple[str, str], str] = {}
    for row in analysis.records:
        trials[row["algorithm"]] += row["status"] == "ok"
        for kind in (row.get("warnings") or {}).get("fit", {}):
            rows[row["algorithm"], kind] += 1
            first.setdefault((row["algorithm"], kind), row["trial"])
    return [
        f"{algorithm}: the fit raised {kind} in {count} of {trials[algorithm]} trials: "
        + _OF_WARNINGS.get(kind, f"'benchkit debug {first[algorithm, kind]}' shows what it says")
        for (algorithm, kind), count in rows.most_common()
    ]


def _meaning(analysis: Analysis) -> list[str]:
    """Metrics that have no meaning for a model, for the labels or for a whole data set, and why."""
    shown = {(point.metric, dataset) for point in analysis.points for dataset in (point.dataset, *point.drawn)}
    told: dict[tuple[str, str, bool], dict[str, None]] = defaultdict(dict)
    for row in analysis.records:
        for metric, reason in (row.get("no_value") or {}).items():
            is_shown = (metric, row["dataset"]) in shown
            told[metric, reason, is_shown][row["algorithm"] if is_shown else row["dataset"]] = None
    return [
        f"{metric} has no value for {_listed(names)}: {reason}; compare these by another metric"
        if is_shown
        else f"{metric} has no value, and no table, on {_listed(names)}: {reason}"
        for (metric, reason, is_shown), names in told.items()
    ]


def _values(analysis: Analysis) -> list[str]:
    """Trials that ended ok, in which a metric came out as no number."""
    trials: Counter[tuple[str, str]] = Counter()
    of: Counter[tuple[str, str]] = Counter()
    for point in analysis.points:
        if not point.of_group:
            trials[point.metric, point.algorithm] += point.valueless
            of[point.metric, point.algorithm] += point.n + point.failed + point.valueless
    return [
        f"{metric} is no number in {count} of {of[metric, algorithm]} trials of {algorithm}, and means leave these "
        "out: choose a metric that always has a value, or find out why"
        for (metric, algorithm), count in trials.items()
        if count
    ]


def _explosions(analysis: Analysis) -> list[str]:
    """Methods whose loss is out of all proportion to that of the others, as where an iteration diverges."""
    greater_is_better = analysis.results.greater_is_better
    worst: dict[tuple[str, str], tuple[float, Point]] = {}
    for here in by_place(analysis.points):
        losses = [point for point in here if point.mean is not None and not greater_is_better[point.metric]]
        for point in losses:
            others = sorted(each.mean for each in losses if each is not point and each.mean is not None)
            usual = others[len(others) // 2] if others else 0.0
            if point.mean is not None and usual > 0 and point.mean > _EXPLODED * usual:
                key = point.algorithm, point.metric
                worst[key] = max(worst.get(key, (0.0, point)), (point.mean / usual, point), key=lambda each: each[0])
    return [
        f"the {metric} of {algorithm} is {point.mean:.2g} on {point.dataset}, {times:.0e} times that of the others: it "
        "diverges there; levels, ranks and scales that look at all methods say little beside it"
        for (algorithm, metric), (times, point) in worst.items()
    ]


def _pollution(analysis: Analysis) -> list[str]:
    """Trials that changed what later trials of their process share; those then started in a clean process."""
    rows = Counter(row["algorithm"] for row in analysis.records if (row.get("warnings") or {}).get("polluted"))
    return [
        f"{algorithm}: {count} of its trials changed the process that they ran in; run with --isolate until its "
        "code is mended"
        for algorithm, count in rows.most_common()
    ]


def _unchanged(analysis: Analysis) -> list[str]:
    """Adversaries that changed nothing, whatever their budget: no metric tells a change."""
    told: dict[str, dict[str, bool]] = defaultdict(dict)
    for grid in analysis.grids:
        if told[grid.adversary].get(grid.name, True):
            told[grid.adversary][grid.name] = changed_nothing(grid, analysis.results.kept_rows.outcomes)
    return [
        f"{adversary} changed nothing on {_listed(names)}, whatever its budget, so that no method stood a test there: "
        "check which features it names, and what it leaves in their place"
        for adversary, where in told.items()
        if (names := [name for name, unchanged in where.items() if unchanged])
    ]


def _chance(analysis: Analysis) -> list[str]:
    """Methods that are no better than one that looks at no feature, and where."""
    judged = analysis.results.attack_order.get("metrics", ())
    cells: dict[tuple[str, str], dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for grid in analysis.all_grids:
        for value, heading in zip(grid.columns, grid.headings, strict=True) if grid.metric in judged else ():
            trivial = trivial_of(grid.column(value))
            if trivial is None:
                continue
            better = analysis.standings(grid).better_at(value)
            for point in grid.column(value):
                if point.algorithm not in (*TRIVIAL_METHODS, *better):
                    method = f"{point.algorithm} on {_on(grid.dataset, grid.adversary)}"
                    cells[grid.metric, trivial.name][method]["" if value is None else heading] = None
    said = []
    for (metric, name), methods in cells.items():
        told = [
            f"{method}{f' at {listed}' if (listed := ', '.join(filter(None, places))) else ''}"
            for method, places in methods.items()
        ]
        rest = f"; and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
        said.append(
            f"{metric} no better than that of {name}, which looks at no feature: {'; '.join(told[:_NAMED])}{rest}. Do "
            "not use a method there"
        )
    return said


def _failures(analysis: Analysis) -> list[str]:
    """Algorithms that failed where the others did worse than elsewhere, so that their means leave out the hard part."""
    charged = {
        (row["algorithm"], place.attack, row["repetition"], curve_name(row))
        for row, place in placed(analysis.records)
        if row["status"] in CHARGED
    }
    cells: dict[str, dict[str, None]] = defaultdict(dict)
    for here in by_place(analysis.points) if charged else ():
        for point in here:
            others = [other for other in here if other is not point]
            at = point.algorithm, point.place.attack
            there = [value for other in others for part, value in other.parts.items() if (*at, *part) in charged]
            elsewhere = [other.parts[part] for other in others for part in point.parts if part in other.parts]
            if there and elsewhere:
                loss = fmean(there) - fmean(elsewhere)
                if (-loss if analysis.results.greater_is_better[point.metric] else loss) > 0:
                    cells[point.algorithm][_on(point.dataset, point.adversary)] = None
    return [
        f"{name} failed where the other algorithms do worse than elsewhere ({_listed(where)}): its means leave out the "
        "hard part"
        for name, where in cells.items()
    ]


def _on(dataset: str, adversary: str) -> str:
    return dataset if adversary == "none" else f"{dataset} under {adversary}"


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + rest
