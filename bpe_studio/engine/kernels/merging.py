"""The merge loop: exact pair counts kept up to date, the best pair from a lazy queue, for every tie rule."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.comparing import hash_letter, letter_at
from bpe_studio.engine.kernels.decorator import inlined, kernel, part
from bpe_studio.engine.kernels.intrinsics import item, prefetch
from bpe_studio.engine.kernels.pairs import add_pair, find_pair, is_eligible, starts_word, weight_of
from bpe_studio.engine.kernels.queueing import (
    bucket_of,
    count_tied,
    drop_top,
    enqueue,
    put_into_bucket,
    refresh_top,
)
from bpe_studio.engine.kernels.state import (
    AHEAD,
    CORPUS_TOKENS,
    INSIDE,
    LAST_PAIR,
    MERGED,
    N_HEAP,
    N_PAIRS,
    N_POOL,
    N_TIED,
    N_TOKENS,
    NEED_ROOM,
    NO_MORE,
    TIED_COUNT,
    WALL,
    ZERO,
)


@inlined
def set_count(limits, tokens, pairs, pair, count):
    """Change a pair's count, which leaves the tied ones if it was among them."""
    row = item(pairs.row, pair)
    if row.count == pairs.numbers[TIED_COUNT] and is_eligible(limits, tokens, row.left, row.right):
        pairs.numbers[N_TIED] -= 1
    row.count = count


@inlined
def lower_count(limits, tokens, pairs, left, right, change):
    """Take `change` off a pair's count, if the pair is kept."""
    pair = item(pairs.table, find_pair(pairs, left, right))
    if pair > 0:
        set_count(limits, tokens, pairs, pair, item(pairs.row, pair).count - change)


@inlined
def enter_pair(limits, cells, tokens, pairs, queue, pair):
    """Queue a new pair if it may ever be merged."""
    row = item(pairs.row, pair)
    if is_eligible(limits, tokens, row.left, row.right):
        pairs.numbers[N_TIED] += row.count == pairs.numbers[TIED_COUNT]
        enqueue(limits, cells, tokens, pairs, queue, pair)


@kernel
def enter_pairs(limits, tokens, pairs, queue):
    """Put all pairs found by `count_pairs` that may ever be merged into their buckets."""
    for pair in range(1, pairs.numbers[N_PAIRS]):
        row = item(pairs.row, pair)
        if row.count >= limits.min_count and is_eligible(limits, tokens, row.left, row.right):
            put_into_bucket(queue, bucket_of(row.count), pair)


@part
def make_token(cells, tokens, pairs, left, right, utf8):
    """Append the product of two tokens and return its number."""
    token = np.int32(pairs.numbers[N_TOKENS])  # as in the cells: other types are compiled once more
    pairs.numbers[N_TOKENS] += 1
    item(tokens, token).length = item(tokens, left).length + item(tokens, right).length
    hashed = item(tokens, left).hashed
    if utf8 >= 0:  # the hash is wanted: continue it over the right part
        start = item(tokens, right).start
        for offset in range(item(tokens, right).length):
            hashed = hash_letter(hashed, letter_at(cells, start + offset), utf8)
    item(tokens, token).hashed = hashed
    return token


@inlined
def join_cells(cells, at, middle, end, token):
    """Make one token of the cells from `at` to `end` (exclusive), whose second part began at `middle`."""
    item(cells.cell, middle - 1).token = INSIDE
    item(cells.cell, middle).token = INSIDE
    item(cells.cell, at).token = token
    item(cells.cell, end - 1).token = token


@part
def merge_places(cells, tokens, pairs, scratch, pair, token):
    """Merge a pair at all its places, left to right; collect what changes beside it.

    Returns
    -------
    n_places, n_seen : int
        Merges made, and neighbours touched (``scratch.seen``).
    n_twice, twice : int
        How many products stand just before another one, and their weight.
    """
    row = item(pairs.row, pair)
    left, right = row.left, row.right
    length_left, length_token = item(tokens, left).length, item(tokens, token).length
    n_places = n_seen = n_twice = twice = merged = np.int64(0)
    for index in range(row.start, min(row.start + AHEAD, row.end)):
        prefetch(cells.cell, item(pairs.pool, index))
    for index in range(row.start, row.end):
        ahead = item(pairs.pool, index + AHEAD)
        prefetch(cells.cell, ahead)
        prefetch(cells.cell, ahead + length_token)
        at = item(pairs.pool, index)
        middle = at + length_left
        if item(cells.cell, at).token != left or item(cells.cell, middle).token != right:
            continue
        end = at + length_token
        packed = item(cells.cell, at).weight
        weight = weight_of(cells, packed)
        before = WALL if starts_word(packed) else item(cells.cell, at - 1).token
        after = WALL if starts_word(item(cells.cell, end).weight) else item(cells.cell, end).token
        join_cells(cells, at, middle, end, token)
        merged += weight
        if before >= 0:
            n_seen = see(scratch, before, n_seen)
            changes = item(scratch.changes, before)
            changes.left += weight
            changes.n_left += 1
            if before == token:
                # What was noted as a new pair (token, left) is (token, token).
                n_twice += 1
                twice += weight
                item(scratch.place, n_places - 1).right = WALL
        if after >= 0:
            n_seen = see(scratch, after, n_seen)
            changes = item(scratch.changes, after)
            changes.right += weight
            changes.n_right += 1
        place = item(scratch.place, n_places)
        place.at = at
        place.left = before
        place.right = after
        n_places += 1
    pairs.numbers[CORPUS_TOKENS] -= merged
    item(tokens, token).start = item(scratch.place, 0).at
    return n_places, n_seen, n_twice, twice


@inlined
def see(scratch, token, n_seen):
    """List a neighbour once."""
    if item(scratch.changes, token).n_left == 0 and item(scratch.changes, token).n_right == 0:
        scratch.seen[n_seen] = token
        return n_seen + 1
    return n_seen


@inlined
def keep_pair(limits, pairs, left, right, count, start, n_places):
    """Append a new pair that is frequent enough; return where its places begin, or −1 if it is not kept."""
    if count < limits.least:
        return np.int64(-1)
    add_pair(pairs, find_pair(pairs, left, right), left, right, count, start, start + n_places)
    return start


@part
def apply_merge(limits, cells, tokens, pairs, queue, scratch, pair, utf8):
    """Merge a pair everywhere and bring counts, queue and places up to date; return the product."""
    left, right = item(pairs.row, pair).left, item(pairs.row, pair).right
    token = make_token(cells, tokens, pairs, left, right, utf8)
    n_places, n_seen, n_twice, twice = merge_places(cells, tokens, pairs, scratch, pair, token)
    set_count(limits, tokens, pairs, pair, ZERO)
    first_new = pairs.numbers[N_PAIRS]
    # The places of pairs that begin with the product fit where those of the merged pair were.
    used = item(pairs.row, pair).start
    for index in range(n_seen):
        other = scratch.seen[index]
        changes = item(scratch.changes, other)
        if changes.n_left > 0 and other != token and not (other == left and left == right):
            lower_count(limits, tokens, pairs, other, left, changes.left)
        if changes.n_right > 0 and not (other == right and left == right):
            lower_count(limits, tokens, pairs, right, other, changes.right)
        if other == left:
            changes.right -= twice
            changes.n_right -= n_twice
        # New pairs get their stretch of the pool now and their places below: n_left and n_right become the
        # next free place.
        n_left, n_right = changes.n_left, changes.n_right
        changes.n_left = keep_pair(limits, pairs, other, token, changes.left, pairs.numbers[N_POOL], n_left)
        if changes.n_left >= 0:
            pairs.numbers[N_POOL] += n_left
        changes.n_right = keep_pair(limits, pairs, token, other, changes.right, used, n_right)
        if changes.n_right >= 0:
            used += n_right
    if pairs.numbers[N_PAIRS] > first_new:
        write_places(tokens, pairs, scratch, n_places)
    for index in range(n_seen):
        changes = item(scratch.changes, scratch.seen[index])
        changes.left = changes.n_left = changes.right = changes.n_right = 0
    for new in range(first_new, pairs.numbers[N_PAIRS]):
        enter_pair(limits, cells, tokens, pairs, queue, new)
    return token


@inlined
def write_places(tokens, pairs, scratch, n_places):
    """Write the places of the new pairs."""
    for index in range(n_places):
        place = item(scratch.place, index)
        if place.left >= 0:
            changes = item(scratch.changes, place.left)
            if changes.n_left >= 0:
                pairs.pool[changes.n_left] = place.at - item(tokens, place.left).length
                changes.n_left += 1
        if place.right >= 0:
            changes = item(scratch.changes, place.right)
            if changes.n_right >= 0:
                pairs.pool[changes.n_right] = place.at
                changes.n_right += 1


@part
def has_room(pairs, pair):
    """Return whether a merge of `pair` surely fits into all arrays.

    The pool and `Scratch` always have room, see `merging.FastTrainer`.
    """
    row = item(pairs.row, pair)
    n_pairs = pairs.numbers[N_PAIRS] + 2 * min(row.end - row.start, pairs.numbers[N_TOKENS] + 1)
    return n_pairs <= len(pairs.row) and 2 * n_pairs <= len(pairs.table)


@kernel
def advance(limits, cells, tokens, pairs, queue, scratch, rows, n_done, utf8, last_runner_up):
    """Make merges until the rows are full; return how many are made and what stopped it.

    Parameters
    ----------
    rows : Rows
        Filled from row `n_done`.
    utf8 : int
        −1: no hashes wanted; 0: letters are bytes; 1: letters are code points.
    last_runner_up : int
        Count of the best pair that is not in the queue, if the first merge is that of the last pair in it.

    Returns
    -------
    n_done, state : int
        Rows filled; `MERGED`, `NO_MORE`, `NEED_ROOM` (enlarge the arrays and call again), or `LAST_PAIR`
        (call again with the runner-up's count).
    """
    while n_done < len(rows.left):
        count = refresh_top(limits, cells, tokens, pairs, queue)
        if count == 0:
            return n_done, NO_MORE
        pair = queue.heap[0].pair
        if not has_room(pairs, pair):
            return n_done, NEED_ROOM
        if count != pairs.numbers[TIED_COUNT]:
            pairs.numbers[TIED_COUNT] = count
            pairs.numbers[N_TIED] = count_tied(pairs, queue, count)
        n_tied = pairs.numbers[N_TIED]
        drop_top(limits, cells, tokens, pairs, queue)
        runner_up = count
        if n_tied == 1:
            runner_up = refresh_top(limits, cells, tokens, pairs, queue)
            if runner_up == 0:
                if last_runner_up < 0:
                    enqueue(limits, cells, tokens, pairs, queue, pair)
                    return n_done, LAST_PAIR
                runner_up, last_runner_up = last_runner_up, np.int64(-1)
        rows.left[n_done] = item(pairs.row, pair).left
        rows.right[n_done] = item(pairs.row, pair).right
        rows.count[n_done] = count
        rows.n_tied[n_done] = n_tied
        rows.margin[n_done] = count - runner_up
        if pairs.numbers[N_HEAP] > 2:  # what is likely to be merged next
            prefetch(pairs.pool, item(pairs.row, item(queue.heap, 0).pair).start)
            prefetch(pairs.row, item(queue.heap, 1).pair)
            prefetch(pairs.row, item(queue.heap, 2).pair)
        apply_merge(limits, cells, tokens, pairs, queue, scratch, pair, utf8)
        rows.corpus_tokens[n_done] = pairs.numbers[CORPUS_TOKENS]
        n_done += 1
    return n_done, MERGED


@kernel
def reapply(limits, cells, tokens, pairs, queue, scratch, left, right, n_done, utf8):
    """Make given merges in order, as `advance` does without choosing.

    Returns
    -------
    n_done, state : int
        Merges made; `MERGED`, `NEED_ROOM`, or `NO_MORE` if a pair does not occur.
    """
    while n_done < len(left):
        pair = np.int64(item(pairs.table, find_pair(pairs, left[n_done], right[n_done])))
        if item(pairs.row, pair).count == 0:  # so has row 0, which is no pair
            return n_done, NO_MORE
        if not has_room(pairs, pair):
            return n_done, NEED_ROOM
        apply_merge(limits, cells, tokens, pairs, queue, scratch, pair, utf8)
        n_done += 1
    return n_done, MERGED
