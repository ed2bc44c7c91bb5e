"""What no plugin declares: classes of estimators that a suite names."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchkit.plugin.declarations import Algorithm, Deferred
from benchkit.plugin.declarations.declaration import TARGET, TASKS

BETWEEN = " | "
"""What stands between the classes of a pipeline."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NamedEstimator(Algorithm):
    """An algorithm that no plugin declares: its name says where its code is."""

    parts: tuple[Deferred, ...] = ()  # the classes of a pipeline's steps

    def __post_init__(self) -> None:
        object.__setattr__(self, "make", Deferred(self.make))


def is_estimator_name(name: object) -> bool:
    """Whether a name is that of a class, or of a pipeline's classes."""
    return isinstance(name, str) and all(TARGET.fullmatch(part) for part in name.split(BETWEEN))


def short_name(name: str) -> str:
    """The names of the classes alone: ``SimpleImputer+SVC``; any other name as it is."""
    return "+".join(map(_class_name, name.split(BETWEEN))) if ":" in name else name


def step_names(targets: Sequence[str]) -> list[str]:
    """Names of a pipeline's steps: their classes' in lower case, numbered where one occurs twice."""
    names = [_class_name(target).lower() for target in targets]
    return [
        name if names.count(name) == 1 else f"{name}-{names[: place + 1].count(name)}"
        for place, name in enumerate(names)
    ]


def _class_name(target: str) -> str:
    return target.rpartition(":")[2].rpartition(".")[2]


@dataclass(frozen=True)
class PipelineMaker:
    """Makes a scikit-learn pipeline of classes; its parameters are those of the steps, ``svc__C``."""

    targets: tuple[str, ...]

    def __call__(self, **params: Any) -> Any:
        """An unfitted pipeline."""
        from sklearn.pipeline import Pipeline

        steps = [Deferred(target)() for target in self.targets]
        return Pipeline(list(zip(step_names(self.targets), steps, strict=True))).set_params(**params)

    @property
    def __signature__(self) -> inspect.Signature:
        """The steps' parameters."""
        names = [name for name in self().get_params(deep=True) if "__" in name and name.isidentifier()]
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature([inspect.Parameter(name, kind, default=None) for name in names])


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
    targets = tuple(name.split(BETWEEN))
    tags = _read_apart(read_tags, targets)
    return NamedEstimator(
        name=name,
        make=PipelineMaker(targets) if len(targets) > 1 else name,
        summary=f"{short_name(name)}, named by the suite",
        **{**tags, "tasks": tuple(tags["tasks"])},
        parts=tuple(map(Deferred, targets)) if len(targets) > 1 else (),
    )


def read_tags(targets: tuple[str, ...]) -> dict[str, Any]:
    """Make an estimator of these classes, and ask it what it takes, by fields of `Algorithm`.

    Nothing is known of one that has to be given more.
    """
    from sklearn.utils import get_tags

    for target in targets:
        if not callable(getattr(Deferred(target).resolve(), "get_params", None)):
            raise TypeError(f"{target} is no class of scikit-learn estimators: it has no get_params")
    try:
        made = Deferred(targets[0])() if len(targets) == 1 else PipelineMaker(targets)()
        tags = get_tags(made)
    except TypeError:
        return {"tasks": TASKS}
    missing = True
    for step in [step for _, step in getattr(made, "steps", ())] or [made]:
        missing = bool(get_tags(step).input_tags.allow_nan)
        imputes = type(step).__module__.startswith("sklearn.impute") and type(step).__name__.endswith("Imputer")
        if not missing or imputes:  # after one that imputes, no gap is left
            break
    kinds = {"regressor": ("regression",), "classifier": ("classification",)}
    tasks = kinds.get(str(tags.estimator_type), ())
    return {"tasks": tasks, "accepts_sparse": bool(tags.input_tags.sparse), "accepts_missing": missing}
