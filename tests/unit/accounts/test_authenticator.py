"""Who is calling, from the header alone, with as few reads as can be."""

from dataclasses import replace

import pytest

from tests.support.clock import ManualClock
from tollgate.accounts.keys import NewKey, new_key
from tollgate.accounts.models import ALL_SCOPES, ApiKey, Scope
from tollgate.accounts.service import KEY_CACHE_MS, MAX_CACHED_KEYS, Authenticator
from tollgate.kit.errors import ForbiddenError, InvalidApiKeyError


class FakeKeys:
    """Keys in memory; counts the reads."""

    def __init__(self) -> None:
        self.stored: dict[str, ApiKey] = {}
        self.reads = 0

    def get(self, key_id: str) -> ApiKey | None:
        self.reads += 1
        return self.stored.get(key_id)

    def add(self, fresh: NewKey, scopes: frozenset[Scope] = ALL_SCOPES, **fields: int) -> None:
        self.stored[fresh.key_id] = ApiKey(fresh.key_id, "usr_1", fresh.digest, scopes, 0, **fields)


class Desk:
    """An authenticator with a stored key, a clock and a count of reads."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.keys = FakeKeys()
        self.key = new_key()
        self.keys.add(self.key)
        self.authenticator = Authenticator(self.keys, self.clock)

    def ask(self, header: str | None = None, scope: Scope = Scope.MEDIA) -> ApiKey:
        return self.authenticator.authenticate(header or f"Bearer {self.key.text}", scope)

    def refuses(self, header: str | None) -> bool:
        with pytest.raises(InvalidApiKeyError):
            self.authenticator.authenticate(header, Scope.MEDIA)
        return True


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

    @pytest.mark.parametrize("header", [None, "", " ", "Bearer ", "Bearer null", "Bearer \ud800", "Bearer é"])
    def test_no_key_costs_no_read(self, desk: Desk, header: str | None) -> None:
        assert desk.refuses(header)
        assert desk.keys.reads == 0


class TestKey:
    def test_a_good_key_names_its_account(self, desk: Desk) -> None:
        assert desk.ask() == desk.keys.stored[desk.key.key_id]

    def test_an_unknown_key_is_refused(self, desk: Desk) -> None:
        assert desk.refuses(f"Bearer {new_key().text}")

    def test_a_wrong_secret_under_a_right_id_is_refused_also_while_the_key_is_remembered(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desk.ask()
        monkeypatch.setattr("tollgate.accounts.keys.ULID", lambda: desk.key.key_id.removeprefix("key_"))
        forged = new_key()
        assert forged.key_id == desk.key.key_id
        assert desk.refuses(f"Bearer {forged.text}")

    def test_an_expired_key_is_refused_from_that_moment_though_it_is_remembered(self, desk: Desk) -> None:
        desk.keys.add(desk.key, expires_at_ms=desk.clock.now_ms() + 1_000)
        desk.ask()
        desk.clock.advance(999)
        desk.ask()
        desk.clock.advance(1)
        assert desk.refuses(f"Bearer {desk.key.text}")

    def test_a_revoked_key_is_refused(self, desk: Desk) -> None:
        desk.keys.add(desk.key, revoked_at_ms=desk.clock.now_ms())
        assert desk.refuses(f"Bearer {desk.key.text}")

    def test_all_refusals_look_the_same(self, desk: Desk) -> None:
        desk.keys.add(desk.key, revoked_at_ms=1)
        said = set()
        for header in (None, "Bearer x", f"Bearer {new_key().text}", f"Bearer {desk.key.text}"):
            with pytest.raises(InvalidApiKeyError) as caught:
                desk.authenticator.authenticate(header, Scope.MEDIA)
            said.add(str(caught.value.body()))
        assert len(said) == 1


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
            desk.clock.advance(999)
        assert desk.keys.reads == 1
        desk.clock.advance(30)
        desk.ask()
        assert desk.keys.reads == 2

    def test_a_revocation_holds_within_30_seconds_however_busy_the_key_is(self, desk: Desk) -> None:
        desk.ask()
        stored = desk.keys.stored[desk.key.key_id]
        desk.keys.stored[desk.key.key_id] = replace(stored, revoked_at_ms=desk.clock.now_ms())
        for _ in range(29):
            desk.clock.advance(1_000)
            desk.ask()
        desk.clock.advance(1_000)
        assert desk.refuses(f"Bearer {desk.key.text}")
        assert KEY_CACHE_MS == 30_000

    def test_an_unknown_key_is_not_remembered_as_unknown(self, desk: Desk) -> None:
        late = new_key()
        assert desk.refuses(f"Bearer {late.text}")
        desk.keys.add(late)
        assert desk.ask(f"Bearer {late.text}")

    def test_memory_is_bounded_and_the_oldest_goes(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tollgate.accounts.service.MAX_CACHED_KEYS", 2)
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
