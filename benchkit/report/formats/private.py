"""What a manifest says of its maker, left out where a run is handed on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OF_THE_MAKER = {"command", "folder", "suite_path", "seal", "host", "plugins", "plugin_digests"}
"""How and where the run was made, and on which machine."""


def without_private(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest without command, folders, the machine's name and the names of changed files.

    The machine itself (processor, memory, versions) and the commit stay: without them timings and code mean nothing.
    """
    kept = {key: value for key, value in manifest.items() if key not in _OF_THE_MAKER}
    kept |= {key: _without(kept[key]) for key in ("environment", "source", "merged") if key in kept}
    if "suite_as_run" in kept:
        kept["suite_as_run"] = {key: value for key, value in kept["suite_as_run"].items() if key != "plugins"}
    return kept


def _without(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {key: _without(item) for key, item in value.items() if key not in _OF_THE_MAKER}
        if kept.get("changed_files"):  # that there are some stays known
            kept["changed_files"] = ["(name left out)"] * len(kept["changed_files"])
        return kept
    return [_without(item) for item in value] if isinstance(value, list) else value
