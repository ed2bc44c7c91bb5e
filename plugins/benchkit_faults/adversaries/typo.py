"""Typing errors: a key too many or too few, the key beside it, two keys in the wrong order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_faults.adversaries.struck import Strike, measured, replaced, rows_as_loaded

_KEYS = "1234567890"
_KINDS = 4


class Typo:
    """One typing error in each number that is struck, and in each category.

    Of a number one digit is left out, typed twice, exchanged with the next one, or is that of the key beside it, which
    of these at random. A category that is misspelt is one that no column stands for: zeros in all of its columns.

    Parameters
    ----------
    features, probability
        As of `Strike`.
    """

    def __init__(self, features: Sequence[str | int] | None = None, probability: float = 1.0) -> None:
        self.chosen = Strike(features, probability)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Mistype the values of ``attack.budget`` features."""
        raw = rows_as_loaded(attack)
        struck = self.chosen.strike(attack, np.ones(raw.shape[1], dtype=bool), "columns")
        kinds, places = attack.rng.integers(_KINDS, size=raw.shape), attack.rng.random(raw.shape)
        numbers = struck.entries & measured(raw, attack.groups)
        typed = np.zeros_like(raw)
        typed[numbers] = [
            mistyped(value, int(kind), place)
            for value, kind, place in zip(raw[numbers], kinds[numbers], places[numbers], strict=True)
        ]
        return replaced(attack, struck, typed)


def mistyped(value: float, kind: int, place: float) -> float:
    """A number with one typing error in its digits, as it is written in full; another than it was.

    Parameters
    ----------
    value : float
        Finite.
    kind : int
        0: the key beside; 1: left out; 2: twice; 3: exchanged with the next digit. Where a kind would change nothing,
        as the exchange of equal digits, the key beside.
    place : float
        From 0 to 1: which digit.
    """
    text = np.format_float_positional(value, trim="-")
    digits = [at for at, letter in enumerate(text) if letter.isdigit()]
    chosen = min(int(place * len(digits)), len(digits) - 1)
    at = digits[chosen]
    own = text[at]
    if kind == 1 and len(digits) > 1:
        wrong = text[:at] + text[at + 1 :]
    elif kind == 2:
        wrong = text[:at] + own + text[at:]
    elif kind == 3 and chosen + 1 < len(digits):
        other = digits[chosen + 1]
        wrong = text[:at] + text[other] + text[at + 1 : other] + own + text[other + 1 :]
    else:
        wrong = text
    if wrong in ("-", ".", "-.") or float(wrong) == value:
        wrong = _key_beside(text, at, later=place * len(digits) % 1 < 0.5)
    # Of numbers beyond 2^53 not every digit counts; the first does.
    return float(wrong) if float(wrong) != value else float(_key_beside(text, digits[0], later=True))


def _key_beside(text: str, at: int, later: bool) -> str:
    """The text with the key beside at one place: the later of the two where there are two and that is asked."""
    own = text[at]
    step = 1 if own == _KEYS[0] or (later and own != _KEYS[-1]) else -1
    return text[:at] + _KEYS[_KEYS.index(own) + step] + text[at + 1 :]
