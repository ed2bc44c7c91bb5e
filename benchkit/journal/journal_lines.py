"""Lines of a journal that anybody may have written."""

from __future__ import annotations

import codecs
import errno
from collections.abc import Iterator
from pathlib import Path

from benchkit.regular_file import ReadingRoom, open_regular

# A record of a search of ten thousand candidates has 2 MB.
_LONGEST = 8 * 2**20
_ENDLESS = 512 * 2**20
_BETWEEN_LOOKS = 2**20


def journal_lines(path: Path, limited: bool = True) -> Iterator[str]:
    """Lines without their ends; in the place of one that is too long to be a record comes a text that is none.

    Parameters
    ----------
    path : Path
    limited : bool, default=True
        Whether what is made of them may take only so much memory (`ReadingRoom`).

    Raises
    ------
    OSError
    """
    room, since = ReadingRoom(str(path), limited), 0
    try:
        with open_regular(path) as file:
            first = file.read(len(codecs.BOM_UTF8))  # as editors leave one: it costs no row
            if first != codecs.BOM_UTF8:
                file.seek(0)
            while line := file.readline(_LONGEST):
                whole = len(line)
                if not line.endswith(b"\n"):
                    while more := file.readline(_LONGEST):
                        whole += len(more)
                        if whole > _ENDLESS:
                            raise OSError(errno.EFBIG, f"a line of more than {_ENDLESS >> 20} MB", str(path))
                        if more.endswith(b"\n"):
                            break
                yield line.decode(errors="replace").rstrip("\r\n") if whole == len(line) else "(too long)"
                since += whole
                if since > _BETWEEN_LOOKS:
                    since = 0
                    room.check()
    finally:
        room.leave()
