"""The few instructions that have no name in Python, each with its plain form beside it.

The plain forms say what is meant; tests show them equal to the compiled ones.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

BYTE, WORD = ir.IntType(8), ir.IntType(64)


def _address(context, builder, signature, arguments, pointee):
    """Return the address of an array's item, as a pointer to a value of type `pointee`."""
    (array_type, index_type), (array, index) = signature.args, arguments
    data = context.make_array(array_type)(context, builder, array).data
    index = context.cast(builder, index, index_type, types.intp)
    return builder.bitcast(builder.gep(data, [index], inbounds=True), pointee.as_pointer())


@intrinsic
def load_eight(typing, array, at):
    """Return the eight bytes of a uint8 array from `at` on as a uint64, aligned or not.

    The array holds them: nothing is checked.
    """

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature, arguments, WORD)
        return builder.load(address, align=1)

    return types.uint64(array, at), generate


def load_eight_plainly(array, at):
    """Return what `load_eight` returns on a processor that puts the low byte first."""
    return int.from_bytes(array[at : at + 8].tobytes(), "little")


@intrinsic
def trailing_zeros(typing, bits):
    """Return how many zeros stand below the lowest one of a uint64 (int64; 64 for 0)."""

    def generate(context, builder, signature, arguments):
        bits = context.cast(builder, arguments[0], signature.args[0], types.uint64)
        return builder.cttz(bits, cgutils.false_bit)

    return types.int64(bits), generate


def trailing_zeros_plainly(bits):
    """Return what `trailing_zeros` returns."""
    return (bits & -bits).bit_length() - 1 if bits else 64


@intrinsic
def prefetch(typing, array, index):
    """Have the processor fetch an array's item, or row, before it is needed. No effect otherwise."""

    def generate(context, builder, signature, arguments):
        (array_type, index_type), (array, index) = signature.args, arguments
        made = context.make_array(array_type)(context, builder, array)
        index = context.cast(builder, index, index_type, types.intp)
        stride = builder.extract_value(made.strides, 0)
        address = builder.gep(builder.bitcast(made.data, BYTE.as_pointer()), [builder.mul(index, stride)])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [BYTE.as_pointer(), number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # To be read and kept in all caches, data.
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.none(array, index), generate
