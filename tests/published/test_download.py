"""A server that draws its answer out byte by byte: a deadline holds over all of it."""

import contextlib
import http.server
import threading

import pytest

from benchkit.journal import PublishError
from benchkit.published import download


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/body":
            self.send_response(200)
            self.end_headers()
        else:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        with contextlib.suppress(ConnectionError):
            while not self.server.told.wait(0.02):
                self.wfile.write(b"1")

    def log_message(self, *arguments):
        pass


@pytest.fixture
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.told = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.told.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "limit", "seconds", "reason"),
    [
        ("body", "_SECONDS_IN_ALL", 0.6, "not all of it came within 0.6 s"),
        ("head", "_SECONDS_TO_ANSWER", 0.3, "no answer within 0.3 s"),
    ],
)
def test_a_deadline_holds_over_the_whole_answer(address, monkeypatch, tmp_path, path, limit, seconds, reason):
    monkeypatch.setattr(download, limit, seconds)
    with pytest.raises(PublishError, match=reason):
        download.download(f"{address}/{path}", 2**20, tmp_path)
