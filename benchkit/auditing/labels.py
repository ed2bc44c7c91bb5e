"""Labels as text, so that 1, 1.0, '1' and True, 'True' of a file and of a model are told to be the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def label_text(label: Any) -> str:
    """One label as text; a whole number has no decimals."""
    if hasattr(label, "item"):
        label = label.item()
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def codes(labels: Any, classes: Sequence[str]) -> np.ndarray:
    """The position of each label among the classes; -1 where it is none of them.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
    classes : sequence of str

    Returns
    -------
    ndarray of int, shape (n_rows,)
    """
    import numpy as np
    import pandas as pd

    places = {name: place for place, name in enumerate(classes)}
    found, distinct = pd.factorize(np.asarray(labels, dtype=object).ravel(), use_na_sentinel=True)
    table = np.array([places.get(label_text(each), -1) for each in distinct] + [-1])
    return np.asarray(table[found])


def sorted_classes(labels: Any) -> list[str]:
    """The distinct labels as text: numbers by size, texts by the alphabet, as scikit-learn sorts them."""
    import pandas as pd

    distinct = [each for each in pd.unique(pd.Series(labels)) if each == each and each is not None]
    try:
        distinct = sorted(distinct)
    except TypeError:
        distinct = sorted(distinct, key=str)
    return [label_text(each) for each in distinct]
