"""Whether this user made a run where it lies now; of all others, nothing is unpickled or executed unasked."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchkit.data.files import cache_folder
from benchkit.journal.errors import JournalError

_SEALED = ("run", "suite", "suite_as_run", "plugins", "plugin_digests")


def seal(folder: Path, manifest: Mapping[str, Any]) -> str | None:
    """What marks a manifest as this user's: a keyed hash of what it would execute, and of where it lies.

    The key never leaves the user's cache, so a seal tells others nothing, and they cannot make one. A copy of a run is
    not sealed, even by its owner: others could have changed it on the way.

    Parameters
    ----------
    folder : Path
        The run's.
    manifest : mapping

    Returns
    -------
    str or None
        None where the user's cache cannot hold a key.
    """
    try:
        key = _key()
    except OSError:
        return None
    content = {name: manifest.get(name) for name in _SEALED} | {"folder": str(folder.resolve())}
    text = json.dumps(json.loads(json.dumps(content, default=str)), sort_keys=True)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def is_own(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether this user made the run, in this folder, with what the manifest says."""
    expected = seal(folder, manifest)
    return expected is not None and hmac.compare_digest(expected.encode(), str(manifest.get("seal")).encode())


def require_trust(folder: Path, manifest: Mapping[str, Any], trust: bool, why: str) -> None:
    """Refuse to execute what a run brings, unless it is the user's own or is trusted.

    Parameters
    ----------
    folder : Path
        The run's.
    manifest : mapping
    trust : bool
        Whether the user said so.
    why : str
        What would be executed: ``verify unpickles the models of a run``.

    Raises
    ------
    JournalError
    """
    if not trust and not is_own(folder, manifest):
        raise JournalError(
            f"{folder}: {why}, which can execute anything, and you did not make this run in this folder; add --trust "
            "if you trust who made it"
        )


def plugin_digests(plugins: tuple[str, ...]) -> dict[str, str]:
    """SHA-256 of the content of plugin files, by path."""
    return {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in plugins}


def plugin_files(folder: Path, manifest: Mapping[str, Any]) -> dict[str, Path]:
    """The plugin files that a run needed, by the name that its manifest gives them; they may be gone.

    A relative name, as in a bundle, is relative to the run's folder.
    """
    return {str(name): folder / str(name) for name in manifest.get("plugins") or ()}


def trusted_plugin_files(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Paths of the plugin files of a run that the user trusts, each with the content that the run was made with.

    Raises
    ------
    JournalError
        A file is gone or has changed: it is not what the run was made with.
    """
    digests = manifest.get("plugin_digests") or {}
    files = plugin_files(folder, manifest)
    for name, path in files.items():
        try:
            content = path.read_bytes()
        except OSError as error:
            raise JournalError(f"{path}: cannot read this plugin file of the run: {error.strerror or error}") from None
        if digests.get(name) != hashlib.sha256(content).hexdigest():
            raise JournalError(f"{path}: not the plugin file that the run was made with (its content is another)")
    return tuple(str(path.resolve()) for path in files.values())


def _key() -> bytes:
    """The user's key, made when it is first needed.

    Raises
    ------
    OSError
    """
    path = cache_folder() / "seal.key"
    with suppress(FileNotFoundError):
        return _only_ours(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(prefix=".seal-", dir=path.parent)  # readable by its owner alone
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(32))
        with suppress(FileExistsError):  # another process was first
            os.link(partial, path)
    finally:
        os.unlink(partial)
    return _only_ours(path)


def _only_ours(path: Path) -> bytes:
    """The content of a key that no other user could write or read, such as in a cache that a group shares.

    Raises
    ------
    PermissionError
        Another's key, or one that others know, proves nothing: nothing is sealed by it.
    """
    with path.open("rb") as file:
        state = os.fstat(file.fileno())
        if state.st_uid != os.getuid() or state.st_mode & 0o077:
            raise PermissionError(f"{path}: others may write or read it")
        return file.read()
