"""Damaged, foreign and malicious files and servers: one clear line, and nothing executed."""

import gzip
import hashlib
import http.server
import io
import json
import pickle
import shutil
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from benchkit.journal import PublishError
from benchkit.published import download
from benchkit.published.index_format import INDEX
from benchkit.published.rows import COLUMNS, from_parquet
from benchkit.published.stored import open_folder, open_stored
from benchkit.published.submission import check_submission
from benchkit.report.analysis import Analysis
from benchkit.report.formats.exports import csv_text
from benchkit.report.page.document import page


def table(**change):
    """A parquet file with one odd column."""
    sink = io.BytesIO()
    parquet.write_table(pa.table(change), sink)
    return sink.getvalue()


def wide():
    sink = io.BytesIO()
    parquet.write_table(pa.table({f"column {number}": [1] for number in range(30_000)}), sink)
    return sink.getvalue()


class Evil:
    def __reduce__(self):
        return exec, ("raise SystemExit('executed')",)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not a parquet file"),
        (b"PAR1" + b"\0" * 40 + b"PAR1", "not a readable parquet file"),
        (b"PAR1" + b"\xff" * 40 + b"PAR1", "its list of columns takes"),
        (pickle.dumps(Evil()), "not a parquet file"),
        (table(x=[1]), "no column 'trial'"),
        (wide, "no file of published results|columns; published results have"),
        (table(**{name: [b"x"] for name in COLUMNS}), "is binary, expected string"),
    ],
)
def test_files_that_are_no_published_rows(content, complaint, write_table):
    stored = open_folder(write_table(content() if callable(content) else content))
    with pytest.raises(PublishError, match=complaint) as told:
        stored.all_rows()
    assert "\n" not in str(told.value)


def test_rows_of_odd_values_are_refused(first, write_table):
    path = next(first[1].rglob("constant.parquet"))
    for column, value, complaint in (
        ("status", "wonderful", "status"),
        ("params", "{not json", "row 1"),
        ("axis_value", "[" * 5000, "row 1"),
        ("dataset_params", '"text"', "dataset_params"),
        ("contribution", "0" * 16, "a contribution that the index does not have"),
    ):
        known = parquet.read_table(path)
        place = known.column_names.index(column)
        changed = known.set_column(place, known.schema.field(column), pa.array([value] * len(known), pa.string()))
        sink = io.BytesIO()
        parquet.write_table(changed, sink)
        stored = open_folder(write_table(sink.getvalue()))
        with pytest.raises(PublishError, match=complaint):
            stored.all_rows()


def test_a_changed_file_is_not_the_one_that_the_index_speaks_of(published):
    path = next(published.rglob("svm.parquet"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(PublishError, match="SHA-256 is another"):
        open_folder(published).all_rows()
    assert any("SHA-256" in problem for problem in check_submission(published))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("{", "not an index"),
        ("[]", "not an index"),
        ({"benchkit_results": 99}, "written for version 99"),
        ({"files": [{"path": "../../etc/passwd.parquet"}]}, "SUITE/PROFILE/METHOD"),
        ({"contributions": {"../x": {}}}, "not an index"),
        ({"designs": {"0" * 16: {"question": 3}}}, "not an index"),
    ],
)
def test_an_index_that_is_none(change, complaint, published):
    path = published / "index.json"
    text = change if isinstance(change, str) else json.dumps({**json.loads(path.read_text()), **change})
    path.write_text(text)
    with pytest.raises(PublishError, match=complaint) as told:
        open_folder(published)
    assert "\n" not in str(told.value)


def test_names_that_are_html_or_formulas_do_nothing(first, write_table, alone_results):
    evil = '=HYPERLINK("x")<img src=x onerror=alert(1)>'
    known = parquet.read_table(next(first[1].rglob("constant.parquet")))
    place = known.column_names.index("algorithm")
    column = pa.array([evil] * len(known), pa.string())
    sink = io.BytesIO()
    parquet.write_table(known.set_column(place, known.schema.field("algorithm"), column), sink)
    from benchkit.published.join import join_published

    joined = join_published(alone_results, open_folder(write_table(sink.getvalue())))
    analysis = Analysis(joined)
    assert evil in analysis.algorithms
    html = page(analysis, joined.manifest)
    assert "<img" not in html
    assert not any(line.startswith("=") or ",=" in line for line in csv_text(analysis).splitlines())


@pytest.fixture
def alone_results(tmp_path):
    from .conftest import SUITE, run

    return run(tmp_path / "one", {**SUITE, "algorithms": ["svm"], "expect": []})


SWELLING = gzip.compress(bytes(2**26))  # 65 kB


class Server(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; some paths hang, drip or lie."""

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        if self.path.startswith("/hang"):
            self.server.told.wait(180)
        elif self.path.startswith("/drip"):
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):  # the client has had enough
                while not self.server.told.wait(0.02):
                    self.wfile.write(b"1")
        elif self.path.startswith("/big"):
            self.send_response(200)
            self.end_headers()
            try:
                for _ in range(64):
                    self.wfile.write(b"x" * 2**20)
            except OSError:
                pass  # the client has had enough
        elif self.path.startswith("/swells"):
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            with suppress(OSError):  # the client has had enough
                self.wfile.write(SWELLING)
        elif self.path.startswith(("/circle", "/file")):
            self.send_response(302)
            self.send_header("Location", self.path if self.path.startswith("/circle") else "file:///etc/hostname")
            self.end_headers()
        elif self.path.startswith("/page"):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>welcome</html>")
        else:
            super().do_GET()


@pytest.fixture
def address(published):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, directory=str(published)))
    server.told = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.told.set()
    server.shutdown()
    server.server_close()


def test_results_at_an_address(address, published, monkeypatch):
    monkeypatch.setenv("BENCHKIT_RESULTS", address)
    assert len(open_stored("published").all_rows()) == 12
    # What has a known digest is fetched once.
    for path in published.rglob("*.parquet"):
        path.unlink()
    assert len(open_stored(address).all_rows()) == 12


@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        ("/hang", "no answer within"),
        ("/big", "larger than"),
        ("/page", "not an index"),
        ("/swells", "larger than"),
        ("/circle", "it leads from one address to the next without end"),
        ("/file", "InvalidSchema"),
        ("/absent", "answered 404"),
    ],
)
def test_a_server_that_hangs_or_lies(place, complaint, address, monkeypatch):
    if place == "/hang":
        monkeypatch.setattr(download, "_SECONDS_TO_ANSWER", 0.5)
    with pytest.raises(PublishError, match=complaint) as told:
        open_stored(address + place)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("command", ["report", "compare", "run"])
def test_commands_say_in_one_line_what_a_server_does(first, address, call_benchkit, tmp_path, monkeypatch, command):
    """Each in turn: bytes now and then, no end, a circle of addresses, a local file, a page, an absent index."""
    # Short where waiting is the point alone: a busy machine takes longer than that to answer anything.
    limits = {"/hang": ("_SECONDS_TO_ANSWER", 0.5), "/drip": ("_SECONDS_IN_ALL", 1.0)}
    folder = str(first[0].folder)
    words = {
        "report": ["report", folder],
        "compare": ["compare", folder],
        "run": ["run", str(first[0].folder / "suite.yaml"), "--out", str(tmp_path / "runs"), "--no-tracking"],
    }[command]
    for place, complaint in {
        "/hang": "no answer within",
        "/drip": "not all of it came within",
        "/big": "larger than",
        "/circle": "it leads from one address to the next without end",
        "/file": "InvalidSchema",
        "/page": "not an index",
        "/swells": "larger than",
        "/absent": "answered 404",
    }.items():
        with monkeypatch.context() as short:
            if place in limits:
                short.setattr(download, *limits[place])
            ended = call_benchkit(tmp_path, *words, "--against", address + place)
        assert (ended.returncode, ended.stdout) == (2, ""), place
        (line,) = ended.stderr.splitlines()
        assert complaint in line
    assert not (tmp_path / "runs").exists()  # nothing ran


def test_a_server_that_serves_another_file(address, published):
    path = next(published.rglob("svm.parquet"))
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(PublishError, match="SHA-256 is another"):
        open_stored(address).all_rows()


def test_nobody_there():
    with pytest.raises(PublishError, match="no connection"):
        open_stored("http://127.0.0.1:9")


def test_published_says_how_where_nothing_is(monkeypatch, tmp_path):
    monkeypatch.delenv("BENCHKIT_RESULTS", raising=False)
    monkeypatch.setattr("benchkit.published.stored.CHECKOUT", tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PublishError, match="go to a clone of benchkit's repository.*set BENCHKIT_RESULTS"):
        open_stored("published")


def test_published_is_the_clone_that_one_stands_in_where_benchkit_is_installed_elsewhere(monkeypatch, tmp_path):
    """As after `pip install .` in a clone."""
    monkeypatch.delenv("BENCHKIT_RESULTS", raising=False)
    monkeypatch.setattr("benchkit.published.stored.CHECKOUT", tmp_path / "site-packages" / "results")
    for folder in ("benchkit/published", "results", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    shutil.copy(Path(__file__).parents[2] / "results" / INDEX, tmp_path / "results")
    monkeypatch.chdir(tmp_path / "docs")
    assert open_stored("published").name == str(tmp_path / "results")


def test_a_digest_is_of_the_content(first):
    for file in open_folder(first[1]).index["files"]:
        content = (first[1] / file["path"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
        assert len(from_parquet(content, file["path"])) == file["rows"]


def test_texts_that_rows_share_are_few_bytes_in_a_file_and_many_in_memory(monkeypatch):
    def content(rows=3000, **special):
        plain = {"int": 0, "float": 1.0, "bool": True, "json": "{}"}
        cells = {name: plain.get(kind, "x") for name, (kind, _) in COLUMNS.items()}
        cells |= {"status": "ok", "axis_value": '"a"', "tuning": "[]", **special}
        types = {"int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
        table = {
            name: pa.array([cell] * rows, types.get(COLUMNS[name][0], pa.string()))
            for name, cell in cells.items()
            if name in COLUMNS
        }
        sink = io.BytesIO()
        parquet.write_table(pa.table(table), sink, compression="zstd")
        return sink.getvalue()

    rows = from_parquet(content(dataset="y" * 3000), "m.parquet")
    assert len(rows) == 3000
    assert rows[0] == rows[-1]
    with pytest.raises(PublishError, match="a value of 2000000 bytes; published results have 1048576 at most"):
        from_parquet(content(rows=1, dataset="y" * 2_000_000), "m.parquet")
    monkeypatch.setenv("BENCHKIT_READ_MB", "-1")
    with pytest.raises(PublishError, match=r"m.parquet: reading it takes more than -1 MB of memory"):
        from_parquet(content(), "m.parquet")
