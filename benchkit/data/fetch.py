"""Getting a dataset's files into the user's cache: downloaded, or taken from a folder; checked before they count."""

import gzip
import logging
import shutil
import tarfile
import tempfile
import zipfile
from pathlib import Path

from filelock import FileLock

from benchkit.data.cache import digest_data
from benchkit.data.files import cache_folder, data_folders, locate_file, search_only
from benchkit.errors import RequestError, one_line
from benchkit.plugin.declarations import DataFile, Dataset

_TIMEOUT = 30


class FetchError(RequestError):
    """A file cannot be had, or is not what it should be; the message is one line for the user."""


def get_files(dataset: Dataset, source: Path | None = None) -> list[Path]:
    """Put a dataset's files into the user's cache, unless a data folder has them already: those that were put there.

    They are downloaded, or copied from a ``source``, a folder that has them by their full or their last name. A file
    takes its place only after the dataset was parsed from it and had the declared digest; whatever goes wrong, and
    however the process ends, there is no half file under a final name. Two processes that fetch at once do it once.
    """
    target = cache_folder() / "data"
    try:
        target.mkdir(parents=True, exist_ok=True)
        with (
            FileLock(target / f".{dataset.name}.lock"),
            tempfile.TemporaryDirectory(prefix=".staging-", dir=target, ignore_cleanup_errors=True) as folder,
        ):
            staging = Path(folder)
            missing = [file for file in dataset.files if locate_file(file.name) is None]
            for file in missing:
                (staging / file.name).parent.mkdir(parents=True, exist_ok=True)
                if source is None:
                    _download(file, staging, target)
                    continue
                paths = [path for name in (file.name, Path(file.name).name) if (path := source / name).is_file()]
                if not paths:
                    raise FetchError(f"{source} holds neither {file.name} nor {Path(file.name).name}")
                shutil.copyfile(paths[0], staging / file.name)
                try:
                    _check_content(file, staging / file.name)
                except ValueError as error:
                    raise FetchError(f"{paths[0]}: {error}") from None
            if missing:
                check_parsed(dataset, staging)
            for file in missing:
                (target / file.name).parent.mkdir(parents=True, exist_ok=True)
                (staging / file.name).replace(target / file.name)
            return [target / file.name for file in missing]
    except OSError as error:
        raise FetchError(f"{target}: cannot write here: {error.strerror or error}") from None


def check_parsed(dataset: Dataset, *folders: Path) -> None:
    """Load a dataset and compare the digest of what it parses to; files of these folders count first."""
    try:
        with search_only(*folders, *data_folders()):
            actual = digest_data(dataset.load())
    except Exception as error:  # of anybody's loader
        raise FetchError(f"{dataset.name}: {one_line(error)}") from None
    if dataset.digest and actual != dataset.digest:
        digests = f"digest {actual[:12]}, expected {dataset.digest[:12]}"
        raise FetchError(f"{dataset.name}: parses, but to other data than expected ({digests}): a changed copy")


def _check_content(file: DataFile, path: Path) -> None:
    import pooch

    if file.sha256 and (digest := pooch.file_hash(str(path))) != file.sha256:
        raise ValueError(f"its SHA-256 is {digest[:12]}..., expected {file.sha256[:12]}...")


def _download(file: DataFile, staging: Path, target: Path) -> None:
    import requests

    reasons = []
    for url in file.urls:
        try:
            _retrieve(url, file, staging)
            _check_content(file, staging / file.name)
        except requests.RequestException as error:
            status = f" {error.response.status_code}" if error.response is not None else ""
            reasons.append(f"{url}: {type(error).__name__}{status}")
        except (ValueError, EOFError, OSError, zipfile.BadZipFile, tarfile.TarError) as error:
            reasons.append(f"{url}: {one_line(error)}")
        else:
            return
    why = "; ".join(reasons) or "it has no public address"
    raise FetchError(
        f"{file.name} cannot be downloaded ({why}); {file.obtain or 'get it by hand'}, and put it at "
        f"{target / file.name}, or name the folder that holds it with --from or BENCHKIT_DATA"
    )


def _retrieve(url: str, file: DataFile, staging: Path) -> None:
    """Turn what an address serves into the file: unpacked, compressed, refused where it is a web page."""
    import pooch

    pooch.get_logger().setLevel(logging.ERROR)
    download = pooch.HTTPDownloader(timeout=_TIMEOUT)
    # Several files of one archive are one download.
    path = Path(pooch.retrieve(url, known_hash=None, path=staging / ".downloads", downloader=download))
    with path.open("rb") as content:
        head = content.read(512).lstrip().lower()
    if not head or head.startswith((b"<!doctype html", b"<html")):
        raise ValueError(f"{'a web page' if head else 'nothing'} came instead of the file")
    if file.member:
        inside = path.with_suffix(".unpacked")
        if zipfile.is_zipfile(path):
            shutil.unpack_archive(path, inside, "zip")
        else:
            shutil.unpack_archive(path, inside, "tar", filter="data")
        path = inside / file.member
        if not path.is_file():
            raise ValueError(f"the archive has no {file.member}")
    final = staging / file.name
    if not file.compress:
        shutil.copyfile(path, final)
        return
    with path.open("rb") as plain, final.open("wb") as target, gzip.GzipFile("", "wb", 9, target, 0) as packed:
        shutil.copyfileobj(plain, packed)
