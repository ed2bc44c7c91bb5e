"""Files fetched and cached."""

import gzip
import hashlib
import http.server
import io
import multiprocessing
import os
import threading
import zipfile

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix, issparse, random_array

from benchkit import Data, parse_once
from benchkit.data import fetch
from benchkit.data.cache import cached, digest_data
from benchkit.data.fetch import FetchError, get_files
from benchkit.data.files import cache_folder, keep, kept, locate_file, require_file
from benchkit.plugin.declarations import DataFile, Dataset, DataUnavailableError, DeclarationError

GOOD, CHANGED, NAME = b"1 2\n3 4\n", b"1 2\n3 5\n", "numbers/numbers.txt"
SHA256 = hashlib.sha256(GOOD).hexdigest()
DIGEST = digest_data(Data(X=np.array([[1.0], [3.0]]), y=np.array([2.0, 4.0])))


def load():
    """Two columns of numbers, the second the target."""
    content = require_file(NAME).read_bytes()
    text = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    table = np.loadtxt(text.decode().splitlines(), ndmin=2)
    if table.shape != (2, 2):
        raise ValueError(f"numbers.txt: {len(table)} rows, expected 2")
    return Data(X=table[:, :1], y=table[:, 1])


def zipped(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, GOOD)
    return buffer.getvalue()


ANSWERS = {
    "/zip": (200, zipped("inside/numbers.txt", "more.txt")),
    "/zip-of-something-else": (200, zipped("other.txt")),
    "/broken-zip": (200, zipped("inside/numbers.txt")[:60]),
    "/html": (200, b"\n<!DOCTYPE html><html>Please log in</html>"),
    "/empty": (200, b""),
    "/gone": (404, b"not found"),
    "/changed": (200, CHANGED),
    "/short-rows": (200, b"1 2\n"),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        self.server.ended.wait({"/hangs": 180, "/slow": 0.5}.get(self.path, 0))
        status, content = ANSWERS.get(self.path, (200, GOOD))
        self.send_response(status)
        self.send_header("Content-Length", "1000" if self.path == "/torn" else str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.ended = [], threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.ended.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def dataset(server, monkeypatch):
    """Declare a dataset whose file is at these addresses of the server."""
    monkeypatch.delenv("BENCHKIT_DATA", raising=False)
    server.asked.clear()

    def declare(*paths, further=(), **more):
        urls = tuple(f"http://127.0.0.1:{server.server_port}{path}" for path in paths)
        files = [DataFile(name=name, urls=urls, member=name) for name in further]
        return Dataset(name="numbers", load=load, files=[DataFile(name=NAME, urls=urls, **more), *files], digest=DIGEST)

    return declare


def test_a_download_takes_its_place_and_is_not_repeated(dataset, server):
    declared = dataset("/gone", "/html", "/torn", "/good", sha256=SHA256)
    (path,) = get_files(declared)
    assert (path, path.read_bytes()) == (cache_folder() / "data" / NAME, GOOD)
    assert get_files(declared) == []
    assert server.asked == ["/gone", "/html", "/torn", "/good"]
    assert declared.load().y.tolist() == [2, 4]


def test_an_archive_is_downloaded_once_for_all_its_files_and_one_may_be_compressed(dataset, server):
    packed, plain = get_files(dataset("/zip", member="inside/numbers.txt", compress=True, further=["more.txt"]))
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes() == GOOD
    assert server.asked == ["/zip"]


@pytest.mark.parametrize(
    ("path", "more", "reason"),
    [
        ("/gone", {}, "/gone: HTTPError 404"),
        ("/html", {}, "a web page came instead of the file"),
        ("/empty", {}, "nothing came instead of the file"),
        ("/torn", {}, "/torn: "),
        ("/hangs", {}, "/hangs: ReadTimeout"),
        ("/broken-zip", {"member": "inside/numbers.txt"}, "/broken-zip: "),
        ("/zip-of-something-else", {"member": "inside/numbers.txt"}, "the archive has no inside/numbers.txt"),
        ("/changed", {}, "parses, but to other data than expected"),
        ("/changed", {"sha256": SHA256}, f"its SHA-256 is {hashlib.sha256(CHANGED).hexdigest()[:12]}..., expected"),
        ("/short-rows", {}, "numbers.txt: 1 rows, expected 2"),
    ],
)
def test_what_is_not_the_file_is_refused_in_one_line_and_leaves_nothing(dataset, monkeypatch, path, more, reason):
    monkeypatch.setattr(fetch, "_TIMEOUT", 0.5 if path == "/hangs" else 10)
    if more.keys() == {"sha256"}:
        monkeypatch.setattr(fetch, "check_parsed", lambda *_: pytest.fail("parsed before its digest was checked"))
    with pytest.raises(FetchError) as caught:
        get_files(dataset(path, **more))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [path.suffix for path in (cache_folder() / "data").rglob("*") if path.is_file()] in ([], [".lock"])
    assert locate_file(NAME) is None


def test_from_a_folder_or_by_hand_where_there_is_no_network(dataset, tmp_path):
    file = DataFile(name=NAME, urls=("http://127.0.0.1:1/x",), obtain="ask the authors")
    with pytest.raises(FetchError, match="ConnectionError.*ask the authors") as caught:
        get_files(Dataset(name="numbers", load=load, files=[file]))
    assert str(cache_folder() / "data" / NAME) in str(caught.value)
    with pytest.raises(FetchError, match="holds neither numbers/numbers.txt nor numbers.txt"):
        get_files(dataset(), tmp_path)
    (tmp_path / "numbers.txt").write_bytes(CHANGED)
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
    (tmp_path / NAME).write_bytes(GOOD)
    with monkeypatch.context() as patch:
        patch.setenv("BENCHKIT_DATA", str(tmp_path))
        assert get_files(dataset("/gone")) == []
        assert require_file(NAME).parent == tmp_path / "numbers"
    monkeypatch.setenv("BENCHKIT_CACHE", str(tmp_path / NAME))
    with pytest.raises(FetchError, match="cannot write here"):
        get_files(dataset("/good"))


def _get_in_process(declared, dies):
    if dies:
        fetch._check_content = lambda *arguments: os._exit(1)
    os._exit(10 + len(get_files(declared)))


@pytest.mark.parametrize(("path", "count", "dies", "codes"), [("/slow", 2, False, [10, 11]), ("/good", 1, True, [1])])
def test_two_processes_fetch_once_and_one_that_dies_leaves_no_file_under_the_final_name(
    dataset, server, path, count, dies, codes
):
    context, arguments = multiprocessing.get_context("fork"), (dataset(path), dies)
    workers = [context.Process(target=_get_in_process, args=arguments) for _ in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(180)
    assert sorted(worker.exitcode for worker in workers) == codes
    assert server.asked == [path]
    assert (locate_file(NAME) is None) == dies


def test_what_a_file_may_not_declare():
    names = ("../x", "/x", "a/../../x", "", "a\\..\\b", "a\0")
    digests = ({"sha256": "abc"}, {"sha256": "a" * 64, "compress": True})
    for fields in (*({"name": name} for name in names), *({"name": "a"} | digest for digest in digests)):
        with pytest.raises(DeclarationError, match="sha256" if "sha256" in fields else "no path below a data folder"):
            DataFile(**fields)


DENSE = Data(
    X=np.arange(6.0).reshape(3, 2), y=np.array([1, -1, 1]), feature_names=["a", "b"], groups=[[0, 1]], truth={"k": 3}
)
SPARSE = Data(X=random_array((30, 8), density=0.2, format="csr", rng=0), y=np.array(["x", "y"] * 15, dtype=object))
X, Y = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([1, -1])


@pytest.mark.parametrize("data", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_the_second_time_nothing_is_parsed_and_what_is_mapped_cannot_be_changed_but_its_rows_can(data):
    first, again = cached("key", lambda: data), cached("key", lambda: pytest.fail("parsed again"))
    for read in (first, again):
        assert (digest_data(read), issparse(read.X)) == (digest_data(data), issparse(data.X))
        assert (read.feature_names, read.groups, read.truth) == (data.feature_names, data.groups, data.truth)
    if not issparse(data.X):
        with pytest.raises(ValueError, match="read-only"):
            first.X[0, 0] = 9
        rows = first.X[np.array([0, 2])]
        rows[0, 0] = 9
        assert (type(rows), again.X[0, 0]) == (np.ndarray, 0)


def test_damage_means_parsing_again():
    for name in ("X", "rest"):
        cached("key", lambda: DENSE)
        (cache_folder() / "arrays" / "key" / name).write_bytes(b"\x93NUM")
        assert digest_data(cached("key", lambda: DENSE)) == digest_data(DENSE)
        assert cached("key", lambda: pytest.fail("not repaired")).y.tolist() == [1, -1, 1]


def test_what_was_kept_is_found_under_its_key_alone_and_no_cache_costs_a_result(monkeypatch, tmp_path):
    keep("things", "a", {"n": [1, 2.5, None]})
    assert kept("things", "a") == {"n": [1, 2.5, None]}
    assert kept("things", "b") is kept("others", "a") is None
    (cache_folder() / "things" / "a.json").write_text("{")  # torn
    assert kept("things", "a") is None
    (tmp_path / "file").touch()
    monkeypatch.setenv("BENCHKIT_CACHE", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="cannot be kept"):
        assert cached("key", lambda: DENSE) is DENSE
    keep("things", "b", 1)
    assert kept("things", "b") is None


parsed = []


def parse_numbers(path):
    parsed.append(path.name)
    return Data(X=np.loadtxt(path, ndmin=2), y=np.zeros(2))


def test_the_content_decides_what_is_parsed_again(tmp_path):
    for name, text in [("one", "1 2\n3 4\n"), ("two", "1 2\n3 4\n"), ("one", "5 6\n7 8\n")]:
        (tmp_path / name).write_text(text)
        for _ in range(2):
            assert parse_once(tmp_path / name, parse_numbers).X[0].tolist() == [*map(int, text.split()[:2])]
    assert parsed == ["one", "one"]


def test_a_digest_sees_values_and_no_layout():
    dense, sparse = digest_data(Data(X=X, y=Y)), digest_data(Data(X=csr_matrix(X), y=Y))
    stored = coo_matrix(([1.0, 2.0, 0.0], ([0, 1, 1], [1, 0, 1])), shape=(2, 2))
    same = [np.asfortranarray(X.astype(np.float32)), np.where(X == 0, -0.0, X), csc_matrix(X), stored]
    assert [digest_data(Data(X=other, y=Y.astype(np.int8))) for other in same] == [dense, dense, sparse, sparse]
    payload = np.array([np.nan], dtype=float)
    payload.view(np.uint64)[0] |= 1
    one, other = (Data(X=np.array([[value]]), y=np.array([1])) for value in (np.nan, payload[0]))
    assert digest_data(one) == digest_data(other)
    pairs = [(X, Y), (X + 1e-12, Y), (X[::-1], Y), (X.reshape(1, 4), Y), (X, -Y), (X, ["a", "b"])]
    assert len({digest_data(Data(X=table, y=np.array(target))) for table, target in pairs}) == len(pairs)
