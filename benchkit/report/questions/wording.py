"""What a run has decided, and what is open of it, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchkit.report.questions.question import RunQuestion
from benchkit.report.results import Results

TITLE = "Decided and open"
HEADER = ("question", "on these rows", "state", "on new rows")
OPEN_HEADER = ("suite", "open question", "state")
# More rows than a person reads.
_MOST = 40
_NEVER = 5


def question_rows(questions: Sequence[RunQuestion]) -> list[tuple[str, ...]]:
    """Each question, its answer so far, and whether it is open; the open ones first, and the first forty."""
    ordered = sorted(questions, key=lambda question: question.decided)
    return [
        (each.text, each.answer, state(each), each.new_rows.removeprefix("on new rows ")) for each in ordered[:_MOST]
    ]


def question_lines(questions: Sequence[RunQuestion], results: Results) -> list[str]:
    """What is to be said under the rows: how many there are, and what only more rows would decide."""
    left = len(questions) - _MOST
    never = list(dict.fromkeys(each for question in questions for each in question.never_on_new_rows))
    lines = [f"and {left} more questions"] if left > 0 else []
    lines.append(f"{tally(questions, results)}; differences are over the repetitions that both have")
    if never:
        first = "; ".join(never[:_NEVER]) + (f"; and {len(never) - _NEVER} more" if len(never) > _NEVER else "")
        lines.append(f"on new rows repeating will not decide these, more rows would: {first}")
    return lines


def open_rows(questions: Sequence[RunQuestion], results: Results) -> list[tuple[str, ...]]:
    """What is not decided: all that a collection says of each of its suites."""
    left = [question for question in questions if not question.decided][:_MOST]
    return [(results.suite, each.text if each.open else f"{each.text}: {each.answer}", state(each)) for each in left]


def tally(questions: Sequence[RunQuestion], results: Results) -> str:
    """How many are decided, and how many repetitions the cells have: ``5 to 63 repetitions a cell``."""
    decided, still_open = sum(each.decided for each in questions), sum(each.open for each in questions)
    counts = Counter(row["cell"] for row in results.rows).values()
    fewest, most = min(counts, default=0), max(counts, default=0)
    repetitions = f"{fewest} repetitions a cell" if fewest == most else f"{fewest} to {most} repetitions a cell"
    return f"{decided} of {len(questions)} questions decided on these rows, {still_open} open; {repetitions}"


def state(question: RunQuestion) -> str:
    """Whether a question is decided, open, or not to be decided by more repetitions."""
    return "decided" if question.decided else "open" if question.open else "none would help"
