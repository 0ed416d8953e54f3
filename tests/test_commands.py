"""The copied command does what the window did: the terminal reads it back as the same settings."""

from __future__ import annotations

import shlex
from dataclasses import fields
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.cli.program import parser
from bpe_studio.cli.train import config_of
from bpe_studio.commands import (
    WITHOUT_OPTION,
    command_line,
    conversion_command,
    training_command,
)
from bpe_studio.engine.config import TrainingConfig

TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8)

CONFIGS = st.builds(
    TrainingConfig,
    vocab_size=st.integers(1, 10**6),
    pattern=st.sampled_from(["none", "gpt2", "gpt4", r"-+|\w+|[ '\"]"]),
    tie_rule=st.sampled_from(["lexicographic", "first-seen", "random:7"]),
    min_frequency=st.integers(1, 9),
    special_tokens=st.lists(TEXTS, unique=True, max_size=3),
    special_placement=st.sampled_from(["first", "last"]),
    max_token_length=st.none() | st.integers(1, 99),
    byte_order=st.sampled_from(["identity", "gpt2"]),
    errors=st.sampled_from(["strict", "replace", "skip"]),
    lines=st.booleans(),
) | st.builds(
    TrainingConfig,
    alphabet=st.just("characters"),
    character_coverage=st.floats(0.01, 1),
    byte_fallback=st.booleans(),
    unknown_token=st.none() | st.just("-u"),
)


@given(CONFIGS)
def test_a_training_is_read_back_with_the_same_settings(config):
    arguments = training_command([Path("a b.txt"), Path("-c.txt")], config, Path("-o.json"), "studio")
    line = command_line(arguments)
    assert shlex.split(line) == arguments
    found = parser().parse_args(arguments[1:])
    assert config_of(found) == config
    assert [Path(name).name for name in (*found.files, found.output)] == ["a b.txt", "-c.txt", "-o.json"]
    assert found.format == "studio"


def test_what_cannot_be_said_is_not_said():
    config = TrainingConfig(alphabet="characters", base_characters=("abc",))
    assert training_command([Path("a")], config, Path("b"), "studio") is None
    assert set(WITHOUT_OPTION) < {setting.name for setting in fields(config)}


def test_a_conversion_names_both_files():
    found = conversion_command(Path("a.json"), Path("b.json"), "character_bpe")
    assert [Path(word).name for word in found[1:]] == [
        "convert", "a.json", "--output", "b.json", "--format", "character_bpe",
    ]  # fmt: skip
