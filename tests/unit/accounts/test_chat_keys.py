"""Which keys the chat page has: one for each person, account and window, whose id can be worked out."""

import pytest

from tollgate.accounts.chat_keys import LIFETIME_MS, WINDOW_MS, chat_key_id, live_windows_ms, window_start_ms
from tollgate.accounts.keys import derived_key, digest, key_id_of
from tollgate.kit.ids import is_id

START_MS = 1_795_000_200_000
ACCOUNT, PERSON = "usr_01JD0000000000000000000000", "cognito#ada"


def test_an_id_is_one_of_ours_and_of_one_person_account_and_window() -> None:
    ids = {
        chat_key_id(account, person, start_ms)
        for account in (ACCOUNT, "usr_01JD0000000000000000000001")
        for person in (PERSON, "cognito#bob")
        for start_ms in (START_MS, START_MS + WINDOW_MS)
    }
    assert len(ids) == 8
    assert all(is_id("key", each) for each in ids)
    assert chat_key_id(ACCOUNT, PERSON, START_MS) in ids


def test_a_derived_key_is_whole_and_of_its_secret_alone() -> None:
    key_id = chat_key_id(ACCOUNT, PERSON, START_MS)
    made = derived_key(key_id, "secret")
    assert key_id_of(made.text) == made.key_id == key_id
    assert made.digest == digest(made.text)
    assert derived_key(key_id, "secret") == made
    others = {
        derived_key(key_id, "Secret").text,
        derived_key(chat_key_id(ACCOUNT, "x", START_MS), "secret").text,
    }
    assert made.text not in others
    assert len(others) == 2


@pytest.mark.parametrize(
    ("after_ms", "windows"),
    [(0, 2), (LIFETIME_MS - WINDOW_MS - 1, 2), (LIFETIME_MS - WINDOW_MS, 1), (WINDOW_MS - 1, 1)],
)
def test_the_keys_that_may_be_live_are_those_of_two_windows_at_most(after_ms: int, windows: int) -> None:
    start_ms = window_start_ms(START_MS)
    found = live_windows_ms(start_ms + after_ms)
    assert found == [start_ms, start_ms - WINDOW_MS][:windows]
    assert all(start_ms + after_ms < each + LIFETIME_MS for each in found)
