"""Vectors of 8 float64 in compiled code, so that a loop over the entries of a row may have many inputs and outputs.

LLVM vectorises a plain loop only if it can tell its arrays apart; with a dozen of them it gives up. Written with these,
each array is read once, and what two results share, above all a division, is computed once. Arrays are contiguous; a
row's entries are padded to a multiple of ``LANES``.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 8

_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_INDEX = ir.IntType(32)


class Vector(types.Type):
    """The type of 8 float64."""

    def __init__(self) -> None:
        super().__init__(name="Vector8")


vector = Vector()


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _DOUBLES)


def _splat(builder: Any, value: Any, kind: Any = _DOUBLES) -> Any:
    undefined = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(_INDEX, 0))
    zeros = ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES)
    return builder.shuffle_vector(first, undefined, zeros)


def _define(function: Any, name: str) -> None:
    """An arithmetic operation between vectors, or a vector and a number."""

    @infer_global(function)
    class _Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if vector in args and all(each == vector or isinstance(each, types.Number) for each in args):
                return signature(vector, *(each if each == vector else types.float64 for each in args))
            return None

    for kinds in ((vector, vector), (vector, types.float64), (types.float64, vector)):

        @lower_builtin(function, *kinds)
        def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            wide = [
                value if kind == vector else _splat(builder, value) for kind, value in zip(sig.args, args, strict=True)
            ]
            return getattr(builder, name)(*wide, flags=("fast",))


_define(operator.add, "fadd")
_define(operator.sub, "fsub")
_define(operator.mul, "fmul")
_define(operator.truediv, "fdiv")


def _address(context: Any, builder: Any, kind: Any, array: Any, position: Any, of: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [position]), of.as_pointer())


def _element(kind: Any) -> tuple[Any, int]:
    return (ir.FloatType(), 4) if kind.dtype == types.float32 else (ir.DoubleType(), 8)


@intrinsic
def load(typing: Any, array: Any, position: Any) -> Any:
    """array[position : position + 8], of float64 or float32."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        scalar, size = _element(sig.args[0])
        kind = ir.VectorType(scalar, LANES)
        value = builder.load(_address(context, builder, sig.args[0], *args, kind), align=size)
        return value if size == 8 else builder.fpext(value, _DOUBLES)

    return vector(array, types.int64), generate


@intrinsic
def store(typing: Any, array: Any, position: Any, value: Any) -> Any:
    """array[position : position + 8] = value, of float64 or float32."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        scalar, size = _element(sig.args[0])
        kind = ir.VectorType(scalar, LANES)
        stored = args[2] if size == 8 else builder.fptrunc(args[2], kind)
        builder.store(stored, _address(context, builder, sig.args[0], *args[:2], kind), align=size)
        return context.get_dummy_value()

    return types.void(array, types.int64, vector), generate


@intrinsic
def gather(typing: Any, array: Any, columns: Any, position: Any) -> Any:
    """array[columns[position : position + 8]], of float64, the columns of uint32."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        indices = context.make_array(sig.args[1])(context, builder, args[1]).data
        value = ir.Constant(_DOUBLES, ir.Undefined)
        for lane in range(LANES):
            where = builder.add(args[2], ir.Constant(ir.IntType(64), lane))
            column = builder.zext(builder.load(builder.gep(indices, [where])), ir.IntType(64))
            each = builder.load(builder.gep(data, [column]))
            value = builder.insert_element(value, each, ir.Constant(_INDEX, lane))
        return value

    return vector(array, columns, types.int64), generate


@intrinsic
def splat(typing: Any, x: Any) -> Any:
    """The number in every lane."""
    return vector(types.float64), lambda context, builder, sig, args: _splat(builder, args[0])


@intrinsic
def choose(typing: Any, count: Any, inside: Any, outside: Any) -> Any:
    """Lanes below ``count`` of the first vector, the others of the second."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        numbers = ir.VectorType(ir.IntType(64), LANES)
        live = builder.icmp_signed("<", ir.Constant(numbers, list(range(LANES))), _splat(builder, args[0], numbers))
        return builder.select(live, args[1], args[2])

    return vector(types.int64, vector, vector), generate


def _larger(builder: Any, one: Any, other: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", one, other, flags=("fast",)), one, other, flags=("fast",))


@intrinsic
def larger(typing: Any, one: Any, other: Any) -> Any:
    """Lane by lane, the larger of two vectors without NaN."""
    return vector(vector, vector), lambda context, builder, sig, args: _larger(builder, *args)


@intrinsic
def rounded(typing: Any, value: Any) -> Any:
    """To the float32 that `store` would keep."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.fpext(builder.fptrunc(args[0], ir.VectorType(ir.FloatType(), LANES)), _DOUBLES)

    return vector(vector), generate


def _halve(builder: Any, value: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """The combination of all lanes, half of them at a time."""
    lanes = LANES
    while lanes > 1:
        lanes //= 2
        undefined = ir.Constant(value.type, ir.Undefined)
        low, high = (
            builder.shuffle_vector(value, undefined, ir.Constant(ir.VectorType(_INDEX, lanes), [*half]))
            for half in (range(lanes), range(lanes, 2 * lanes))
        )
        value = combine(low, high)
    return builder.extract_element(value, ir.Constant(_INDEX, 0))


@intrinsic
def total(typing: Any, value: Any) -> Any:
    """Sum of the lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _halve(builder, args[0], lambda a, b: builder.fadd(a, b, flags=("fast",)))

    return types.float64(vector), generate


@intrinsic
def largest(typing: Any, value: Any) -> Any:
    """The largest lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _halve(builder, args[0], lambda a, b: _larger(builder, a, b))

    return types.float64(vector), generate
