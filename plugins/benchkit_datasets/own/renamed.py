"""The former name of a parameter: ``label``, which is ``target`` now, works until the release after the next."""

from __future__ import annotations

import warnings
from typing import Any


def label_to_target(label: str | int | None = None, **params: Any) -> list[dict[str, Any]]:
    """What a table's dataset declares as its `expand`: one cell, the column to predict under its present name.

    Raises
    ------
    ValueError
        Both names are given.
    """
    if label is None:
        return [params]
    if "target" in params:
        raise ValueError(f"'label' is the former name of 'target': give 'target: {params['target']}' alone")
    warnings.warn(
        f"the parameter 'label' of a table is called 'target' now, and goes in the next release: "
        f"write 'target: {label}'",
        FutureWarning,
        stacklevel=2,
    )
    return [{**params, "target": label}]


label_to_target.former = ("label",)  # type: ignore[attr-defined]  # taken, and not among what is offered
