"""The larger of two numbers, compiled so that a loop's running maximum is vectorised."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


@intrinsic
def larger(typing: Any, a: Any, b: Any) -> Any:
    """The larger of two float64 that are not NaN.

    Of ``max`` and of a conditional expression numba makes a selection without LLVM's promise that there is no NaN, and
    LLVM then keeps a reduction by it scalar.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        above = builder.fcmp_ordered(">", *arguments, flags=("fast",))
        return builder.select(above, *arguments, flags=("fast",))

    return types.float64(types.float64, types.float64), generate
