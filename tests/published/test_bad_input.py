"""Damaged, foreign and malicious files and servers: one clear line, and nothing executed."""

import gzip
import http.server
import io
import pickle
import shutil
import threading
from contextlib import suppress
from functools import partial

import pyarrow as pa
import pytest
from pyarrow import parquet

from benchkit.journal import JournalError, PublishError
from benchkit.published import download
from benchkit.published.rows import COLUMNS
from benchkit.published.stored import open_stored
from benchkit.report.analysis import Analysis
from benchkit.report.exports import csv_text
from benchkit.report.page.document import page

from .conftest import SUITE, edit_manifest, rows_of, run


def table(**change):
    """A parquet file with one odd column."""
    sink = io.BytesIO()
    parquet.write_table(pa.table(change), sink)
    return sink.getvalue()


class Evil:
    def __reduce__(self):
        return exec, ("raise SystemExit('executed')",)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not a readable parquet file"),
        (b"PAR1" + b"\0" * 40 + b"PAR1", "not a readable parquet file"),
        (b"PAR1" + b"\xff" * 40 + b"PAR1", "not a readable parquet file"),
        (pickle.dumps(Evil()), "not a readable parquet file"),
        (table(x=[1]), "no column 'trial'"),
        (table(**{name: [b"x"] for name in COLUMNS}), "is binary, expected string"),
    ],
)
def test_files_that_are_no_published_rows(content, complaint, write_table):
    folder = write_table(content() if callable(content) else content)
    with pytest.raises(PublishError, match=complaint) as told:
        rows_of(folder)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("status", "wonderful", "status"),
        ("params", "{not json", "row 1"),
        ("axis_value", "[" * 5000, "row 1"),
        ("dataset_params", '"text"', "dataset_params"),
        ("design", "0" * 16, "its design is not in manifest.json"),
        ("method", "0" * 16, "its method is not in manifest.json"),
        ("run", "0" * 16, "its run is not in manifest.json"),
    ],
)
def test_rows_of_odd_values_are_refused(column, value, complaint, with_column):
    with pytest.raises(PublishError, match=complaint) as told:
        rows_of(with_column(**{column: value}))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"benchkit_results": 99}, "of version 99"),
        ({"origins": {"x": {}}}, "not the manifest of a published run: origins.x.started"),
        ({"content": {"designs": {"0": {"question": 3}}, "methods": {}, "places": {}}}, "content.designs.0"),
        ({"suite": "../elsewhere"}, "not a manifest: suite"),
        ({"by": 3}, "not the manifest of a published run: by"),
    ],
)
def test_a_manifest_that_is_none(change, complaint, published):
    with pytest.raises(JournalError, match=complaint) as told:
        _ = [run.manifest for run in edit_manifest(published, lambda manifest: manifest.update(change)).runs.values()]
    assert "\n" not in str(told.value)


def test_names_that_are_html_or_formulas_do_nothing(with_column, alone_results):
    evil = '=HYPERLINK("x")<img src=x onerror=alert(1)>'
    from benchkit.published.join import join_published

    joined = join_published(alone_results, open_stored(with_column(algorithm=evil)))
    analysis = Analysis(joined)
    assert evil in analysis.algorithms
    html = page(analysis, joined.manifest)
    assert "<img" not in html
    assert not any(line.startswith("=") or ",=" in line for line in csv_text(analysis).splitlines())


@pytest.fixture
def alone_results(tmp_path):
    return run(tmp_path / "one", {**SUITE, "algorithms": ["logistic-regression"], "expect": []})


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
    assert len(rows_of("published")) == 12
    # What has a known digest is fetched once.
    for path in published.rglob("*.parquet"):
        path.unlink()
    assert len(rows_of(address)) == 12


@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        ("/hang", "no answer within"),
        ("/big", "larger than"),
        ("/page", "not a list of published results"),
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
        "/page": "not a list of published results",
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
    path = next(published.rglob("records.parquet"))
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(PublishError, match="SHA-256 is another"):
        rows_of(address)


def test_nobody_there():
    with pytest.raises(PublishError, match="no connection"):
        open_stored("http://127.0.0.1:9")


def test_published_says_how_where_nothing_is(monkeypatch, tmp_path):
    monkeypatch.delenv("BENCHKIT_RESULTS", raising=False)
    monkeypatch.setattr("benchkit.published.stored.CHECKOUT", tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PublishError, match="go to a clone of benchkit's repository.*set BENCHKIT_RESULTS"):
        open_stored("published")


def test_published_is_the_clone_that_one_stands_in_where_benchkit_is_installed_elsewhere(monkeypatch, tmp_path, first):
    """As after `pip install .` in a clone."""
    monkeypatch.delenv("BENCHKIT_RESULTS", raising=False)
    monkeypatch.setattr("benchkit.published.stored.CHECKOUT", tmp_path / "site-packages" / "results")
    for folder in ("benchkit/published", "results", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    shutil.copytree(first[1], tmp_path / "results", dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path / "docs")
    assert open_stored("published").name == str(tmp_path / "results")
