"""The tables of an encoder, and the numbers through which kernels find them."""

from __future__ import annotations

from collections import namedtuple

# Columns of a table of words met before, behind KEY and MORE_KEY, which tell the word; see `Words`.
SHAPE, REST = 2, 3

Words = namedtuple("Words", "slots arena pool")
"""Words and their tokens: a hash table whose rows are half a cache line.

slots : uint64, shape (n, 4)
    Of each word: its bytes up to sixteen, or eight and a hash (KEY, MORE_KEY); in SHAPE its length in bits
    0–15 (0 is empty), its number of tokens in bits 16–31 and above them the first token; in REST the second
    and the third. If the word has more than three tokens or sixteen bytes, the first token's place holds
    instead where its tokens begin in `pool`, the second's where its bytes begin in `arena`.
arena : uint8
    Bytes of the words of more than sixteen.
pool : int32
    Tokens.
"""

# The numbers of an encoder: addresses of arrays, each followed by its size, and how far it has come. One
# address is passed to the kernel in place of all of them: unboxing an array takes longer than a short text.
(
    KIND, ONE_BY_ONE, CLASSES, N_CLASSES, BYTE_IDS, PAIRS, N_PAIR_SLOTS, WHOLE, N_WHOLE, WHOLE_ARENA,
    N_WHOLE_ARENA, SEEN, N_SEEN, ARENA, ARENA_SIZE, POOL, POOL_SIZE, N_SEEN_WORDS, N_IN_ARENA, N_IN_POOL,
    BATCH, SYMBOLS, MERGING, TAIL, PART_ENDS, ID_ENDS, OUT, PART, AT, N_OUT, NEEDED, SIZE, N_FIELDS,
) = range(33)  # fmt: skip

BATCH_SIZE = 256  # pre-tokens looked up together
MAX_WORD = 256  # bytes of a word that is kept
MAX_SYMBOLS = 4096  # symbols of a word that is merged without asking for memory
TAIL_SIZE = 4096  # bytes at the end of a text that are copied, so that kernels may read beyond it

WHOLE_TEXT, BEGINNING = 0, -1  # in place of a number of parts
