"""Who is calling, from the header alone, with as few reads as can be."""

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import Aws
from tests.support.clock import ManualClock
from tollgate.accounts.auth import (
    KEY_CACHE_MS,
    MAX_CACHED_KEYS,
    MAX_READS,
    Authenticator,
    UseAlreadyRecordedError,
    use_write,
)
from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.accounts.keys import NewKey, new_key
from tollgate.accounts.models import ApiKey
from tollgate.accounts.networks import network_of
from tollgate.accounts.scopes import ALL_SCOPES, Scope
from tollgate.accounts.sent_key import sent_key
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.writes import put_new
from tollgate.kit.errors import ForbiddenError


class FakeKeys:
    """Keys in memory; counts the reads, and has the uses that were noted."""

    def __init__(self) -> None:
        self.stored: dict[str, ApiKey] = {}
        self.reads = 0
        self.uses: list[int] = []
        self.failing: Exception | None = None

    def get(self, key_id: str) -> ApiKey | None:
        self.reads += 1
        return self.stored.get(key_id)

    def record_use(self, key_id: str, now_ms: int) -> None:
        if self.failing is not None:
            raise self.failing
        self.stored[key_id] = replace(self.stored[key_id], last_used_at_ms=now_ms)
        self.uses.append(now_ms)

    def add(self, fresh: NewKey, scopes: frozenset[Scope] = ALL_SCOPES, **fields: Any) -> None:
        self.stored[fresh.key_id] = ApiKey(fresh.key_id, "usr_1", fresh.digest, scopes, 0, **fields)


class Desk:
    """An authenticator with a stored key, a clock and a count of reads."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.keys = FakeKeys()
        self.key = new_key()
        self.keys.add(self.key)
        self.authenticator = Authenticator(self.keys, self.clock)

    def ask(
        self, header: str | None = None, scope: Scope = Scope.MEDIA, address: str | None = "203.0.113.7"
    ) -> ApiKey:
        header = header or f"Bearer {self.key.text}"
        return self.authenticator.authenticate(sent_key({"authorization": header}, {}), scope, address)

    def refuses(self, header: str) -> bool:
        with pytest.raises(InvalidApiKeyError):
            self.ask(header)
        return True

    def guess(self, monkeypatch: pytest.MonkeyPatch) -> str:
        """Return the header of a key with the right id, a right checksum and another secret."""
        with monkeypatch.context() as patch:
            patch.setattr("tollgate.accounts.keys.ULID", lambda: self.key.key_id.removeprefix("key_"))
            guess = new_key()
        assert guess.key_id == self.key.key_id
        return f"Bearer {guess.text}"


@pytest.fixture
def desk() -> Desk:
    return Desk()


class TestHeader:
    @pytest.mark.parametrize(
        "spelling", ["Bearer {}", "bearer {}", "BEARER {}", "Bearer   {}", "  Bearer {}  ", "Bearer {}\t"]
    )
    def test_the_scheme_is_read_as_http_says(self, desk: Desk, spelling: str) -> None:
        assert desk.ask(spelling.format(desk.key.text)).account_id == "usr_1"

    @pytest.mark.parametrize(
        "spelling",
        [
            "{}",
            "Basic {}",
            "Token {}",
            "Key {}",
            "Bearer{}",
            "Bearer: {}",
            "Bearer {}x",
            "Bearer {} {}",
            "Bearer",
        ],
    )
    def test_anything_else_is_no_key_and_costs_no_read(self, desk: Desk, spelling: str) -> None:
        text = desk.key.text
        assert desk.refuses(spelling.format(text, text))
        assert desk.keys.reads == 0

    @pytest.mark.parametrize("header", [" ", "Bearer ", "Bearer null", "Bearer \ud800", "Bearer é"])
    def test_no_key_costs_no_read(self, desk: Desk, header: str) -> None:
        assert desk.refuses(header)
        assert desk.keys.reads == 0


class TestKey:
    def test_a_good_key_names_its_account(self, desk: Desk) -> None:
        stored = desk.keys.stored[desk.key.key_id]
        assert desk.ask() == stored

    def test_an_unknown_key_is_refused(self, desk: Desk) -> None:
        assert desk.refuses(f"Bearer {new_key().text}")

    def test_a_wrong_secret_under_a_right_id_is_refused_also_while_the_key_is_remembered(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desk.ask()
        assert desk.refuses(desk.guess(monkeypatch))

    def test_an_expired_key_is_refused_from_that_moment_though_it_is_remembered(self, desk: Desk) -> None:
        desk.keys.add(desk.key, expires_at_ms=desk.clock.now_ms() + 1_000)
        desk.ask()
        desk.clock.advance_ms(999)
        desk.ask()
        desk.clock.advance_ms(1)
        assert desk.refuses(f"Bearer {desk.key.text}")

    def test_a_revoked_key_is_refused(self, desk: Desk) -> None:
        desk.keys.add(desk.key, revoked_at_ms=desk.clock.now_ms())
        assert desk.refuses(f"Bearer {desk.key.text}")

    def said(self, desk: Desk, header: str) -> str:
        with pytest.raises(InvalidApiKeyError) as caught:
            desk.ask(header)
        return caught.value.message

    def test_what_could_be_a_key_of_ours_is_refused_alike(self, desk: Desk) -> None:
        desk.keys.add(desk.key, revoked_at_ms=1)
        keys = (new_key().text, desk.key.text, desk.key.text[:-1])
        said = {self.said(desk, f"Bearer {key}") for key in keys}
        assert said == {"This API key was revoked, has expired or was mistyped."}

    def test_a_key_of_another_service_is_recognised(self, desk: Desk) -> None:
        assert self.said(desk, "Bearer sk-proj-1234") == "Tollgate API keys start with tg_live_."


class TestScope:
    @pytest.mark.parametrize("scope", list(Scope))
    def test_a_key_is_good_for_its_scopes_only(self, desk: Desk, scope: Scope) -> None:
        desk.keys.add(desk.key, scopes=frozenset({scope}))
        assert desk.ask(scope=scope)
        for other in ALL_SCOPES - {scope}:
            with pytest.raises(ForbiddenError, match=str(other)):
                desk.ask(scope=other)


class TestMemory:
    def test_a_key_is_read_once_in_30_seconds(self, desk: Desk) -> None:
        for _ in range(30):
            desk.ask()
            desk.clock.advance_ms(999)
        assert desk.keys.reads == 1
        desk.clock.advance_ms(30)
        desk.ask()
        assert desk.keys.reads == 2

    def test_a_revocation_holds_within_30_seconds_however_busy_the_key_is(self, desk: Desk) -> None:
        desk.ask()
        stored = desk.keys.stored[desk.key.key_id]
        desk.keys.stored[desk.key.key_id] = replace(stored, revoked_at_ms=desk.clock.now_ms())
        for _ in range(29):
            desk.clock.advance_ms(1_000)
            desk.ask()
        desk.clock.advance_ms(1_000)
        assert desk.refuses(f"Bearer {desk.key.text}")
        assert KEY_CACHE_MS == 30_000

    def test_memory_is_bounded_and_the_oldest_goes(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tollgate.accounts.auth.MAX_CACHED_KEYS", 2)
        desk.authenticator = Authenticator(desk.keys, desk.clock)
        assert MAX_CACHED_KEYS == 10_000
        others = [new_key(), new_key()]
        desk.ask()
        for other in others:
            desk.keys.add(other)
            desk.ask(f"Bearer {other.text}")
        reads = desk.keys.reads
        desk.ask(f"Bearer {others[1].text}")
        assert desk.keys.reads == reads
        desk.ask()
        assert desk.keys.reads == reads + 1


class TestFloods:
    def test_an_unknown_key_is_read_once_in_30_seconds(self, desk: Desk) -> None:
        header = f"Bearer {new_key().text}"
        assert all(desk.refuses(header) for _ in range(100))
        assert desk.keys.reads == 1
        desk.clock.advance_ms(30_000)
        assert desk.refuses(header)
        assert desk.keys.reads == 2

    def test_guesses_at_a_known_key_cost_three_reads_and_the_key_works_on(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for _ in range(100):
            assert desk.refuses(desk.guess(monkeypatch))
            desk.clock.advance_ms(200)
            assert desk.ask()
        assert desk.keys.reads == 3

    def test_guesses_never_keep_the_right_key_out(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whenever a read is spared the key is known, so its owner is never refused for a flood."""
        for _ in range(200):
            assert desk.refuses(desk.guess(monkeypatch))
            desk.clock.advance_ms(977)
            assert desk.ask()

    def test_a_flood_of_unknown_keys_does_not_drive_out_good_ones(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tollgate.accounts.auth.MAX_CACHED_KEYS", 2)
        desk.authenticator = Authenticator(desk.keys, desk.clock)
        desk.ask()
        assert all(desk.refuses(f"Bearer {new_key().text}") for _ in range(10))
        reads = desk.keys.reads
        desk.ask()
        assert desk.keys.reads == reads


class TestRotation:
    def rotate(self, desk: Desk, overlap_ms: int) -> str:
        fresh = new_key(desk.key.key_id)
        desk.keys.stored[desk.key.key_id] = replace(
            desk.keys.stored[desk.key.key_id],
            digest=fresh.digest,
            previous_digest=desk.key.digest,
            previous_until_ms=desk.clock.now_ms() + overlap_ms,
        )
        return f"Bearer {fresh.text}"

    def test_the_new_secret_works_at_once_though_the_old_one_is_remembered(self, desk: Desk) -> None:
        desk.ask()
        assert desk.ask(self.rotate(desk, 60_000)).key_id == desk.key.key_id

    def test_the_new_secret_works_each_time_though_it_was_read_after_the_old_one(self, desk: Desk) -> None:
        desk.ask()
        new = self.rotate(desk, 60_000)
        for _ in range(MAX_READS + 2):
            assert desk.ask(new)

    def test_the_old_secret_works_until_its_time_is_over_and_not_longer(self, desk: Desk) -> None:
        new = self.rotate(desk, 60_000)
        desk.clock.advance_ms(59_999)
        assert desk.ask()
        desk.clock.advance_ms(1)
        assert desk.refuses(f"Bearer {desk.key.text}")
        assert desk.ask(new)


class TestNetworks:
    def test_a_key_is_good_from_its_networks_only(self, desk: Desk) -> None:
        networks = (network_of("203.0.113.0/24"), network_of("2001:db8::/32"))
        desk.keys.add(desk.key, networks=networks)
        for address in ("203.0.113.0", "203.0.113.255", "2001:db8::1", "::ffff:203.0.113.9"):
            assert desk.ask(address=address)
        for stranger in ("203.0.114.0", "2001:db9::1", "::1", "203.0.113", "", None):
            with pytest.raises(ForbiddenError, match="address"):
                desk.ask(address=stranger)

    def test_from_elsewhere_a_wrong_secret_is_401_all_the_same(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desk.keys.add(desk.key, networks=(network_of("198.51.100.0/24"),))
        assert desk.refuses(desk.guess(monkeypatch))


class TestAuthenticateNow:
    """Routes that change keys and secrets use the key as it is stored, and not as it is cached."""

    def ask(self, desk: Desk) -> ApiKey:
        return desk.authenticator.authenticate_now(desk.key.text, Scope.ACCOUNT, "203.0.113.7")

    def test_the_stored_key_is_returned(self, desk: Desk) -> None:
        desk.ask()
        desk.keys.add(desk.key, name="renamed")
        assert self.ask(desk).name == "renamed"

    def test_a_revoked_key_is_refused_though_it_is_cached(self, desk: Desk) -> None:
        desk.ask()
        desk.keys.add(desk.key, revoked_at_ms=desk.clock.now_ms())
        with pytest.raises(InvalidApiKeyError):
            self.ask(desk)

    def test_a_cached_guess_costs_no_read(self, desk: Desk) -> None:
        unknown = new_key().text
        for _ in range(3):
            with pytest.raises(InvalidApiKeyError):
                desk.authenticator.authenticate_now(unknown, Scope.ACCOUNT, None)
        assert desk.keys.reads == 1


class TestUseWrite:
    @pytest.mark.parametrize(
        ("before", "is_noted"),
        [({}, True), ({"last_used_at_ms": 700_000}, True), ({"last_used_at_ms": 700_001}, False)],
    )
    def test_a_use_is_noted_if_none_was_for_five_minutes(
        self, aws: Aws, before: dict[str, int], is_noted: bool
    ) -> None:
        table, db = aws.stack.refs["ApiKeysTable"], Database(aws.clients.dynamodb)
        db.write(put_new(table, {"key_id": "key_1", **before}, "key_id", lambda _: ValueError()))
        with nullcontext() if is_noted else pytest.raises(UseAlreadyRecordedError):
            db.write(use_write(table, "key_1", 1_000_000))
        last = {"last_used_at_ms": 1_000_000} if is_noted else before
        assert db.get(table, {"key_id": "key_1"}) == {"key_id": "key_1", **last}

    def test_a_key_that_is_gone_does_not_come_back(self, aws: Aws) -> None:
        table, db = aws.stack.refs["ApiKeysTable"], Database(aws.clients.dynamodb)
        with pytest.raises(UseAlreadyRecordedError):
            db.write(use_write(table, "key_1", 1_000_000))
        assert db.get(table, {"key_id": "key_1"}) is None


class TestLastUse:
    def test_it_is_noted_once_in_five_minutes(self, desk: Desk) -> None:
        start = desk.clock.now_ms()
        for _ in range(60):
            desk.ask()
            desk.clock.advance_ms(10_000)
        assert desk.keys.uses == [start, start + 300_000]

    def test_what_another_process_noted_is_not_noted_again(self, desk: Desk) -> None:
        desk.keys.add(desk.key, last_used_at_ms=desk.clock.now_ms() - 299_999)
        desk.ask()
        assert desk.keys.uses == []

    def test_a_refused_use_is_none(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        desk.keys.add(desk.key, scopes=frozenset({Scope.TEXT}))
        desk.refuses(desk.guess(monkeypatch))
        with pytest.raises(ForbiddenError):
            desk.ask()
        assert desk.keys.uses == []

    @pytest.mark.parametrize("failing", [UseAlreadyRecordedError(), OSError("no table")])
    def test_a_request_never_fails_for_its_sake(self, desk: Desk, failing: Exception) -> None:
        desk.keys.failing = failing
        assert desk.ask()
