"""What a reader must be warned of: why numbers may mean less than they seem to."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from statistics import fmean
from typing import TYPE_CHECKING

from benchkit.report.answers import named
from benchkit.report.comparisons import ALPHA, family_size, repetitions_needed
from benchkit.report.grid import changed_at_budget_0, changed_nothing
from benchkit.report.points import CHARGED, by_place, curve_name, lacking_nothing, placed
from benchkit.report.standings import FAR, trivial_of
from benchkit.statistics.estimate import FEWEST
from benchkit.statistics.sampling import ROWS

if TYPE_CHECKING:
    from benchkit.report.analysis import Analysis
    from benchkit.report.points import Point
    from benchkit.statistics.sampling import Sampling

EDGE_SHARE = 0.1
"""Of a cell's trials: more of them at the edge of a grid are worth a word."""
_ENDS = ("lowest", "highest")
_NAMED = 4
# Records keep the class of a warning and not its words, of which these are the remedy.
_OF_WARNINGS = {
    "ConvergenceWarning": "it did not converge; raise its max_iter, or standardize the features",
    "UncentredTargetsWarning": "the targets lie far from zero, and no intercept is fitted: say "
    "'params: {fit_intercept: true}'",
}


def _unreadable(analysis: Analysis) -> Iterator[str]:
    """Rows that were kept and cannot be read."""
    kept = analysis.results.kept_rows
    absent = [name for name in analysis.metrics if name not in kept.metrics]
    if absent and any(row.get("outcomes") for row in analysis.records):
        where = "its plugin is not loaded here; --trust loads the one that the run was made with"
        yield f"intervals of {named(absent)} are made of repetitions, not of rows: {where}"
    reasons = list(kept.unreadable)
    if reasons:
        more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
        yield (
            f"some of the rows that were kept cannot be read ({reasons[0]}{more}): repetitions alone tell what these "
            "would, and may decide otherwise; run the suite again with --fresh to have them"
        )


def _without_rows(analysis: Analysis) -> Iterator[str]:
    """Metrics that have no values of rows, so that repetitions alone make their intervals."""
    known = analysis.results.kept_rows.metrics
    metrics = [known[name] for name in analysis.metrics if name in known]
    without = [metric.name for metric in metrics if metric.needs != "model" and metric.row_values is None]
    if without and analysis.settings.scope == ROWS:
        what = "are made of repetitions alone, and may be too narrow where these are alike"
        yield f"intervals of {named(without)} {what}: prefer a metric that has values of rows ('row_values')"


_OF_ADVERSARIES = {
    changed_nothing: (
        "changed nothing on {}, whatever its budget, so that no method stood a test there: check which features it "
        "names, and what it leaves in their place"
    ),
    changed_at_budget_0: (
        "changed values on {} at budget 0, where all must stay as it is, so that its curve does not begin at clean "
        "data: 'benchkit check' says which rules it breaks"
    ),
}


def changes(analysis: Analysis) -> Iterator[str]:
    """Adversaries that changed nothing, or something for a budget of 0: no metric tells a change."""
    outcomes = analysis.results.kept_rows.outcomes
    for holds, words in _OF_ADVERSARIES.items():
        places: dict[str, dict[str, bool]] = defaultdict(dict)
        for grid in analysis.grids:
            if places[grid.adversary].get(grid.name, True):
                places[grid.adversary][grid.name] = holds(grid, outcomes)
        for adversary, held in places.items():
            if names := [name for name, is_so in held.items() if is_so]:
                yield f"{adversary} {words.format(named(names))}"


def _sampling(analysis: Analysis) -> Iterator[str]:
    """Records that do not tell how rows were drawn, and k-fold that is repeated."""
    points, labels = analysis.points, analysis.results.labels

    def ways(point: Point) -> Iterator[tuple[str, Sampling]]:
        """By the label that the suite gave, which says all that is to be told apart."""
        own = point.dataset in labels and not point.of_group
        return ((point.dataset if own else name, way) for name, way in point.drawn.items())

    drawn = {name: way for point in points for name, way in ways(point) if point.parts}
    unknown = [name for name, way in drawn.items() if not way.known]
    whole = [name for name, way in drawn.items() if way.known and not way.fresh and way.n_test == way.n_rows]
    untold = [point for point in points if point.values and point.interval() is None]
    unkept = sorted({f"{name} by {point.metric}" for point in untold for name, way in ways(point) if way.given})
    reasons = {
        "the test part is given, and no values of its rows are known; keep rows ('keep: {rows: losses}' in the suite), "
        "and use a metric that is made of them": unkept,
        "these records do not tell how many rows there were (they were made before records did); run them again, or "
        "see --scope splits": unknown,
        "every repetition tests on all rows; keep some of them for testing ('split' in the suite)": whole,
    }
    for why, names in reasons.items():
        if names and analysis.settings.scope == ROWS:
            yield f"nothing can be said about new rows for {named(names)}: {why}"
    if dated := [name for name, way in drawn.items() if math.isfinite(way.room)]:
        apart = "count as independent: where neighbours are alike, intervals are too narrow (compare --scope splits)"
        yield f"rows of {named(dated)}, which are split in time, {apart}"
    folded = {
        name: way.folds
        for point in points
        for name, way in ways(point)
        if way.folds and len({repetition // way.folds for repetition in point.values}) > 1
    }
    if folded:
        yield (
            f"k-fold is repeated on {named(folded)}: repeated folds test the same rows again, so do not wait for "
            "more of them to narrow intervals on new rows"
        )


def _repetitions(analysis: Analysis) -> Iterator[str]:
    """Too few repetitions for a test, and differences that no number of repetitions can decide."""
    few: list[tuple[int, int]] = []
    for here in by_place(analysis.points):
        # Those of which trials failed have fewer, and take no part in answers.
        here = lacking_nothing(here)
        compared = [comparison for point in here if (comparison := analysis.comparison(point)) is not None]
        known = [len(point.values) for point in here]
        # On the kept rows of a given test part one repetition is enough.
        given = all(way.given for point in here for way in point.drawn.values())
        if len(known) > 1 and compared and not (given and all(each.by_rows for each in compared)):
            independent = any(each.wilcoxon == each.wilcoxon for each in compared)
            family = family_size(len(known), analysis.settings.baseline)
            needed = repetitions_needed(family) if independent else FEWEST
            pairs = min(each.n for each in compared)  # of k-fold on these rows, shuffles
            few += [(pairs, needed)] if pairs < needed else []
    if few:
        n, needed = min(few)
        times = "1 repetition is" if n == 1 else f"{n} repetitions are"
        needs = f"{times} too few for the tests of single points, which need {needed} or more to reach p < {ALPHA}"
        yield f"{needs}: answers rest on 95 % intervals alone, which few repetitions make unsure; run {needed} or more"
    shared = [
        each for each in analysis.comparisons if each.p_interval == each.p_interval and each.wilcoxon != each.wilcoxon
    ]
    never = [each for each in shared if each.out_of_reach and not each.significant()]
    if never and analysis.settings.scope == ROWS:
        small = "surely too small to see with these rows, however often they are divided; more rows would show them"
        yield f"{len(never)} of {len(shared)} differences {'is' if len(never) == 1 else 'are'} {small}"


def _warnings(analysis: Analysis) -> Iterator[str]:
    """Warnings of the fits whose models were scored, by class."""
    ended = Counter(row["algorithm"] for row in analysis.records if row["status"] == "ok")
    trials: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in analysis.records:
        for kind in (row.get("warnings") or {}).get("fit", {}):
            trials[row["algorithm"], kind].append(row["trial"])
    for (algorithm, kind), warned in sorted(trials.items(), key=lambda each: -len(each[1])):
        remedy = _OF_WARNINGS.get(kind, "workers.log in the run's folder has what it says")
        yield f"{algorithm}: the fit raised {kind} in {len(warned)} of {ended[algorithm]} trials: {remedy}"


def _meaning(analysis: Analysis) -> Iterator[str]:
    """Metrics that have no meaning for a model, for the labels or for a whole data set, and why."""
    shown = {(point.metric, dataset) for point in analysis.points for dataset in (point.dataset, *point.drawn)}
    lacking: dict[tuple[str, str, bool], Counter[str]] = defaultdict(Counter)
    ended = Counter(row["algorithm"] for row in analysis.records if row["status"] == "ok")
    for row in analysis.records:
        for metric, reason in (row.get("no_value") or {}).items():
            if metric not in analysis.metrics:
                continue
            is_shown = (metric, row["dataset"]) in shown
            lacking[metric, reason, is_shown][row["algorithm"] if is_shown else row["dataset"]] += 1
    for (metric, reason, is_shown), names in lacking.items():
        if not is_shown:
            yield f"{metric} has no value, and no table, on {named(names)}: {reason}"
            continue
        partly = [name for name, count in names.items() if count < ended[name]]
        if without := [name for name in names if name not in partly]:
            yield f"{metric} has no value for {named(without)}: {reason}; compare these by another metric"
        if partly:
            trials = f"{sum(names[name] for name in partly)} of {sum(ended[name] for name in partly)} trials"
            yield f"{metric} has no value in {trials} of {named(partly)}: {reason}; its means are of the others"


def _values(analysis: Analysis) -> Iterator[str]:
    """Trials that ended ok, in which a metric came out as no number."""
    trials: Counter[tuple[str, str]] = Counter()
    of: Counter[tuple[str, str]] = Counter()
    for point in analysis.points:
        if not point.of_group:
            trials[point.metric, point.algorithm] += point.valueless
            of[point.metric, point.algorithm] += point.n + point.failed + point.valueless
    for (metric, algorithm), count in (+trials).items():
        yield (
            f"{metric} is no number in {count} of {of[metric, algorithm]} trials of {algorithm}, and means leave these "
            "out: choose a metric that always has a value, or find out why"
        )


def _pollution(analysis: Analysis) -> Iterator[str]:
    """Trials that changed what later trials of their process share; those then started in a clean process."""
    rows = Counter(row["algorithm"] for row in analysis.records if (row.get("warnings") or {}).get("polluted"))
    for algorithm, count in rows.most_common():
        what = f"{count} of its trials changed the process that they ran in"
        yield f"{algorithm}: {what}; run with --isolate until its code is mended"


def _tuning(analysis: Analysis) -> Iterator[str]:
    """Tuned parameters at an end of their grid in more than a tenth of a cell's trials."""
    sides: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    parameters: dict[str, dict[str, None]] = defaultdict(dict)  # in an order that is the same every time
    ended = [row for row in analysis.records if row["status"] == "ok"]
    for row in ended:
        parameters[row["algorithm"]] |= dict.fromkeys(row.get("at_edge") or {})
    for row in ended:
        for parameter in parameters[row["algorithm"]]:
            sides[row["algorithm"], parameter][row["cell"]].append((row.get("at_edge") or {}).get(parameter, ""))
    shown = []
    for (algorithm, parameter), of_cells in sides.items():
        if any(max(map(cell.count, _ENDS)) > EDGE_SHARE * len(cell) for cell in of_cells.values()):
            counts = Counter(side for cell in of_cells.values() for side in cell)
            ends = ", ".join(f"{side} in {counts[side]}" for side in _ENDS if counts[side])
            shown.append(f"{parameter} of {algorithm} ({ends} of {counts.total()} trials)")
    if shown:
        yield f"tuning chose the end of a grid, beyond which better values may lie: widen it for {', '.join(shown)}"


def _chance(analysis: Analysis) -> Iterator[str]:
    """Methods that are no better than one that looks at no feature, and where."""
    judging = analysis.results.attack_order.get("metrics", ())
    cells: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for grid in analysis.all_grids:
        for value, heading in zip(grid.columns, grid.headings, strict=True) if grid.metric in judging else ():
            trivial = trivial_of(grid.column(value))
            better = analysis.standings(grid).better_at(value)
            for point in grid.column(value) if trivial is not None else ():
                if not (trivial is None or point.trivial or point.mean is None) and point.algorithm not in better:
                    method = f"{point.algorithm} on {_on(grid.dataset, grid.adversary)}"
                    cells[grid.metric, trivial.algorithm][method] += [heading] if value is not None else []
    for (metric, name), methods in cells.items():
        shown = [
            f"{method} at {', '.join(dict.fromkeys(places))}" if places else method
            for method, places in methods.items()
        ]
        rest = f"; and {len(shown) - _NAMED} more" if len(shown) > _NAMED else ""
        what = f"{metric} not significantly better than that of {name}, which looks at no feature"
        yield f"{what}: {'; '.join(shown[:_NAMED])}{rest}. Nothing shows that these are of use there"


def _diverged(analysis: Analysis) -> Iterator[str]:
    """Methods whose losses are far beyond that of one that looks at no feature, and where."""
    names: dict[str, None] = {}
    for grid in analysis.all_grids:
        for value in grid.columns if analysis.is_loss(grid) else ():
            here = grid.column(value)
            trivial = trivial_of(here)
            beyond = FAR * trivial.mean if trivial is not None and trivial.mean else math.inf
            far = [point for point in here if point.mean is not None and point.mean > beyond > 0]
            names |= {f"{point.algorithm} on {_on(grid.dataset, grid.adversary)}": None for point in far}
    if names:
        far_off = f"more than {FAR:,} times the loss of a method that looks at no feature"
        yield f"{far_off}: {named(names)}. Do not use these there"


def _failures(analysis: Analysis) -> Iterator[str]:
    """Algorithms that failed where the others did worse than elsewhere, so that their means leave out the hard part."""
    charged = {
        (row["algorithm"], place.attack, row["repetition"], curve_name(row))
        for row, place in placed(analysis.records)
        if row["status"] in CHARGED
    }
    cells: dict[str, dict[str, None]] = defaultdict(dict)
    for here in by_place(analysis.points) if charged else ():
        for point in here:
            others = [other.parts for other in here if other is not point]
            at = point.algorithm, point.place.attack
            there = [value for parts in others for part, value in parts.items() if (*at, *part) in charged]
            elsewhere = [parts[part] for parts in others for part in point.parts if part in parts]
            if there and elsewhere:
                loss = fmean(there) - fmean(elsewhere)
                if (-loss if analysis.results.greater_is_better[point.metric] else loss) > 0:
                    cells[point.algorithm][_on(point.dataset, point.adversary)] = None
    for name, where in cells.items():
        what = f"{name} failed where the other algorithms do worse than elsewhere ({named(where)})"
        yield f"{what}: its means leave out the hard part"


def _on(dataset: str, adversary: str) -> str:
    return dataset if adversary == "none" else f"{dataset} under {adversary}"


CHECKS = (
    *(_failures, _diverged, _chance, _pollution, _sampling, _repetitions, _values),
    *(_warnings, _tuning, _unreadable, _without_rows, _meaning),
)
"""What puts most in doubt first. Each yields lines for the reader; differences have been computed, which reads rows."""
