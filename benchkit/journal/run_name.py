"""How the folder of a run is named: by when it started, behind all that are there."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

RUN_ID = "%Y%m%d-%H%M%S-%f"


def run_name(folder: Path, now: datetime) -> str:
    """The name of a new run, which sorts behind every other: the clock may have been set back since.

    Parameters
    ----------
    folder : Path
        Of a suite or a collection, which need not be there.
    now : datetime
    """
    names = sorted(path.name for path in folder.glob("[0-9]*-[0-9]*-[0-9]*") if path.is_dir())
    if names:
        with suppress(ValueError, OverflowError):  # a folder that somebody named
            now = max(now, datetime.strptime(names[-1], RUN_ID) + timedelta(microseconds=1))
    return now.strftime(RUN_ID)
