"""The parameter that the axis varies."""

from __future__ import annotations

from benchkit.plugin.manager import Registry
from benchkit.session.mistakes.names.mistake import Mistakes
from benchkit.session.mistakes.names.parameters import check_params, parameters_of
from benchkit.suite.source import Location
from benchkit.suite.whole_suite import Suite


def check_axis(suite: Suite, registry: Registry) -> Mistakes:
    """The axis's parameter: each entry that it is of takes it."""
    if suite.axis is None:
        return
    target, _, parameter = suite.axis.parameter.partition(".")
    at: Location = ["axis", "parameter"]
    kind = {"adversary": "adversaries"}.get(target, target + "s")
    for entry in getattr(suite, kind):
        declared = registry.catalogue(kind)[entry.name]
        known = parameters_of(declared.load if target == "dataset" else declared.make, at)
        if wrong := list(check_params([parameter], known, entry.name, at)):
            yield wrong[0]
            return  # it is one key: the other entries would only repeat it
