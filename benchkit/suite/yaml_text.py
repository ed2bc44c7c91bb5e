"""YAML as suites have it: PyYAML's safe subset, with YAML 1.2's numbers and truth values; a key is given once."""

import re
from typing import TYPE_CHECKING, Any

import yaml

_NUMBER, _TRUTH, _WHOLE, _MOMENT = (f"tag:yaml.org,2002:{name}" for name in ("float", "bool", "int", "timestamp"))
_EXPONENT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$")

# libyaml composes 14 times as fast. PyYAML may have been built without it.
if TYPE_CHECKING:
    _Parser = yaml.SafeLoader
else:
    _Parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

At = tuple[Any, ...]
"""The keys of mappings, and the places in lists, that lead to a value."""


class _Loader(_Parser):
    """Reads ``1e3`` as a number, ``yes`` as text, and refuses a key that is given twice."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lines: dict[At, int] = {}
        self._merged = set[int]()

    def value_of(self, node: yaml.Node, line: int, at: At = ()) -> Any:
        """The value of a node; its line, which is that of its key, is noted."""
        self.lines[at] = line + 1
        if isinstance(node, yaml.MappingNode):
            self.flatten_mapping(node)
            items = ((self.construct_object(key, deep=True), key, item) for key, item in node.value)
            return {name: self.value_of(item, key.start_mark.line, (*at, name)) for name, key, item in items}
        if isinstance(node, yaml.SequenceNode):
            return [self.value_of(item, item.start_mark.line, (*at, i)) for i, item in enumerate(node.value)]
        return self.construct_object(node)

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
# And in it yes, no, on and off are truth values, 12:30 is 750, 010 is 8 and 2024-05-31 no text, which as classes and
# names of columns they never are meant to be.
_Loader.yaml_implicit_resolvers = {
    first: [pair for pair in resolvers if pair[0] not in (_NUMBER, _TRUTH, _WHOLE, _MOMENT)]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_TRUTH, re.compile("^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver(_WHOLE, re.compile("^[-+]?(0x[0-9a-fA-F]+|0|[1-9][0-9_]*)$"), list("-+0123456789"))
_DECIMAL = re.compile(r"^([-+]?(\.[0-9]+|[0-9][0-9_]*\.[0-9_]*)|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$")
_Loader.add_implicit_resolver(_NUMBER, _DECIMAL, list("-+.0123456789"))
_Loader.add_implicit_resolver(_NUMBER, _EXPONENT, list("-+.0123456789"))
_Dumper.add_implicit_resolver(_NUMBER, _EXPONENT, list("-+.0123456789"))


def parse_with_lines(text: str) -> tuple[Any, dict[At, int]]:
    """The values of a text, and the line of each.

    What is not such YAML raises `yaml.YAMLError`, ValueError, TypeError or RecursionError.
    """
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        return None if root is None else loader.value_of(root, root.start_mark.line), loader.lines
    finally:
        loader.dispose()


def parse(text: str) -> Any:
    """The values alone; raises as `parse_with_lines` does."""
    return parse_with_lines(text)[0]


def write(values: Any, width: int = 80, flow: bool | None = False) -> str:
    """Text that `parse` reads back as the same values, keys in their order; by ``flow`` with braces."""
    style: dict[str, Any] = {"sort_keys": False, "allow_unicode": True, "width": width, "default_flow_style": flow}
    return str(yaml.dump(values, Dumper=_Dumper, **style))
