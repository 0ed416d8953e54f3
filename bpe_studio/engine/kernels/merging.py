"""The merge loop: exact pair counts kept up to date, the best pair from a lazy queue, for every tie rule."""

from __future__ import annotations

import numpy as np

from bpe_studio.engine.kernels.comparing import hash_letter, tie_key
from bpe_studio.engine.kernels.decorator import inlined, kernel, part
from bpe_studio.engine.kernels.pairs import (
    add_pair,
    best_below,
    count_slot,
    find_pair,
    first_place,
    is_eligible,
    note_count,
)
from bpe_studio.engine.kernels.queueing import drop_top, push, refresh_top
from bpe_studio.engine.kernels.state import (
    CORPUS_TOKENS,
    INSIDE,
    MERGED,
    N_COUNTS,
    N_PAIRS,
    N_POOL,
    N_QUEUE,
    N_TOKENS,
    NEED_ROOM,
    NO_MORE,
    WALL,
)


@inlined
def lower_count(limits, tokens, pairs, counts, left, right, change):
    """Take `change` off a pair's count."""
    pair = pairs.table[find_pair(pairs, left, right)]
    if is_eligible(limits, tokens, left, right):
        note_count(counts, pairs.numbers, pairs.count[pair], -1)
        note_count(counts, pairs.numbers, pairs.count[pair] - change, 1)
    pairs.count[pair] -= change


@inlined
def enter_pair(limits, cells, tokens, pairs, queue, counts, pair):
    """Count a new pair among the eligible ones and queue it if it is frequent enough."""
    if is_eligible(limits, tokens, pairs.left[pair], pairs.right[pair]):
        count = pairs.count[pair]
        note_count(counts, pairs.numbers, count, 1)
        if count >= limits.min_count:
            push(
                limits, cells, tokens, pairs, queue, count, tie_key(limits, cells, tokens, pairs, pair), pair
            )


@kernel
def enter_pairs(limits, cells, tokens, pairs, queue, counts):
    """Count and queue all pairs found by `find_pairs`."""
    for pair in range(pairs.numbers[N_PAIRS]):
        enter_pair(limits, cells, tokens, pairs, queue, counts, np.int32(pair))


@part
def make_token(cells, tokens, pairs, left, right, at, utf8):
    """Append the product of two tokens, which occurs at cell `at`, and return its number."""
    token = np.int32(pairs.numbers[N_TOKENS])
    pairs.numbers[N_TOKENS] += 1
    tokens.length[token] = tokens.length[left] + tokens.length[right]
    tokens.start[token] = at
    hashed = tokens.hashed[left]
    if utf8 >= 0:  # the hash is wanted: continue it over the right part
        start = tokens.start[right]
        for offset in range(tokens.length[right]):
            hashed = hash_letter(hashed, cells.letter[start + offset], utf8)
    tokens.hashed[token] = hashed
    return token


@inlined
def join_cells(cells, at, middle, end, token):
    """Make one token of the cells from `at` to `end`, whose second part began at `middle`."""
    cells.token[middle - 1] = INSIDE
    cells.token[middle] = INSIDE
    cells.token[at] = token
    cells.token[end] = token


@part
def merge_places(cells, tokens, pairs, scratch, pair, token):
    """Merge a pair at all its places, left to right; collect what changes beside it.

    Returns
    -------
    n_places, n_seen : int
        Merges made, and neighbours touched (``scratch.seen``).
    """
    left, right = pairs.left[pair], pairs.right[pair]
    length_left, length_token = tokens.length[left], tokens.length[token]
    n_places = n_seen = 0
    for place in range(pairs.start[pair], pairs.start[pair] + pairs.n_places[pair]):
        at = pairs.pool[place]
        middle = at + length_left
        if cells.token[at] != left or cells.token[middle] != right:
            continue
        end = at + length_token - 1
        weight = cells.weight[at]
        before, after = cells.token[at - 1], cells.token[end + 1]
        join_cells(cells, at, middle, end, token)
        pairs.numbers[CORPUS_TOKENS] -= weight
        if before >= 0:
            n_seen = see(scratch, before, n_seen)
            if before == token:
                # The product stands just before: what was noted as (token, left) is (token, token).
                scratch.new_right[left] -= weight
                scratch.n_right[left] -= 1
                scratch.right[n_places - 1] = WALL
            else:
                scratch.old_left[before] += weight
            scratch.new_left[before] += weight
            scratch.n_left[before] += 1
        if after >= 0:
            n_seen = see(scratch, after, n_seen)
            scratch.old_right[after] += weight
            scratch.new_right[after] += weight
            scratch.n_right[after] += 1
        scratch.at[n_places] = at
        scratch.left[n_places] = before
        scratch.right[n_places] = after
        n_places += 1
    return n_places, n_seen


@inlined
def see(scratch, token, n_seen):
    """List a neighbour once."""
    if (
        scratch.n_left[token] == 0
        and scratch.n_right[token] == 0
        and scratch.old_left[token] == 0
        and scratch.old_right[token] == 0
    ):
        scratch.seen[n_seen] = token
        return n_seen + 1
    return n_seen


@part
def apply_merge(limits, cells, tokens, pairs, queue, counts, scratch, pair, utf8):
    """Merge a pair everywhere and bring counts, queue and places up to date; return the product."""
    left, right = pairs.left[pair], pairs.right[pair]
    at = first_place(cells, tokens, pairs, pair)
    token = make_token(cells, tokens, pairs, left, right, at, utf8)
    if is_eligible(limits, tokens, left, right):
        note_count(counts, pairs.numbers, pairs.count[pair], -1)
    n_places, n_seen = merge_places(cells, tokens, pairs, scratch, pair, token)
    pairs.count[pair] = 0
    first_new = pairs.numbers[N_PAIRS]
    for index in range(n_seen):
        other = scratch.seen[index]
        if scratch.old_left[other] > 0 and not (other == left and left == right):
            lower_count(limits, tokens, pairs, counts, other, left, scratch.old_left[other])
        if scratch.old_right[other] > 0 and not (other == right and left == right):
            lower_count(limits, tokens, pairs, counts, right, other, scratch.old_right[other])
        # New pairs get their stretch of the pool now and their places below; n_left and n_right
        # become the next free place.
        if scratch.n_left[other] > 0:
            n_new, used = scratch.n_left[other], pairs.numbers[N_POOL]
            add_pair(pairs, other, token, scratch.new_left[other], used, n_new)
            scratch.n_left[other] = used
            pairs.numbers[N_POOL] += n_new
        if scratch.n_right[other] > 0:
            n_new, used = scratch.n_right[other], pairs.numbers[N_POOL]
            add_pair(pairs, token, other, scratch.new_right[other], used, n_new)
            scratch.n_right[other] = used
            pairs.numbers[N_POOL] += n_new
    for place in range(n_places):
        at, before, after = scratch.at[place], scratch.left[place], scratch.right[place]
        if before >= 0:
            pairs.pool[scratch.n_left[before]] = at - tokens.length[before]
            scratch.n_left[before] += 1
        if after >= 0:
            pairs.pool[scratch.n_right[after]] = at
            scratch.n_right[after] += 1
    for index in range(n_seen):
        other = scratch.seen[index]
        scratch.old_left[other] = scratch.new_left[other] = scratch.n_left[other] = 0
        scratch.old_right[other] = scratch.new_right[other] = scratch.n_right[other] = 0
    for new in range(first_new, pairs.numbers[N_PAIRS]):
        enter_pair(limits, cells, tokens, pairs, queue, counts, np.int32(new))
    return token


@part
def has_room(pairs, queue, counts, scratch, pair):
    """Return whether a merge of `pair` surely fits into all arrays."""
    n_new = 2 * min(pairs.n_places[pair], pairs.numbers[N_TOKENS] + 1)
    numbers = pairs.numbers
    return (
        numbers[N_PAIRS] + n_new <= len(pairs.left)
        and 2 * (numbers[N_PAIRS] + n_new) <= len(pairs.table)
        and numbers[N_POOL] + 2 * pairs.n_places[pair] <= len(pairs.pool)
        and numbers[N_QUEUE] + n_new <= len(queue.pair)
        and 4 * (numbers[N_COUNTS] + 2 * n_new) <= len(counts.value)
        and pairs.n_places[pair] <= len(scratch.at)
    )


@kernel
def advance(limits, cells, tokens, pairs, queue, counts, scratch, rows, n_done, utf8):
    """Make merges until the rows are full; return how many are made and what stopped it.

    Parameters
    ----------
    rows : Rows
        Filled from row `n_done`.
    utf8 : int
        −1: no hashes wanted; 0: letters are bytes; 1: letters are code points.

    Returns
    -------
    n_done, state : int
        Rows filled; `MERGED`, `NO_MORE` or `NEED_ROOM` (enlarge the arrays and call again).
    """
    while n_done < len(rows.left):
        count = refresh_top(limits, cells, tokens, pairs, queue)
        if count == 0:
            return n_done, NO_MORE
        pair = queue.pair[0]
        if not has_room(pairs, queue, counts, scratch, pair):
            return n_done, NEED_ROOM
        drop_top(limits, cells, tokens, pairs, queue)
        n_tied = counts.n_pairs[count_slot(counts, count)]
        margin = np.int64(0)
        if n_tied == 1:
            runner_up = refresh_top(limits, cells, tokens, pairs, queue)
            if runner_up == 0:
                runner_up = best_below(counts, min(limits.min_count, count))
            margin = count - runner_up
        rows.left[n_done] = pairs.left[pair]
        rows.right[n_done] = pairs.right[pair]
        rows.count[n_done] = count
        rows.n_tied[n_done] = n_tied
        rows.margin[n_done] = margin
        apply_merge(limits, cells, tokens, pairs, queue, counts, scratch, pair, utf8)
        rows.corpus_tokens[n_done] = pairs.numbers[CORPUS_TOKENS]
        n_done += 1
    return n_done, MERGED


@kernel
def reapply(limits, cells, tokens, pairs, queue, counts, scratch, left, right, n_done, utf8):
    """Make given merges in order, as `advance` does without choosing.

    Returns
    -------
    n_done, state : int
        Merges made; `MERGED`, `NEED_ROOM`, or `NO_MORE` if a pair does not occur.
    """
    while n_done < len(left):
        pair = pairs.table[find_pair(pairs, left[n_done], right[n_done])]
        if pair < 0 or pairs.count[pair] == 0:
            return n_done, NO_MORE
        if not has_room(pairs, queue, counts, scratch, pair):
            return n_done, NEED_ROOM
        apply_merge(limits, cells, tokens, pairs, queue, counts, scratch, pair, utf8)
        n_done += 1
    return n_done, MERGED
