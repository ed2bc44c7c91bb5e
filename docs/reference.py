"""Write docs/hooks.md and docs/api.md from the code's docstrings: ``python docs/reference.py``."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from docstring_parser import DocstringParam, DocstringStyle, parse

from benchkit.plugin import declarations, spec
from benchkit.plugin.declarations import exchanged

HERE = Path(__file__).parent

HOOKS = f"""\
# The hooks

With this page you can look up each hook that a plugin may implement, and each field of what hooks exchange.
`benchkit check FILE.py` tries an implementation.

```python
from benchkit import Algorithm, hookimpl

benchkit_api = {spec.API}  # the version of this contract


@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="ridge", make="sklearn.linear_model:RidgeClassifier", grid={{"alpha": [0.1, 1, 10]}})]
```

An implementation may leave out arguments that it does not use. A field without `=` is required or always given; what
hooks return has those of [Declaration](#declaration), too. Fields that take code are described in full, others by their
first sentence: `help(benchkit.Algorithm)` prints the rest.
`python docs/reference.py` writes this page.
"""

API = """\
# Python API

With this page you can look up every public name; `help(benchkit.run)` prints all of one.

```python
import benchkit

results = benchkit.run("quickstart", only={"dataset": "breast"})
print(results.answer())
results.table()  # means, as a table of pandas
results.plot()  # a figure of matplotlib
benchkit.load("runs/quickstart")  # the same, later
```

`examples/robustness.ipynb` shows it at work, `examples/patients.ipynb` does the [tutorial](tutorial.md). What plugins
declare and receive is on the page [Hooks](hooks.md). `python docs/reference.py` writes this page.
"""

# Classes whose attributes a notebook reads, with a line for each; of other classes these are named alone.
READ = {"Comparison", "Preview", "Verdict", "WorstDeletion"}
# Classes that reports and benchkit itself use: their methods are named alone, too.
NAMED_ALONE = {"Analysis", "Catalogue", "Grid", "LocalExecutor", "Registry", "RuleCheck"}

MODULES = {
    "benchkit": "running, reading, auditing, judging, and what plugins need",
    "benchkit.document": "what reports are made of",
    "benchkit.statistics": "how differences are estimated; its modules hold intervals, tests and ranks",
    "benchkit_audit.model": "reading models that were fitted elsewhere, and asking them",
    "benchkit_audit.match": "matching a model with a table",
    "benchkit.testing": "for tests of plugins",
    "benchkit_deletion.queries": "asking a model with features deleted; for other plugins too",
    "benchkit_deletion.search": "searching for the worst deletion",
    "benchkit_deletion.worst_deletion": "proving that a deletion is the worst",
    "benchkit_deletion.threat": "deletion from linear models",
}


def hooks() -> dict[str, Any]:
    """Every hook by name, in the order of the specification."""
    return {name: value for name, value in vars(spec).items() if hasattr(value, f"{spec.PROJECT}_spec")}


def values() -> dict[str, type]:
    """Every public class that hooks take, return, or work on."""
    classes = {name: value for name, value in {**vars(declarations), **vars(exchanged)}.items() if is_dataclass(value)}
    return {**classes, "Run": spec.Run}


def hooks_page() -> str:
    """The page of hooks."""
    parts = [HOOKS]
    for name, hook in hooks().items():
        text = re.sub("^Return the .* of this plugin: ", "", _text(hook))
        parts.append(f"## {name}\n\n`{_signature('', hook, typed=True)}`: {text}\n")
    parts.append("# What they exchange\n")
    for name, value in values().items():
        described = parse(inspect.getdoc(value) or "", style=DocstringStyle.NUMPYDOC)
        more = f"\n\n{described.long_description.replace('``', '`')}" if described.long_description else ""
        fields = [_field(each) for each in described.params]
        fields += [
            f"- `{called}`: {summary}"
            for called, summary in _methods(value).items()
            if called not in value.__annotations__
        ]
        parts.append(f"## {name}\n\n{_text(value).partition(chr(10))[0]}{more}\n\n" + "\n".join(fields) + "\n")
    return "\n".join(parts)


def _field(field: DocstringParam) -> str:
    """A field of what hooks exchange: names with the default, the type unless the default shows it, what it is."""
    kind = (
        (field.type_name or "")
        .replace("of shape ", "")
        .replace(", or ", "|")
        .replace(" or ", "|")
        .replace('", "', '"|"')
    )
    value = "" if field.default is None else f"={field.default}"
    names = ", ".join(f"`{name}{value}`" for name in field.arg_name.split(", "))
    text = " ".join((field.description or "").split()).replace("``", "`")
    if "callable" not in kind:
        text = re.split(r"(?<=[^.]\.) (?=[A-Z`0-9])", text)[0]
    shown = kind and not (value and kind in ("bool", "str", "float", "mapping"))
    return f"- {names}" + (f" ({kind})" if shown else "") + (f": {text}" if text else "")


def api_page() -> str:
    """The page of public names."""
    parts = [API]
    for module, title in MODULES.items():
        entries = [_entry(name, value) for name, value in public_names(module).items() if name not in values()]
        parts.append(f"## {module}: {title}\n\n" + "\n".join(entries) + "\n")
    return "\n".join(parts)


def public_names(module: str) -> dict[str, Any]:
    """What a package offers, by name; of a module without a list of names what is defined there."""
    loaded = importlib.import_module(module)
    defined = [name for name, value in vars(loaded).items() if getattr(value, "__module__", "") == module]
    names = getattr(loaded, "__all__", [name for name in defined if not name.startswith("_")])
    return {name: getattr(loaded, name) for name in sorted(names)}


def _entry(name: str, value: Any) -> str:
    """A name, how it is called, what it is; of a class what it has."""
    if not callable(value):
        return f"- `{name}`"
    called = f"`{_signature(name, value)}`" if inspect.isfunction(value) else f"`{name}`"
    lines = [f"- **{called}**: {_summary(value)}"]
    if inspect.isclass(value) and not issubclass(value, BaseException):
        lines += _members(value)
    return "\n".join(lines)


def _members(value: type) -> Iterator[str]:
    """Attributes as the docstring has them, then properties and methods: in a line each, or all in one."""
    described = parse(inspect.getdoc(value) or "", style=DocstringStyle.NUMPYDOC).params
    known = [name.strip() for each in described for name in each.arg_name.split(",")]
    attributes = {
        each.arg_name: " ".join((each.description or each.type_name or "").split("\n\n")[0].replace("``", "`").split())
        for each in described
    }
    methods = {shown: text for shown, text in _methods(value).items() if shown not in known}
    with_line = (attributes if value.__name__ in READ else {}) | (methods if value.__name__ not in NAMED_ALONE else {})
    named = ", ".join(f"`{name}`" for name in attributes | methods if name not in with_line)
    if named:
        yield f"    - {named}"
    yield from (f"    - `{name}`: {summary}" for name, summary in with_line.items())


def _methods(value: type) -> dict[str, str]:
    """Properties, and methods as they are called, each with its summary."""
    methods = {}
    for name, member in vars(value).items():
        if not name.startswith("_") and (
            isinstance(member, property) or hasattr(member, "func") or inspect.isfunction(member)
        ):
            function = getattr(member, "fget", None) or getattr(member, "func", None) or member
            shown = _signature(name, function).replace("(self, ", "(").replace("(self)", "()")
            methods[shown if inspect.isfunction(member) else name] = _summary(function)
    return methods


def _signature(name: str, function: Any, *, typed: bool = False) -> str:
    """How something is called; a default that is code is three dots."""
    signature = inspect.signature(function)
    if not typed:
        bare = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
        signature = signature.replace(parameters=bare, return_annotation=signature.empty)
    shown = re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", str(signature).replace("'", ""))  # without modules
    return name + re.sub(r"<[^<>]*(<[^<>]*>)?[^<>]*>", "...", shown)


def _summary(documented: Any) -> str:
    return " ".join(_text(documented).split("\n\n")[0].split())


def _text(documented: Any) -> str:
    return (inspect.getdoc(documented) or "").replace("``", "`")


PAGES = {HERE / "hooks.md": hooks_page, HERE / "api.md": api_page}

if __name__ == "__main__":
    for path, page in PAGES.items():
        path.write_text(page(), encoding="utf-8")
