"""API keys: what they look like, and what can be told from one without a database."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.accounts.keys import (
    _key,
    digest,
    key_id_of,
    matches,
    new_key,
    visible_prefix,
)

SHAPE = re.compile(r"tg_live_([0-9A-HJKMNP-TV-Z]{26})_([0-9A-Za-z]{39})")
ALPHANUMERIC = string.digits + string.ascii_letters


class TestNewKey:
    def test_it_has_the_published_format_and_names_its_id(self) -> None:
        key = new_key()
        shape = SHAPE.fullmatch(key.text)
        assert shape
        assert key.key_id == f"key_{shape[1]}"

    def test_no_two_are_alike(self) -> None:
        keys = [new_key() for _ in range(200)]
        assert len({key.text for key in keys}) == len({key.key_id for key in keys}) == 200

    def test_a_new_secret_of_a_key_keeps_its_id_and_is_another_text(self) -> None:
        key = new_key()
        rotated = new_key(key.key_id)
        assert key_id_of(rotated.text) == rotated.key_id == key.key_id
        assert rotated.text != key.text
        assert rotated.text.startswith(visible_prefix(key.key_id) + "_")

    def test_what_is_stored_does_not_show_the_secret(self) -> None:
        key = new_key()
        secret = key.text.rpartition("_")[2]
        assert re.fullmatch("[0-9a-f]{64}", key.digest)
        assert secret not in key.digest
        assert secret not in key.key_id

    def test_only_the_key_itself_matches_what_is_stored(self) -> None:
        key, other = new_key(), new_key()
        assert key.digest == digest(key.text)
        assert matches(key.text, key.digest)
        assert not matches(other.text, key.digest)
        assert not matches(key.text + "x", key.digest)


class TestKeyIdOf:
    def test_a_key_of_ours_tells_its_id(self) -> None:
        key = new_key()
        assert key_id_of(key.text) == key.key_id

    @given(st.integers(min_value=8, max_value=73), st.sampled_from(ALPHANUMERIC))
    def test_any_one_wrong_character_is_noticed(self, position: int, character: str) -> None:
        text = new_key().text
        wrong = text[:position] + character + text[position + 1 :]
        assert wrong == text or key_id_of(wrong) is None

    @given(st.integers(min_value=0, max_value=73))
    def test_a_key_that_was_cut_off_is_noticed(self, length: int) -> None:
        assert key_id_of(new_key().text[:length]) is None

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "tg_live_",
            "tg_live__",
            "sk-proj-0123456789",
            "tg_test_" + "0" * 26 + "_" + "a" * 39,
            "tg_live_" + "0" * 26 + "_" + "a" * 39,
            "tg_live_" + "0" * 26 + "-" + "a" * 39,
            "tg_live_" + "é" * 26 + "_" + "a" * 39,
            "x" * 10_000_000,
        ],
    )
    def test_what_is_none_of_ours_has_no_id(self, text: str) -> None:
        assert key_id_of(text) is None

    @given(st.text(max_size=130))
    def test_any_text_can_be_asked_about(self, text: str) -> None:
        assert key_id_of(text) is None
        assert key_id_of("tg_live_" + text) is None

    @pytest.mark.parametrize(("id_length", "secret_length"), [(26, 32), (26, 34), (25, 33), (27, 33)])
    def test_a_right_checksum_does_not_make_up_for_a_wrong_length(
        self, id_length: int, secret_length: int
    ) -> None:
        assert key_id_of(_key("key_" + "0" * id_length, "a" * secret_length).text) is None

    def test_spaces_around_a_key_make_it_another_text(self) -> None:
        text = new_key().text
        assert key_id_of(f" {text}") is key_id_of(f"{text}\n") is None
