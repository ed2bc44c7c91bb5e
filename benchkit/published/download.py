"""Getting a file of published results from an address, within bounds: a server may hang, drip or lie."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import IO, Any

from benchkit.data.in_time import Arrivals, TooSlowError, in_time
from benchkit.journal import PublishError

_SECONDS_TO_ANSWER = 10
_SECONDS_IN_ALL = 60
_CHUNK = 2**16


class _BoundedDownloader:
    """What pooch calls to download: no more than so many bytes, in no more than a minute."""

    def __init__(self, most: int) -> None:
        self._most = most

    def __call__(self, url: str, output_file: Any, pooch: Any) -> None:
        with Path(output_file).open("wb") as target:
            try:
                in_time(
                    lambda arrivals: self._get(url, target, arrivals),
                    seconds_to_begin=_SECONDS_TO_ANSWER,
                    seconds_in_all=_SECONDS_IN_ALL,
                )
            except TooSlowError as error:
                raise PublishError(f"{url}: {error}") from None

    def _get(self, url: str, target: IO[bytes], arrivals: Arrivals) -> None:
        import requests

        with requests.get(url, stream=True, timeout=_SECONDS_TO_ANSWER) as answer:
            arrivals.add(0)
            answer.raise_for_status()
            for piece in answer.iter_content(_CHUNK):
                arrivals.add(len(piece))
                if arrivals.bytes > self._most:
                    raise PublishError(f"{url}: larger than {self._most // 2**20} MB, which no such file is")
                target.write(piece)


def download(url: str, most: int, folder: Path, sha256: str | None = None) -> Path:
    """The file in a folder that has the content of an address; it is fetched unless it is there with that hash.

    Parameters
    ----------
    url : str
    most : int
        Bytes that it may have.
    folder : Path
    sha256 : str, optional

    Raises
    ------
    PublishError
    """
    import pooch
    import requests

    pooch.get_logger().setLevel(logging.ERROR)
    known = None if sha256 is None else f"sha256:{sha256}"
    try:
        name = url.rpartition("/")[2]
        return Path(pooch.retrieve(url, known_hash=known, fname=name, path=folder, downloader=_BoundedDownloader(most)))
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else "an error"
        raise PublishError(f"{url}: the server answered {status}") from None
    except requests.Timeout:
        raise PublishError(f"{url}: no answer within {_SECONDS_TO_ANSWER} s") from None
    except requests.TooManyRedirects:
        raise PublishError(f"{url}: it leads from one address to the next without end") from None
    except requests.ConnectionError:
        raise PublishError(f"{url}: no connection") from None
    except requests.RequestException as error:
        raise PublishError(f"{url}: {type(error).__name__}") from None
    except ValueError:  # pooch's: the hash is another
        raise PublishError(f"{url}: not the file that was published: its SHA-256 is another") from None
    except OSError as error:
        raise PublishError(f"{url}: cannot keep it: {error.strerror or error}") from None
