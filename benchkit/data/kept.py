"""Small findings that take long, kept in the cache folder by the content that they follow from."""

from __future__ import annotations

import json
from typing import Any

from benchkit.data.files import cache_folder
from benchkit.regular_file import write_whole


def kept(kind: str, key: str) -> Any | None:
    """What was kept of a kind under a key; None where nothing was, or what was cannot be read.

    Parameters
    ----------
    kind : str
        A folder of the cache folder.
    key : str
        A digest of all that the finding follows from.
    """
    try:
        return json.loads((cache_folder() / kind / f"{key}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def keep(kind: str, key: str, finding: Any) -> None:
    """Keep what JSON can hold; where nothing can be written it is found again next time."""
    path = cache_folder() / kind / f"{key}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(finding))
    except OSError:
        return
