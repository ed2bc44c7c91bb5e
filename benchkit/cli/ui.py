"""``benchkit ui``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.options import OUT, OutOption, PluginOption

_MLFLOW = "mlflow"


def ui(
    out: OutOption = OUT,
    suite: Annotated[
        str | None, typer.Option(metavar="NAME", help="Suite to open; all, or MLflow's latest, where absent.")
    ] = None,
    host: Annotated[str, typer.Option(metavar="ADDR", help="Interface to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the dashboard.")] = 5000,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the browser when it is ready.")] = False,
    mlflow: Annotated[bool, typer.Option("--mlflow", help="Open MLflow's pages instead of benchkit's own.")] = False,
    tracker: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Open the pages of this tracker.", autocompletion=complete.trackers),
    ] = None,
    plugin: PluginOption = None,
) -> None:
    """Show the runs of a folder in the browser, read only and on this machine alone; Ctrl-C stops it."""
    from benchkit.cli.interface.errors import SOME_FAILED, print_error
    from benchkit.plugin.declarations import TrackingError

    def ready(link: str) -> None:
        print(f"dashboard: {link}", flush=True)
        if open_browser:
            import webbrowser

            webbrowser.open(link)

    try:
        with _sigterm_stops():
            if mlflow or tracker is not None:
                _serve_tracker(tracker or _MLFLOW, plugin, ready, out=out, suite=suite, host=host, port=port)
            else:
                _serve_runs(plugin, ready, out=out, suite=suite, host=host, port=port)
    except KeyboardInterrupt:
        return
    except TrackingError as error:
        print_error(str(error))
        raise typer.Exit(SOME_FAILED) from None


def _serve_runs(plugin: list[Path] | None, ready: Any, *, out: Path, suite: str | None, host: str, port: int) -> None:
    """Benchkit's own pages, which lead to those of a tracker."""
    from benchkit.dashboard.server import serve
    from benchkit.dashboard.tracker_pages import TrackerPages

    def serve_tracker(**place: Any) -> None:
        _serve_tracker(None, plugin, out=out, suite=suite, host=host, **place)

    serve(out, suite, host, port, ready, TrackerPages(serve_tracker, host))


def _serve_tracker(name: str | None, plugin: list[Path] | None, ready: Any, **place: Any) -> None:
    """A tracker's pages."""
    from benchkit.cli.interface.errors import print_error
    from benchkit.cli.interface.plugin_files import registry_with
    from benchkit.session.trackers import end_killed, tracker_with_pages

    declared = tracker_with_pages(registry_with(plugin), name)

    def listening(link: str) -> None:
        ready(link)
        end_killed([declared], place["out"], print_error, connects=True)

    declared.serve(**place, ready=listening, warn=print_error)


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
