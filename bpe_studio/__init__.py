"""BPE Studio: train byte-pair-encoding tokenizers in front of your eyes."""

__version__ = "0.1.0"
