"""Conditions on a judgement that a pipeline fails by: ``ours not better than base``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from benchkit.data.table import TableError

if TYPE_CHECKING:
    from benchkit.judging.judgement import Judgement

_FORM = re.compile(r"(?P<first>.+?) (?P<not>not )?(?P<relation>better than|worse than|equal to) (?P<second>.+)")
_RELATIONS = {"better than": "better", "worse than": "worse", "equal to": "equal"}


def holds(judged: Judgement, condition: str) -> tuple[bool, str]:
    """Whether a condition holds, and in words what the table says of the two methods.

    Parameters
    ----------
    judged : Judgement
    condition : str
        ``A [not] better than B``, ``A [not] worse than B`` or ``A [not] equal to B``. A pair that is open is neither
        better nor worse nor equal.
    """
    found = _FORM.fullmatch(" ".join(condition.split()))
    if not found:
        raise TableError(f"--fail-if {condition!r}: expected 'A [not] better than B', worse than, or equal to")
    relation = judged.relation(found["first"], found["second"])
    if found["relation"] == "equal to" and judged.margin is None:
        raise TableError(f"--fail-if {condition!r}: say with --within what difference counts as none")
    wanted = relation == _RELATIONS[found["relation"]]
    said = {"better": "is better than", "worse": "is worse than", "equal": "is practically equal to"}
    told = said.get(relation, "cannot be told apart from")
    return wanted != bool(found["not"]), f"{found['first']} {told} {found['second']}"
