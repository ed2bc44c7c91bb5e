"""Row sources: where rows of methods come from that are not run here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.words import check_name


class RowsBeside(Protocol):
    """What a row source opens: rows that may stand beside a run's, where both answer the same question.

    A manifest's ``content`` says what trials ask: ``designs`` and ``methods`` by id, and ``places``, the ids of the
    design and the method of each trial; of both, what is asked is called ``question``. What goes wrong is a
    `benchkit.PublishError`.
    """

    def answered(self, content: Mapping[str, Any], trials: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """Ids of trials that need not be run.

        Parameters
        ----------
        content : mapping
        trials : mapping of str to mapping
            Ids to the fields of the future records, of all trials that are left to be run.
        """

    def join(self, results: Any, answered: Mapping[str, Mapping[str, Any]]) -> Any:
        """The results with the rows that stand beside them.

        Parameters
        ----------
        results : Results
        answered : mapping of str to mapping
            Ids to fields of trials that were not run, because rows answer them; none where that is not known.

        Returns
        -------
        Results
        """


@dataclass(frozen=True, kw_only=True)
class RowSource:
    """Where rows come from that stand beside a run's: ``benchkit run SUITE --against NAME:PLACE``.

    Parameters
    ----------
    name, summary, reference : str
        As for `Algorithm`. A place without a name is one of the source ``published``.
    open : str or callable
        Called with ``place``, the text of the request. Returns an object with two methods: ``answered(content,
        trials)``, the ids of the trials that need not be run; and ``join(results, answered)``, the results with rows
        beside them. `benchkit.RowsBeside` says what they take. Raises `benchkit.PublishError`.
    """

    name: str
    open: Any
    summary: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        defer(self, "open")
