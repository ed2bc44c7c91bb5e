"""Getting files: a server that misbehaves, folders, two processes at once, and a cache that cannot be written."""

import gzip
import hashlib
import http.server
import io
import multiprocessing
import os
import threading
import time
import zipfile

import numpy as np
import pytest

from benchkit.data import fetch
from benchkit.data.cache import digest_data
from benchkit.data.fetch import FetchError, get_files
from benchkit.data.files import cache_folder, locate_file, require_file
from benchkit.plugin.declarations import Data, DataFile, Dataset, DataUnavailableError, DeclarationError

GOOD = b"1 2\n3 4\n"
SHA256 = hashlib.sha256(GOOD).hexdigest()


def load():
    """Two columns of numbers, the second the target."""
    path = require_file("numbers/numbers.txt")
    content = path.read_bytes()
    text = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    try:
        table = np.loadtxt(text.decode().splitlines(), ndmin=2)
    except ValueError:
        raise ValueError(f"{path.name}: not numbers") from None
    if table.shape != (2, 2):
        raise ValueError(f"{path.name}: {len(table)} rows, expected 2")
    return Data(X=table[:, :1], y=table[:, 1])


DIGEST = digest_data(Data(X=np.array([[1.0], [3.0]]), y=np.array([2.0, 4.0])))


def zipped(name, content=GOOD):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


ANSWERS = {
    "/good": (200, GOOD),
    "/zip": (200, zipped("inside/numbers.txt")),
    "/zip-of-something-else": (200, zipped("other.txt")),
    "/broken-zip": (200, zipped("inside/numbers.txt")[:60]),
    "/html": (200, b"\n<!DOCTYPE html><html>Please log in</html>"),
    "/empty": (200, b""),
    "/gone": (404, b"not found"),
    "/error": (500, b"<html>oops</html>"),
    "/changed": (200, b"1 2\n3 5\n"),
    "/short-rows": (200, b"1 2\n"),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        if self.path == "/torn":  # promises more than it sends
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(GOOD)
            return
        if self.path == "/hangs":
            self.server.told.wait(180)
            return
        if self.path == "/slow":
            time.sleep(0.5)
        status, content = ANSWERS.get(self.path, (200, GOOD))
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.told = [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.told.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def dataset(server, monkeypatch):
    """Declare a dataset whose file is at these addresses of the server."""
    monkeypatch.delenv("BENCHKIT_DATA", raising=False)

    def declare(*paths, digest=DIGEST, **more):
        urls = tuple(f"http://127.0.0.1:{server.server_port}{path}" for path in paths)
        file = DataFile(name="numbers/numbers.txt", urls=urls, **more)
        return Dataset(name="numbers", load=load, files=[file], digest=digest)

    return declare


def leftovers():
    """Whatever lies in the cache that is neither a lock nor a folder of a published file."""
    return [path for path in (cache_folder() / "data").rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_a_download_takes_its_place_and_is_not_repeated(dataset, server):
    declared = dataset("/good")
    (path,) = get_files(declared)
    assert path == cache_folder() / "data" / "numbers" / "numbers.txt"
    assert path.read_bytes() == GOOD
    asked = len(server.asked)
    assert get_files(declared) == []
    assert len(server.asked) == asked
    assert declared.load().y.tolist() == [2, 4]


def test_archives_and_compression(dataset):
    (path,) = get_files(dataset("/zip", member="inside/numbers.txt", compress=True))
    assert gzip.decompress(path.read_bytes()) == GOOD


@pytest.mark.parametrize(
    ("path", "more", "reason"),
    [
        ("/gone", {}, "/gone: HTTPError 404"),
        ("/error", {}, "/error: HTTPError 500"),
        ("/html", {}, "a web page came instead of the file"),
        ("/empty", {}, "nothing came instead of the file"),
        ("/torn", {}, "/torn: "),
        ("/hangs", {}, "/hangs: ReadTimeout"),
        ("/broken-zip", {"member": "inside/numbers.txt"}, "/broken-zip: "),
        ("/zip-of-something-else", {"member": "inside/numbers.txt"}, "the archive has no inside/numbers.txt"),
        ("/changed", {}, "parses, but to other data than expected"),
        ("/changed", {"sha256": SHA256}, f"its SHA-256 is 425104cb06fa..., expected {SHA256[:12]}"),
        ("/short-rows", {}, "numbers.txt: 1 rows, expected 2"),
    ],
)
def test_what_is_not_the_file_is_refused_in_one_line_and_leaves_nothing(dataset, monkeypatch, path, more, reason):
    monkeypatch.setattr(fetch, "_TIMEOUT", 2)
    if more.keys() == {"sha256"}:
        monkeypatch.setattr(fetch, "check_parsed", lambda *_: pytest.fail("parsed before its digest was checked"))
    with pytest.raises(FetchError) as caught:
        get_files(dataset(path, **more))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert leftovers() == []
    assert locate_file("numbers/numbers.txt") is None


def test_the_next_address_is_tried(dataset):
    (path,) = get_files(dataset("/gone", "/html", "/torn", "/good", sha256=SHA256))
    assert path.read_bytes() == GOOD


def test_without_a_network_the_message_says_which_file_to_put_where(dataset):
    file = DataFile(name="numbers/numbers.txt", urls=("http://127.0.0.1:1/x",), obtain="ask the authors")
    with pytest.raises(FetchError) as caught:
        get_files(Dataset(name="numbers", load=load, files=[file]))
    final = cache_folder() / "data" / "numbers" / "numbers.txt"
    assert f"ConnectionError); ask the authors, and put it at {final}" in str(caught.value)


def test_from_a_folder(dataset, tmp_path):
    with pytest.raises(FetchError, match="holds neither numbers/numbers.txt nor numbers.txt"):
        get_files(dataset(), tmp_path)
    (tmp_path / "numbers.txt").write_bytes(b"1 2\n3 5\n")
    for more, reason in [({}, "other data than expected"), ({"sha256": SHA256}, "its SHA-256 is")]:
        with pytest.raises(FetchError, match=reason):
            get_files(dataset(**more), tmp_path)
    (tmp_path / "numbers.txt").write_bytes(GOOD)
    (path,) = get_files(dataset(), tmp_path)
    assert path.read_bytes() == GOOD


def test_a_file_in_the_data_folder_need_not_be_got_and_a_missing_one_says_how(dataset, tmp_path, monkeypatch):
    with pytest.raises(DataUnavailableError, match="benchkit data get"):
        dataset().load()
    (tmp_path / "numbers").mkdir()
    (tmp_path / "numbers" / "numbers.txt").write_bytes(GOOD)
    monkeypatch.setenv("BENCHKIT_DATA", str(tmp_path))
    assert get_files(dataset("/gone")) == []
    assert require_file("numbers/numbers.txt").parent == tmp_path / "numbers"


def _get_in_process(url, log):
    file = DataFile(name="numbers/numbers.txt", urls=(url,))
    placed = get_files(Dataset(name="numbers", load=load, files=[file], digest=DIGEST))
    with open(log, "a") as out:
        out.write(f"{len(placed)}\n")


def _die_in_process(url):
    fetch._check_content = lambda *arguments: os._exit(1)
    get_files(Dataset(name="numbers", load=load, files=[DataFile(name="numbers/numbers.txt", urls=(url,))]))


def test_two_processes_fetch_once(dataset, server, tmp_path):
    url = f"http://127.0.0.1:{server.server_port}/slow"
    server.asked.clear()
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_get_in_process, args=(url, tmp_path / "log")) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(180)
    assert sorted((tmp_path / "log").read_text().split()) == ["0", "1"]
    assert server.asked.count("/slow") == 1


def test_a_process_that_dies_leaves_no_file_under_the_final_name(dataset, server):
    url = f"http://127.0.0.1:{server.server_port}/good"
    worker = multiprocessing.get_context("fork").Process(target=_die_in_process, args=(url,))
    worker.start()
    worker.join(180)
    assert worker.exitcode == 1
    assert locate_file("numbers/numbers.txt") is None
    (path,) = get_files(dataset("/good"))
    assert path.read_bytes() == GOOD


def test_a_cache_that_cannot_be_written(dataset, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BENCHKIT_CACHE", str(tmp_path / "file"))
    with pytest.raises(FetchError, match="cannot write here"):
        get_files(dataset("/good"))


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/../../x", "", "a\\..\\b", "a\0"])
def test_a_file_cannot_be_declared_outside_the_data_folder(name):
    with pytest.raises(DeclarationError, match="no path below a data folder"):
        DataFile(name=name)


@pytest.mark.parametrize("more", [{"sha256": "abc"}, {"sha256": "a" * 64, "compress": True}])
def test_a_digest_is_of_bytes_that_are_known(more):
    with pytest.raises(DeclarationError, match="sha256"):
        DataFile(name="a", **more)
