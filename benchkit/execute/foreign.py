"""Worker processes of an environment's interpreter, which serve as all others do; only how they start differs.

They get the running benchkit and its plugins from `benchkit.environment.place`, all else from their own packages.
"""

import os
import site
import subprocess
import tempfile
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchkit.environment.place import BuiltEnvironment, EnvironmentMissingError, bridge, interpreter_of, place_of
from benchkit.plugin.declarations import Environment

# The bridge goes before the environment's packages: a distribution of the name of benchkit may lie among them.
_START = """
import site, sys
for folder in sys.argv[3:]:
    site.addsitedir(folder)
sys.path.insert(0, sys.argv[1])
from multiprocessing.connection import Connection
from benchkit.execute.worker import serve
parent = Connection(int(sys.argv[2]))
serve(parent, *parent.recv())
"""

# Variables by which the interpreter that runs benchkit finds its packages, which are not the environment's.
_PYTHON_VARIABLES = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")


@dataclass(frozen=True)
class InEnvironment:
    """A function to be called in an environment, which ``build`` builds: `LocalExecutor` does so."""

    function: Callable[..., Any]
    environment: Environment
    build: str

    def place(self) -> BuiltEnvironment | None:
        """The environment on this machine; None where the present interpreter will do. See `place_of`."""
        return place_of(self.environment, self.build)

    def __call__(self, *args: Any) -> Any:
        """Call the function here, if here is where it may run."""
        if self.place() is not None:
            raise EnvironmentMissingError("its environment needs worker processes: use --executor local")
        return self.function(*args)


class ForeignProcess(subprocess.Popen[bytes]):
    """A worker process of an environment, with the face of a `multiprocessing.Process`."""

    def __init__(self, built: BuiltEnvironment, parent: Connection) -> None:
        # ``parent`` is the worker's end of the connection; its first message is what else `serve` takes.
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - until it has a log
        weakref.finalize(self, self._output.close)
        above = [folder for folder in site.getsitepackages() if Path(folder).is_dir()] if built.inherit else []
        super().__init__(
            [str(interpreter_of(built.folder)), "-P", "-c", _START, str(bridge()), str(parent.fileno()), *above],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
            pass_fds=[parent.fileno()],
            env={name: value for name, value in os.environ.items() if name not in _PYTHON_VARIABLES},
            process_group=0,  # Ctrl-C at a terminal does not reach it
        )

    @property
    def exitcode(self) -> int | None:
        """Minus the signal's number where one ended it."""
        return self.poll()

    def join(self, timeout: float) -> None:
        """Wait for its end."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(timeout)

    def last_words(self) -> str:
        """The last line that it printed before it had a log."""
        self._output.seek(0)
        lines = self._output.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else ""
