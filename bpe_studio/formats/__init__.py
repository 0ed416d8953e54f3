"""Files: one module a format, read → Tokenizer, write(tokenizer) → bytes; FORMATS is the table of them."""
