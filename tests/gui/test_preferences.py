"""Preferences: whatever the settings file holds, a value comes out that the window can use (case C086)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from bpe_studio.gui.preferences import N_RECENT_FILES, PREFERENCES, Preferences


def settings_of(path: Path) -> QSettings:
    return QSettings(str(path), QSettings.Format.IniFormat)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "window.ini"


@pytest.mark.parametrize("record", PREFERENCES, ids=lambda record: record.key)
def test_a_value_comes_back_as_it_was_kept(path, record):
    values = {
        "scheme": "dark",
        "text_scale": 3,
        "play_speed": 10.0,
        "recent_files": ("a b%20c.json", "ü/文件.json"),
        "geometry": b"\x00\xff\x01",
        "layout": b"xyz",
    }
    value = values[record.key]
    first = Preferences(settings_of(path))
    first[record.key] = value
    first.save()
    assert Preferences(settings_of(path))[record.key] == value


@pytest.mark.parametrize("record", PREFERENCES, ids=lambda record: record.key)
@pytest.mark.qt_log_ignore("Trying to construct an instance of an invalid type.*", "QVariant.*")
@pytest.mark.parametrize(
    "junk", ["@Variant(junk)", "@ByteArray(\\xzz", "nan", "", "-1e999", "@Invalid()", "a, b, 3"]
)
def test_junk_is_replaced_by_something_usable(path, record, junk):
    path.write_text(f"[General]\n{record.key}={junk}\n", encoding="utf-8")
    value = Preferences(settings_of(path))[record.key]
    assert type(value) is type(record.default) and (value == record.default or record.parse(value) == value)


def test_a_file_cut_in_the_middle_is_no_obstacle(path):
    preferences = Preferences(settings_of(path))
    preferences["geometry"] = bytes(range(256))
    preferences["scheme"] = "dark"
    preferences.save()
    data = path.read_bytes()
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        values = Preferences(settings_of(path))
        assert all(type(values[record.key]) is type(record.default) for record in PREFERENCES)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    preferences = Preferences(settings_of(folder / "window.ini"))
    preferences["scheme"] = "dark"
    preferences.save()


def test_recent_files_are_few_distinct_and_newest_first(path):
    preferences = Preferences(settings_of(path))
    for number in range(20):
        preferences.add_recent_file(Path(f"{number}.json"))
    preferences.add_recent_file(Path("15.json"))
    recent = preferences["recent_files"]
    assert recent[:2] == ("15.json", "19.json")
    assert len(recent) == N_RECENT_FILES == len(set(recent))
    preferences.forget_recent_file("15.json")
    assert "15.json" not in preferences["recent_files"]


def test_a_name_that_is_not_text_is_left_out(path):
    preferences = Preferences(settings_of(path))
    preferences.add_recent_file(Path(os.fsdecode(b"\xf0.json")))
    assert preferences["recent_files"] == ()
