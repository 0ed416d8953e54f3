"""The library: from files to words, to merges, to a tokenizer. Knows no file format and no Qt."""
