"""YAML as suites have it: PyYAML's safe subset, with YAML 1.2's numbers and truth values; a key is given once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

_NUMBER, _TRUTH = "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool"
_EXPONENT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$")

# libyaml composes 14 times as fast. PyYAML may have been built without it.
if TYPE_CHECKING:
    _Parser = yaml.SafeLoader
else:
    _Parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Placed(NamedTuple):
    """A value and where it stands, for messages: ``suite.yaml:3: datasets.0``. Mappings and lists hold such values."""

    value: Any
    place: str

    @property
    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, dict):
            return {key: item.plain for key, item in self.value.items()}
        return [item.plain for item in self.value] if isinstance(self.value, list) else self.value


class _Loader(_Parser):
    """Reads ``1e3`` as a number, ``yes`` as text, and refuses a key that is given twice."""

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text)
        self._file, self._merged = file, set[int]()

    def placed(self, node: yaml.Node, line: int, names: tuple[Any, ...] = ()) -> Placed:
        """The value of a node, whose place is the line of its key."""
        place = f"{self._file}:{line + 1}" + (f": {'.'.join(map(str, names))}" if names else "")
        if isinstance(node, yaml.MappingNode):
            self.flatten_mapping(node)
            items = ((self.construct_object(key, deep=True), key, item) for key, item in node.value)
            return Placed(
                {name: self.placed(item, key.start_mark.line, (*names, name)) for name, key, item in items}, place
            )
        if isinstance(node, yaml.SequenceNode):
            entries = [self.placed(item, item.start_mark.line, (*names, i)) for i, item in enumerate(node.value)]
            return Placed(entries, place)
        return Placed(self.construct_object(node), place)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge what ``<<`` names into a mapping, once it is clear that YAML would not forget one of its own keys."""
        if id(node) in self._merged:
            return  # an anchor's, merged before
        self._merged.add(id(node))
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in lines:
                problem = f"key {key.value!r} is given twice, first in line {lines[key.value]}"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            lines[key.value] = key.start_mark.line + 1
        super().flatten_mapping(node)


class _Dumper(yaml.SafeDumper):
    """Writes the text "1e3" in quotes, so that it stays text."""


# PyYAML keeps to YAML 1.1, in which 1e3 and 1.5e3 are text: a number would need a point and a signed exponent.
# And in it yes, no, on and off are truth values, which as classes and names of columns they never are meant to be.
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _TRUTH]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_TRUTH, re.compile("^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver(_NUMBER, _EXPONENT, list("-+.0123456789"))
_Dumper.add_implicit_resolver(_NUMBER, _EXPONENT, list("-+.0123456789"))


def parse_placed(text: str, file: str = "") -> Placed:
    """The values of a text, each with its place.

    What is not such YAML raises `yaml.YAMLError`, ValueError, TypeError or RecursionError.
    """
    loader = _Loader(text, file)
    try:
        root = loader.get_single_node()
        return Placed(None, f"{file}:1") if root is None else loader.placed(root, root.start_mark.line)
    finally:
        loader.dispose()


def parse(text: str) -> Any:
    """Plain values; raises as `parse_placed` does."""
    return parse_placed(text).plain


def write(values: Any, width: int = 80, flow: bool | None = False) -> str:
    """Text that `parse` reads back as the same values, keys in their order; by ``flow`` with braces."""
    text: str = yaml.dump(
        values, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width, default_flow_style=flow
    )
    return text
