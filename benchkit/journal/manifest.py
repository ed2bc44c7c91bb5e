"""Manifests: what a run, or a run of several suites, was made of, and whether this user made it where it lies.

They are written whole, and read here alone.
"""

import codecs
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from benchkit.data.files import cache_folder
from benchkit.errors import JournalError, writing
from benchkit.journal.store import Store, best
from benchkit.plugin.parameters import suggestion
from benchkit.trial.record import Record, first_mistake
from benchkit.whole_file import write_whole

_SEALED = ("run", "suite", "suite_as_run", "plugins", "plugin_digests")


def seal(folder: Path, manifest: Mapping[str, Any]) -> str | None:
    """What marks a manifest as this user's: a keyed hash of what it would execute, and of where it lies.

    The key never leaves the user's cache, so a seal tells others nothing, and they cannot make one. A copy of a run is
    not sealed, even by its owner: others could have changed it on the way. None where the user's cache cannot hold a
    key, or others could write or read it, as in a cache that a group shares: it proves nothing then.
    """
    path = cache_folder() / "seal.key"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with suppress(FileExistsError), open(os.open(path, flags, 0o600), "wb") as file:  # readable by its owner
                file.write(secrets.token_bytes(32))
        state, key = path.stat(), path.read_bytes()
    except OSError:
        return None
    if state.st_uid != os.getuid() or state.st_mode & 0o077:
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

    ``why`` says what would be executed: ``verify unpickles the models of a run``.
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
    """The plugin files that a run needed, by the name that its manifest gives them."""
    return {str(name): folder / str(name) for name in manifest.get("plugins") or ()}


def trusted_plugin_files(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Paths of the plugin files of a run that the user trusts, each with the content that the run was made with."""
    files = plugin_files(folder, manifest)
    for name, path in files.items():
        try:
            digest = plugin_digests((str(path),))[str(path)]
        except OSError as error:
            raise JournalError(f"{path}: cannot read this plugin file of the run: {error.strerror or error}") from None
        if (manifest.get("plugin_digests") or {}).get(name) != digest:
            raise JournalError(f"{path}: not the plugin file that the run was made with (its content is another)")
    return tuple(str(path.resolve()) for path in files.values())


Manifest = dict[str, Any]

# A suite's name, or a run's, which is its date, is a folder's: it cannot lead elsewhere.
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")]


class _AttackOrder(TypedDict, total=False):
    metrics: dict[str, bool]
    pairs: list[dict[str, str | bool]]


class _Suite(TypedDict, total=False):
    metrics: list[str]
    expect: list[dict[str, Any]]
    plugins: list[str]
    datasets: list[str | dict[str, Any]]
    algorithms: list[str | dict[str, Any]]


class _Content(TypedDict):
    """What the run's trials ask, as `benchkit.identity.fingerprints` describes it."""

    designs: dict[str, dict[str, Any]]
    methods: dict[str, dict[str, Any]]
    places: dict[str, Annotated[list[str], Field(min_length=2, max_length=2)]]


@with_config(ConfigDict(extra="allow", strict=True, defer_build=True))
class _Format(TypedDict):
    """Types of the fields that readers rely on; a version to come may add others."""

    suite: _Name
    title: str
    suite_as_run: _Suite
    trials: list[str]
    run: NotRequired[_Name]
    profile: NotRequired[str]
    started: NotRequired[str]
    command: NotRequired[str]
    positions: NotRequired[list[int]]
    reused_from: NotRequired[dict[str, list[str]]]
    plugins: NotRequired[list[str]]
    plugin_digests: NotRequired[dict[str, str]]
    feature_values: NotRequired[dict[str, list[float]]]
    shard: NotRequired[str]
    fresh: NotRequired[bool]
    complete: NotRequired[bool]
    environment: NotRequired[dict[str, Any]]
    source: NotRequired[dict[str, Any] | None]
    ingredients: NotRequired[dict[str, dict[str, str]]]
    attack_order: NotRequired[_AttackOrder]
    axis_titles: NotRequired[dict[str, str]]
    situations: NotRequired[dict[str, str]]
    shares: NotRequired[dict[str, str]]
    trivial: NotRequired[dict[str, str]]
    greater_is_better: NotRequired[dict[str, bool]]
    ranges: NotRequired[dict[str, tuple[float | None, float | None] | list[float | None]]]
    disagreements: NotRequired[list[str]]
    leaks: NotRequired[dict[str, list[str]]]
    content: NotRequired[_Content]


@with_config(ConfigDict(extra="allow", strict=True, defer_build=True))
class _Group(TypedDict):
    """A run of several suites."""

    collection: _Name
    title: str
    runs: dict[_Name, _Name]


_FORMAT, _GROUP = TypeAdapter(_Format), TypeAdapter(_Group)

FILE = "manifest.json"
_OF_SEVERAL = "collection.json"


def write_manifest(folder: Path, manifest: Mapping[str, Any], name: str = FILE) -> None:
    """Write a run's manifest whole."""
    write_whole(folder / name, json.dumps(manifest, indent=1, default=str) + "\n")


def write_group(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write which runs belong to a run of several suites."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_manifest(folder, manifest, _OF_SEVERAL)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run's folder, checked for what readers need; a `JournalError` where it is none."""
    manifest = _read(folder / FILE, _FORMAT)
    if "positions" in manifest and len(manifest["positions"]) != len(manifest["trials"]):
        raise JournalError(f"{folder / FILE}: not a manifest: positions: not one for each trial")
    return manifest


def read_group(folder: Path) -> tuple[Manifest, list[Path]]:
    """The manifest of a run of several suites, and the folders of their runs."""
    manifest = _read(folder / _OF_SEVERAL, _GROUP)
    return manifest, [folder.parent.parent / suite / run for suite, run in manifest["runs"].items()]


def _read(path: Path, format_: TypeAdapter[Any]) -> Manifest:
    try:
        return dict(format_.validate_json(path.read_bytes().removeprefix(codecs.BOM_UTF8)))
    except OSError as error:
        raise JournalError(f"{path}: cannot read: {error.strerror or error}") from None
    except ValidationError as error:
        raise JournalError(f"{path}: not a manifest: {first_mistake(error)}") from None


def find_group(reference: str | Path) -> Path | None:
    """The folder of a run of several suites: the one given, or the newest in it; None where there is none."""
    folder = Path(reference)
    if (folder / _OF_SEVERAL).is_file():
        return folder
    return max((path.parent for path in folder.glob(f"*/{_OF_SEVERAL}")), default=None)


def find_run(reference: str | Path, whole: bool = False) -> Path:
    """The folder of a run: the one given, or the newest in the one given; of ``whole`` ones that ran no part alone."""
    folder = Path(reference)
    if (folder / FILE).exists():
        return folder
    for path in sorted(folder.glob(f"*/{FILE}"), reverse=True):
        if not (whole and read_manifest(path.parent).get("only")):
            return path.parent
    what = "no run of the whole suite" if whole else "no run"
    beside = {str(path.parents[1]) for path in folder.parent.glob(f"*/*/{FILE}")}
    raise JournalError(
        f"{reference}: {what} here; {suggestion(folder, beside, 'name runs/SUITE or the folder of a run')}"
    )


def runs_of(reference: str | Path) -> list[Path]:
    """The folders of the runs that a reference stands for: one, or those of a collection's run, in its order."""
    return [find_run(reference)] if (group := find_group(reference)) is None else read_group(group)[1]


def read_run(reference: str | Path) -> tuple[Manifest, list[Record], Path]:
    """The manifest, the records in its order, and the folder of a run.

    Rows belong to runs: those that the run made, and those of earlier runs that it says it reused. A suite's folder
    stands for its newest run.
    """
    folder = find_run(reference)
    manifest = read_manifest(folder)
    store = Store(folder.parent.parent, folder.parent.name)
    rows = best(((row["run"], row["trial"]), row) for row in store.rows())
    manifest["damaged"] = store.damaged
    # A reused record that is called otherwise in this run was written anew for it.
    of_trials = owners(manifest, folder.name).items()
    records = [rows.get((folder.name, trial)) or rows.get((origin, trial)) for trial, origin in of_trials]
    return manifest, [row for row in records if row is not None], folder


def owners(manifest: Manifest, run: str) -> dict[str, str]:
    """The run that made the record of each trial of a manifest; rows of earlier versions belong to no run, ``""``."""
    reused = manifest.get("reused_from")
    own = dict.fromkeys(manifest["trials"], "" if reused is None else run)
    return own | {trial: origin for origin, trials in (reused or {}).items() for trial in trials}
