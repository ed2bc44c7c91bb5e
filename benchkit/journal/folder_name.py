"""Names in a manifest that become folders: none leads out of the output folder."""

from __future__ import annotations

import re

# As a suite's name; a run's is its date.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", re.ASCII)


def folder_name(name: object) -> str:
    """The name, which is one folder's.

    Raises
    ------
    ValueError
        It is not text of letters, digits, '.', '_' and '-'.
    """
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise ValueError(f"{str(name)[:80]!r} names no folder: letters, digits, '.', '_' and '-'")
    return name
