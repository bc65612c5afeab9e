"""The errors of API keys."""

from typing import Any, ClassVar

from tollgate.kit.errors import TollgateError


class InvalidApiKeyError(TollgateError, status=401, code="invalid_api_key"):
    """The API key is missing, malformed, unknown, expired or revoked. The reason is not disclosed."""

    NOT_OURS: ClassVar = "Tollgate API keys start with tg_live_."
    default_message = "This API key was revoked, has expired or was mistyped."

    def __init__(self, message: str = "", *, was_read: bool = True) -> None:
        super().__init__(message)
        self.was_read = was_read

    def headers(self) -> dict[str, str]:
        """Return the challenge for a 401 (RFC 6750, section 3), with an error only if a key was read."""
        error = ', error="invalid_token"' if self.was_read else ""
        return {"WWW-Authenticate": f'Bearer realm="tollgate"{error}'}


class KeyNotFoundError(TollgateError, status=404, code="key_not_found"):
    """The API key does not exist, is revoked or belongs to another account."""

    default_message = "API key not found."


class RotationInProgressError(TollgateError, status=409, code="rotation_in_progress"):
    """The secret from before the last rotation is still valid; nothing was rotated."""

    def __init__(self, ends_at: str) -> None:
        super().__init__(
            f"The previous secret is valid until {ends_at}.",
            "Rotate after that, or with overlapS 0, which ends all old secrets now.",
        )
        self.ends_at = ends_at

    def extra(self) -> dict[str, Any]:
        """Return when the older secret expires."""
        return {"endsAt": self.ends_at}
