"""Writing a new plugin from its template.

The templates are packages that would work as they are; they are called ``my-method`` (``my_method``, ``MyMethod``), and
that name is replaced, in the files and in their names.
"""

import importlib.util
import keyword
import re
import shutil
from pathlib import Path

from benchkit.errors import RequestError
from benchkit.plugin.declarations import NAME
from benchkit.plugin.manager import Registry

KINDS = ("algorithm", "adversary", "dataset", "metric", "tuner")

_TEMPLATES = Path(__file__).parent / "templates"


class ScaffoldError(RequestError):
    """The plugin cannot be written as asked for; the message is one line for the user."""


def write_plugin(name: str, kind: str, parent: Path) -> list[Path]:
    """Write a package that installs, passes its tests and declares one working example, of a kind; its files.

    The name is that of the folder below ``parent``, of the plugin and of what it declares.
    """
    if kind not in KINDS:
        raise ScaffoldError(f"unknown kind {kind!r}; known: {', '.join(KINDS)}")
    if not NAME.fullmatch(name) or name[0].isdigit():
        words = re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()).strip("-0123456789")
        hint = f"; how about {words!r}?" if NAME.fullmatch(words) else ""
        raise ScaffoldError(f"{name!r} is not lower-case words joined by hyphens{hint}")
    folder = parent / name
    if folder.exists():
        raise ScaffoldError(f"{folder} exists already: choose another name, or remove it")
    package, kinds = f"benchkit_{name.replace('-', '_')}", "adversaries" if kind == "adversary" else f"{kind}s"
    if importlib.util.find_spec(package) or name in Registry().catalogue(kinds):
        raise ScaffoldError(f"an installed plugin uses the name {name!r} already: choose another")
    title = "".join(word.capitalize() for word in name.split("-"))
    if keyword.iskeyword(name) or keyword.iskeyword(title):
        raise ScaffoldError(f"{name!r} is a word of Python itself: choose another name")

    def renamed(text: str) -> str:
        text = text.replace("my-method", name).replace("my_method", name.replace("-", "_"))
        return text.replace("MyMethod", title)

    written = []
    try:
        for template in (_TEMPLATES / "every-kind", _TEMPLATES / kind):
            for source in sorted(path for path in template.rglob("*") if path.is_file() and path.suffix != ".pyc"):
                target = folder / renamed(str(source.relative_to(template)))
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(renamed(source.read_text(encoding="utf-8")), encoding="utf-8")
                written.append(target)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise ScaffoldError(f"{folder}: cannot write: {error.strerror or error}") from None
    return written
