"""What repetitions are run for: a suite's claims, or which method is best at every point; judged on these rows.

Intervals hold at every look (`benchkit.statistics.time_uniform`). Without claims a method is out at a point where it is
worse than another one, or as good as the best: its difference from the best lies within the margin. All pairs of a
point share its 5 % (Bonferroni), for the best is chosen by the numbers that are then compared.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from benchkit.document.text import number
from benchkit.plugin.declarations import ReportTable
from benchkit.report.comparisons import ALPHA
from benchkit.report.grid import ShownParams, shown_params_among
from benchkit.report.points import Point, by_place, judged, mean_on, of_first_metric, points
from benchkit.report.results import Results
from benchkit.statistics import difference
from benchkit.statistics.sampling import SPLITS
from benchkit.suite.names import dataset_name

TITLE = "Decided and open"
_MOST = 40  # more rows than a person reads


@dataclass(frozen=True)
class RunQuestion:
    """A claim, or which method is best at a point."""

    text: str
    answer: str  # what the repetitions so far say
    decided: bool  # whether they suffice
    open: bool  # whether more repetitions may decide it

    @property
    def state(self) -> str:
        """``decided``, ``open`` or ``none would help``."""
        return "decided" if self.decided else "open" if self.open else "none would help"


def questions_of(results: Results) -> list[RunQuestion]:
    """What the records of one suite are to decide, and how far they have; without claims of the first metrics."""
    if not results.rows:
        return []
    if results.expectations:
        return _of_claims(results)
    means = of_first_metric(judged(points(results.rows, results.metrics, SPLITS, results.ranges)), results.metrics)
    shown_params = shown_params_among(means, results.labels)
    places = by_place([point for point in means if point.of_group or not point.group])
    return [_of_place(results, place, shown_params) for place in places if len(place) > 1]


def _of_claims(results: Results) -> list[RunQuestion]:
    questions = []
    for claim in results.expectations:
        verdict = results.judge(claim, until_decided=True)
        decided = verdict.outcome in ("supported", "contradicted")
        unclear = [] if decided else [point for point in verdict.judged if not point.supported]
        may_change = any(not check.settled_by_ties for check in unclear)
        tied = "; the methods tie exactly" if unclear and not may_change else ""
        answer = f"{verdict.outcome}{tied}: {verdict.evidence}"
        questions.append(RunQuestion(verdict.claim, answer, decided, may_change))
    return questions


def _of_place(results: Results, place: Sequence[Point], shown_params: ShownParams) -> RunQuestion:
    """Which method is best at a point of a data set (or group) under an adversary."""
    metric = place[0].metric
    sign = 1.0 if results.greater_is_better[metric] else -1.0
    margin = (results.margin or 0.0) if metric == results.metrics[0] else 0.0
    text = f"the best {metric} {_where(place[0], shown_params)}"
    valued = {point.algorithm: point for point in place if point.values}
    valueless = [point.algorithm for point in place if not point.values]
    if len(valued) < 2:
        return RunQuestion(text, f"nothing to compare: no value of {', '.join(valueless)}", decided=False, open=False)
    level = 1 - ALPHA / math.comb(len(valued), 2)
    relations = {}
    for a, b in combinations(valued, 2):
        relation = _relation(valued[a], valued[b], sign, level, margin)
        relations[a, b], relations[b, a] = relation, {"better": "worse", "worse": "better"}.get(relation, relation)
    beaten = {b for (_, b), relation in relations.items() if relation == "better"}
    rest = [name for name in valued if name not in beaten] or list(valued)
    shared = frozenset.intersection(*(frozenset(valued[name].parts) for name in rest))
    best = max(rest, key=lambda name: sign * mean_on(valued[name].parts, shared))
    against = {name: relations[best, name] for name in rest if name != best}
    groups = {
        "as good:": [name for name, relation in against.items() if relation == "as good"],
        "open against": [name for name, relation in against.items() if relation not in ("as good", "apart")],
        "never compared:": [name for name, relation in against.items() if relation == "apart"] + valueless,
    }
    parts = [f"{metric} {number(valued[best].mean or 0.0)}"]
    parts += [f"{how} {', '.join(names)}" for how, names in groups.items() if names]
    undecided = any(relation != "as good" for relation in against.values())
    return RunQuestion(text, f"{best} ({', '.join(parts)})", decided=not undecided and not valueless, open=undecided)


def _relation(a: Point, b: Point, sign: float, level: float, margin: float) -> str:
    """``better``, ``worse``, ``as good``, ``open``; ``apart`` where two methods share no repetition."""
    from benchkit.statistics.time_uniform import sequential_estimate

    better, worse = (a, b) if sign > 0 else (b, a)
    gain = difference(better.measurement, worse.measurement, SPLITS, sequential_estimate)
    if gain is None:
        return "apart"
    low, high = gain.interval(level)
    if gain.decides and (low > 0 or high < 0):
        return "better" if low > 0 else "worse"
    if margin == 0:
        return "as good" if gain.ties(level) else "open"
    return "as good" if gain.decides and -margin <= low and high <= margin else "open"


def _where(point: Point, shown_params: ShownParams) -> str:
    name = dataset_name(point.dataset, shown_params(point))
    under = "" if point.adversary == "none" else f" under {point.adversary}"
    value = f"{point.axis_value:g}" if isinstance(point.axis_value, float) else point.axis_value
    return f"on {name}{under}" + ("" if value is None else f" at {point.axis} {value}")


def question_table(questions: Sequence[RunQuestion]) -> ReportTable:
    """A row for each question, the open ones first."""
    ordered = sorted(questions, key=lambda question: question.decided)[:_MOST]
    rows = [(question.text, question.answer, question.state) for question in ordered]
    columns = ("question", "on these rows", "state")
    return ReportTable(title=TITLE, columns=columns, rows=rows, align=("text", "text", "left"))


def open_table(asked: Sequence[tuple[Sequence[RunQuestion], Results]]) -> ReportTable | None:
    """What is not decided of several suites, a row each; None where all is."""
    rows = [
        (results.suite, question.text if question.open else f"{question.text}: {question.answer}", question.state)
        for questions, results in asked
        for question in [question for question in questions if not question.decided][:_MOST]
    ]
    columns = ("suite", "open question", "state")
    return ReportTable(title="Open", columns=columns, rows=rows, align=("left", "text", "left")) if rows else None


def tally(questions: Sequence[RunQuestion], results: Results) -> str:
    """How many are decided, and how many repetitions the cells have."""
    decided, still_open = sum(each.decided for each in questions), sum(each.open for each in questions)
    counts = Counter(row["cell"] for row in results.rows).values()
    fewest, most = min(counts, default=0), max(counts, default=0)
    repetitions = f"{fewest} repetitions a cell" if fewest == most else f"{fewest} to {most} repetitions a cell"
    return f"{decided} of {len(questions)} questions decided on these rows, {still_open} open; {repetitions}"
