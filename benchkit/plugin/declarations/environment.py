"""The packages that a method needs, where they cannot or need not be those of the interpreter that runs benchkit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchkit.plugin.declarations.errors import DeclarationError


@dataclass(frozen=True, kw_only=True)
class Environment:
    """An interpreter with packages of its own, in which an algorithm's trials run.

    ``benchkit env build`` makes it, with uv; nothing is downloaded while a suite runs. Where it was not built and the
    interpreter that runs benchkit has what it asks for, trials run there; else they are skipped, and the row says what
    to type. Algorithms that declare the same environment share it.

    Parameters
    ----------
    requirements : sequence of str
        What ``pip`` would be given, such as ``["lightgbm>=4.5"]``. benchkit itself, and what its worker processes
        need, is added: it is the running benchkit, with the versions of its dependencies that are installed beside it
        as far as these requirements allow.
    python : str or None, default=None
        Versions of Python, such as ``">=3.12"``; None: the one that runs benchkit.
    inherit : bool, default=False
        Whether packages of the interpreter that runs benchkit are seen too, after those of this environment: what is
        wanted in the very version that is installed there is not installed again. Small, and built within a second;
        but the packages beside it were chosen without regard to it. Needs the same Python.
    """

    requirements: Sequence[str]
    python: str | None = None
    inherit: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.requirements, str) or not self.requirements:
            raise DeclarationError(f"requirements is {self.requirements!r}, expected a list such as ['lightgbm>=4.5']")
        for requirement in self.requirements:
            if not isinstance(requirement, str) or not requirement.strip() or requirement.lstrip().startswith("-"):
                raise DeclarationError(f"{requirement!r} is not a requirement such as 'lightgbm>=4.5'")
        if self.inherit and self.python is not None:
            raise DeclarationError("an environment that inherits packages has their Python: leave out python")
        object.__setattr__(self, "requirements", tuple(sorted(self.requirements)))

    def __str__(self) -> str:
        return ", ".join([*self.requirements, *([f"Python {self.python}"] if self.python else [])])
