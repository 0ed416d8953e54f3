"""The state of the merge loop: named groups of arrays that the kernels take and change.

The words lie in `Cells`, one cell a base symbol. The first and the last cell of a token hold its number
(id − first base id), so neighbours are found without links: the next token starts at ``at + length``, the
one before ends at ``at − 1``. Rows of numbers that are used together are records: one look at the memory
instead of four.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

WALL = -1  # where a word ends, and in place of base tokens that no pair may hold
INSIDE = -2  # a cell inside a token, at a former boundary

LEXICOGRAPHIC, REVERSE, FIRST_SEEN, LOWEST_IDS, SHORTEST, RANDOM = range(6)

# What a step did, and the places of the numbers in `Pairs.numbers`.
MERGED, NO_MORE, NEED_ROOM, LAST_PAIR = range(4)
N_PAIRS, N_POOL, N_HEAP, FRONT, N_TIED, TIED_COUNT, N_TOKENS, CORPUS_TOKENS = range(8)
N_BUCKETS = 512  # 64 powers of two, eight each
AHEAD = 16  # places between the one that is merged and the one whose cells are fetched

# A plain number, or truth, has a type of its own in numba: what gets two of them is compiled twice.
ZERO = np.int64(0)
YES, NO = np.bool_(True), np.bool_(False)

# Bits of a character's class, and the split patterns that are compiled.
LETTER, NUMBER, SPACE, NEWLINE, UPPER, LOWER = map(np.int64, (1, 2, 4, 8, 16, 32))
WHITESPACE, GPT2, GPT4, O200K = range(4)

BLOCK = 64  # bytes that are cut at once

# Cells of a slot in `Seen.slots`, unsigned as a hash is, and the places of the numbers in `Seen.numbers`.
KEY, MORE_KEY, WORD, COUNT, SLOT = map(np.uint64, range(5))
N_WORDS, N_ARENA, N_NEEDED = range(3)

Seen = namedtuple("Seen", "slots arena start numbers")
"""Unique words with counts. slots uint64: a hash table, four cells a slot, count 0 is empty. By word: start
int64, where it begins in arena; arena uint8: the words' bytes in order of first appearance. numbers int64."""

Batch = namedtuple("Batch", "ends ones key more slot")
"""Words that are looked up together. ends, ones int64: where they end, and that each is counted once. key,
more, slot uint64: what tells them, and the first slot to look at."""

CELL = np.dtype([("token", np.int32), ("weight", np.int32)])
TOKEN = np.dtype([("length", np.int32), ("start", np.int32), ("hashed", np.uint64)])
PAIR = np.dtype(
    [("left", np.int32), ("right", np.int32), ("count", np.int64), ("start", np.int64), ("end", np.int64)]
)
ENTRY = np.dtype([("count", np.int64), ("key", np.uint64), ("pair", np.int64)])
CHANGES = np.dtype([("left", np.int64), ("n_left", np.int64), ("right", np.int64), ("n_right", np.int64)])
PLACE = np.dtype([("at", np.int32), ("left", np.int32), ("right", np.int32)])

Cells = namedtuple("Cells", "cell count base letter")
"""cell CELL, one a base symbol and one at the end: number of the token, and `pairs.packed_weight`. count
int64, by word. base int32: the base symbols (ids). letter int32: sort value of a base symbol, by id."""

Pairs = namedtuple("Pairs", "row table pool numbers")
"""row PAIR: token numbers, count, and where its places lie in pool; row 0 is no pair. table int32 is a hash
table of rows (0 empty), pool int32 holds cells, numbers int64 the eight scalars above."""

Queue = namedtuple("Queue", "heap bucket next")
"""heap ENTRY: a binary heap on (−count, key, letters) of the most frequent pairs. bucket int32: the first of
the other pairs, by size of their count; next int32, by pair: the one after it in its bucket, 0 for none.
Counts may be out of date."""

Scratch = namedtuple("Scratch", "changes seen place")
"""changes CHANGES, by token: weight and number of the places where it stands before or after the pair of the
present step. seen int32: tokens touched. place PLACE: cells of the merges made, and their neighbours."""

Limits = namedtuple("Limits", "rule seed min_count least max_length letter_bits")
"""Tie rule (int64) and its seed (uint64), least count of a merge and of a new pair that is kept, longest
token, bits that hold a letter + 1."""

Rows = namedtuple("Rows", "left right count n_tied margin corpus_tokens")
