"""The authorization server: consent, codes, tokens, refreshes, revocation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from secrets import token_urlsafe
from typing import Any

from tollgate.accounts.connectors import (
    OVERLAP_MS,
    Turn,
    access_token,
    new_connector,
    read_refresh_token,
    refresh_token,
    turn_of,
)
from tollgate.accounts.errors import KeyNotFoundError
from tollgate.accounts.key_request import read_key
from tollgate.accounts.key_service import KeyService, limits_in_words
from tollgate.accounts.keys import key_id_of
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import AlreadyExistsError, StaleKeyError
from tollgate.audit.events import SERVICE, Action
from tollgate.connectors.clients import Client, Registry, digest_of, is_document
from tollgate.connectors.errors import OAuthError
from tollgate.connectors.metadata import resource_of
from tollgate.connectors.repository import CodeRepository, Consent
from tollgate.connectors.requests import (
    AuthorizationRequest,
    Sent,
    check_resource,
    is_proof,
    read_request,
    read_scopes,
)
from tollgate.kit.clock import MS_PER_S, Clock
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import new_id
from tollgate.kit.observability import logger
from tollgate.kit.problems import Problem
from tollgate.kit.retry import retry_change
from tollgate.ledger.errors import KeyLimitReachedError
from tollgate.members.service import Actor, MemberService

_CODE_BYTES = 32
_WHAT = "This connection is"
CODE_REUSED = "its authorization code was used twice"
TOKEN_REUSED = "its refresh token was used twice"  # noqa: S105 - words for the audit log
BY_CLIENT = "by the connected app"
INVALID_CODE = "The code is unknown, expired or used, or of another client, address or verifier."
NOT_A_MEMBER = "The person may no longer create API keys in the account."
INVALID_TOKEN = "The refresh token is unknown, expired or revoked."  # noqa: S105 - a message


@dataclass(frozen=True, slots=True)
class ConnectorService:
    """Issues tokens to chat products of people who agreed. `secret` is known only to this service.

    `described` returns the client that describes itself at an address, or raises `UntrustedRequestError`.
    """

    key_service: KeyService
    members: MemberService
    codes: CodeRepository
    described: Callable[[str], Client]
    clock: Clock
    secret: str = field(repr=False)

    @property
    def registry(self) -> Registry:
        """Return the registration of clients."""
        return Registry(self.secret)

    def register(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response to a client's registration. Nothing is stored. Raises `OAuthError`."""
        return self.registry.register(body, self.clock.now_ms())

    def request(self, sent: Sent, base_url: str) -> AuthorizationRequest:
        """Return a client's authorization request. Raises `UntrustedRequestError`."""
        return read_request(sent, self._client, base_url, resource_of(base_url))

    def approve(
        self, request: AuthorizationRequest, account_id: str, who: Actor, body: Mapping[str, Any]
    ) -> str:
        """Return the code for a request to which a person agreed, for an account in which they may spend.

        `body` has the key's `scopes`, `expiresAt` and `spendingCap` as for a new key. Raises
        `InvalidInputError`; also for a missing limit, and for a scope that the client did not request.
        """
        now_ms = self.clock.now_ms()
        body = {"name": request.client.name, **body}
        fields = read_key(
            body, self.key_service.model_id_of, now_ms, is_new=True, known=self.key_service.known
        )
        missing = [name for name in ("expiresAt", "spendingCap") if body.get(name) is None]
        problems = [Problem(f"/{name}", "Required.") for name in missing]
        if not fields.get("scopes") or not fields["scopes"] <= request.scopes:
            allowed = sorted(request.scopes)
            problems.append(Problem("/scopes", "Choose at least one permission of the request.", allowed))
        if problems:
            raise InvalidInputError(problems)
        connector = new_connector(request.client.digest, request.host, now_ms)
        key_id = new_id("key")
        digest = access_token(key_id, connector, self.secret).digest
        key = ApiKey(
            key_id,
            account_id,
            digest,
            created_at_ms=now_ms,
            listed=True,
            made_by=who.identity_id,
            connector=connector,
            **fields,
        )
        code = token_urlsafe(_CODE_BYTES)
        sent = request.client.client_id
        self.codes.add(code, Consent(key, sent, request.redirect_uri, request.challenge, who.name))
        logger.info("connectors.approved", key_id=key_id, host=request.host)
        return code

    def tokens(self, sent: Sent, base_url: str) -> dict[str, Any]:
        """Return the tokens for a code or a refresh token (RFC 6749, sections 4.1.3 and 6).

        Raises `OAuthError`.
        """
        _check_once(sent, ("grant_type", "code", "refresh_token", "client_id", "code_verifier"))
        check_resource(sent.get("resource"), resource_of(base_url))
        grants = {"authorization_code": self._redeemed, "refresh_token": self._refreshed}
        grant = grants.get(sent.get("grant_type") or "")
        if grant is None:
            message = f"grant_type must be {' or '.join(grants)}."
            raise OAuthError("unsupported_grant_type", message)
        if not sent.get("client_id"):
            raise OAuthError("invalid_request", "client_id is missing.")
        return self._response(grant(sent))

    def revoke(self, sent: Sent) -> None:
        """End the connection of a token, if the client has one (RFC 7009). Raises `OAuthError`."""
        text, client_id = sent.get("token"), sent.get("client_id")
        if not text or not client_id:
            raise OAuthError("invalid_request", "token and client_id are required.")
        key = self._opened_by(text)
        if key is not None and key.connector is not None and key.connector.client == digest_of(client_id):
            self._end(key, BY_CLIENT, key.actor)

    def _client(self, client_id: str) -> Client:
        if is_document(client_id):
            return self.described(client_id)
        return self.registry.find(client_id, self.clock.now_ms())

    def _redeemed(self, sent: Sent) -> ApiKey:
        """Return the new key of a code, which works once."""
        now_ms = self.clock.now_ms()
        consent = self.codes.get(sent.get("code") or "-", now_ms)
        if consent is None or not _is_of(consent, sent):
            raise OAuthError("invalid_grant", INVALID_CODE)
        # They may have lost their role after the consent.
        key = consent.key
        if not self.members.may_spend(key.account_id, key.made_by or ""):
            raise OAuthError("invalid_grant", NOT_A_MEMBER)
        started = None if key.connector is None else replace(key.connector, refreshed_at_ms=now_ms)
        key = replace(key, connector=started)
        detail = f"connected to {started.host}; {limits_in_words(key)}" if started else ""
        noted = self.key_service.audit.note(
            key.account_id, consent.who, Action.KEY_CREATED, key.label, detail
        )
        try:
            self.key_service.keys.add(key, self.key_service.accounts.count_key(key.account_id), noted)
        except AlreadyExistsError as exc:
            # Only the client has the verifier, so its code is in the wrong hands (RFC 6749, section 4.1.2).
            self._end(key, CODE_REUSED)
            raise OAuthError("invalid_grant", INVALID_CODE) from exc
        except KeyLimitReachedError as exc:
            raise OAuthError("invalid_grant", exc.message) from exc
        return key

    def _refreshed(self, sent: Sent) -> ApiKey:
        """Return a key with its next tokens, for the newest refresh token."""
        token = read_refresh_token(sent.get("refresh_token") or "")
        scope = sent.get("scope")
        wanted = read_scopes(scope) if scope else frozenset()

        def refresh() -> ApiKey:
            key, now_ms = self.key_service.keys.get(token.key_id) if token else None, self.clock.now_ms()
            connector = None if key is None else key.connector
            if token is None or key is None or connector is None:
                raise OAuthError("invalid_grant", INVALID_TOKEN)
            turn = turn_of(token, connector, self.secret, now_ms)
            is_theirs = connector.client == digest_of(sent.get("client_id") or "")
            if turn is Turn.UNKNOWN or not is_theirs or not key.usable_at(now_ms):
                raise OAuthError("invalid_grant", INVALID_TOKEN)
            if turn is Turn.REUSED:
                self._end(key, TOKEN_REUSED)
                raise OAuthError("invalid_grant", INVALID_TOKEN)
            if not self.members.may_spend(key.account_id, key.made_by or ""):
                raise OAuthError("invalid_grant", NOT_A_MEMBER)
            if not wanted <= key.scopes:
                raise OAuthError("invalid_scope", "The person did not agree to this scope.")
            return key if turn is Turn.AGAIN else self._turned(key, now_ms)

        return retry_change(refresh, StaleKeyError, what=_WHAT)

    def _turned(self, key: ApiKey, now_ms: int) -> ApiKey:
        """Write and return a key with its next tokens. Raises `StaleKeyError`, `OAuthError`."""
        assert key.connector is not None  # noqa: S101 - checked by the caller
        turned = key.connector.next(now_ms)
        changed = replace(
            key,
            connector=turned,
            digest=access_token(key.key_id, turned, self.secret).digest,
            previous_digest=key.digest,
            # Requests under way have the old token, unless it has ended anyway.
            previous_until_ms=min(now_ms + OVERLAP_MS, key.connector.access_ends_ms),
        )
        try:
            self.key_service.keys.change(key, changed)
        except KeyNotFoundError as exc:
            raise OAuthError("invalid_grant", INVALID_TOKEN) from exc
        return changed

    def _opened_by(self, text: str) -> ApiKey | None:
        """Return the key of an access token or of a refresh token, `None` for any other text."""
        keys, now_ms = self.key_service.keys, self.clock.now_ms()
        token = read_refresh_token(text)
        if token is not None:
            key = keys.get(token.key_id)
            connector = None if key is None else key.connector
            is_known = connector is not None and (
                turn_of(token, connector, self.secret, now_ms) is not Turn.UNKNOWN
            )
            return key if is_known else None
        key_id = key_id_of(text)
        key = None if key_id is None else keys.get(key_id)
        return key if key is not None and key.opens_with(text, now_ms) else None

    def _end(self, key: ApiKey, why: str, who: str = SERVICE) -> None:
        logger.warning("connectors.ended", key_id=key.key_id, why=why)
        self.key_service.revoke(key.account_id, key.key_id, None, who=who, why=why)

    def _response(self, key: ApiKey) -> dict[str, Any]:
        assert key.connector is not None  # noqa: S101 - a key of a connector
        ends_ms = min(key.connector.access_ends_ms, key.expires_at_ms or key.connector.access_ends_ms)
        return {
            "access_token": access_token(key.key_id, key.connector, self.secret).text,
            "token_type": "Bearer",
            "expires_in": max(0, ends_ms - self.clock.now_ms()) // MS_PER_S,
            "refresh_token": refresh_token(key.key_id, key.connector, self.secret),
            "scope": " ".join(sorted(key.scopes)),
        }


def _is_of(consent: Consent, sent: Sent) -> bool:
    """Return whether a request to redeem a code is of the client that the code was given to."""
    is_there = sent.get("redirect_uri") in (consent.redirect_uri, None)
    is_client = sent.get("client_id") == consent.client_id
    return is_there and is_client and is_proof(sent.get("code_verifier") or "", consent.challenge)


def _check_once(sent: Sent, names: Sequence[str]) -> None:
    for name in names:
        if len(sent.getlist(name)) > 1:
            raise OAuthError("invalid_request", f"{name} may be sent only once.")
