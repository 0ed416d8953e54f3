"""The state of the merge loop: named groups of arrays that the kernels take and change.

The words lie in `Cells`, one cell a base symbol with a wall before each word and at the end. The first
and the last cell of a token hold its number (id − first base id), so neighbours are found without
links: the next token starts at ``at + length``, the one before ends at ``at − 1``.
"""

from __future__ import annotations

from collections import namedtuple

WALL = -1  # between words, and in place of base tokens that no pair may hold
INSIDE = -2  # a cell inside a token, at a former boundary

LEXICOGRAPHIC, REVERSE, FIRST_SEEN, LOWEST_IDS, SHORTEST, RANDOM = range(6)

# What a step did, and the places of the numbers in `Pairs.numbers`.
MERGED, NO_MORE, NEED_ROOM = range(3)
N_PAIRS, N_POOL, N_QUEUE, N_TOKENS, CORPUS_TOKENS, N_COUNTS = range(6)

# Bits of a character's class, and the split patterns that are compiled.
LETTER, NUMBER, SPACE, NEWLINE, UPPER, LOWER = 1, 2, 4, 8, 16, 32
WHITESPACE, GPT2, GPT4, O200K = range(4)

BLOCK = 64  # bytes that are cut at once

# Columns of `Seen.slots`, and the places of the numbers in `Seen.numbers`.
KEY, MORE_KEY, WORD, COUNT = range(4)
N_WORDS, N_ARENA, N_NEEDED = range(3)

Seen = namedtuple("Seen", "slots arena start numbers")
"""Unique words with counts. slots uint64, shape (n, 4): a hash table, count 0 is empty. By word: start int64,
where it begins in arena; arena uint8: the words' bytes in order of first appearance. numbers int64."""

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

Known = namedtuple("Known", "start tokens")
"""Tokens of the words in a table of `Seen`. start int64, by word; tokens int32, one word after the other."""

Merges = namedtuple("Merges", "left right product table")
"""By rank: left, right, product int32. table int32 is a hash table of ranks, −1 empty."""

Limits = namedtuple("Limits", "rule seed min_count max_length letter_bits")
"""Tie rule (int64) and its seed (uint64), least count, longest token, bits that hold a letter + 1."""

Rows = namedtuple("Rows", "left right count n_tied margin corpus_tokens")
