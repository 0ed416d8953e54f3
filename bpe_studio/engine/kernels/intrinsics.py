"""The few instructions that have no name in Python, each with its plain form beside it.

The plain forms say what is meant; tests show them equal to the compiled ones.
"""

from __future__ import annotations

import ctypes

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import load_item, populate_array

BYTE, WORD = ir.IntType(8), ir.IntType(64)


def _address(context, builder, signature, arguments, pointee):
    """Return the address of an array's item, as a pointer to a value of type `pointee`."""
    (array_type, index_type), (array, index) = signature.args, arguments
    data = context.make_array(array_type)(context, builder, array).data
    index = context.cast(builder, index, index_type, types.intp)
    return builder.bitcast(builder.gep(data, [index], inbounds=True), pointee.as_pointer())


@intrinsic
def array_at(typing, address, shape, dtype):
    """Return the C-contiguous array of one or two dimensions at an address. Its owner must keep it alive.

    Parameters
    ----------
    address : int64
        Of its first item.
    shape : int or tuple of two ints
        Its size.
    dtype : number type
        What it holds, for example ``np.uint8``.
    """
    two = isinstance(shape, types.BaseTuple)
    array_type = types.Array(dtype.dtype, 2 if two else 1, "C")

    def generate(context, builder, signature, arguments):
        sizes = cgutils.unpack_tuple(builder, arguments[1]) if two else [arguments[1]]
        kinds = list(shape) if two else [shape]
        sizes = [
            context.cast(builder, size, kind, types.intp) for size, kind in zip(sizes, kinds, strict=True)
        ]
        width = context.get_constant(types.intp, array_type.dtype.bitwidth // 8)
        strides = [builder.mul(width, sizes[1]), width] if two else [width]
        array = context.make_array(array_type)(context, builder)
        data = builder.inttoptr(arguments[0], array.data.type)
        populate_array(array, data=data, shape=sizes, strides=strides, itemsize=width, meminfo=None)
        return array._getvalue()

    return array_type(address, shape, dtype), generate


def array_at_plainly(address, shape, dtype):
    """Return what `array_at` returns."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)


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
def store_eight(typing, array, at, value):
    """Write a uint64 as the eight bytes of a uint8 array from `at` on, aligned or not.

    The array has room for them: nothing is checked.
    """

    def generate(context, builder, signature, arguments):
        array_type, index_type, _ = signature.args
        places = types.none(array_type, index_type)
        address = _address(context, builder, places, arguments[:2], WORD)
        builder.store(arguments[2], address, align=1)
        return context.get_dummy_value()

    return types.none(array, at, types.uint64), generate


def store_eight_plainly(array, at, value):
    """Do what `store_eight` does on a processor that puts the low byte first."""
    array[at : at + 8] = list(int(value).to_bytes(8, "little"))


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
        address = builder.bitcast(made.data, BYTE.as_pointer())
        if array_type.ndim == 1:
            address = builder.bitcast(builder.gep(made.data, [index]), BYTE.as_pointer())
        else:
            address = builder.gep(address, [builder.mul(index, builder.extract_value(made.strides, 0))])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [BYTE.as_pointer(), number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # To be read and kept in all caches, data.
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.none(array, index), generate


@intrinsic
def leading_zeros(typing, bits):
    """Return how many zeros stand above the highest one of a uint64 (int64; 64 for 0)."""

    def generate(context, builder, signature, arguments):
        bits = context.cast(builder, arguments[0], signature.args[0], types.uint64)
        return builder.ctlz(bits, cgutils.false_bit)

    return types.int64(bits), generate


def leading_zeros_plainly(bits):
    """Return what `leading_zeros` returns."""
    return 64 - bits.bit_length()


RANGES = (
    ("letters", ((0x41, 0x5A), (0x61, 0x7A))),
    ("capitals", ((0x41, 0x5A),)),
    ("numbers", ((0x30, 0x39),)),
    ("spaces", ((0x09, 0x0D), (0x20, 0x20))),
    ("blanks", ((0x20, 0x20),)),
    ("newlines", ((0x0A, 0x0A), (0x0D, 0x0D))),
    ("slashes", ((0x2F, 0x2F),)),
    ("quotes", ((0x27, 0x27),)),
    ("wide", ((0x80, 0xFF),)),
    ("rest", ((0x80, 0xBF),)),
)
"""The sets of bytes that `byte_sets` returns; rest are the bytes after a character's first."""


@intrinsic
def byte_sets(typing, array, at):
    """Return a uint64 for each of `RANGES`: its bit i says whether byte `at` + i of 64 lies in one of them.

    The array holds them: nothing is checked.
    """

    def generate(context, builder, signature, arguments):
        kind = ir.VectorType(BYTE, 64)
        block = builder.load(_address(context, builder, signature, arguments, kind), align=1)

        def every(value):
            return ir.Constant(kind, [ir.Constant(BYTE, value)] * 64)

        found = []
        for _, ranges in RANGES:
            member = None
            for first, last in ranges:
                shifted = builder.sub(block, every(first)) if first else block
                inside = builder.icmp_unsigned("<=", shifted, every(last - first))
                member = inside if member is None else builder.or_(member, inside)
            found.append(builder.bitcast(member, WORD))
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.uint64, len(RANGES))(array, at), generate


def byte_sets_plainly(array, at):
    """Return what `byte_sets` returns."""
    block = array[at : at + 64].tolist()
    return tuple(
        sum(1 << place for place, byte in enumerate(block) if any(a <= byte <= b for a, b in ranges))
        for _, ranges in RANGES
    )


@intrinsic
def item(typing, array, at):
    """Return an array's item, or a record of it that can be written to; the index counts from the start.

    Nothing is checked, and nothing is done for an index below 0.
    """

    def generate(context, builder, signature, arguments):
        (array_type, index_type), (array, index) = signature.args, arguments
        data = context.make_array(array_type)(context, builder, array).data
        index = context.cast(builder, index, index_type, types.intp)
        return load_item(context, builder, array_type, builder.gep(data, [index], inbounds=True))

    return array.dtype(array, at), generate


def item_plainly(array, at):
    """Return what `item` returns."""
    return array[at]
