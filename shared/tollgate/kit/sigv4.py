"""AWS Signature Version 4 for JSON POSTs, as lean as the hot path of text wants it; and for plain GETs.

botocore signs any request of any service and takes 47 µs for it; this signs a JSON POST in 5. A test
holds the two equal. Source: the AWS documentation, "Create a signed AWS API request".
"""

import hashlib
import hmac
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol

_SIGNED = "content-type;host;x-amz-date;x-amz-target"
_SIGNED_WITH_TOKEN = "content-type;host;x-amz-date;x-amz-security-token;x-amz-target"  # noqa: S105
_NO_BODY = hashlib.sha256().hexdigest()


class AwsKey(Protocol):
    """One set of credentials."""

    @property
    def access_key(self) -> str:
        """Give the key's id."""

    @property
    def secret_key(self) -> str:
        """Give the key."""

    @property
    def token(self) -> str | None:
        """Give the session token of temporary credentials."""


@lru_cache(maxsize=8)
def _signing_key(secret_key: str, day: str, region: str, service: str) -> bytes:
    """Derive the key of one day; it is the same for all requests of that day."""
    key = b"AWS4" + secret_key.encode()
    for part in (day, region, service, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


def signed_headers(
    key: AwsKey,
    *,
    region: str,
    service: str,
    host: str,
    target: str,
    content_type: str,
    body: bytes,
    now_s: float,
) -> dict[str, str]:
    """Give the headers of a signed `POST /` with a JSON body; `target` is the `X-Amz-Target`."""
    stamp = datetime.fromtimestamp(now_s, tz=UTC).strftime("%Y%m%dT%H%M%SZ")
    day = stamp[:8]
    names = _SIGNED_WITH_TOKEN if key.token else _SIGNED
    token = f"x-amz-security-token:{key.token}\n" if key.token else ""
    canonical = (
        f"POST\n/\n\ncontent-type:{content_type}\nhost:{host}\nx-amz-date:{stamp}\n{token}"
        f"x-amz-target:{target}\n\n{names}\n{hashlib.sha256(body).hexdigest()}"
    )
    scope = f"{day}/{region}/{service}/aws4_request"
    to_sign = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    signing_key = _signing_key(key.secret_key, day, region, service)
    signature = hmac.digest(signing_key, to_sign.encode(), "sha256").hex()
    credential = f"{key.access_key}/{scope}"
    headers = {
        "content-type": content_type,
        "x-amz-date": stamp,
        "x-amz-target": target,
        "authorization": (
            f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={names}, Signature={signature}"
        ),
    }
    return {**headers, "x-amz-security-token": key.token} if key.token else headers


def signed_get_headers(
    key: AwsKey, *, region: str, service: str, host: str, path: str, now_s: float
) -> dict[str, str]:
    """Give the headers of a signed GET without a query, of a `path` that needs no encoding.

    Others may stand beside them, unsigned.
    """
    stamp = datetime.fromtimestamp(now_s, tz=UTC).strftime("%Y%m%dT%H%M%SZ")
    headers = {"x-amz-content-sha256": _NO_BODY, "x-amz-date": stamp}
    if key.token:
        headers["x-amz-security-token"] = key.token
    signed = {"host": host, **headers}
    names = ";".join(signed)
    lines = "".join(f"{name}:{value}\n" for name, value in signed.items())
    canonical = f"GET\n{path}\n\n{lines}\n{names}\n{_NO_BODY}"
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    to_sign = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    signing_key = _signing_key(key.secret_key, stamp[:8], region, service)
    signature = hmac.digest(signing_key, to_sign.encode(), "sha256").hex()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={key.access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    return headers
