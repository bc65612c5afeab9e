"""Provider credentials: one JSON secret, `{"<provider>": {"key": "…", "baseUrl": "…"?}}`. Pure.

`baseUrl` is for a provider's other regions, and for the simulator on one machine.
"""

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from tollgate.kit.clock import MS_PER_S

# A changed secret is in use at most this much later.
REFRESH_MS = 300 * MS_PER_S


class Credentials(BaseModel):
    """One provider's key, and its address where it is not the provider's own."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, hide_input_in_errors=True)

    # What a header can carry: a line break at its end would fail every call, with the key in the error.
    key: str = Field(pattern=r"^[\x21-\x7e]+$", repr=False)
    base_url: str | None = Field(default=None, alias="baseUrl")


_SECRET = TypeAdapter(dict[str, Credentials], config=ConfigDict(hide_input_in_errors=True))


def read_credentials(secret: str) -> dict[str, Credentials]:
    """Return the credentials in the secret's text, by provider.

    Raises pydantic's `ValidationError`, which shows none of them.
    """
    return _SECRET.validate_json(secret)
