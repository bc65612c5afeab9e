"""The errors of OAuth. Pure.

Source of the codes: RFC 6749 (4.1.2.1 and 5.2), RFC 7591 (3.2.2) and RFC 8707 (2).
"""

UNAUTHORIZED = 401
BAD_REQUEST = 400


class OAuthError(Exception):
    """A refused request: `code` for the client, and `description` for its developer."""

    def __init__(self, code: str, description: str) -> None:
        super().__init__(description)
        self.code = code
        self.description = description

    @property
    def status(self) -> int:
        """Return the HTTP status. After 401 some clients register again (RFC 6749, section 5.2)."""
        return UNAUTHORIZED if self.code == "invalid_client" else BAD_REQUEST

    def body(self) -> dict[str, str]:
        """Return the body of the response."""
        return {"error": self.code, "error_description": self.description}


class UntrustedRequestError(Exception):
    """An authorization request of an unknown client, or for an address that is not the client's.

    The person is never sent to its address. The message is for the person.
    """
