"""Files read within bounds."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from bpe_studio.engine.errors import FormatError
from bpe_studio.engine.writing import reason

#: No tokenizer file is larger; a device that never ends is not read for ever.
MAX_FILE_BYTES = 1 << 29

#: Files that begin so may be larger: their vocabulary stands at the beginning, and only that is read.
HEADS = {b"GGUF": 1 << 26}


def read_bounded(path: Path) -> bytes:
    """Return a file's bytes.

    Parameters
    ----------
    path : Path
        A file or a named pipe.

    Returns
    -------
    bytes
        All of it, or the beginning if that is what matters; see `HEADS`.

    Raises
    ------
    FormatError
        If it cannot be read, is a folder or device, or is larger than `MAX_FILE_BYTES`.
    """
    try:
        with open(path, "rb") as file:
            kind = os.fstat(file.fileno()).st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
                raise FormatError(f"{path}: cannot be read: it is not a file.")
            data = file.read(4)
            data += file.read(HEADS.get(data, MAX_FILE_BYTES + 1))
    except (OSError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: cannot be read: {reason(error)}.") from error
    if len(data) > MAX_FILE_BYTES:
        raise FormatError(f"{path}: holds more than {MAX_FILE_BYTES:,} bytes, which no tokenizer file does.")
    return data
