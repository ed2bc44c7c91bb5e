"""A finding: a stable code, a level, and what is so in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from benchkit.errors import RequestError

Level = Literal["issue", "tip", "passed", "not applicable", "skipped"]
LEVELS: tuple[Level, ...] = ("issue", "tip", "passed", "not applicable", "skipped")

CODES = {
    "BK001": ("better-than-constant", "Is the model better than one answer to everything?"),
    "BK002": ("column-loss", "Does the loss of one column hurt?"),
    "BK003": ("pair-loss", "Is there a pair of which either is spared, and both are not?"),
    "BK004": ("worst-set", "How much does the loss of the worst columns cost, the same in all rows?"),
    "BK005": ("row-worst", "How much does it cost if each row loses its own worst columns?"),
    "BK006": ("gap-raises", "Does the model raise at a gap?"),
    "BK007": ("gap-change", "Do gaps change answers silently?"),
    "BK008": ("silent-fault", "Do other faults of a column change answers silently?"),
    "BK009": ("unseen-category", "Does a category that is new, or an empty text, make it raise?"),
    "BK010": ("overconfidence", "Is the model sure and wrong once columns are lost?"),
    "BK011": ("slice", "Are some rows hit harder than others?"),
    "BK012": ("one-column", "Does one column alone decide? Then it may be a leak."),
    "BK013": ("version", "Was the model stored by the version of scikit-learn that reads it?"),
    "BK014": ("hardened", "Does a model that is trained for lost columns stand their loss better?"),
}
"""Code to the name of a finding and the question that it answers. A code never changes its meaning."""


@dataclass(frozen=True)
class Finding:
    """What an audit found.

    Attributes
    ----------
    code : str
        Of `CODES`.
    level : {"issue", "tip", "passed", "not applicable", "skipped"}
        An issue is decided by the intervals; a tip is worth a look, or open.
    text : str
        One or two sentences.
    advice : str, default=""
        What to do.
    """

    code: str
    level: Level
    text: str
    advice: str = ""

    @property
    def name(self) -> str:
        """Its name in words."""
        return CODES[self.code][0]


def check_codes(ignore: Iterable[str]) -> set[str]:
    """The codes of findings to leave out, given as codes or names.

    Raises
    ------
    RequestError
        One of them is neither.
    """
    names = {name: code for code, (name, _) in CODES.items()}
    found = set()
    for each in ignore:
        code = names.get(each, each.upper())
        if code not in CODES:
            raise RequestError(f"ignore: no finding is called {each!r}; there are {', '.join(CODES)}")
        found.add(code)
    return found
