"""What a manifest says of a suite, by which its records are read as results."""

from __future__ import annotations

import math
from typing import Any

from benchkit.plugin.manager import Registry
from benchkit.suite.whole_suite import Suite, attack_order, axis_titles


def suite_facts(suite: Suite, registry: Registry) -> dict[str, Any]:
    """The suite as resolved, and what is declared of its metrics and adversaries."""
    metrics = {name: registry.metrics[name] for name in suite.metrics}
    return {
        "attack_order": attack_order(suite, registry),
        "axis_titles": axis_titles(suite, registry),
        "greater_is_better": {name: metric.greater_is_better for name, metric in metrics.items()},
        "situations": {
            entry.display_name: registry.adversaries[entry.name].situation
            for entry in suite.adversaries
            if registry.adversaries[entry.name].situation
        },
        "shares": {name: metric.share for name, metric in metrics.items() if metric.share},
        "ranges": {name: _finite(metric.range) for name, metric in metrics.items()},
        "suite_as_run": suite.model_dump(mode="json", exclude_defaults=True),
    }


def _finite(range_: tuple[float, float]) -> list[float | None]:
    """Limits of a metric as JSON has them: None where there is none."""
    return [limit if math.isfinite(limit) else None for limit in range_]
