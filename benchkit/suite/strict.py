"""What all mappings of the suite format have in common: every key is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from benchkit.plugin.nearest_name import Suggestion


def refuse_unknown_keys(value: Mapping[Any, Any], known: list[str]) -> None:
    """Raise for a key that is not known, with the nearest that is."""
    for key in value:
        if key not in known:
            hint = Suggestion(key, known, otherwise=f"known keys: {', '.join(known)}")
            raise PydanticCustomError("unknown_key", "unknown key '{key}'; {hint}", {"key": key, "hint": hint})


class Strict(BaseModel):
    """A mapping of which every key is known; an unknown one is reported with the nearest that is."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation in (float, float | None):
            raise ValueError(f"{value!r} is not a number")
        return value

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            refuse_unknown_keys(value, list(cls.model_fields))
        return value
