"""Webhook secrets: two live while one takes the place of the other, and never more."""

from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.accounts.errors import RotationInProgressError
from tollgate.accounts.webhook_secrets import (
    WebhookSecret,
    live_secrets,
    new_webhook_secret,
    rotated,
)
from tollgate.kit.dynamodb.rows import from_attributes, to_attributes

NOW = 1_700_000_000_000
FIRST = WebhookSecret("whsec_AAAA1111", NOW - 1_000)
FRESH = WebhookSecret("whsec_BBBB2222", NOW)
HOUR_S = 3_600


def texts(secrets: tuple[WebhookSecret, ...], at_ms: int) -> list[str]:
    return [secret.text for secret in live_secrets(secrets, at_ms)]


class TestNew:
    def test_it_has_32_random_bytes(self) -> None:
        made = {new_webhook_secret(NOW).text for _ in range(20)}
        assert len(made) == 20
        assert {len(b64decode(text.removeprefix("whsec_"), validate=True)) for text in made} == {32}


class TestRotated:
    def test_both_sign_until_the_overlap_is_over_the_new_one_first(self) -> None:
        secrets = rotated([FIRST], FRESH, HOUR_S, NOW)
        assert texts(secrets, NOW) == [FRESH.text, FIRST.text]
        assert texts(secrets, NOW + HOUR_S * 1_000 - 1) == [FRESH.text, FIRST.text]
        assert texts(secrets, NOW + HOUR_S * 1_000) == [FRESH.text]

    def test_without_overlap_the_old_one_ends_now(self) -> None:
        assert rotated([FIRST], FRESH, 0, NOW) == (FRESH,)

    def test_a_second_one_has_to_wait_until_the_first_is_over(self) -> None:
        secrets = rotated([FIRST], FRESH, HOUR_S, NOW)
        third = WebhookSecret("whsec_CCCC3333", NOW)
        with pytest.raises(RotationInProgressError) as refused:
            rotated(secrets, third, HOUR_S, NOW + HOUR_S * 1_000 - 1)
        # 2023-11-14T22:13:20Z and an hour
        assert refused.value.extra() == {"endsAt": "2023-11-14T23:13:20.000Z"}
        later = rotated(secrets, third, HOUR_S, NOW + HOUR_S * 1_000)
        assert [secret.text for secret in later] == [third.text, FRESH.text]

    def test_a_leak_can_be_ended_at_any_time(self) -> None:
        secrets = rotated([FIRST], FRESH, HOUR_S, NOW)
        third = WebhookSecret("whsec_CCCC3333", NOW)
        assert rotated(secrets, third, 0, NOW + 1) == (third,)

    @given(st.lists(st.tuples(st.integers(0, 604_800), st.integers(0, 10**9)), max_size=12))
    def test_there_is_always_one_without_an_end_and_at_most_one_that_leaves(
        self, rotations: list[tuple[int, int]]
    ) -> None:
        secrets: tuple[WebhookSecret, ...] = (FIRST,)
        now_ms = NOW
        for number, (overlap_s, pause_ms) in enumerate(rotations):
            now_ms += pause_ms
            promised = {secret.text: secret.expires_at_ms for secret in live_secrets(secrets, now_ms)}
            try:
                secrets = rotated(secrets, WebhookSecret(f"whsec_{number}", now_ms), overlap_s, now_ms)
            except RotationInProgressError:
                assert len(promised) == 2
            current, *leaving = live_secrets(secrets, now_ms)
            assert current.expires_at_ms is None
            assert len(leaving) <= 1
            # What was given a time keeps it, unless everything old was ended.
            for secret in leaving:
                assert promised[secret.text] in (None, secret.expires_at_ms)


class TestRows:
    @given(st.integers(0, 2**45), st.one_of(st.none(), st.integers(0, 2**45)))
    def test_a_secret_comes_back_as_it_was(self, created_at_ms: int, expires_at_ms: int | None) -> None:
        secret = WebhookSecret("whsec_x", created_at_ms, expires_at_ms)
        row = from_attributes(to_attributes(secret.to_item()))
        assert WebhookSecret.from_item(row, 0) == secret

    def test_a_bare_string_is_a_secret_as_old_as_its_account(self) -> None:
        assert WebhookSecret.from_item("whsec_x", 5) == WebhookSecret("whsec_x", 5)


class TestView:
    def test_its_owner_sees_it_and_a_form_of_it_that_verifies_nothing(self) -> None:
        assert WebhookSecret("whsec_AbCdEfGh", NOW, NOW + 1_000).view() == {
            "secret": "whsec_AbCdEfGh",
            "masked": "whsec_AbCd…",
            "createdAt": "2023-11-14T22:13:20.000Z",
            "expiresAt": "2023-11-14T22:13:21.000Z",
        }

    def test_the_current_one_has_no_end(self) -> None:
        assert "expiresAt" not in FIRST.view()
