"""``python -m bpe_studio.engine.kernels``: compile everything into the cache, then end."""

from __future__ import annotations

from bpe_studio.engine.kernels import load

if __name__ == "__main__":
    load()
