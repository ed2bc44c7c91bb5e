"""Rounds of repetitions: after each, the questions that are still open decide what runs next.

A cell is asked for its first n repetitions, never for others, and the cells of one comparison go on together, so that
all are paired. Costs are those in the records: the same records ask for the same repetitions, however they were run.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from benchkit.journal import Record
from benchkit.journal.place import Place, place_of
from benchkit.report.questions.costs import Costs
from benchkit.report.questions.of_results import questions_of
from benchkit.report.questions.question import OpenPart, RunQuestion
from benchkit.report.results import Results
from benchkit.report.statistics.kept_rows import KeptRows
from benchkit.report.stored_results import make_results
from benchkit.session.planned import Plan
from benchkit.session.reuse import Reuse, with_metrics_of_rows
from benchkit.session.standing import RunStanding
from benchkit.session.suite_facts import suite_facts
from benchkit.statistics.estimate import LEVEL
from benchkit.statistics.time_uniform import fewest
from benchkit.suite.plan import Trial
from benchkit.suite.source import SuiteError

GROWTH = 0.2
"""Share of its repetitions by which a cell grows in a round; what more looks would save is less than that."""
_NEARLY_BEST = 0.5
"""Comparisons whose intervals shrink by at least this share of the greatest shrinking per CPU second go on."""


class TimeIsUpError(Exception):
    """The time given has passed."""


def check_most(plan: Plan) -> None:
    """Raise `SuiteError` where the most repetitions are fewer than the intervals need to say anything.

    Without claims all pairs of methods share the level of a place, which takes more of them.
    """
    for block in plan.blocks:
        methods = len({trial.algorithm.label for trial in block.combinations})
        pairs = 1 if plan.suite.expect else max(1, math.comb(methods, 2))
        least = fewest(1 - (1 - LEVEL) / pairs)
        if block.most < least:
            raise SuiteError(
                f"{plan.loaded.source.path}: nothing is decided below {least} repetitions, looked at after each "
                f"round, and {block.most} are the most: give --most {least} or more, or 'most' in 'repetitions'"
            )


class Rounds:
    """What runs next, of one suite.

    Parameters
    ----------
    plan : Plan
        With the least repetitions of every cell.
    within : float or None
        Seconds from now in which rounds may go on.
    """

    def __init__(self, plan: Plan, within: float | None) -> None:
        self._end = None if within is None else time.monotonic() + within
        combinations = [(block, trial) for block in plan.blocks for trial in block.combinations]
        self._most = {trial.cell: block.most for block, trial in combinations}
        self._together = _grouped([trial for _, trial in combinations])
        self._kept: KeptRows | None = None  # read once, whatever round a row is of
        self.questions: list[RunQuestion] = []
        self.standing = RunStanding(0, 0, 0, 0.0, within)

    @property
    def seconds_left(self) -> float | None:
        """Of the time given; None where no limit was."""
        return None if self._end is None else self._end - time.monotonic()

    def at_most(self, questions: Sequence[RunQuestion], costs: Costs) -> tuple[int, float]:
        """Trials and CPU seconds that questions may still take: until all of their cells have the most repetitions."""
        return costs.at_most(questions, self._most)

    def check_time(self) -> None:
        """Raise `TimeIsUpError` where the time given has passed."""
        if self._end is not None and time.monotonic() >= self._end:
            raise TimeIsUpError

    def replay(self, reuse: Reuse) -> Reuse:
        """Go through the rounds that the journal's records answer already, up to one that has something to run."""
        while not reuse.left:
            further = self.next(reuse, reuse.renamed_rows().values())
            if further is None:
                break
            reuse = further
        return reuse

    def next(self, reuse: Reuse, records: Iterable[Record]) -> Reuse | None:
        """The plan with another round of repetitions; None where nothing is open, or nothing may be asked for.

        Parameters
        ----------
        reuse : Reuse
        records : iterable of record
            Of its trials.
        """
        rows = list(records)
        results = results_so_far(reuse.plan, rows)
        self._kept = self._kept or results.kept_rows
        self.questions = questions_of(results, self._kept)
        costs = Costs(rows)
        has = Counter(trial.cell for trial in reuse.trials.values())
        proposals = [
            proposal
            for question in self.questions
            if question.open
            for part in question.open_parts
            if (proposal := self._proposal(part, has, costs)) is not None
        ]
        self.standing = self._standing(costs)
        if not proposals:
            return None
        greatest = max(rate for rate, _ in proposals)
        asked: dict[str, int] = {}
        for rate, wanted in proposals:
            if rate >= _NEARLY_BEST * greatest:
                asked |= {cell: max(count, asked.get(cell, 0)) for cell, count in wanted.items()}
        return with_metrics_of_rows(replace(reuse, plan=reuse.plan.with_repetitions(asked)))

    def _proposal(self, part: OpenPart, has: Mapping[str, int], costs: Costs) -> tuple[float, dict[str, int]] | None:
        """Expected shrinking per CPU second of an open comparison's next batch, and what it asks for."""
        cells = {cell for own in part.cells for cell in self._together.get(own, ()) if cell in has}
        if not cells:
            return None
        fewest, most = min(has[cell] for cell in cells), min(self._most[cell] for cell in cells)
        target = min(fewest + math.ceil(GROWTH * fewest), most)
        if target <= fewest:
            return None
        seconds = sum(costs.seconds(cell) * max(0, target - has[cell]) for cell in cells)
        return part.shrinking(target - fewest) / max(seconds, 1e-9), dict.fromkeys(cells, target)

    def _standing(self, costs: Costs) -> RunStanding:
        decided = sum(question.decided for question in self.questions)
        still_open = sum(question.open for question in self.questions)
        stuck = len(self.questions) - decided - still_open
        _, seconds = self.at_most(self.questions, costs)
        never = tuple(dict.fromkeys(each for question in self.questions for each in question.never_on_new_rows))
        return RunStanding(decided, still_open, stuck, seconds, self.seconds_left, never)


def _grouped(trials: Sequence[Trial]) -> dict[str, tuple[str, ...]]:
    """Each cell to those that are averaged with it: a group's mean needs the same repetitions of all its datasets."""
    by_point: dict[tuple[str, Place] | str, list[str]] = {}
    keys: dict[str, tuple[str, Place] | str] = {}
    for trial in trials:
        known = trial.fields
        cell, place = known["cell"], place_of(known)
        keys[cell] = (known["algorithm"], place.of_group) if place.group else cell
        by_point.setdefault(keys[cell], []).append(cell)
    return {cell: tuple(by_point[key]) for cell, key in keys.items()}


def results_so_far(plan: Plan, records: Sequence[Record]) -> Results:
    """The records of a plan as results, before its run has a folder."""
    suite = plan.suite
    known = {"suite": suite.name, "title": suite.title, "until_decided": True}
    return make_results(plan.store.folder / "so-far", known | suite_facts(suite, plan.registry), records)
