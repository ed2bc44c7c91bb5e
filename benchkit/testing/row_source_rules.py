"""What every row source keeps to."""

from __future__ import annotations

from benchkit.plugin.declarations import RowSource
from benchkit.testing.rule import require, rule


@rule
def opens_a_place(source: RowSource) -> None:
    """`open` takes ``place`` by name."""
    parameters = source.open.parameters()
    taken = "place" in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    require(taken, "open does not take place")


RULES = (opens_a_place,)
