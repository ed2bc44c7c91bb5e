"""What of a plugin's file decides no outcome: report sections, executors and the like, and all that only they use."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Mapping

HOOKS = frozenset(
    f"benchkit_{kind}"
    for kind in ("report_sections", "report_formats", "executors", "tuners", "trackers", "row_sources", "commands")
)
"""Hooks whose declarations do not enter the ids of trials, or enter them by themselves, as a tuner does."""

# With these a file may reach what it does not name, or runs what it does not call.
_REACHING = {
    *("globals", "locals", "vars", "dir", "eval", "exec", "compile", "modules", "__dict__", "__globals__"),
    *("__import__", "import_module", "reload", "resolve_name", "getmodule", "getmembers", "__subclasses__"),
    *("__init_subclass__", "__set_name__", "__class_getitem__", "__mro_entries__"),
}
_WRAPPERS = {"property", "cached_property", "staticmethod", "classmethod"}
_WORD = re.compile(r"[^\W\d]\w*")
# What of an expression runs no code of this file: of a class's attributes, of defaults, of annotations.
_CONSTANT = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.unaryop, ast.expr_context)
_READING = (*_CONSTANT, ast.Name, ast.Attribute)
_ANNOTATING = (*_READING, ast.Subscript, ast.BinOp, ast.BitOr)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def without_bystanders(tree: ast.Module) -> ast.Module:
    """The part of a file that can decide what a method does; the file itself where it has none of the hooks above.

    Left out is what importing the file does not run and the rest of it does not name: those hooks, where they only
    return declarations, and the functions and classes that nothing else mentions, be it in a string. What runs when it
    is defined (decorators, what is computed in defaults or in a class's body, base classes that are not of this kind)
    stays, and a file that may reach what it does not name, or has functions that assign to its globals, stays whole.

    Parameters
    ----------
    tree : ast.Module
        Of the file that declares; one that others import is used by what imports it, and stays whole.
    """
    defined = {node.name: node for node in tree.body if isinstance(node, _Definition)}
    hooks = {name for name, node in defined.items() if _is_bystanding_hook(node, defined)}
    if not hooks or any(map(_reaches, ast.walk(tree))):
        return tree
    # What runs anyway is never left out; of the rest, what is reached from it.
    reached = [node for node in tree.body if not isinstance(node, _Definition) or not _is_inert(node, hooks, defined)]
    kept = {id(node) for node in reached}
    while reached:
        for name in _mentions(reached.pop()) & defined.keys():
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
    if not _is_quiet_function(node):
        return False
    body = [each for each in node.body if not _is_text(each)]
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return False
    called = [each.func for each in ast.walk(body[0]) if isinstance(each, ast.Call)]
    return all(isinstance(func, ast.Name) and func.id not in defined and func.id[:1].isupper() for func in called)


def _is_inert(node: _Definition, hooks: Container[str], defined: Mapping[str, _Definition]) -> bool:
    """Whether defining it runs nothing but the definition, and nothing but its name asks for it."""
    if node.name in hooks:
        return True
    if node.decorator_list or defined[node.name] is not node or node.name.startswith("__"):
        return False
    return _is_quiet_class(node, defined) if isinstance(node, ast.ClassDef) else _is_quiet_function(node)


def _is_quiet_class(
    node: ast.ClassDef, defined: Mapping[str, _Definition], below: frozenset[str] = frozenset()
) -> bool:
    """Whether neither its body nor a class that it derives from, however far, runs anything."""
    for base in node.bases:
        above = defined.get(base.id) if isinstance(base, ast.Name) else None
        known = {*below, node.name}
        if not isinstance(above, ast.ClassDef) or above.decorator_list or above.name in known:
            return False
        if not _is_quiet_class(above, defined, frozenset(known)):
            return False
    return not node.keywords and all(_is_quiet_in_class(each) for each in node.body)


def _is_quiet_in_class(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        wrapped = all(isinstance(mark, ast.Name) and mark.id in _WRAPPERS for mark in node.decorator_list)
        return wrapped and _is_quiet_function(node)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        annotated = _consists_of(_ANNOTATING, node.annotation if isinstance(node, ast.AnnAssign) else None)
        return all(isinstance(each, ast.Name) for each in targets) and annotated and _consists_of(_CONSTANT, node.value)
    return isinstance(node, ast.Pass) or _is_text(node)


def _is_quiet_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether its defaults and annotations, which are evaluated where it is defined, run nothing."""
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    annotations = [node.returns, *(each.annotation for each in every if each is not None)]
    defaults = [*arguments.defaults, *arguments.kw_defaults]
    return all(_consists_of(_ANNOTATING, each) for each in annotations) and all(
        _consists_of(_READING, each) for each in defaults
    )


def _consists_of(kinds: tuple[type[ast.AST], ...], node: ast.AST | None) -> bool:
    return node is None or all(isinstance(each, kinds) for each in ast.walk(node))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _mentions(node: ast.AST) -> set[str]:
    """Every name that some code may mean: of variables and attributes, and words in its strings."""
    return {name for each in ast.walk(node) for name in _named_by(each)}


def _named_by(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Attribute):
        return {node.attr}
    if isinstance(node, ast.alias):
        return {node.name.rpartition(".")[2]}
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return set(_WORD.findall(node.value))
    return set()


def _reaches(node: ast.AST) -> bool:
    if isinstance(node, ast.Global):
        return True
    names = {node.name} if isinstance(node, _Definition) else _named_by(node)
    return not names.isdisjoint(_REACHING)
