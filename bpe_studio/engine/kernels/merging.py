"""The merge loop: exact pair counts kept up to date, the best pair from a lazy queue, for every tie rule.

The words lie in `Cells`, one cell a base symbol with a wall before each word and at the end. The first
and the last cell of a token hold its number (id − first base id), so neighbours are found without
links: the next token starts at ``at + length``, the one before ends at ``at − 1``.

A pair's occurrences are written once, in ascending order, into a pool: all occurrences of a pair with
token C arise in the step that makes C. They go stale, and are checked, when a neighbour is merged.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from bpe_studio.engine.kernels.decorator import kernel

WALL = -1  # between words, and in place of base tokens that no pair may hold
INSIDE = -2  # a cell inside a token, at a former boundary

LEXICOGRAPHIC, REVERSE, FIRST_SEEN, LOWEST_IDS, SHORTEST, RANDOM = range(6)

# What a step did, and the places of the numbers in `Pairs.numbers`.
MERGED, NO_MORE, NEED_ROOM = range(3)
N_PAIRS, N_POOL, N_QUEUE, N_TOKENS, CORPUS_TOKENS, N_COUNTS = range(6)

Cells = namedtuple("Cells", "token weight letter")
"""token int32, weight int64 (count of the cell's word), letter int32 (sort value of the base symbol)."""

Tokens = namedtuple("Tokens", "length start hashed")
"""length int64 in base symbols, start int64 (cell of one occurrence), hashed uint64 (FNV-1a), by token."""

Pairs = namedtuple("Pairs", "left right count start n_places table pool numbers")
"""By pair: left, right int32, count int64, start, n_places int64 in pool. table int32 is a hash table of
pair numbers (−1 empty), pool int32 holds cells, numbers int64 the six scalars above."""

Queue = namedtuple("Queue", "count key pair")
"""A binary heap on (−count, key, letters): count int64, key uint64, pair int32. Counts may be out of date."""

Counts = namedtuple("Counts", "value n_pairs")
"""Table count → number of eligible pairs with that count: both int64. Small counts stand at their own
place in the lower half; the upper half is a hash table for the others, where value 0 is empty."""

Scratch = namedtuple("Scratch", "old_left new_left n_left old_right new_right n_right seen at left right")
"""Per token: changes of counts and numbers of places in the present step (int64). seen int32: tokens
touched. Per place: at, left, right int32."""

Limits = namedtuple("Limits", "rule seed min_count max_length letter_bits")
"""Tie rule (int64) and its seed (uint64), least count, longest token, bits that hold a letter + 1."""

Rows = namedtuple("Rows", "left right count n_tied margin corpus_tokens")


@kernel
def mix(value):
    """Return splitmix64's finalizer of a uint64."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@kernel
def pair_hash(left, right):
    """Return a uint64 hash of a pair of tokens."""
    return mix((np.uint64(left) << np.uint64(32)) | np.uint64(right))


@kernel
def find_pair(pairs, left, right):
    """Return the slot of a pair in the table: its own, or the empty one where it belongs."""
    mask = np.uint64(len(pairs.table) - 1)
    slot = pair_hash(left, right) & mask
    while True:
        pair = pairs.table[np.int64(slot)]
        if pair < 0 or (pairs.left[pair] == left and pairs.right[pair] == right):
            return np.int64(slot)
        slot = (slot + np.uint64(1)) & mask


@kernel
def add_pair(pairs, left, right, count, start, n_places):
    """Append a pair and return its number."""
    pair = np.int32(pairs.numbers[N_PAIRS])
    pairs.table[find_pair(pairs, left, right)] = pair
    pairs.left[pair] = left
    pairs.right[pair] = right
    pairs.count[pair] = count
    pairs.start[pair] = start
    pairs.n_places[pair] = n_places
    pairs.numbers[N_PAIRS] += 1
    return pair


@kernel
def count_slot(counts, value):
    """Return the slot of a count: its own for small counts, a hashed one in the upper half for others."""
    half = len(counts.value) >> 1
    if value < half:
        return np.int64(value)
    slot = np.int64(mix(np.uint64(value)) & np.uint64(half - 1))
    while counts.value[half + slot] != value and counts.value[half + slot] != 0:
        slot = (slot + 1) & (half - 1)
    return half + slot


@kernel
def note_count(counts, numbers, value, change):
    """Note that `change` more eligible pairs have this count."""
    if value > 0:
        slot = count_slot(counts, value)
        if counts.value[slot] == 0:
            counts.value[slot] = value
            numbers[N_COUNTS] += 2 * slot >= len(counts.value)
        counts.n_pairs[slot] += change


@kernel
def compare_letters(cells, start_a, length_a, start_b, length_b):
    """Return −1, 0 or 1 as token a sorts before, like or after token b."""
    for offset in range(min(length_a, length_b)):
        a = cells.letter[start_a + offset]
        b = cells.letter[start_b + offset]
        if a != b:
            return -1 if a < b else 1
    if length_a == length_b:
        return 0
    return -1 if length_a < length_b else 1


@kernel
def compare_pairs(cells, tokens, left_a, right_a, left_b, right_b):
    """Return −1, 0 or 1 as pair a sorts before, like or after pair b by (left, right) letters."""
    order = 0
    if left_a != left_b:
        order = compare_letters(
            cells, tokens.start[left_a], tokens.length[left_a], tokens.start[left_b], tokens.length[left_b]
        )
    if order == 0 and right_a != right_b:
        order = compare_letters(
            cells,
            tokens.start[right_a],
            tokens.length[right_a],
            tokens.start[right_b],
            tokens.length[right_b],
        )
    return order


@kernel
def letter_of_pair(cells, tokens, left, right, offset):
    """Return letter number `offset` of the merged text."""
    if offset < tokens.length[left]:
        return cells.letter[tokens.start[left] + offset]
    return cells.letter[tokens.start[right] + offset - tokens.length[left]]


@kernel
def compare_merged(cells, tokens, left_a, right_a, left_b, right_b):
    """Return −1, 0 or 1 as pair a's merged text is shorter, or of the same length and smaller, than b's."""
    length_a = tokens.length[left_a] + tokens.length[right_a]
    length_b = tokens.length[left_b] + tokens.length[right_b]
    if length_a != length_b:
        return -1 if length_a < length_b else 1
    for offset in range(length_a):
        a = letter_of_pair(cells, tokens, left_a, right_a, offset)
        b = letter_of_pair(cells, tokens, left_b, right_b, offset)
        if a != b:
            return -1 if a < b else 1
    return 0


@kernel
def goes_before(limits, cells, tokens, pairs, count_a, key_a, pair_a, count_b, key_b, pair_b):
    """Return whether queue entry a is merged before entry b."""
    if count_a != count_b:
        return count_a > count_b
    if key_a != key_b:
        return key_a < key_b
    left_a, right_a = pairs.left[pair_a], pairs.right[pair_a]
    left_b, right_b = pairs.left[pair_b], pairs.right[pair_b]
    order = 0
    if limits.rule == SHORTEST:
        order = compare_merged(cells, tokens, left_a, right_a, left_b, right_b)
    if order == 0:
        order = compare_pairs(cells, tokens, left_a, right_a, left_b, right_b)
    if limits.rule == REVERSE:
        order = -order
    if order == 0:  # only a blank against a real U+2581 gets here
        return left_a < left_b or (left_a == left_b and right_a < right_b)
    return order < 0


@kernel
def letters_key(limits, cells, tokens, left, right, n_letters):
    """Return the first letters of a pair's merged text, packed so that numbers sort as the letters do.

    Each is raised by one, so that a letter 0 sorts after the end of a shorter text.
    """
    length = tokens.length[left]
    if right >= 0:
        length += tokens.length[right]
    key = np.uint64(0)
    for offset in range(n_letters):
        key <<= np.uint64(limits.letter_bits)
        if offset < length:
            key |= np.uint64(letter_of_pair(cells, tokens, left, right, offset)) + np.uint64(1)
    return key


@kernel
def length_key(limits, cells, tokens, left, right):
    """Return the length of a pair's merged text in the upper 21 bits, its first letters below.

    A length that does not fit is cut, and then the letters are left to the full comparison.
    """
    longest = (1 << 21) - 1
    length = min(tokens.length[left] + tokens.length[right], longest)
    key = np.uint64(length) << np.uint64(42)
    if length == longest:
        return key
    return key | letters_key(limits, cells, tokens, left, right, 42 // limits.letter_bits)


@kernel
def first_place(cells, tokens, pairs, pair):
    """Return the first cell where a pair occurs, dropping places that are stale."""
    left, right = pairs.left[pair], pairs.right[pair]
    end = pairs.start[pair] + pairs.n_places[pair]
    while pairs.n_places[pair] > 0:
        at = pairs.pool[pairs.start[pair]]
        if cells.token[at] == left and cells.token[at + tokens.length[left]] == right:
            return np.int64(at)
        pairs.start[pair] += 1
        pairs.n_places[pair] = end - pairs.start[pair]
    return np.int64(len(cells.token))


@kernel
def tie_key(limits, cells, tokens, pairs, pair):
    """Return the 64-bit key of a pair: a smaller key wins, equal keys are told apart by letters."""
    left, right = pairs.left[pair], pairs.right[pair]
    if limits.rule == FIRST_SEEN:
        return np.uint64(first_place(cells, tokens, pairs, pair))
    if limits.rule == LOWEST_IDS:
        return (np.uint64(left) << np.uint64(32)) | np.uint64(right)
    if limits.rule == SHORTEST:
        return length_key(limits, cells, tokens, left, right)
    if limits.rule == RANDOM:
        return mix(
            mix(mix(limits.seed + np.uint64(0x9E3779B97F4A7C15)) ^ tokens.hashed[left]) + tokens.hashed[right]
        )
    # The end of the left part must sort before any letter: the right part is not looked at.
    key = letters_key(limits, cells, tokens, left, np.int32(-1), 63 // limits.letter_bits)
    return ~key if limits.rule == REVERSE else key


@kernel
def put(queue, at, count, key, pair):
    """Write a queue entry."""
    queue.count[at] = count
    queue.key[at] = key
    queue.pair[at] = pair


@kernel
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


@kernel
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


@kernel
def drop_top(limits, cells, tokens, pairs, queue):
    """Remove the first entry."""
    pairs.numbers[N_QUEUE] -= 1
    last = pairs.numbers[N_QUEUE]
    if last > 0:
        replace_top(limits, cells, tokens, pairs, queue, queue.count[last], queue.key[last], queue.pair[last])


@kernel
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


@kernel
def best_below(counts, limit):
    """Return the highest count below `limit` that any eligible pair has, or 0."""
    for value in range(limit - 1, 0, -1):
        slot = count_slot(counts, np.int64(value))
        if counts.value[slot] == value and counts.n_pairs[slot] > 0:
            return np.int64(value)
    return np.int64(0)


@kernel
def is_eligible(limits, tokens, left, right):
    """Return whether a pair's product is short enough."""
    return tokens.length[left] + tokens.length[right] <= limits.max_length


@kernel
def lower_count(limits, tokens, pairs, counts, left, right, change):
    """Take `change` off a pair's count."""
    pair = pairs.table[find_pair(pairs, left, right)]
    if is_eligible(limits, tokens, left, right):
        note_count(counts, pairs.numbers, pairs.count[pair], -1)
        note_count(counts, pairs.numbers, pairs.count[pair] - change, 1)
    pairs.count[pair] -= change


@kernel
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
def find_pairs(cells, tokens, pairs):
    """Enter every pair of the words with its count, and all its places in ascending order.

    Complexity is O(cells). The table must have room for as many pairs as there are.
    """
    n_cells = len(cells.token)
    at = 0
    for fill in range(2):
        at = 0
        while at < n_cells:
            left = cells.token[at]
            after = at + (tokens.length[left] if left >= 0 else 1)
            if left >= 0 and cells.token[after] >= 0:
                slot = find_pair(pairs, left, cells.token[after])
                pair = pairs.table[slot]
                if fill:
                    pairs.pool[pairs.start[pair] + pairs.n_places[pair]] = at
                else:
                    if pair < 0:
                        pair = add_pair(pairs, left, cells.token[after], 0, 0, 0)
                    pairs.count[pair] += cells.weight[at]
                pairs.n_places[pair] += 1
            at = after
        if not fill:
            used = 0
            for pair in range(pairs.numbers[N_PAIRS]):
                pairs.start[pair] = used
                used += pairs.n_places[pair]
                pairs.n_places[pair] = 0
            pairs.numbers[N_POOL] = used


@kernel
def enter_pairs(limits, cells, tokens, pairs, queue, counts):
    """Count and queue all pairs found by `find_pairs`."""
    for pair in range(pairs.numbers[N_PAIRS]):
        enter_pair(limits, cells, tokens, pairs, queue, counts, np.int32(pair))


@kernel
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


@kernel
def hash_letter(hashed, letter, utf8):
    """Continue an FNV-1a hash over a letter: a byte, or (utf8 = 1) the UTF-8 bytes of a code point."""
    prime = np.uint64(0x100000001B3)
    code = np.uint64(letter)
    if utf8 == 0 or code < np.uint64(0x80):
        return (hashed ^ code) * prime
    low = np.uint64(0x3F)
    mark = np.uint64(0x80)
    if code < np.uint64(0x800):
        hashed = (hashed ^ (np.uint64(0xC0) | (code >> np.uint64(6)))) * prime
    else:
        if code < np.uint64(0x10000):
            hashed = (hashed ^ (np.uint64(0xE0) | (code >> np.uint64(12)))) * prime
        else:
            hashed = (hashed ^ (np.uint64(0xF0) | (code >> np.uint64(18)))) * prime
            hashed = (hashed ^ (mark | ((code >> np.uint64(12)) & low))) * prime
        hashed = (hashed ^ (mark | ((code >> np.uint64(6)) & low))) * prime
    return (hashed ^ (mark | (code & low))) * prime


@kernel
def join_cells(cells, at, middle, end, token):
    """Make one token of the cells from `at` to `end`, whose second part began at `middle`."""
    cells.token[middle - 1] = INSIDE
    cells.token[middle] = INSIDE
    cells.token[at] = token
    cells.token[end] = token


@kernel
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


@kernel
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


@kernel
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


@kernel
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


@kernel
def rebuild(pairs, counts, old_value, old_n_pairs):
    """Enter all pairs and all living counts into new, empty tables."""
    for pair in range(pairs.numbers[N_PAIRS]):
        pairs.table[find_pair(pairs, pairs.left[pair], pairs.right[pair])] = pair
    pairs.numbers[N_COUNTS] = 0
    for slot in range(len(old_value)):
        if old_n_pairs[slot] > 0:
            note_count(counts, pairs.numbers, old_value[slot], old_n_pairs[slot])
