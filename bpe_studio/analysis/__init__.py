"""Questions about tokenizers: pure functions, values in, arrays out."""
