"""``benchkit ui``."""

import signal
from contextlib import suppress
from typing import Annotated

from benchkit.cli.interface.console import print_error
from benchkit.cli.interface.options import OUT, OutOption, PluginOption, flag, option, registry_with


def ui(
    out: OutOption = OUT,
    suite: Annotated[str | None, option("--suite", "NAME", "Suite to open; the latest where absent.")] = None,
    host: Annotated[str, option("--host", "ADDR", "Interface to listen on.")] = "127.0.0.1",
    port: Annotated[int, option("--port", "N", "Port to listen on.", min=1, max=65535)] = 5000,
    open_browser: Annotated[bool, flag("--open", "Open the browser when it is ready.")] = False,
    tracker: Annotated[str | None, option("--tracker", "NAME", "Serve the pages of this tracker.")] = None,
    plugin: PluginOption = None,
) -> None:
    """Show runs in the browser: the curves on a tracker's pages, such as MLflow's, until Ctrl-C."""
    from benchkit.errors import BenchkitError
    from benchkit.plugin.guard import guarded, of
    from benchkit.session.listeners import end_killed, tracker_with_pages
    from benchkit.session.loop import interruptible

    declared = tracker_with_pages(registry_with(plugin), tracker)

    def ready(link: str) -> None:
        print(f"runs: {link}", flush=True)
        if open_browser:
            import webbrowser

            webbrowser.open(link)
        end_killed([declared], out, print_error, connects=True)

    passing = (BenchkitError,)
    with suppress(KeyboardInterrupt), interruptible(signal.SIGHUP), guarded(f"{of(declared)}: serve", passing=passing):
        declared.serve(out=out, suite=suite, host=host, port=port, ready=ready, warn=print_error)
