"""Text that a stranger may have written, made safe for what shows it: terminals, spreadsheets, markdown, file names."""

from __future__ import annotations

import hashlib
import html
import re

# C0 and C1 controls without tab and newline, marks that reverse the direction of text, halves of surrogate pairs.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARKDOWN = str.maketrans({"&": "&amp;", "<": "&lt;", "[": "\\[", "`": "\\`", "|": "\\|", "\n": " ", "\r": " "})
_ESCAPED = re.compile(r"\\([\[`|])")
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


def read_markdown(text: str) -> str:
    """The text of which `markdown_text` made this line."""
    return html.unescape(_ESCAPED.sub(r"\1", text))


def file_name(name: str) -> str:
    """A name that every file system takes: a long one is cut, and ends with a digest of the whole."""
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[: _LONGEST_NAME - 13]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
