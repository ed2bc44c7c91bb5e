"""A column of texts that repeat, as small numbers and what they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Categories:
    """A column of texts that repeat, such as the names of patients: a byte or two for each row.

    Attributes
    ----------
    codes : ndarray of int of shape (n_samples,)
        Places among ``names``; -1 where the value is missing.
    names : sequence of str
    """

    codes: np.ndarray
    names: Sequence[str]

    @classmethod
    def of(cls, texts: Iterable[Any]) -> Categories:
        """The column that holds these texts, its names in the order of the alphabet; None and NaN are missing."""
        import numpy as np

        column = [None if text is None or text != text else str(text) for text in texts]
        names = sorted({text for text in column if text is not None})
        places = {name: place for place, name in enumerate(names)} | {None: -1}
        codes = np.array([places[text] for text in column], dtype=np.min_scalar_type(-max(len(names), 1)))
        return cls(codes, tuple(names))

    @property
    def values(self) -> np.ndarray:
        """The texts, as objects, shape (n_samples,); None where one is missing."""
        import numpy as np

        named = np.empty(len(self.names) + 1, dtype=object)
        named[:-1] = list(self.names)
        texts: np.ndarray = named[self.codes]
        return texts

    def take(self, rows: np.ndarray | slice) -> Categories:
        """The column of some rows."""
        return Categories(self.codes[rows], self.names)
