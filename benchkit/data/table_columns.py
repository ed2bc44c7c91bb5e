"""How the columns of a data set stand for those of a table, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.plugin.declarations import Data
from benchkit.plugin.declarations.words import Task

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


@dataclass(frozen=True)
class TableColumns:
    """What turns encoded rows into those of the table that they are from.

    Attributes
    ----------
    task : {"classification", "regression"}
    names : sequence of str
        Of the table's columns; empty where the data has no names.
    members : sequence of (sequence of int)
        The data's columns of each of them.
    texts : sequence of (sequence of str or None)
        What each of these stands for, in a column of categories; None in one of numbers.
    classes : sequence
        The data's labels, sorted; empty where numbers are predicted.
    class_names : sequence of str
        What the table calls them.
    """

    task: Task
    names: Sequence[str]
    members: Sequence[Sequence[int]]
    texts: Sequence[Sequence[str] | None]
    classes: Sequence[Any] = ()
    class_names: Sequence[str] = ()

    @classmethod
    def of(cls, data: Data, task: Task) -> TableColumns:
        """Those of a data set."""
        import numpy as np

        features = [str(name) for name in data.feature_names]
        members = [list(map(int, group)) for group in data.groups] or [[place] for place in range(data.X.shape[1])]
        named = [str(name) for name in (data.group_names or features)]
        if data.groups:  # columns in none are features, too
            rest = sorted(set(range(data.X.shape[1])) - {place for group in members for place in group})
            members += [[place] for place in rest]
            named += [features[place] for place in rest] if features else []
        texts = [_texts(name, [features[place] for place in own]) for name, own in zip(named, members, strict=False)]
        classes = np.unique(data.y).tolist() if task == "classification" else []
        return cls(task, named, members, texts, classes, [str(name) for name in data.class_names])

    def table(self, X: np.ndarray) -> pd.DataFrame | np.ndarray:
        """Encoded rows as the table has them: a category whose columns are all 0, or NaN, is missing.

        Where an adversary leaves fractions, as means are, the largest of them is the category.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_columns)
        """
        import numpy as np
        import pandas as pd

        if not self.names:
            return X
        made: dict[str, Any] = {}
        for name, own, texts in zip(self.names, self.members, self.texts, strict=True):
            if texts is None:
                made[name] = X[:, own[0]]
                continue
            block = np.nan_to_num(X[:, list(own)], nan=0.0)
            values = np.array([_read(text) for text in texts], dtype=object)[block.argmax(axis=1)]
            made[name] = np.where(block.max(axis=1) > 0, values, None)
        return pd.DataFrame(made)

    def labels(self, y: np.ndarray) -> np.ndarray:
        """The data's labels as the table calls them."""
        import numpy as np

        if not self.class_names:
            return y
        return np.asarray(self.class_names, dtype=object)[np.searchsorted(np.asarray(self.classes), y)]


def _texts(name: str, features: Sequence[str]) -> list[str] | None:
    """What the columns of a block stand for; None where there is one of numbers."""
    before = f"{name}="
    if not all(each.startswith(before) for each in features):
        return None
    return [each.removeprefix(before) for each in features]


def _read(text: str) -> Any:
    """Truth values as a reader of tables takes them for such, other texts as they are."""
    return {"True": True, "False": False}.get(text, text)
