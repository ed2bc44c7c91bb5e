"""YAML as suites have it: PyYAML's safe subset, with the numbers of YAML 1.2."""

from __future__ import annotations

import re
from typing import Any

import yaml

# PyYAML keeps to YAML 1.1, in which 1e3 and 1.5e3 are text: a number would need a point and a signed exponent.
_FLOAT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$")


class _Loader(yaml.SafeLoader):
    """Reads ``1e3`` as a number."""


class _Dumper(yaml.SafeDumper):
    """Writes the text "1e3" in quotes, so that it stays text."""


for _each in (_Loader, _Dumper):
    _each.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))


def parse(text: str) -> Any:
    """Plain values.

    Raises
    ------
    yaml.YAMLError, ValueError, RecursionError
        The text is not such YAML.
    """
    return yaml.load(text, Loader=_Loader)


def compose(text: str) -> yaml.Node | None:
    """The tree of nodes, which know their lines; raises as `parse` does."""
    return yaml.compose(text, Loader=_Loader)


def write(values: Any, width: int = 80) -> str:
    """Text that `parse` reads back as the same values, keys in their order."""
    found: str = yaml.dump(values, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width)
    return found
