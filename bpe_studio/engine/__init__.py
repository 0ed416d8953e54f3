"""The library: from files to words, from words to merges, from merges to a tokenizer. Knows no file format and no Qt."""
