"""The command line: ``bpe-studio COMMAND``, one module a command; `program.COMMANDS` is the table of them.

    train      trains a tokenizer and writes it
    encode     a text to token ids; decode: back; inspect: what a tokenizer is
    convert    another format
    compare    tokenizers on texts; curve: one at every vocabulary size
    merges     the list of merges; count: the words of texts
    verify     a tokenizer on texts
    dataset    trains, encodes all splits, checks and writes them
    tokenizers those that are at hand by name

Data goes to standard output, everything else to standard error, one line each. Exit codes: 0 done, 1 the work
failed, 2 wrong usage, 130 stopped with Ctrl+C. Each command is a module with ``add_arguments(parser)`` and
``run(arguments)``. What they share: `arguments` and `id_options` (options), `streams` (input and output),
`outputs` (files to be written), `texts` and `corpora` (texts to be read), `progress`.
"""

from bpe_studio.cli.program import main

__all__ = ["main"]
