"""Is there a display, and can Qt be loaded? Found out without creating anything of Qt's."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

TERMINAL = "the terminal does the same job: bpe-studio train FILE --vocab-size 4096 -o tokenizer.json"

DEBIAN_PACKAGES: Mapping[str, str] = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
"""Library → Debian package that holds it, for everything that Qt's wheels leave to the system."""

X_ONLY = tuple(
    name for name in DEBIAN_PACKAGES if "xcb" in name or "X11" in name or name.endswith("x11.so.0")
)
WAYLAND_ONLY = tuple(name for name in DEBIAN_PACKAGES if "wayland" in name)
EVERYWHERE = (
    "libEGL.so.1",
    "libGL.so.1",
    "libfontconfig.so.1",
    "libxkbcommon.so.0",
    "libdbus-1.so.3",
    "libglib-2.0.so.0",
)
SONAME = re.compile(r"\b(lib[\w.+-]+\.so(?:\.\d+)*)")


def missing_for_a_window(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str:
    """Return one line on why no window can be opened here; empty if one can.

    Parameters
    ----------
    environment : mapping of str to str
        Environment variables.
    platform : str
        As `sys.platform`.
    """
    if importlib.util.find_spec("PySide6") is None:
        return f"bpe-studio: the window needs PySide6 (pip install PySide6-Essentials); {TERMINAL}"
    if not platform.startswith("linux"):
        return _import_problem()
    chosen = environment.get("QT_QPA_PLATFORM", "").split(":")[0].split(";")[0]
    if not chosen and not environment.get("DISPLAY") and not environment.get("WAYLAND_DISPLAY"):
        return f"bpe-studio: there is no display (DISPLAY and WAYLAND_DISPLAY are not set); {TERMINAL}"
    plugin = chosen or ("wayland" if environment.get("WAYLAND_DISPLAY") else "xcb")
    return _library_problem(plugin) or _display_problem(plugin, environment)


def _library_problem(plugin: str) -> str:
    """Say which libraries are missing: first those that we know Qt to need, then what loading it says."""
    wanted = EVERYWHERE + {"xcb": X_ONLY, "wayland": WAYLAND_ONLY}.get(plugin, ())
    missing = [name for name in wanted if not _loads(name)]
    # A library that this Qt does not need may be missing: only loading the real thing decides.
    failure = _import_failure() or _plugin_failure(plugin)
    if not failure:
        return ""
    named = SONAME.search(failure)
    if named is None:
        return f"bpe-studio: Qt cannot be loaded ({failure}); {TERMINAL}"
    names = sorted({named.group(1), *(name for name in missing if name in DEBIAN_PACKAGES)})
    packages = sorted({DEBIAN_PACKAGES[name] for name in names if name in DEBIAN_PACKAGES})
    if named.group(1) not in DEBIAN_PACKAGES:
        return f"bpe-studio: Qt needs the library {named.group(1)}, which is not installed; {TERMINAL}"
    return (
        f"bpe-studio: Qt needs {', '.join(names)}: install the Debian package"
        f"{'s' if len(packages) > 1 else ''} {' '.join(packages)} (sudo apt install …); {TERMINAL}"
    )


def _import_problem() -> str:
    failure = _import_failure()
    return f"bpe-studio: Qt cannot be loaded ({failure}); {TERMINAL}" if failure else ""


def _import_failure() -> str:
    try:
        import PySide6.QtSvg
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        return str(error).splitlines()[0]
    return ""


def _plugin_failure(plugin: str) -> str:
    """Load the platform plugin as the system's linker would, without starting it."""
    spec = importlib.util.find_spec("PySide6")
    root = Path(next(iter(spec.submodule_search_locations))) if spec is not None else Path()
    found = [path for path in (root / "Qt" / "plugins" / "platforms").glob(f"libq{plugin}*.so")]
    if not found:
        return ""  # a Qt of the system's own, or a platform that only Qt knows: it will say so itself
    try:
        ctypes.CDLL(str(found[0]))
    except OSError as error:
        return str(error)
    return ""


def _display_problem(plugin: str, environment: Mapping[str, str]) -> str:
    """Knock at the display: Qt would abort if nobody opens."""
    if plugin == "xcb":
        name = environment.get("DISPLAY", "")
        if not _x_server_answers(name):
            return f"bpe-studio: the display {name or '(none)'} does not answer; {TERMINAL}"
    elif plugin.startswith("wayland"):
        name = environment.get("WAYLAND_DISPLAY") or "wayland-0"
        socket = Path(environment.get("XDG_RUNTIME_DIR", "/run")) / name
        if not socket.exists():
            if environment.get("DISPLAY"):
                return _library_problem("xcb") or _display_problem("xcb", environment)
            return f"bpe-studio: the display {name} does not answer; {TERMINAL}"
    return ""


def _x_server_answers(display: str) -> bool:
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return False
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(display.encode(), None)
    failed = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not failed


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
