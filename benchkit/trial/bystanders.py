"""What of a plugin's file decides no outcome: report sections, executors and the like, and all that only they use."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping

HOOKS = frozenset(
    f"benchkit_{kind}"
    for kind in ("report_sections", "report_formats", "executors", "tuners", "trackers", "row_sources", "commands")
)
"""Hooks whose declarations do not enter the ids of trials, or enter them by themselves, as a tuner does."""

# With these a file may reach what it does not name.
_REACHING = {"globals", "locals", "vars", "dir", "eval", "exec", "modules", "__import__", "import_module", "__dict__"}
_WRAPPERS = {"property", "cached_property", "staticmethod", "classmethod"}
_WORD = re.compile(r"[^\W\d]\w*")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def without_bystanders(tree: ast.Module) -> ast.Module:
    """The part of a file that can decide what a method does; the file itself where it has none of the hooks above.

    Left out is what importing the file does not run and the rest of it does not name: those hooks, where they only
    return declarations, and the functions and classes that nothing else mentions, be it in a string. What runs when it
    is defined (decorators, calls in defaults or in a class's body, base classes from elsewhere) stays.

    Parameters
    ----------
    tree : ast.Module
        Of the file that declares; one that others import is used by what imports it, and stays whole.
    """
    defined = {node.name: node for node in tree.body if isinstance(node, _Definition)}
    hooks = {name for name, node in defined.items() if _is_bystanding_hook(node, defined)}
    if not hooks or any(_mentions(node) & _REACHING for node in tree.body):
        return tree
    # What runs anyway is never left out; of the rest, what is reached from it.
    reached = [node for node in tree.body if not isinstance(node, _Definition) or not _is_inert(node, hooks, defined)]
    kept = {id(node) for node in reached}
    while reached:
        for name in _mentions(reached.pop()) & defined.keys() - hooks:
            if id(defined[name]) not in kept:
                kept.add(id(defined[name]))
                reached.append(defined[name])
    return ast.Module(
        body=[node for node in tree.body if id(node) in kept or not isinstance(node, _Definition)], type_ignores=[]
    )


def defined_in(tree: ast.Module) -> set[str]:
    """Names of the functions and classes that a file defines at its top."""
    return {node.name for node in tree.body if isinstance(node, _Definition)}


def _is_bystanding_hook(node: ast.stmt, defined: Container[str]) -> bool:
    """Whether it is one of the hooks above, and does nothing but return declarations."""
    if not isinstance(node, ast.FunctionDef) or node.name not in HOOKS or len(node.decorator_list) != 1:
        return False
    mark = node.decorator_list[0]
    if (mark.attr if isinstance(mark, ast.Attribute) else getattr(mark, "id", "")) != "hookimpl":
        return False
    body = [each for each in node.body if not _is_text(each)]
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return False
    called = [each.func for each in ast.walk(body[0]) if isinstance(each, ast.Call)]
    return all(isinstance(func, ast.Name) and func.id not in defined and func.id[:1].isupper() for func in called)


def _is_inert(node: _Definition, hooks: Container[str], defined: Mapping[str, _Definition]) -> bool:
    """Whether defining it runs nothing but the definition."""
    if node.name in hooks:
        return True
    if node.decorator_list or defined[node.name] is not node:
        return False
    if not isinstance(node, ast.ClassDef):
        return not any(isinstance(each, ast.Call) for part in _run_at_once(node) for each in ast.walk(part))
    bases_are_here = all(isinstance(base, ast.Name) and base.id in defined for base in node.bases)
    return bases_are_here and not node.keywords and all(_is_inert_in_class(each) for each in node.body)


def _is_inert_in_class(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        wrapped = all(isinstance(mark, ast.Name) and mark.id in _WRAPPERS for mark in node.decorator_list)
        return wrapped and not any(isinstance(each, ast.Call) for part in _run_at_once(node) for each in ast.walk(part))
    plain = isinstance(node, ast.Pass | ast.Assign | ast.AnnAssign) or _is_text(node)
    return plain and not any(isinstance(each, ast.Call) for each in ast.walk(node))


def _run_at_once(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """What of a function is evaluated where it is defined."""
    yield node.args
    if node.returns is not None:
        yield node.returns


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _mentions(node: ast.AST) -> set[str]:
    """Every name that some code may mean: of variables and attributes, and words in its strings."""
    names: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            names.add(each.id)
        elif isinstance(each, ast.Attribute):
            names.add(each.attr)
        elif isinstance(each, ast.alias):
            names.add(each.name.rpartition(".")[2])
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            names.update(_WORD.findall(each.value))
    return names
