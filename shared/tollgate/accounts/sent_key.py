"""The API key that a request sends. Pure.

Source: site/keys.md. Every route reads the same two headers.
"""

from collections.abc import Mapping

from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.accounts.keys import PREFIX
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

ACCOUNT_HEADER = "x-tollgate-account"
"""The sub-account for which a key of its parent calls a route that manages accounts."""

_SEND = "Send it as: Authorization: Bearer <API_KEY>."
# Headers of other services for a key: Azure, Google, Kong, and proxies.
_NOT_READ = ("api-key", "x-goog-api-key", "apikey", "x-auth-token")


def sent_key(headers: Mapping[str, str], query: Mapping[str, str], *, acts: bool = False) -> str:
    """Return the text of the key in `Authorization: Bearer …` or `x-api-key`, the headers of the SDKs.

    The names in `headers` are in lower case; `query` has the parameters of the URL. Raises
    `InvalidApiKeyError` if there is no key or if there are two. Its message names the place of a key that is
    in another place. Raises `InvalidInputError` for the header `x-tollgate-account`, unless a key `acts` for
    sub-accounts on this route: otherwise the parent would pay.
    """
    if ACCOUNT_HEADER in headers and not acts:
        message = f"The header {ACCOUNT_HEADER} has no effect on this route."
        raise InvalidInputError([Problem("", message, "send a key or a run token of the sub-account")])
    scheme, _, token = headers.get("authorization", "").strip().partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    found = [text for text in (bearer, headers.get("x-api-key", "").strip()) if text]
    # Some clients send another vendor's key or a placeholder in the other header.
    ours = {text for text in found if text.startswith(PREFIX)}
    if len(ours) > 1:
        two = "Authorization and x-api-key have two different API keys. Send only one."
        raise InvalidApiKeyError(two, was_read=False)
    if not found:
        raise InvalidApiKeyError(_missing(scheme, headers, query), was_read=False)
    return ours.pop() if ours else found[0]


def _missing(scheme: str, headers: Mapping[str, str], query: Mapping[str, str]) -> str:
    """Return the message for a request without a key in the two headers."""
    if scheme and scheme.lower() != "bearer":
        return f"The Authorization header does not begin with 'Bearer '. {_SEND}"
    for name in _NOT_READ:
        if headers.get(name):
            return f"The header {name} is not read for an API key. {_SEND}"
    if any(text.startswith(PREFIX) for text in query.values()):
        return f"An API key in the URL is not read, because logs contain URLs. {_SEND}"
    return f"No API key sent. {_SEND}"
