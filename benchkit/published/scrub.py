"""Leaving out of what is published whatever tells of the person, the machine's name and its folders."""

from __future__ import annotations

import getpass
import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

LEFT_OUT = "(left out)"
_SHORTEST = 4  # characters; shorter names are words of other meanings
_SHORTEST_VALUE = 8
# An absolute path of two parts or more, also with ~ or a drive: not the path of an address such as https://a/b.
_PATH = re.compile(r"(?<![\w:/.~-])(?:~|[A-Za-z]:)?(?:[/\\][\w .@+~-]*[\w@+~-]){2,}[/\\]?")
_TOKEN = re.compile(
    r"\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_\w{20,}|sk-[\w-]{16,}|xox[a-z]-[\w-]{10,}"
    r"|AKIA[0-9A-Z]{12,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)"
)
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@]+@")
_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|SESSION", re.IGNORECASE)
# What these hold is said of every machine of a kind, or is a word of everyday text.
_HARMLESS = {"true", "false", "localhost", "root", "user", "home", "linux", "darwin", "main", "runner", "admin"}


class Scrubber:
    """Replaces private text wherever it stands in plain values.

    Paths keep their last part; tokens, passwords in addresses, the names of the user and the machine, and the values of
    environment variables that are named like secrets, or hold a long value of letters and digits, go.
    """

    def __init__(self, manifest: Mapping[str, Any] | None = None) -> None:
        environment = (manifest or {}).get("environment") or {}
        words = {getpass.getuser(), Path.home().name, platform.node(), platform.node().partition(".")[0]}
        words |= {str(environment.get("host") or "")}
        kept = [word for word in words if len(word) >= _SHORTEST and word.lower() not in _HARMLESS]
        secrets = {value for name, value in os.environ.items() if _is_secret(name, value)}
        parts = [re.escape(value) for value in sorted(secrets, key=len, reverse=True)]
        parts += [rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(kept, key=len, reverse=True)]
        self._private = re.compile("|".join(parts)) if parts else None

    def text(self, text: str) -> str:
        """A text without what is private."""
        text = _IN_ADDRESS.sub("", _TOKEN.sub(LEFT_OUT, text))
        if self._private is not None:
            text = self._private.sub(LEFT_OUT, text)
        return _PATH.sub(lambda match: PurePath(match[0].replace("\\", "/")).name, text)

    def value(self, value: Any) -> Any:
        """A plain value, its texts scrubbed, also those within it."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self._item(str(key), item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value

    def _item(self, key: str, value: Any) -> Any:
        """A value under its key: of a user's data file the name, not the folder."""
        if key == "path" and isinstance(value, str):
            return self.text(PurePath(value).name)
        return self.value(value)


def _is_secret(name: str, value: str) -> bool:
    """Whether a variable's value may be a secret: by its name, or as a long value that is neither words nor a path."""
    if len(value) < _SHORTEST_VALUE or value.lower() in _HARMLESS:
        return False
    digits = sum(character.isdigit() for character in value)
    random_like = digits >= 3 and len(value) >= 16 and re.fullmatch(r"[\w+=.-]+", value) is not None
    return _SECRET.search(name) is not None or random_like
