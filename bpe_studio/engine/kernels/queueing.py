"""The queue of pairs: a binary heap whose first entry is brought up to date when it is looked at."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.comparing import goes_before, tie_key
from bpe_studio.engine.kernels.decorator import inlined
from bpe_studio.engine.kernels.state import N_QUEUE


@inlined
def put(queue, at, count, key, pair):
    """Write a queue entry."""
    queue.count[at] = count
    queue.key[at] = key
    queue.pair[at] = pair


@inlined
def push(limits, cells, tokens, pairs, queue, count, key, pair):
    """Add an entry to the queue."""
    at = pairs.numbers[N_QUEUE]
    pairs.numbers[N_QUEUE] += 1
    while at > 0:
        up = (at - 1) >> 1
        if not goes_before(
            limits, cells, tokens, pairs, count, key, pair, queue.count[up], queue.key[up], queue.pair[up]
        ):
            break
        put(queue, at, queue.count[up], queue.key[up], queue.pair[up])
        at = up
    put(queue, at, count, key, pair)


@inlined
def replace_top(limits, cells, tokens, pairs, queue, count, key, pair):
    """Put an entry in place of the first one and restore the order."""
    size = pairs.numbers[N_QUEUE]
    at = 0
    while 2 * at + 1 < size:
        down = 2 * at + 1
        if down + 1 < size and goes_before(
            limits, cells, tokens, pairs,
            queue.count[down + 1], queue.key[down + 1], queue.pair[down + 1],
            queue.count[down], queue.key[down], queue.pair[down],
        ):  # fmt: skip
            down += 1
        if goes_before(
            limits,
            cells,
            tokens,
            pairs,
            count,
            key,
            pair,
            queue.count[down],
            queue.key[down],
            queue.pair[down],
        ):
            break
        put(queue, at, queue.count[down], queue.key[down], queue.pair[down])
        at = down
    put(queue, at, count, key, pair)


@inlined
def drop_top(limits, cells, tokens, pairs, queue):
    """Remove the first entry."""
    pairs.numbers[N_QUEUE] -= 1
    last = pairs.numbers[N_QUEUE]
    if last > 0:
        replace_top(limits, cells, tokens, pairs, queue, queue.count[last], queue.key[last], queue.pair[last])


@inlined
def refresh_top(limits, cells, tokens, pairs, queue):
    """Bring the first entry up to date until it is true; return its count, or 0 for an empty queue.

    A first position moves only when the pair loses an occurrence, and so its count: comparing counts
    finds stale keys too.
    """
    while pairs.numbers[N_QUEUE] > 0:
        pair = queue.pair[0]
        count = pairs.count[pair]
        if count == queue.count[0]:
            return count
        if count < limits.min_count:
            drop_top(limits, cells, tokens, pairs, queue)
        else:
            key = tie_key(limits, cells, tokens, pairs, pair)
            replace_top(limits, cells, tokens, pairs, queue, count, key, pair)
    return np.int64(0)
