"""Calling a plugin's code: whose it is, and what is told where it raises."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from traceback import walk_tb

from benchkit.errors import BenchkitError, RequestError, message_of, one_line
from benchkit.plugin.declarations import Declaration
from benchkit.plugin.parameters import nearest_name


class PluginError(RequestError):
    """A plugin's code raised something; the message names the plugin and what was called, in one line."""

    exit_code = 1


def of(declaration: Declaration) -> str:
    """Whose code is called, for `guarded`: the plugin, and what it declares."""
    plugin = f"plugin {declaration.declared_by!r}: " if declaration.declared_by else ""
    return f"{plugin}{declaration.kind()} {declaration.name!r}"


# Of the command that runs: what failed, and whether it has been told.
_failures: ContextVar[dict[str, bool] | None] = ContextVar("failures", default=None)


@contextmanager
def guarded(
    who: str,
    tell: Callable[[str], None] | None = None,
    *,
    passing: tuple[type[BaseException], ...] = (),
    raising: type[RequestError] = PluginError,
) -> Iterator[None]:
    """Call a plugin's code within; ``who`` names the plugin and what of it is called.

    What goes wrong, but for what is ``passing``, is one line: ``raising`` an error with it, or ``tell`` takes it, and
    what follows the ``with`` is done next.
    """
    try:
        yield
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, *passing)):
            raise
        line = f"{who} failed: {one_line(error)}"
        if tell is None:
            raise raising(line) from error
        note_failure(line, shown=True)
        tell(line)


@contextmanager
def failures() -> Iterator[dict[str, bool]]:
    """What fails in a command, as lines, with whether somebody has been told."""
    noted: dict[str, bool] = {}
    token = _failures.set(noted)
    try:
        yield noted
    finally:
        _failures.reset(token)


def note_failure(line: str, *, shown: bool = False) -> None:
    """Note what failed and did not stop the command, which shows it at its end unless it is shown already."""
    noted = _failures.get()
    if noted is not None:
        noted[line] = shown or noted.get(line, False)


def has_failed(who: str) -> bool:
    """Whether something of whom this names has failed in this command."""
    return any(who in line for line in _failures.get() or ())


_SAID = "raised by "


@contextmanager
def blamed_on(who: str) -> Iterator[None]:
    """Note on what is raised within whose it is, such as ``metric f2``; what benchkit itself says stays as it is."""
    try:
        yield
    except (BenchkitError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, ValueError) and "read-only" in str(error):
            raise ValueError(f"{who} writes to the data it is given ({error}): let it work on a copy") from error
        error.add_note(f"{_SAID}{who}")
        raise


def with_blame(error: BaseException) -> str:
    """What an exception says, behind the name of whose it is where that was noted."""
    names = [note.removeprefix(_SAID) for note in getattr(error, "__notes__", ()) if note.startswith(_SAID)]
    return ": ".join([*names, message_of(error) or type(error).__name__])


FILE_MODULE = "benchkit_file_"
"""What the names of modules of plugin files begin with."""


def import_remedy(error: BaseException, instead: str = "", where: str = "") -> str:
    """What to do about an import that failed; empty where it was something else.

    What lies beside a plugin file is nowhere to be installed. ``where`` holds ``{}`` for the file that imports.
    """
    frames = [frame for frame, _ in walk_tb(error.__traceback__) if frame.f_code.co_filename[:1] != "<"]
    if not frames or not isinstance(error, ImportError):
        return ""
    path, top = Path(frames[-1].f_code.co_filename), str(error.name or "").partition(".")[0]
    beside = "attempted relative import" in str(error) or (
        top and any((path.parent / name).exists() for name in (top, f"{top}.py"))
    )
    if beside and str(frames[-1].f_globals.get("__name__")).startswith(FILE_MODULE):
        remedy = "a plugin file imports nothing beside it: put both into a package, 'benchkit new plugin' makes one"
    elif isinstance(error, ModuleNotFoundError) and (Path(f"{top}.py").exists() or Path(top, "__init__.py").exists()):
        remedy = f"{top!r} is in this folder, where Python does not look: write PYTHONPATH=. before the command"
    elif isinstance(error, ModuleNotFoundError) and top:
        remedy = f"install what provides {top!r} (often: pip install {top}){instead}"
    elif wrong := re.match(r"cannot import name '(\w+)' from '([\w.]+)'", str(error)):
        near = nearest_name(wrong[1], dir(sys.modules.get(wrong[2])))
        remedy = f"did you mean {near!r}?" if near else f"{wrong[2]} has nothing of that name"
    else:
        return ""
    return f"{where.format(path)}; {remedy}"
