"""The key in a request's headers, and the message for a key in a place that is not read."""

import pytest

from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.accounts.keys import new_key
from tollgate.accounts.sent_key import sent_key

KEY, OTHER = new_key().text, new_key().text
SEND = "Send it as: Authorization: Bearer <API_KEY>."


def message(headers: dict[str, str], query: dict[str, str] | None = None) -> str:
    with pytest.raises(InvalidApiKeyError) as refused:
        sent_key(headers, query or {})
    return refused.value.message


class TestRead:
    @pytest.mark.parametrize(
        "headers",
        [
            {"authorization": f"Bearer {KEY}"},
            {"x-api-key": KEY},
            {"x-api-key": f" {KEY} "},
            {"authorization": f"Bearer {KEY}", "x-api-key": KEY},
            # A client that also sends another vendor's key, or a placeholder.
            {"authorization": f"Bearer {KEY}", "x-api-key": "sk-ant-1234"},
            {"authorization": "Bearer dummy", "x-api-key": KEY},
            {"authorization": "Basic YTpi", "x-api-key": KEY},
            {"authorization": f"Bearer {KEY}", "api-key": OTHER},
        ],
    )
    def test_from_either_header(self, headers: dict[str, str]) -> None:
        assert sent_key(headers, {}) == KEY

    def test_a_key_of_another_service_is_returned_and_refused_by_its_form(self) -> None:
        assert sent_key({"authorization": "Bearer sk-proj-1234"}, {}) == "sk-proj-1234"


class TestRefused:
    @pytest.mark.parametrize(
        "headers", [{}, {"authorization": ""}, {"authorization": "Bearer "}, {"x-api-key": " "}]
    )
    def test_none(self, headers: dict[str, str]) -> None:
        assert message(headers) == f"No API key sent. {SEND}"

    def test_two_that_differ(self) -> None:
        both = {"authorization": f"Bearer {KEY}", "x-api-key": OTHER}
        assert message(both) == "Authorization and x-api-key have two different API keys. Send only one."

    @pytest.mark.parametrize("before", ["", "Basic ", "Token ", "Bearer", "Bearer: "])
    def test_without_bearer(self, before: str) -> None:
        found = message({"authorization": before + KEY})
        assert found == f"The Authorization header does not begin with 'Bearer '. {SEND}"

    @pytest.mark.parametrize("name", ["api-key", "x-goog-api-key", "apikey", "x-auth-token"])
    def test_in_a_header_of_another_service(self, name: str) -> None:
        assert message({name: KEY}) == f"The header {name} is not read for an API key. {SEND}"

    @pytest.mark.parametrize("name", ["key", "api_key", "access_token", "anything"])
    def test_in_the_query(self, name: str) -> None:
        found = message({}, {"model": "m", name: KEY})
        assert found == f"An API key in the URL is not read, because logs contain URLs. {SEND}"

    def test_a_query_without_a_key_is_not_blamed(self) -> None:
        assert message({}, {"key": "key_1"}) == f"No API key sent. {SEND}"

    def test_no_message_contains_the_key(self) -> None:
        for headers in ({"authorization": KEY}, {"api-key": KEY}, {"authorization": f"Token {KEY}"}):
            assert KEY not in message(headers)


class TestChallenge:
    """RFC 6750, section 3: a parameter must follow the scheme, and only a wrong key has an error."""

    def test_names_an_error_only_if_a_key_was_read(self) -> None:
        for headers in ({}, {"authorization": f"Bearer {KEY}", "x-api-key": OTHER}):
            with pytest.raises(InvalidApiKeyError) as none:
                sent_key(headers, {})
            assert none.value.headers() == {"WWW-Authenticate": 'Bearer realm="tollgate"'}
        wrong = {"WWW-Authenticate": 'Bearer realm="tollgate", error="invalid_token"'}
        assert InvalidApiKeyError().headers() == wrong
