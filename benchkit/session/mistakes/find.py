"""All mistakes of a suite."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from benchkit.plugin.manager import Registry
from benchkit.session.mistakes.data.look import look_at_data
from benchkit.session.mistakes.data.reading import Limits
from benchkit.session.mistakes.findings import Findings
from benchkit.session.mistakes.names.check import name_mistakes
from benchkit.session.mistakes.of_imports import import_mistakes
from benchkit.suite.loaded import Loaded
from benchkit.trial.identity import Fingerprints


def find(
    loaded: Loaded,
    registry: Registry,
    fingerprints: Fingerprints,
    plugins: tuple[str, ...] = (),
    data_of: Collection[str] | None = (),
    found: Sequence[str] | None = None,
    limits: Limits = Limits(),  # noqa: B008
) -> Findings:
    """All that is wrong with a suite that could be read, and what of it will be skipped.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    fingerprints : Fingerprints
        Under which parsed data is kept.
    plugins : tuple of str, default=()
        Plugin files.
    data_of : collection of str or None, default=()
        Labels of the datasets whose data is looked at: none before it is known which trials are left, all where None.
    found : sequence of str, optional
        What was found without data, and by planning; it is not looked for again.
    limits : Limits, optional
        Of reading a data set.
    """
    if found is None:
        found = import_mistakes(loaded, registry, fingerprints) or name_mistakes(loaded, registry)
    seen = look_at_data(loaded, registry, fingerprints, plugins, data_of, limits)
    return Findings(list(dict.fromkeys([*found, *seen.mistakes])), seen.warnings, seen.notes)
