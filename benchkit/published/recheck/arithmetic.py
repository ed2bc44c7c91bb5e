"""What decides the last bits of a computation, beside its code: the kernels of BLAS, and the processor compiled for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchkit.published.machine import machine_class
from benchkit.session.provenance import environment

_CHOOSABLE = "openblas "


@dataclass(frozen=True)
class Arithmetic:
    """How a machine rounds; empty where that was not noted.

    Attributes
    ----------
    kernels : str
        Of BLAS: ``openblas Haswell``.
    compiled_for : str
        The processor as LLVM names it: ``znver3``.
    """

    kernels: str
    compiled_for: str

    def __str__(self) -> str:
        return ", ".join(part for part in (self.kernels, self.compiled_for) if part)

    def chosen_here(self, here: Arithmetic) -> Arithmetic:
        """As much of it as a process of this machine can be told to use; the rest stays as it is here.

        Parameters
        ----------
        here : Arithmetic
            Of this process.
        """
        choosable = all(each.startswith(_CHOOSABLE) and "," not in each for each in (self.kernels, here.kernels))
        return Arithmetic(self.kernels if choosable else here.kernels, self.compiled_for or here.compiled_for)

    def variables(self, here: Arithmetic) -> dict[str, str]:
        """The environment variables that a process is told by, before it loads OpenBLAS and numba.

        Parameters
        ----------
        here : Arithmetic
            Of this process.
        """
        told: dict[str, str] = {}
        if self.compiled_for != here.compiled_for:
            # Told the name alone, numba would still use every instruction that this processor has.
            told |= {"NUMBA_CPU_NAME": self.compiled_for, "NUMBA_CPU_FEATURES": ""}
        if self.kernels.startswith(_CHOOSABLE):
            told["OPENBLAS_CORETYPE"] = self.kernels.removeprefix(_CHOOSABLE)
        return told


def arithmetic_of(machine: Mapping[str, Any]) -> Arithmetic:
    """That of the machine of published rows."""
    return Arithmetic(str(machine.get("kernels") or ""), str(machine.get("compiled_for") or ""))


def arithmetic_here() -> Arithmetic:
    """That of this process."""
    machine = machine_class(environment())
    return Arithmetic(str(machine["kernels"] or ""), str(machine["compiled_for"]))
