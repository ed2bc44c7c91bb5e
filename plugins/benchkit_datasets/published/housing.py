"""Boston housing: 506 census tracts of 1970."""

from __future__ import annotations

from benchkit import Data, require_file
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.parsing.rows import read_numbers

FILE = "uci/housing.data"
NAMES = ("CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT")


def load_housing(without_b: bool = False) -> Data:
    """Median value of homes, in 1000 USD, capped at 50.

    Column B is 1000 (share of Black residents - 0.63)^2: it builds the assumption that self-segregation raises prices
    into the data and cannot be inverted, which is why scikit-learn dropped the set. It is here to repeat published
    numbers, not as an example to follow.

    Parameters
    ----------
    without_b : bool, default=False
        Whether to leave column B out, which gives 12 features; published results have it.
    """
    check_choice("without_b", without_b, (False, True))
    table = read_numbers(require_file(FILE), columns=14, rows=506, separator=None)
    kept = [j for j, name in enumerate(NAMES) if not (without_b and name == "B")]
    return Data(X=table[:, kept], y=table[:, 13], feature_names=[NAMES[j] for j in kept])
