"""Getting a dataset's files into the user's cache: downloaded, or taken from a folder; checked before they count."""

from __future__ import annotations

import gzip
import logging
import os
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from filelock import FileLock

from benchkit.data.cache import digest_data
from benchkit.data.files import cache_folder, data_folders, locate_file, search_only
from benchkit.errors import RequestError
from benchkit.plugin.declarations import DataFile, Dataset

_TIMEOUT = 30


class FetchError(RequestError):
    """A file cannot be had, or is not what it should be; the message is one line for the user."""


def get_files(dataset: Dataset, source: Path | None = None) -> list[Path]:
    """Put a dataset's files into the user's cache, unless a data folder has them already.

    A file takes its place only after the dataset was parsed from it and had the declared digest; whatever goes wrong,
    and however the process ends, there is no half file under a final name. Two processes that fetch at once do it once.

    Parameters
    ----------
    dataset : Dataset
    source : Path, optional
        A folder that holds the files, by their full or their last name; without it they are downloaded.

    Returns
    -------
    list of Path
        The files that were put in place.

    Raises
    ------
    FetchError
    """
    target = cache_folder() / "data"
    try:
        target.mkdir(parents=True, exist_ok=True)
        with FileLock(target / f".{dataset.name}.lock"):
            missing = [file for file in dataset.files if locate_file(file.name) is None]
            if not missing:
                return []
            with tempfile.TemporaryDirectory(prefix=".staging-", dir=target, ignore_cleanup_errors=True) as folder:
                staging = Path(folder)
                for file in missing:
                    if source is not None:
                        _copy(file, source, staging)
                    else:
                        _download(file, staging, target)
                check_parsed(dataset, staging)
                for file in missing:
                    (target / file.name).parent.mkdir(parents=True, exist_ok=True)
                    os.replace(staging / file.name, target / file.name)
                return [target / file.name for file in missing]
    except OSError as error:
        raise FetchError(f"{target}: cannot write here: {error.strerror or error}") from None


def check_parsed(dataset: Dataset, *folders: Path) -> None:
    """Load a dataset and compare the digest of what it parses to; files of these folders count first.

    Raises
    ------
    FetchError
    """
    try:
        with search_only(*folders, *data_folders()):
            actual = digest_data(dataset.load())
    except (ValueError, OSError, EOFError) as error:
        raise FetchError(f"{dataset.name}: {str(error).splitlines()[0]}") from None
    if dataset.digest and actual != dataset.digest:
        raise FetchError(
            f"{dataset.name}: parses, but to other data than expected (digest {actual[:12]}, expected "
            f"{dataset.digest[:12]}): a changed or damaged copy"
        )


def _copy(file: DataFile, source: Path, staging: Path) -> None:
    for candidate in (source / file.name, source / Path(file.name).name):
        if candidate.is_file():
            final = staging / file.name
            final.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(candidate, final)
            if reason := _other_content(file, final):
                raise FetchError(f"{candidate}: {reason}")
            return
    raise FetchError(f"{source} holds neither {file.name} nor {Path(file.name).name}")


def _other_content(file: DataFile, path: Path) -> str:
    """Why a file is not the one that is declared; empty where it is, or where its digest is not known."""
    import pooch

    if not file.sha256 or (digest := pooch.file_hash(str(path))) == file.sha256:
        return ""
    return f"its SHA-256 is {digest[:12]}..., expected {file.sha256[:12]}..."


def _download(file: DataFile, staging: Path, target: Path) -> None:
    reasons = []
    for url in file.urls:
        try:
            _place(_retrieve(url, Path(tempfile.mkdtemp(dir=staging))), file, staging)
            if reason := _other_content(file, staging / file.name):
                raise _UnusableError(reason)
        except _UnusableError as error:
            reasons.append(f"{url}: {error}")
        else:
            return
    why = "; ".join(reasons) or "it has no public address"
    how = file.obtain or "get it by hand"
    raise FetchError(
        f"{file.name} cannot be downloaded ({why}); {how}, and put it at {target / file.name}, or name the folder that "
        "holds it with --from or BENCHKIT_DATA"
    )


class _UnusableError(Exception):
    """What a URL served is of no use."""


def _retrieve(url: str, folder: Path) -> Path:
    import pooch
    import requests

    pooch.get_logger().setLevel(logging.ERROR)
    download = pooch.HTTPDownloader(timeout=_TIMEOUT)
    try:
        return Path(pooch.retrieve(url, known_hash=None, fname="download", path=folder, downloader=download))
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else "an error"
        raise _UnusableError(f"the server answered {status}") from None
    except requests.RequestException as error:
        kinds = {requests.Timeout: f"no answer within {_TIMEOUT} s", requests.ConnectionError: "no connection"}
        why = (reason for kind, reason in kinds.items() if isinstance(error, kind))
        raise _UnusableError(next(why, type(error).__name__)) from None


def _place(downloaded: Path, file: DataFile, staging: Path) -> None:
    """Turn what was downloaded into the file: unpacked, compressed, refused where it is a web page."""
    with downloaded.open("rb") as content:
        head = content.read(512).lstrip().lower()
    if not head:
        raise _UnusableError("the answer is empty")
    if head.startswith((b"<!doctype html", b"<html")):
        raise _UnusableError("a web page came instead of the file")
    if file.member:
        inside = downloaded.parent / "unpacked"
        try:
            if zipfile.is_zipfile(downloaded):
                shutil.unpack_archive(downloaded, inside, "zip")
            else:
                shutil.unpack_archive(downloaded, inside, "tar", filter="data")
        except (shutil.ReadError, zipfile.BadZipFile, tarfile.TarError, EOFError, OSError) as error:
            raise _UnusableError(f"not a readable archive: {str(error).splitlines()[0]}") from None
        downloaded = inside / file.member
        if not downloaded.is_file():
            raise _UnusableError(f"the archive has no {file.member}")
    final = staging / file.name
    final.parent.mkdir(parents=True, exist_ok=True)
    if not file.compress:
        downloaded.replace(final)
        return
    with downloaded.open("rb") as plain, final.open("wb") as target, gzip.GzipFile("", "wb", 9, target, 0) as packed:
        shutil.copyfileobj(plain, packed)


class FileState(NamedTuple):
    """A file of a dataset and where it is, if anywhere."""

    dataset: str
    file: DataFile
    path: Path | None


class DatasetState(NamedTuple):
    """Whether a dataset's files are what they should be; ``unchecked`` where no digest is declared to compare with."""

    dataset: str
    verdict: Literal["right", "wrong", "absent", "unchecked"]
    reason: str
    files: tuple[FileState, ...]


def file_states(datasets: Iterable[Dataset]) -> Iterator[FileState]:
    """Every file of the datasets."""
    for dataset in datasets:
        for file in dataset.files:
            yield FileState(dataset.name, file, locate_file(file.name))


def verify(dataset: Dataset) -> DatasetState:
    """Parse a dataset's files and compare with its digest."""
    files = tuple(file_states([dataset]))
    if absent := [state.file.name for state in files if state.path is None]:
        return DatasetState(dataset.name, "absent", f"{', '.join(absent)} not here", files)
    try:
        check_parsed(dataset)
    except FetchError as error:
        return DatasetState(dataset.name, "wrong", str(error), files)
    if not dataset.digest:
        return DatasetState(dataset.name, "unchecked", "parses; no digest is declared", files)
    return DatasetState(dataset.name, "right", "", files)
