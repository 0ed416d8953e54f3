"""``python -m bpe_studio.engine.kernels``: compile everything into the cache, then end."""

from __future__ import annotations

from bpe_studio.engine.compiling import prepare

if __name__ == "__main__":
    prepare()
