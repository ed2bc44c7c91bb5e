"""What an address of the dashboard answers: pages made of the runs, and files of runs as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qs, unquote

from benchkit.dashboard.addresses import FILES, HOME, NoSuchPageError, run_file, run_folder
from benchkit.dashboard.runs import RUNNING, Runs
from benchkit.errors import BenchkitError
from benchkit.regular_file import read_regular

MLFLOW = "/mlflow"
_REPORT = "report.html"
_MOST_BYTES = 512 * 2**20
_SECONDS_BETWEEN_LOOKS = 5
_LONGEST_ADDRESS = 4000


@dataclass(frozen=True)
class Response:
    """What is sent back.

    Attributes
    ----------
    body : bytes
    kind : str, default="text/html; charset=utf-8"
    status : int, default=200
    again : float or None, default=None
        After how many seconds the browser asks again.
    location : str, default=""
        Where to go instead.
    """

    body: bytes
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    again: int | None = None
    location: str = ""


class Site:
    """The dashboard of an output folder.

    Parameters
    ----------
    out : Path
        Output folder.
    elsewhere : callable, optional
        Starts the tracker's own pages when it is first called, and returns where they are, or None while they are not
        ready. Raises BenchkitError.
    """

    def __init__(self, out: Path, elsewhere: Callable[[], str | None] | None = None) -> None:
        self._out, self._runs, self._elsewhere = out, Runs(out), elsewhere
        self._lock = Lock()  # reading a run pauses the garbage collector, and caches are shared

    def answer(self, target: str, by_reader: bool = True) -> Response:
        """What an address answers: always something, whatever it asks for.

        Parameters
        ----------
        target : str
            Path and query.
        by_reader : bool, default=True
            Whether the reader opened it, and no page of another site did: only then is anything started.
        """
        try:
            if len(target) > _LONGEST_ADDRESS:
                raise NoSuchPageError("this address is longer than any here")
            path, _, query = target.partition("?")
            asked = {name: values[-1] for name, values in parse_qs(query).items()}
            parts = path.removeprefix("/").removesuffix("/").split("/") if path != "/" else []
            with self._lock:
                return self._page([unquote(part) for part in parts], asked, by_reader)
        except NoSuchPageError as error:
            return _said("There is no such page", str(error), 404)
        except (BenchkitError, OSError, ValueError) as error:
            return _said("This cannot be shown", str(error), 400)

    def _page(self, path: list[str], asked: Mapping[str, str], by_reader: bool) -> Response:
        # What a page needs is imported when it is first asked for: the server listens before that.
        match path:
            case []:
                from benchkit.dashboard.home import home

                entries = self._runs.all()
                again = any(entry.state == RUNNING for entry in entries)
                mlflow = MLFLOW if self._elsewhere is not None else ""
                return _html(home(str(self._out), entries, asked.get("suite", ""), mlflow), again)
            case ["mlflow"] if self._elsewhere is not None:
                if not by_reader:
                    raise NoSuchPageError("MLflow is started by its link on the first page alone")
                return self._tracker(self._elsewhere())
            case ["run", suite, run]:
                from benchkit.dashboard.run_page import run_page

                entry = self._runs.one(suite, run)
                return _html(run_page(self._out, entry, self._runs.all()), entry.state == RUNNING)
            case ["run", suite, run, file]:
                return self._file(suite, run, file)
            case ["runs"]:
                from benchkit.dashboard.two_runs import two_runs

                return _html(two_runs(self._folder(asked, "a"), self._folder(asked, "b")))
            case ["methods"]:
                from benchkit.dashboard.two_methods import two_methods

                methods = _asked(asked, "a"), _asked(asked, "b")
                return _html(two_methods(self._folder(asked, "run"), *methods))
        raise NoSuchPageError(f"/{'/'.join(path)[:200]} is none of this dashboard's pages")

    def _folder(self, asked: Mapping[str, str], name: str) -> Path:
        suite, slash, run = _asked(asked, name).partition("/")
        if not slash:
            raise NoSuchPageError(f"{name}= names no run: SUITE/RUN is expected")
        return run_folder(self._out, suite, run)

    def _file(self, suite: str, run: str, name: str) -> Response:
        if name == _REPORT and not (run_folder(self._out, suite, run) / name).exists():
            return self._report_so_far(suite, run)
        path = run_file(self._out, suite, run, name)
        return Response(read_regular(path, _MOST_BYTES), FILES[name])

    def _report_so_far(self, suite: str, run: str) -> Response:
        """The report of a run that has not written it: of what has ended."""
        from benchkit.report.analysis import Analysis
        from benchkit.report.page.document import page
        from benchkit.report.stored_results import load_results

        results = load_results(run_folder(self._out, suite, run))
        if results.members:
            raise NoSuchPageError("a run of several suites has a report for each of them")
        if not results.rows:
            raise NoSuchPageError("no trial of this run has ended yet: there is nothing to report")
        again = self._runs.one(suite, run).state == RUNNING
        return _html(page(Analysis(results), results.manifest, HOME), again)

    def _tracker(self, address: str | None) -> Response:
        if address is None:
            started = _said("Starting", "MLflow's pages take up to half a minute; this page leads there by itself", 200)
            return Response(started.body, again=1)
        return Response(b"", status=303, location=address)


def _asked(asked: Mapping[str, str], name: str) -> str:
    if name not in asked:
        raise NoSuchPageError(f"the address lacks {name}=")
    return asked[name]


def _html(text: str, again: bool = False) -> Response:
    # A name may hold half of a surrogate pair, which is no text.
    return Response(text.encode(errors="replace"), again=_SECONDS_BETWEEN_LOOKS if again else None)


def _said(title: str, text: str, status: int) -> Response:
    from benchkit.report.page.frame import framed
    from benchkit.report.page.section import Section
    from benchkit.report.renderers.html import render

    section = Section(title, render("page/notes.html", body="", notes=[text]))
    return Response(framed("benchkit", "", [section], HOME).encode(errors="replace"), status=status)
