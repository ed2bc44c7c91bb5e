"""Checks of what users write: numbers and choices that are refused in one line, and the nearest of the known names."""

import math
import re
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

_FEWEST_LETTERS = 3  # of a name's beginning


def check_count(least: int = 1, most: int | None = None, **parameters: Any) -> None:
    """Refuse, by ValueError, what is no whole number.

    Parameters
    ----------
    least : int, default=1
        The smallest number that is allowed.
    most : int, optional
        How many there are, where a number asks for so many.
    **parameters
        Values by the name that the user knows them by. A truth value is no number.
    """
    for name, value in parameters.items():
        if not (_is_finite(value) and isinstance(value, Integral) and int(value) >= least):
            raise ValueError(f"{name} is {value!r}, expected a whole number of at least {least}")
        if most is not None and int(value) > most:
            raise ValueError(f"{name} is {value}, there are only {most}")


def check_positive(**parameters: Any) -> None:
    """Refuse, by ValueError, what is no finite number above 0: values by the name that the user knows them by."""
    for name, value in parameters.items():
        if not (_is_finite(value) and value > 0):
            raise ValueError(f"{name} is {value!r}, expected a positive number")


def check_not_negative(**parameters: Any) -> None:
    """Refuse, by ValueError, what is no finite number of at least 0: values by the name that the user knows."""
    for name, value in parameters.items():
        if not (_is_finite(value) and value >= 0):
            raise ValueError(f"{name} is {value!r}, expected a number of at least 0")


def check_choice(allowed: Sequence[Any], **parameters: Any) -> None:
    """Refuse, by ValueError, what is not among ``allowed``: values by the name that the user knows them by.

    A number does not stand for a truth value, nor a truth value for a number.
    """
    for name, value in parameters.items():
        if not any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in allowed):
            raise ValueError(f"{name} is {value!r}, expected one of {', '.join(map(repr, allowed))}")


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def nearest_name(name: object, known: Iterable[str]) -> str | None:
    """Which known name was most likely meant; None if none is similar.

    One that differs in ``-`` and ``_`` alone, that begins so, or whose initials it ends with (``rmse``:
    mean-squared-error), else the most similar by `difflib` (ratio of 0.65), else one of whose words it is (``auc``).
    """
    import difflib

    names, text = list(known), str(name)
    words = {other: re.split("[-_ ]", other) for other in names}
    initials = {other: "".join(word[:1] for word in words[other]) for other in names}
    begin = [other for other in names if words[other] == re.split("[-_ ]", text)]
    begin += [other for other in names if len(text) >= _FEWEST_LETTERS and other.startswith(text)]
    begin += [other for other in names if len(initials[other]) >= _FEWEST_LETTERS and text.endswith(initials[other])]
    similar = difflib.get_close_matches(text, names, n=1, cutoff=0.65)
    return next(iter([*begin, *similar, *(other for other in names if text in words[other])]), None)


def meant_file(path: Path) -> str:
    """``; did you mean 'NAME'?`` of a file beside one that is missing; empty where none has a similar name."""
    nearest = nearest_name(path.name, (other.name for other in path.parent.glob("*") if other.is_file()))
    return f"; did you mean {nearest!r}?" if nearest else ""


def suggestion(name: object, known: Iterable[str], otherwise: str) -> str:
    """End of a message about an unknown name: ``did you mean 'NAME'?``, or, where none is similar, ``otherwise``."""
    nearest = nearest_name(name, known)
    return f"did you mean {nearest!r}?" if nearest else otherwise
