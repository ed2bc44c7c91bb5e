"""Where the numbers come from, and the suite as it was run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchkit.report.page.section import Section
from benchkit.report.renderers.html import render
from benchkit.suite import yaml_text

# Long, or shown elsewhere.
_ELSEWHERE = ("trials", "positions", "suite_as_run", "feature_values", "seal", "content")


def provenance(manifest: Mapping[str, Any]) -> Section:
    """The manifest: command, time, machine, versions, whatever it holds."""
    facts = {key: value for key, value in manifest.items() if key not in _ELSEWHERE}
    return Section("Provenance", render("page/provenance.html", facts=facts))


def suite_as_run(manifest: Mapping[str, Any]) -> Section:
    """The suite, profile and settings applied, as YAML that runs again."""
    text = yaml_text.write(manifest["suite_as_run"], width=110)
    return Section("Suite as run", render("page/suite.html", text=text))
