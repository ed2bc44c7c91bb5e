"""Published results: ``from benchkit.published import publish``.

All of it is a plugin: nothing else of benchkit imports it, and it is reached through the hooks that other plugins have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchkit.published.write import publish

__all__ = ["publish"]


def __getattr__(name: str) -> Any:
    # Listing what this plugin declares waits for none of it.
    if name != "publish":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from benchkit.published.write import publish

    return publish
