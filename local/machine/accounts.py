"""Opens accounts on the running service and reads their balances, over HTTP like a customer.

The process of the API has all services already. To import them here would take longer than the request.
"""

import json
import urllib.request
from http import HTTPStatus
from typing import Any
from urllib.error import HTTPError

from local.machine.files import ACCOUNTS_HEADER, ACCOUNTS_PATH, read_accounts_key
from local.processes import LocalError

TIMEOUT_S = 30.0


def open_account(base_url: str, balance_cents: int) -> dict[str, str]:
    """Open an account; return its `apiKey`, `userId` and `webhookSecret`. Raises `LocalError`."""
    url, headers = f"{base_url}{ACCOUNTS_PATH}?cents={balance_cents}", {ACCOUNTS_HEADER: read_accounts_key()}
    opened: dict[str, str] = _answer(urllib.request.Request(url, headers=headers, method="POST"))  # noqa: S310 - ours
    return opened


def balance_cents(base_url: str, api_key: str) -> int | None:
    """Return the balance of a key's account, or `None` if there is no such key. Raises `LocalError`."""
    headers = {"authorization": f"Bearer {api_key}"}
    asked = urllib.request.Request(f"{base_url}/api/v1/user/me", headers=headers)  # noqa: S310 - ours
    try:
        balance: int = _answer(asked)["data"]["balance"]
    except HTTPError as exc:
        if exc.code != HTTPStatus.UNAUTHORIZED:
            raise
        return None
    return balance


def _answer(asked: urllib.request.Request) -> Any:
    try:
        with urllib.request.urlopen(asked, timeout=TIMEOUT_S) as answer:  # noqa: S310 - ours
            return json.load(answer)
    except HTTPError:
        raise
    except OSError as exc:
        raise LocalError(f"The service does not answer: {exc}") from exc
