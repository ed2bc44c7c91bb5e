"""The content of a data file, unpacked, or one line that says why it is no data at all."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path


def read_bytes(path: Path) -> bytes:
    """Bytes of a file, those of a gzip file unpacked.

    Raises
    ------
    ValueError
        The file is empty, broken or truncated gzip, or a web page (an error page that was saved as data).
    """
    content = path.read_bytes()
    _check_not_page(path, content)
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except EOFError:
            raise ValueError(f"{path}: truncated gzip file") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path}: broken gzip file ({error})") from None
        _check_not_page(path, content)
    return content


def read_text(path: Path) -> str:
    """Text of a UTF-8 file, unpacked as by `read_bytes`, with line ends as plain newlines."""
    content = read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}: byte 0x{content[error.start]:02x} in row {line} is not UTF-8 text") from None
    return text.replace("\r\n", "\n")


def _check_not_page(path: Path, content: bytes) -> None:
    if not content.strip():
        raise ValueError(f"{path}: the file is empty")
    if content.lstrip()[:200].lower().startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        raise ValueError(f"{path}: a web page (HTML), not data")
