"""benchkit: plugin-based benchmarks for robust machine learning.

The public API. A plugin needs `hookimpl` and the declarations; a notebook needs `plan`, `run` and `load`.
"""

from typing import Any

import lazy_loader

__version__ = "0.2.0"

# Every name is imported when it is first used, from where the stub beside this says.
_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """A public name, or the function of a command that a plugin declares, such as ``benchkit.judge``."""
    try:
        return _public(name)
    except AttributeError:
        if name.startswith("_"):
            raise
        from benchkit.plugin.manager import registry

        declared = registry().commands.get(name)
        if declared is None or declared.function is None:
            raise
        return declared.function.resolve()
