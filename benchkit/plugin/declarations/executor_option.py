"""Options of executors."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchkit.plugin.declarations.errors import DeclarationError

Value = str | int | float | bool

# What every executor is called with, where it takes it.
GIVEN_BY_BENCHKIT = ("jobs", "log", "memory")

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_EXPECTED = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(frozen=True, kw_only=True)
class ExecutorOption:
    """What an executor may be told: ``benchkit run --executor NAME --executor-option OPTION=VALUE``.

    Parameters
    ----------
    name : str
        The keyword argument of the executor's ``make`` that receives it: lower-case words joined by underscores.
    summary : str
        One line for ``benchkit show``.
    type : {str, int, float, bool}, default=str
        What ``make`` is given; text of the command line is turned into it.
    default : str, int, float, bool or None, default=None
        What ``make`` is given where the user says nothing.
    elsewhere : bool, default=False
        Whether functions run on other machines once it is given, as with the address of a cluster. ``jobs`` is None
        then unless the user says how many, and suites that are ``exclusive`` refuse the option.
    """

    name: str
    summary: str = ""
    type: type[Value] = str
    default: Value | None = None
    elsewhere: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise DeclarationError(f"option name {self.name!r} is not lower-case words joined by underscores")
        if self.name in GIVEN_BY_BENCHKIT:
            raise DeclarationError(f"option {self.name!r} has the name of what benchkit itself gives to every executor")
        if self.type not in _EXPECTED:
            raise DeclarationError(f"option {self.name!r}: type is {self.type!r}, expected str, int, float or bool")
        if self.default is not None and type(self.default) is not self.type:
            raise DeclarationError(f"option {self.name!r}: default is {self.default!r}, expected {self.expected}")

    @property
    def expected(self) -> str:
        """What a value is to be, in words."""
        return _EXPECTED[self.type]

    def read(self, value: object) -> Value | None:
        """A value that was given, as text or as itself, in the option's type; None stands for the default.

        Raises
        ------
        ValueError
            It cannot be read as that.
        """
        if value is None:
            return self.default
        if self.type is float and type(value) is int:
            return float(value)
        if type(value) is self.type:
            return value
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is not {self.expected}")
        if self.type is bool:
            if value.lower() not in _TRUTH:
                raise ValueError(f"{value!r} is not {self.expected}")
            return _TRUTH[value.lower()]
        return self.type(value)
