"""``benchkit ui``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from benchkit.cli.interface.options import OUT, OutOption


def ui(
    out: OutOption = OUT,
    suite: Annotated[str | None, typer.Option(metavar="NAME", help="Suite to open; the latest where absent.")] = None,
    host: Annotated[str, typer.Option(metavar="ADDR", help="Interface to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the dashboard.")] = 5000,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the browser when it is ready.")] = False,
) -> None:
    """Serve the MLflow dashboard, and print the address of the newest curves when it listens; Ctrl-C stops it."""
    from benchkit.cli.interface.errors import SOME_FAILED, print_error
    from benchkit.journal import JournalError
    from benchkit.plugin.manager import one_line
    from benchkit.tracking.address import hide_secrets, is_remote, is_server, masked, sqlite_file, tracking_uri
    from benchkit.tracking.connection import check_reachable
    from benchkit.tracking.errors import TrackingError
    from benchkit.tracking.server import check_port, dashboard_server

    uri = tracking_uri(out)
    database = sqlite_file(uri)
    if database is not None and not database.exists():
        place = masked(uri) if is_remote() else out
        raise JournalError(f"{place}: no dashboard yet; run a suite first, or name its folder with --out")
    try:
        if is_server(uri):  # it has pages already
            _ready(f"{masked(uri).rstrip('/')}/{_newest_view(uri, suite)}", open_browser)
            return
        check_port(host, port)
        try:
            check_reachable(uri, print_error)
        except Exception as error:  # whatever a database driver raises
            raise TrackingError(f"MLflow at {masked(uri)}: {one_line(error)}") from None
        with _sigterm_stops(), dashboard_server(uri, host, port) as server:
            view = _newest_view(uri, suite)  # while the server starts
            server.wait_until_ready()
            _ready(f"{server.address}/{view}", open_browser)
            server.wait()
    except KeyboardInterrupt:
        return
    except (TrackingError, JournalError) as error:
        print_error(hide_secrets(str(error), uri))
        raise typer.Exit(SOME_FAILED) from None


def _ready(link: str, open_browser: bool) -> None:
    print(f"dashboard: {link}", flush=True)
    if open_browser:
        import webbrowser

        webbrowser.open(link)


def _newest_view(uri: str, suite: str | None) -> str:
    """Where the newest curves are, from the dashboard's address on."""
    from benchkit.plugin.manager import one_line
    from benchkit.tracking.errors import TrackingError
    from benchkit.tracking.experiment import VIEW
    from benchkit.tracking.quiet import quiet_mlflow
    from benchkit.tracking.views import ALL, view_link

    try:
        experiments = list(quiet_mlflow().MlflowClient(uri).search_experiments())
    except Exception as error:  # a database driver's, or MLflow's
        raise TrackingError(f"the dashboard cannot be read: {one_line(error)}") from None
    ours = [experiment for experiment in experiments if VIEW + ALL in experiment.tags]
    shown = [experiment for experiment in ours if suite in (None, experiment.name)]
    if not shown:
        known = ", ".join(sorted(experiment.name for experiment in ours)) or "none"
        raise TrackingError(f"no suite {suite or ''} in the dashboard; it has {known}".replace("  ", " "))
    newest: Any = max(shown, key=lambda experiment: experiment.last_update_time or 0)
    return view_link(str(newest.experiment_id))


@contextmanager
def _sigterm_stops() -> Iterator[None]:
    """Make SIGTERM and a closed terminal stop the server, too, as Ctrl-C does."""
    import signal

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    signals = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {number: signal.signal(number, stop) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
