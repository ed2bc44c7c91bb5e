"""What no plugin declares: classes of estimators that a suite names."""

import inspect
from dataclasses import dataclass
from typing import Any

from benchkit.plugin.declarations import Algorithm, Deferred
from benchkit.plugin.declarations.declaration import TARGET, TASKS


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NamedEstimator(Algorithm):
    """An algorithm that no plugin declares: its name says where its code is."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "make", Deferred(self.make))


def is_estimator_name(name: object) -> bool:
    """Whether a name is that of a class."""
    return isinstance(name, str) and TARGET.fullmatch(name) is not None


def short_name(name: str) -> str:
    """The name of the class alone: ``SVC``; any other name as it is."""
    return name.rpartition(":")[2].rpartition(".")[2] if ":" in name else name


# Imported and made in a worker process: a module or a constructor may hang, or end its process.
_read_apart = Deferred("benchkit.execute.apart:read_apart")


def read_signature(targets: tuple[Any, ...]) -> dict[str, Any]:
    """What a class or function says of itself, and its parameters: each with its default, in a list, empty without one.

    Of a default that JSON does not hold, the list has None and how it prints.
    """
    code = Deferred(targets[0]).resolve()
    parameters: dict[str, list[Any]] = {}
    for name, parameter in inspect.signature(code).parameters.items():
        if parameter.kind is not parameter.VAR_KEYWORD:
            plain = isinstance(parameter.default, str | int | float | bool | None)
            default = [parameter.default] if plain else [None, repr(parameter.default)]
            parameters[name] = [] if parameter.default is parameter.empty else default
    return {"text": inspect.getdoc(code) or "", "parameters": parameters}


def signature_of(code: Deferred) -> dict[str, Any]:
    """What `read_signature` returns; of code that has to be imported by a worker, once as long as it stays the same."""
    if not isinstance(code.target, str):
        return read_signature((code.target,))
    signature: dict[str, Any] = _read_apart(read_signature, (code.target,))
    return signature


def declare(name: str) -> Algorithm:
    """The declaration of an estimator, which is made to ask it what it takes.

    Raises what says that there is no such class, or that making it took too long, or ended its process.
    """
    tags = _read_apart(read_tags, (name,))
    summary = f"{short_name(name)}, named by the suite"
    return NamedEstimator(name=name, make=name, summary=summary, **{**tags, "tasks": tuple(tags["tasks"])})


def read_tags(targets: tuple[str, ...]) -> dict[str, Any]:
    """Make an estimator of a class, and ask it what it takes, by fields of `Algorithm`.

    Nothing is known of one that has to be given more.
    """
    from sklearn.utils import get_tags

    (target,) = targets
    if not callable(getattr(Deferred(target).resolve(), "get_params", None)):
        raise TypeError(f"{target} is no class of scikit-learn estimators: it has no get_params")
    try:
        tags = get_tags(Deferred(target)())
    except TypeError:
        return {"tasks": TASKS}
    kinds = {"regressor": ("regression",), "classifier": ("classification",)}
    takes = {"accepts_sparse": bool(tags.input_tags.sparse), "accepts_missing": bool(tags.input_tags.allow_nan)}
    return {"tasks": kinds.get(str(tags.estimator_type), ()), **takes}
