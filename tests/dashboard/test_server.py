"""The server answers this machine alone, to reading alone, with headers that forbid every other request."""

import http.client
import threading

import pytest

from benchkit.dashboard.server import DashboardServer, serve
from benchkit.dashboard.site import Site
from benchkit.dashboard.tracker_pages import TrackerPages
from benchkit.errors import BenchkitError, RequestError
from benchkit.journal import JournalError


@pytest.fixture
def ask(write_run, tmp_path):
    """Ask a server; the system chose its port."""
    write_run("r1")
    with DashboardServer(Site(tmp_path, lambda: "http://127.0.0.1:1/"), "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()

        def ask(address, method="GET", **headers):
            connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
            connection.request(
                method, address, headers={name.replace("_", "-"): text for name, text in headers.items()}
            )
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            return answer, body

        yield ask
        server.shutdown()
        thread.join()


def test_a_page_comes_with_headers_that_forbid_every_request(ask):
    answer, body = ask("/")
    assert answer.status == 200
    assert b"Runs of this folder" in body
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    head, nothing = ask("/", "HEAD")
    assert (head.status, nothing) == (200, b"")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_but_reading_is_answered(ask, method):
    assert ask("/run/s/r1/", method)[0].status == 501


@pytest.mark.parametrize(("host", "status"), [("localhost:9", 200), ("127.0.0.1", 200), ("evil.example:80", 403)])
def test_a_name_that_an_attacker_lets_stand_for_this_machine_reads_nothing(ask, host, status):
    answer, body = ask("/", Host=host)
    assert answer.status == status
    assert (b"Runs" in body) == (status == 200)


def test_a_page_of_another_site_starts_no_tracker(ask):
    assert ask("/mlflow", Sec_Fetch_Site="cross-site")[0].status == 404
    there, _ = ask("/mlflow", Sec_Fetch_Site="same-origin")
    assert (there.status, there.headers["Location"]) == (303, "http://127.0.0.1:1/")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_it_listens_on_this_machine_alone(write_run, tmp_path, host):
    write_run("r1")
    with pytest.raises(RequestError, match="this machine alone"):
        serve(tmp_path, None, host, 5000, print)


def test_a_folder_without_runs_and_a_suite_that_is_not_there_are_said(write_run, tmp_path):
    with pytest.raises(JournalError, match="no run here yet"):
        serve(tmp_path, None, "127.0.0.1", 5000, print)
    write_run("r1")
    with pytest.raises(JournalError, match="no run of a suite t .* it has runs of s"):
        serve(tmp_path, "t", "127.0.0.1", 5000, print)


def test_a_port_that_is_taken_is_said(write_run, tmp_path):
    write_run("r1")
    with DashboardServer(Site(tmp_path), "127.0.0.1", 0) as server:
        port = server.server_address[1]
        with pytest.raises(RequestError, match=f"port {port} is taken"):
            serve(tmp_path, None, "127.0.0.1", port, print)


def test_a_tracker_s_pages_are_started_once_and_what_went_wrong_is_said():
    started, release = [], threading.Event()

    def good(port, ready):
        started.append(port)
        ready(f"http://127.0.0.1:{port}/")
        release.wait(30)

    pages = TrackerPages(good, "127.0.0.1")
    while (address := pages()) is None:
        pass
    assert pages() == address
    assert len(started) == 1
    release.set()

    def bad(port, ready):
        raise BenchkitError("no database")

    pages = TrackerPages(bad, "127.0.0.1")
    pages()
    pages._thread.join()
    with pytest.raises(BenchkitError, match="no database"):
        pages()
