"""The queue of pairs: a heap of the most frequent ones, and the others in buckets by size of their count.

A pair is put into order, which takes a key of its letters or of its first place, only when no more frequent
one is left; many never get there. What is in front is brought up to date when it is looked at.
"""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.comparing import goes_before, tie_key
from bpe_studio.engine.kernels.decorator import inlined, part
from bpe_studio.engine.kernels.state import FRONT, N_HEAP


@inlined
def bucket_of(count):
    """Return the bucket of a count of 1 or more: counts below 16 have one each, others one an eighth more.

    It is the upper end of the count as a floating-point number: exponent, and three bits of the fraction.
    """
    return (np.float64(count).view(np.int64) >> 49) - (1023 << 3)


@inlined
def put(queue, at, count, key, pair):
    """Write an entry of the heap."""
    entry = queue.heap[at]
    entry.count = count
    entry.key = key
    entry.pair = pair


@inlined
def put_into_bucket(queue, bucket, pair):
    """Put a pair before the others of its bucket."""
    queue.next[pair] = queue.bucket[bucket]
    queue.bucket[bucket] = pair


@part
def enqueue(limits, cells, tokens, pairs, queue, pair):
    """Add a pair to the heap or to its bucket, unless it is too rare."""
    count = pairs.row[pair].count
    if count < limits.min_count:
        return
    bucket = bucket_of(count)
    if bucket < pairs.numbers[FRONT]:
        put_into_bucket(queue, bucket, pair)
        return
    key = tie_key(limits, cells, tokens, pairs, pair)
    at = pairs.numbers[N_HEAP]
    pairs.numbers[N_HEAP] += 1
    while at > 0:
        up = (at - 1) >> 1
        a = queue.heap[up]
        if not goes_before(limits, cells, tokens, pairs, count, key, pair, a.count, a.key, a.pair):
            break
        put(queue, at, a.count, a.key, a.pair)
        at = up
    put(queue, at, count, key, pair)


@part
def drop_top(limits, cells, tokens, pairs, queue):
    """Remove the first entry of the heap."""
    pairs.numbers[N_HEAP] -= 1
    size = pairs.numbers[N_HEAP]
    last = queue.heap[size]
    count, key, pair = last.count, last.key, last.pair
    at = np.int64(0)
    while 2 * at + 1 < size:
        down = 2 * at + 1
        if down + 1 < size:
            a, b = queue.heap[down + 1], queue.heap[down]
            down += goes_before(limits, cells, tokens, pairs, a.count, a.key, a.pair, b.count, b.key, b.pair)
        a = queue.heap[down]
        if goes_before(limits, cells, tokens, pairs, count, key, pair, a.count, a.key, a.pair):
            break
        put(queue, at, a.count, a.key, a.pair)
        at = down
    put(queue, at, count, key, pair)


@part
def refill(limits, cells, tokens, pairs, queue):
    """Put the fullest bucket's pairs into the empty heap, as far as they still belong there."""
    while pairs.numbers[N_HEAP] == 0 and pairs.numbers[FRONT] > 0:
        pairs.numbers[FRONT] -= 1
        front = pairs.numbers[FRONT]
        pair = np.int64(queue.bucket[front])
        queue.bucket[front] = 0
        while pair > 0:
            following = np.int64(queue.next[pair])
            enqueue(limits, cells, tokens, pairs, queue, pair)
            pair = following


@part
def refresh_top(limits, cells, tokens, pairs, queue):
    """Bring the first entry up to date until it is true; return its count, or 0 for an empty queue.

    A first position moves only when the pair loses an occurrence, and so its count: comparing counts
    finds stale keys too.
    """
    while True:
        if pairs.numbers[N_HEAP] == 0:
            refill(limits, cells, tokens, pairs, queue)
            if pairs.numbers[N_HEAP] == 0:
                return np.int64(0)
        top = queue.heap[0]
        if pairs.row[top.pair].count == top.count:
            return top.count
        pair = top.pair
        drop_top(limits, cells, tokens, pairs, queue)
        enqueue(limits, cells, tokens, pairs, queue, pair)


@part
def count_tied(pairs, queue, count):
    """Return how many pairs have the count of the first entry, which is up to date.

    Entries that are noted with it stand together at the top of the heap.
    """
    n_tied, at = np.int64(0), np.int64(0)
    while True:
        if at < pairs.numbers[N_HEAP] and queue.heap[at].count == count:
            n_tied += pairs.row[queue.heap[at].pair].count == count
            at = 2 * at + 1
            continue
        while at > 0 and at & 1 == 0:  # both branches are done
            at = (at - 2) >> 1
        if at == 0:
            return n_tied
        at += 1
