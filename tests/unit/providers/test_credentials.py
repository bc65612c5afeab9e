"""The providers' secret: never shown, read now and then."""

import json
import ssl
import traceback
from typing import Any

import pytest

from tests.support.clock import ManualClock
from tollgate.kit.http.client import split_url
from tollgate.kit.http.outbound import tls
from tollgate.providers.media.fal.media import Adapter as FalMedia
from tollgate.providers.media.poyo.media import Adapter as PoyoMedia
from tollgate.providers.runtime.credentials import ProviderSource
from tollgate.providers.runtime.registry import providers
from tollgate.providers.runtime.secret import MalformedSecretError, read_credentials

KEY = "sk-very-secret"
GOOD = json.dumps({"fal": {"key": KEY}, "poyo": {"key": "other", "baseUrl": "https://eu.poyo.test"}})

KEYLESS = {"test"}
"""The provider of the test models is this service itself."""


class Secret:
    """The secret's text; counts the reads."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.reads = 0

    def __call__(self) -> str:
        self.reads += 1
        return self.text


class TestMalformed:
    @pytest.mark.parametrize(
        "text",
        [
            f'{{"fal": {{"key": "{KEY}"',
            KEY,
            json.dumps(KEY),
            json.dumps([KEY]),
            json.dumps({"fal": KEY}),
            json.dumps({"fal": {"kye": KEY}}),
            json.dumps({"fal": {"key": [KEY]}}),
            json.dumps({"fal": {"key": KEY, "other": KEY}}),
            json.dumps({"fal": {"key": KEY, "baseUrl": [KEY]}}),
            *(
                json.dumps({"fal": {"key": KEY, "baseUrl": address}})
                for address in (
                    "",
                    "eu.fal.test",
                    "ftp://eu.fal.test",
                    "https://",
                    f"https://user:{KEY}@eu.fal.test",
                    "https://eu.fal.test:70000",
                    "https://eu.fal.test:port",
                    "https://eu.fal.test/v1?key=1",
                    "https://eu.fal.test/v1#part",
                    "https://eu.fal.test/v 1",
                    "https://eu.fal.test/\n",
                    "https://[::1",
                    "https://fäl.test",
                )
            ),
            json.dumps({"fal": {"key": f"{KEY}\n"}}),
            json.dumps({"fal": {"key": f" {KEY}"}}),
            json.dumps({"fal": {"key": f"{KEY}é"}}),
        ],
    )
    def test_it_is_refused_and_the_error_shows_no_key(self, text: str) -> None:
        with pytest.raises(MalformedSecretError) as caught:
            ProviderSource(Secret(text), ManualClock()).providers()
        assert KEY not in str(caught.value)
        # What a log of the error would have.
        assert KEY not in "".join(traceback.format_exception(caught.value))

    @pytest.mark.parametrize("text", ["", "null", "{}x", json.dumps({"fal": {"key": ""}})])
    def test_nothing_in_it_is_refused_too(self, text: str) -> None:
        with pytest.raises(MalformedSecretError):
            ProviderSource(Secret(text), ManualClock()).providers()


class TestAddress:
    @pytest.mark.parametrize(
        "address",
        ["https://eu.fal.test", "http://127.0.0.1:8080/fal", "http://[::1]:80/", "https://a.test/v1/x-y_z"],
    )
    def test_one_that_can_be_sent_to_is_taken(self, address: str) -> None:
        text = json.dumps({"fal": {"key": KEY, "baseUrl": address}})
        assert read_credentials(text)["fal"].base_url == address
        assert split_url(address)


class TestCredentials:
    def test_a_printed_one_shows_no_key(self) -> None:
        assert KEY not in repr(read_credentials(GOOD))


class TestProviders:
    def test_those_with_a_key_are_there(self) -> None:
        providers = ProviderSource(Secret(GOOD), ManualClock()).providers()
        assert isinstance(providers["fal"], FalMedia)
        assert isinstance(providers["poyo"], PoyoMedia)
        assert set(providers) == {"fal", "poyo"} | KEYLESS

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("{}", set()),
            (json.dumps({"fal": {"key": "k"}}), {"fal"}),
            (json.dumps({"mjproxy": {"key": "k"}}), set()),
            (json.dumps({"mjproxy": {"key": "k", "baseUrl": "https://mj.test"}}), {"mjproxy"}),
            (json.dumps({"fal": {"key": "k"}, "a-provider-without-an-adapter": {"key": "k"}}), {"fal"}),
        ],
    )
    def test_the_others_are_off(self, text: str, names: set[str]) -> None:
        assert set(ProviderSource(Secret(text), ManualClock()).providers()) == names | KEYLESS


class TestTls:
    def test_all_providers_share_one_context(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each costs 40 ms of CPU: at every cold start, and again at every read of the secret."""
        made: list[ssl.SSLContext] = []
        create = ssl.create_default_context

        def counted(*args: Any, **kwargs: Any) -> ssl.SSLContext:
            made.append(create(*args, **kwargs))
            return made[-1]

        monkeypatch.setattr(ssl, "create_default_context", counted)
        tls.cache_clear()
        secret = {name: {"key": KEY, "baseUrl": "https://at.test"} for name in providers()}
        adapters = ProviderSource(Secret(json.dumps(secret)), ManualClock()).providers()
        assert len([adapters[name] for name in adapters]) == len(providers())
        assert len(made) == 1


class TestRefresh:
    def test_the_secret_is_read_once_in_five_minutes(self) -> None:
        clock, secret = ManualClock(), Secret(GOOD)
        source = ProviderSource(secret, clock)
        first = source.providers()
        clock.advance_ms(299_999)
        assert source.providers() is first
        assert secret.reads == 1
        clock.advance_ms(1)
        source.providers()
        assert secret.reads == 2

    def test_a_change_is_in_use_after_five_minutes(self) -> None:
        clock, secret = ManualClock(), Secret(GOOD)
        source = ProviderSource(secret, clock)
        source.providers()
        secret.text = json.dumps({"poyo": {"key": "new"}})
        assert set(source.providers()) == {"fal", "poyo"} | KEYLESS
        clock.advance_ms(300_000)
        assert set(source.providers()) == {"poyo"} | KEYLESS

    def test_the_earlier_secret_stays_in_use_if_the_new_one_is_malformed(self) -> None:
        clock, secret = ManualClock(), Secret(GOOD)
        reported: list[Exception] = []
        source = ProviderSource(secret, clock, reported.append)
        source.providers()
        secret.text = "broken"
        clock.advance_ms(300_000)
        assert set(source.providers()) == {"fal", "poyo"} | KEYLESS
        assert [type(error) for error in reported] == [MalformedSecretError]

    def test_a_secret_that_was_malformed_is_read_again_at_once(self) -> None:
        secret = Secret("broken")
        source = ProviderSource(secret, ManualClock())
        with pytest.raises(MalformedSecretError):
            source.providers()
        secret.text = GOOD
        assert set(source.providers()) == {"fal", "poyo"} | KEYLESS
