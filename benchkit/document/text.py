"""Text and numbers as people read them, safe for what shows them: terminals, spreadsheets, Markdown, file names."""

import hashlib
import math
import re
from collections import Counter
from itertools import count

# C0 and C1 controls without tab and newline, marks that reverse the direction of text, halves of surrogate pairs.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARKDOWN = str.maketrans({"&": "&amp;", "<": "&lt;", "[": "\\[", "`": "\\`", "|": "\\|", "\n": " ", "\r": " "})
_LONGEST_NAME = 120  # of a file, before its suffix; systems take 255 bytes


def printable(text: str) -> str:
    """Text that cannot steer a terminal: every control character but tab and newline is shown as U+FFFD."""
    return text if text.isprintable() else _UNPRINTABLE.sub(_REPLACEMENT, text)


def spreadsheet_cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula: an apostrophe goes before one that begins like it."""
    text = printable(text)
    return f"'{text}" if text.startswith(_FORMULA) else text


def markdown_text(text: str) -> str:
    """Text without HTML, links, images, code or cells of a table, in one line."""
    return printable(text).translate(_MARKDOWN)


BEST_IN_BOLD = "best of each column in bold"

# Smaller than this is nothing that anybody measured. What sums leave of zero is zero before it comes here.
ROUNDING = 1e-30


def number(value: float) -> str:
    """Three decimals, where they say something."""
    if abs(value) < ROUNDING:
        value = 0.0
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value != 0 and not 0.0005 <= abs(value) < 1000:
        return f"{value:.2g}" if abs(value) < 1 else f"{value:.4g}"
    return f"{value:.3f}"


def percent(share: float) -> str:
    """``19.9%``, and of less than a thousandth the digits that say something."""
    value = 100 * share
    return f"{value:.1f}%" if abs(value) >= 0.05 or abs(share) < ROUNDING else f"{value:.2g}%"


def p_value(value: float) -> str:
    """A p-value; below a thousandth only that it is."""
    if math.isnan(value):
        return "-"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def interval_text(low: float, high: float) -> str:
    """``[0.1, 0.2]``, or nothing where nothing can be said."""
    return with_interval(low, low, high)[1]


def with_interval(mean: float, low: float, high: float, digits: int = 3) -> tuple[str, str]:
    """``0.300`` and ``[0.036, 0.512]``: decimals enough for the smallest to say something, as many for each."""
    known = math.isfinite(low) and math.isfinite(high)
    sizes = [abs(value) for value in ((mean, low, high) if known else (mean,)) if abs(value) >= ROUNDING] or [1.0]
    if not 1e-5 <= max(sizes) < 1e6:
        return number(mean), f"[{number(low)}, {number(high)}]" if known else "-"
    digits = 0 if max(sizes) >= 1000 else digits
    most = max(digits, math.ceil(-math.log10(max(sizes))) + 1)
    decimals = min(max(digits, math.ceil(-math.log10(2 * min(sizes)))), most)
    mean_text, *ends = (f"{round(value, decimals) + 0.0:.{decimals}f}" for value in (mean, low, high))
    return mean_text, f"[{', '.join(ends)}]" if known else "-"


def counted(counts: Counter[str]) -> str:
    """``10 ok, 2 failed``: the most frequent first."""
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def duration(seconds: float) -> str:
    """In seconds, minutes or hours, for people."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"


class Slugs:
    """Names of plain letters for what goes into one folder or document: each is given once, whatever the case."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def __call__(self, *parts: str) -> str:
        """A name that is not given yet: where labels such as ``a b`` and ``a-b`` give one name, with a number."""
        plain = re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-")
        if len(plain) > _LONGEST_NAME:  # it is cut, and ends with a digest of the whole
            plain = f"{plain[: _LONGEST_NAME - 13]}-{hashlib.sha256(plain.encode()).hexdigest()[:12]}"
        names = (plain if number == 1 else f"{plain}-{number}" for number in count(1))
        name = next(name for name in names if name.lower() not in self._given)
        self._given.add(name.lower())
        return name
