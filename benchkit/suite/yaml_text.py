"""YAML as suites have it: PyYAML's safe subset, with YAML 1.2's numbers and truth values, of a person's size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

LONGEST = 2**20
"""Bytes of a suite file: PyYAML takes seconds for each million."""

_MOST_NODES = 200_000  # once aliases are written out; a list of feature values has 10,000
_CHARACTERS_OF_A_NODE = 16
_MOST_DIGITS = 300  # a float holds no more

# PyYAML keeps to YAML 1.1, in which 1e3 and 1.5e3 are text: a number would need a point and a signed exponent.
# And in it yes, no, on and off are truth values, which as classes and names of columns they never are meant to be.
_FLOAT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$")
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")


class UnreadableError(ValueError):
    """The file holds no suite; the message names the file, and the line where one is to blame."""


class _Loader(yaml.SafeLoader):
    """Reads ``1e3`` as a number; refuses what no later step could hold."""

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """A whole number that a float can hold, too."""
        if len(node.value) > _MOST_DIGITS:
            raise _error(node, f"a whole number of {len(node.value)} digits is out of range")
        number: int = super().construct_yaml_int(node)
        return number

    def construct_yaml_str(self, node: yaml.ScalarNode) -> str:
        """Text that can name a file and be written as UTF-8."""
        if _UNWRITABLE.search(node.value):
            raise _error(node, "text with a NUL character or half a surrogate pair")
        text: str = super().construct_yaml_str(node)
        return text


# libyaml composes 14 times as fast. PyYAML may have been built without it.
_Composer: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _FastLoader(_Composer):  # type: ignore[misc]
    """Composes the tree of nodes that `_Loader` composes."""


class _Dumper(yaml.SafeDumper):
    """Writes the text "1e3" in quotes, so that it stays text."""


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)
_Loader.add_constructor("tag:yaml.org,2002:str", _Loader.construct_yaml_str)
_TRUTH = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
_BOOL = "tag:yaml.org,2002:bool"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _BOOL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOL, _TRUTH, list("tTfF"))
_FastLoader.yaml_implicit_resolvers = {
    first: list(resolvers) for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}
for _each in (_Loader, _FastLoader, _Dumper):
    _each.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))


def read(path: Path) -> tuple[dict[Any, Any], yaml.Node]:
    """A file's plain values, and its tree of nodes, which know their lines.

    Raises
    ------
    UnreadableError
        It cannot be read, is too large, is not such YAML, gives a key twice, or is no mapping.
    """
    try:
        if not path.is_file():  # a pipe, say, would be waited for
            raise UnreadableError(f"{path}: cannot be read: {'no file of text' if path.exists() else 'no such file'}")
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
        if len(content) > LONGEST:
            raise UnreadableError(f"{path}: larger than {LONGEST // 2**20} MB, which no suite is")
        text = content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{path}: cannot be read: {error}") from None
    try:
        root = compose(text)
        values = parse(text) if "<<" in text else _construct(root)  # composed anew where values are merged in the tree
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise UnreadableError(f"{path}{line}: not valid YAML: {problem}") from None
    if root is not None:
        _refuse_repeated_keys(root, path)
    if root is None or not isinstance(values, dict):
        raise UnreadableError(f"{path}:1: a suite is a mapping of keys such as 'name', 'datasets', 'algorithms'")
    return values, root


def _refuse_repeated_keys(node: yaml.Node, path: Path) -> None:
    """YAML would take the last of two equal keys, and say nothing."""
    waiting, seen = [node], {id(node)}
    while waiting:
        node = waiting.pop()
        children = list(node.value) if isinstance(node, yaml.SequenceNode) else []
        if isinstance(node, yaml.MappingNode):
            first: dict[str, int] = {}
            for key, value in node.value:
                line = key.start_mark.line + 1
                if isinstance(key, yaml.ScalarNode) and key.value in first:
                    raise UnreadableError(
                        f"{path}:{line}: key {key.value!r} is given twice, first in line {first[key.value]}"
                    )
                if isinstance(key, yaml.ScalarNode):
                    first[key.value] = line
                children.append(value)
        # An alias is the node itself; it need not be walked again.
        waiting += [child for child in children if id(child) not in seen]
        seen |= {id(child) for child in children}


def events(text: str) -> Iterator[yaml.Event]:
    """What a parser comes across, one after another; raises as `parse` does."""
    yield from yaml.parse(text, Loader=_FastLoader)


def parse(text: str) -> Any:
    """Plain values.

    Raises
    ------
    yaml.YAMLError, ValueError, RecursionError
        The text is not such YAML.
    """
    return _construct(compose(text))


def _construct(root: yaml.Node | None) -> Any:
    loader = _Loader("")
    try:
        return None if root is None else loader.construct_document(root)
    finally:
        loader.dispose()


def compose(text: str) -> yaml.Node | None:
    """The tree of nodes, which know their lines; raises as `parse` does."""
    root = _composed(text)
    if root is not None:
        _measure(root, {})
    return root


def _composed(text: str) -> yaml.Node | None:
    """By libyaml where it can be; what it refuses, PyYAML refuses in its own words, or reads."""
    node: yaml.Node | None
    try:
        node = yaml.compose(text, Loader=_FastLoader)
    except yaml.YAMLError:
        node = yaml.compose(text, Loader=_Loader)
    return node


def _measure(node: yaml.Node, sizes: dict[int, int | None]) -> int:
    """How many nodes a tree has once its aliases are written out, by the nodes' identity; long texts count as several.

    Sharing keeps a tree small while it is read; who walks it later, as validation does, walks every copy.
    """
    if id(node) in sizes:
        known = sizes[id(node)]
        if known is None:
            raise _error(node, "an anchor holds itself")
        return known
    sizes[id(node)] = None
    size = 1
    if isinstance(node, yaml.ScalarNode):
        size += len(node.value) // _CHARACTERS_OF_A_NODE
    elif isinstance(node, yaml.SequenceNode):
        size += sum(_measure(child, sizes) for child in node.value)
    elif isinstance(node, yaml.MappingNode):
        size += sum(_measure(key, sizes) + _measure(value, sizes) for key, value in node.value)
    if size > _MOST_NODES:
        raise _error(node, f"with its aliases written out it has more than {_MOST_NODES} values")
    sizes[id(node)] = size
    return size


def _error(node: yaml.Node, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)


def write(values: Any, width: int = 80, flow: bool | None = False) -> str:
    """Text that `parse` reads back as the same values, keys in their order; by ``flow`` with braces."""
    text: str = yaml.dump(
        values, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width, default_flow_style=flow
    )
    return text
