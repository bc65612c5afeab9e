"""Verifies a statement or a receipt offline: nothing was added, removed or changed. Pure.

The Python client has a copy of this file (`make clients`), so it imports only the standard library, and the
package cryptography for the check of signatures.

Entries are hashed as canonical JSON (RFC 8785) in a Merkle tree (RFC 9162, 2.1, with SHA-256). A seal signs
(Ed25519, RFC 8032) the root of a day's entries together with the hash of the seal before it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

SEAL: Final = "tollgate.seal.v1"
STATEMENT: Final = "tollgate.statement.v1"
RECEIPT: Final = "tollgate.receipt.v1"
SEALED: Final = "sealed"
PENDING: Final = "pending"
_UNKNOWN_FORM = "The document has an unknown form"
_DAY_LENGTH, _MONTH_LENGTH = len("2026-11-25"), len("2026-11")

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Problem:
    """A contradiction that was found. The page `Verify your bill` of the docs explains each `code`."""

    code: str
    message: str

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.code}: {self.message}"


class VerificationError(Exception):
    """A statement or a receipt does not verify. `problems` has every reason."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


@dataclass(frozen=True)
class VerifiedStatement:
    """A statement that verifies. Amounts are micro-USD.

    `through` is the last sealed day; `is_closed` says whether a later seal proves that the month has no more.
    """

    account: str
    month: str
    entries: int
    days: int
    through: str | None
    opening_micro_usd: int
    closing_micro_usd: int
    is_closed: bool


@dataclass(frozen=True)
class VerifiedReceipt:
    """A receipt that verifies. `pending` entries have no seal yet. The amount sums up the sealed entries."""

    request: str
    sealed: int
    pending: int
    amount_micro_usd: int


def canonical(value: Any) -> bytes:
    """Return JSON in the form of RFC 8785. Values are text, whole numbers, booleans, lists and objects."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def leaf_hash(entry: Json) -> bytes:
    """Return the hash of an entry as a leaf of the tree."""
    return hashlib.sha256(b"\x00" + canonical(entry)).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(hashes: Iterable[bytes]) -> bytes:
    """Return the root of a tree with these leaves, in their order."""
    stack: list[bytes] = []
    for number, one in enumerate(hashes, start=1):
        stack.append(one)
        # As many complete pairs end here as the number can be halved.
        for _ in range((number & -number).bit_length() - 1):
            right = stack.pop()
            stack.append(node_hash(stack.pop(), right))
    if not stack:
        return hashlib.sha256(b"").digest()
    root = stack.pop()
    while stack:
        root = node_hash(stack.pop(), root)
    return root


def root_from_path(leaf: bytes, index: int, count: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root that a leaf and its path lead to; `None` if the path does not fit a tree of `count`.

    Source: RFC 9162, 2.1.3.2.
    """
    if not 0 <= index < count:
        return None
    place, last, root = index, count - 1, leaf
    for one in path:
        if last == 0:
            return None
        if place % 2 or place == last:
            root = node_hash(one, root)
            while place and place % 2 == 0:
                place, last = place // 2, last // 2
        else:
            root = node_hash(root, one)
        place, last = place // 2, last // 2
    return root if last == 0 else None


def seal_hash(payload: Json) -> str:
    """Return the hash of a seal's payload, which the next seal contains as `previous`."""
    return hashlib.sha256(canonical(payload)).hexdigest()


def verify(document: Json | Sequence[Json], keys: Json) -> VerifiedStatement | VerifiedReceipt:
    """Verify a receipt, or a statement or all its pages, by its type. Raises `VerificationError`."""
    if isinstance(document, Mapping) and RECEIPT in (document.get("type"), _inner(document).get("type")):
        return verify_receipt(document, keys)
    return verify_statement(document, keys)


def verify_statement(pages: Json | Sequence[Json], keys: Json) -> VerifiedStatement:
    """Verify a statement: one document, or all pages of it in any order.

    `keys` is the document at `/.well-known/tollgate-ledger-key.json`. Raises `VerificationError`.
    """
    given = [pages] if isinstance(pages, Mapping) else pages
    documents = [_document(one, STATEMENT) for one in given or [{}]]
    try:
        return _Statement(documents, keys).verify()
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as exc:
        raise VerificationError([Problem("malformed", f"{_UNKNOWN_FORM}: {exc!r}.")]) from exc


def verify_receipt(document: Json, keys: Json) -> VerifiedReceipt:
    """Verify a receipt, with the same `keys`. Raises `VerificationError`."""
    receipt = _document(document, RECEIPT)
    try:
        return _verified_receipt(receipt, keys)
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise VerificationError([Problem("malformed", f"{_UNKNOWN_FORM}: {exc!r}.")]) from exc


def _verified_receipt(receipt: Json, keys: Json) -> VerifiedReceipt:
    problems: list[Problem] = []
    proven = [one for one in receipt["entries"] if one["status"] == SEALED]
    for one in proven:
        entry, seal = one["entry"], one["seal"]["payload"]
        problems += seal_problems(one["seal"], keys, seal["account"])
        path = [bytes.fromhex(each) for each in one["path"]]
        root = root_from_path(leaf_hash(entry), one["index"], seal["count"], path)
        if root is None or root.hex() != seal["root"]:
            problems.append(
                Problem("entry_not_in_seal", f"{entry['id']} is not in the seal of {seal['day']} like this.")
            )
        if entry["account"] != seal["account"]:
            problems.append(Problem("other_account", f"{entry['id']} is of another account than its seal."))
        if receipt["requestId"] not in (entry.get("requestId"), entry.get("taskId")):
            problems.append(Problem("other_request", f"{entry['id']} is of another request."))
    if problems:
        raise VerificationError(problems)
    return VerifiedReceipt(
        receipt["requestId"],
        len(proven),
        len(receipt["entries"]) - len(proven),
        sum(one["entry"]["amountMicroUsd"] for one in proven),
    )


def seal_problems(seal: Json, keys: Json, account: str) -> list[Problem]:
    """Return the problems of a seal: its signature, its key, or its account."""
    payload, found = seal["payload"], []
    if payload["type"] != SEAL:
        return [Problem("unknown_seal", f"The seal has the unknown type {payload['type']!r}.")]
    if payload["account"] != account:
        found.append(Problem("other_account", f"The seal of {payload['day']} is of {payload['account']}."))
    key = next((one for one in keys["keys"] if one.get("kid") == seal["keyId"]), None)
    if key is None:
        found.append(
            Problem("unknown_key", f"The seal of {payload['day']} is by the unknown key {seal['keyId']}.")
        )
    elif not _is_signed(key, seal["signature"], canonical(payload)):
        found.append(Problem("bad_signature", f"The signature of {payload['day']} does not fit its seal."))
    return found


def _is_signed(key: Json, signature: str, signed: bytes) -> bool:
    # Imported here, because a program that verifies nothing can do without the package.
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        Ed25519PublicKey.from_public_bytes(decoded(key["x"])).verify(decoded(signature), signed)
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return key.get("crv") == "Ed25519"


def decoded(text: str) -> bytes:
    """Read base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _document(found: Json, kind: str) -> Json:
    """Return a document, with or without the API's envelope."""
    inner = _inner(found) if isinstance(found, Mapping) else {}
    if inner.get("type") != kind:
        raise VerificationError([Problem("malformed", f"This is not a document of the type {kind}.")])
    return inner


def _inner(found: Json) -> Json:
    """Return the content of the API's envelope, if there is one."""
    inner = found if "type" in found else found.get("data")
    return inner if isinstance(inner, Mapping) else {}


class _Statement:
    """The pages of one statement, and the problems that were found in them."""

    def __init__(self, pages: Sequence[Json], keys: Json) -> None:
        self._first, self._pages, self._keys = pages[0], pages, keys
        self._account, self._month = self._first["account"], self._first["month"]
        self._problems: list[Problem] = []
        self._ids: set[str] = set()

    def verify(self) -> VerifiedStatement:
        """Check everything. Raises `VerificationError`."""
        self._check_pages()
        days = self._days()
        before, after = self._first["before"], self._first["after"]
        chain = [seal for seal in (before, *(seal for seal, _ in days), after) if seal is not None]
        for seal in chain:
            self._problems += seal_problems(seal, self._keys, self._account)
        self._check_places(before, [seal for seal, _ in days], after)
        self._check_chain([seal["payload"] for seal in chain], is_whole=before is None)
        opening = before["payload"]["balanceMicroUsd"] if before else 0
        balance = opening
        for seal, entries in days:
            self._check_day(seal["payload"], entries, balance)
            balance = seal["payload"]["balanceMicroUsd"]
        for name, amount in (("openingMicroUsd", opening), ("closingMicroUsd", balance)):
            if self._first[name] != amount:
                self._add("wrong_balance", f"{name} is {self._first[name]}, but the seals say {amount}.")
        if self._problems:
            raise VerificationError(self._problems)
        return VerifiedStatement(
            self._account,
            self._month,
            len(self._ids),
            len(days),
            days[-1][0]["payload"]["day"] if days else None,
            opening,
            balance,
            after is not None,
        )

    def _add(self, code: str, message: str) -> None:
        self._problems.append(Problem(code, message))

    def _check_pages(self) -> None:
        for page in self._pages[1:]:
            for name in ("account", "month", "before", "after", "openingMicroUsd", "closingMicroUsd"):
                if page[name] != self._first[name]:
                    self._add("mixed_pages", f"The pages differ in `{name}`, so they are of two statements.")

    def _days(self) -> list[tuple[Json, list[Json]]]:
        """Return each day's seal and entries, put together from all pages."""
        parts = [part for page in self._pages for part in page["days"]]
        parts.sort(key=lambda part: (part["seal"]["payload"]["day"], part["first"]))
        found: list[tuple[Json, list[Json]]] = []
        for part in parts:
            if not found or found[-1][0]["payload"]["day"] != part["seal"]["payload"]["day"]:
                found.append((part["seal"], []))
            if part["seal"] != found[-1][0]:
                self._add("broken_chain", f"{part['seal']['payload']['day']} has two different seals.")
            if part["first"] != len(found[-1][1]):
                self._add("missing_entries", f"{part['seal']['payload']['day']} has a gap between its pages.")
            found[-1][1].extend(part["entries"])
        return found

    def _check_places(self, before: Json | None, days: Sequence[Json], after: Json | None) -> None:
        """Check that seals are of the month, of the time before it, and of the time after it."""
        places = [(before, "before"), *((seal, "days") for seal in days), (after, "after")]
        for seal, place in places:
            if seal is None:
                continue
            month = seal["payload"]["day"][:_MONTH_LENGTH]
            fits = {"before": month < self._month, "days": month == self._month, "after": month > self._month}
            if not fits[place]:
                self._add("other_day", f"The seal of {seal['payload']['day']} does not belong to `{place}`.")

    def _check_chain(self, seals: Sequence[Json], *, is_whole: bool) -> None:
        if is_whole and seals and seals[0]["previous"] is not None:
            self._add("broken_chain", f"The seal before {seals[0]['day']} is missing.")
        if is_whole and seals and seals[0]["totalCount"] != seals[0]["count"]:
            self._add("broken_chain", f"The first seal, of {seals[0]['day']}, does not count from 0.")
        for earlier, later in pairwise(seals):
            if later["previous"] != seal_hash(earlier) or later["day"] <= earlier["day"]:
                self._add(
                    "broken_chain",
                    f"The seal of {later['day']} does not follow {earlier['day']}: "
                    "a day was removed, added or exchanged.",
                )
            if later["totalCount"] != earlier["totalCount"] + later["count"]:
                self._add("broken_chain", f"{later['day']} does not count on from {earlier['day']}.")

    def _check_day(self, seal: Json, entries: Sequence[Json], balance: int) -> None:
        day, count, late = seal["day"], seal["count"], seal["late"]
        if len(entries) < count:
            self._add("missing_entries", f"{day} has {len(entries)} entries, but {count} were sealed.")
        elif len(entries) > count:
            self._add("added_entries", f"{day} has {len(entries)} entries, but {count} were sealed.")
        for index, entry in enumerate(entries):
            own = entry["createdAt"][:_DAY_LENGTH]
            if entry["id"] in self._ids:
                self._add("repeated_entry", f"{entry['id']} is there twice.")
            self._ids.add(entry["id"])
            if entry["account"] != self._account:
                self._add("other_account", f"{entry['id']} is an entry of {entry['account']}.")
            if own > day or (own < day) != (index < late):
                self._add("other_day", f"{entry['id']} is of {own}, and does not belong to {day}.")
        order = [(entry["createdAt"], entry["id"]) for entry in entries]
        if order != sorted(order):
            self._add("reordered_entries", f"The entries of {day} are not in their order.")
        moved = sum(entry["amountMicroUsd"] for entry in entries)
        if balance + moved != seal["balanceMicroUsd"]:
            off = balance + moved - seal["balanceMicroUsd"]
            self._add("wrong_balance", f"The entries of {day} are {off} micro-USD off its sealed balance.")
        if root_of(map(leaf_hash, entries)).hex() != seal["root"]:
            self._add("changed_entries", f"The entries of {day} are not those that were sealed.")
