"""The shapes of statements with proofs, of receipts, and of the published keys."""

from typing import Literal, NotRequired

from tollgate.kit.response_shapes import Date, Shape, Timestamp
from tollgate.ledger.entries import EntryKind


class SealPayloadView(Shape):
    """The signed part of a seal, in the canonical form of RFC 8785."""

    type: Literal["tollgate.seal.v1"]
    form: int
    """The version of the form of entries."""
    account: str
    day: Date
    count: int
    """The number of entries. The first seal of a month may have none."""
    late: int
    """So many of the first entries are of an earlier day. They were written after that day was sealed."""
    root: str
    """The root of the Merkle tree of the entries (RFC 9162), in hexadecimal."""
    balanceMicroUsd: int
    """The sum of all entries of the account up to this day."""
    totalCount: int
    """The number of all entries of the account up to this day."""
    previous: str | None
    """The SHA-256 hash of the payload before, in hexadecimal. Null in the first seal."""


class SealView(Shape):
    """A signed day of the ledger."""

    payload: SealPayloadView
    keyId: str
    signature: str
    """Ed25519, in base64url."""


class SealedEntryView(Shape):
    """A movement of the balance, in the form that is hashed."""

    account: str
    id: str
    kind: EntryKind
    amountMicroUsd: int
    createdAt: Timestamp
    model: NotRequired[str]
    taskId: NotRequired[str]
    requestId: NotRequired[str]
    answers: NotRequired[str]
    keyId: NotRequired[str]
    user: NotRequired[str]
    tags: NotRequired[dict[str, str]]
    projectId: NotRequired[str]
    tokenId: NotRequired[str]
    usage: NotRequired[dict[str, int | bool]]
    reason: NotRequired[str]
    reference: NotRequired[str]


class SealedDayView(Shape):
    """A day of a statement, or a part of it."""

    seal: SealView
    first: int
    """The place of the first of these entries in the day."""
    entries: list[SealedEntryView]


class SealedStatementView(Shape):
    """The sealed entries of one month, to be verified offline."""

    type: Literal["tollgate.statement.v1"]
    account: str
    month: str
    openingMicroUsd: int
    closingMicroUsd: int
    """The balance after the last sealed day of the month."""
    before: SealView | None
    """The last seal before the month."""
    days: list[SealedDayView]
    after: SealView | None
    """The first seal after the month. It proves that the month has no more entries."""
    cursor: NotRequired[str]
    """Missing on the last page."""


class ReceiptEntryView(Shape):
    """An entry of a request, with its proof once its day is sealed."""

    status: Literal["sealed", "pending"]
    entry: SealedEntryView
    index: NotRequired[int]
    """The place of the entry in its day."""
    path: NotRequired[list[str]]
    """The hashes that lead from the entry to the root of its day, in hexadecimal."""
    seal: NotRequired[SealView]
    sealDueAt: NotRequired[Timestamp]
    """The entry is not sealed before this time."""


class ReceiptView(Shape):
    """The entries of a request or a task, to be verified offline."""

    type: Literal["tollgate.receipt.v1"]
    requestId: str
    entries: list[ReceiptEntryView]


class LedgerKey(Shape):
    """A public key as a JSON Web Key (RFC 8037)."""

    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    alg: Literal["Ed25519"]
    use: Literal["sig"]
    kid: str
    x: str


class LedgerKeys(Shape):
    """The keys that sign, or have signed, the seals of the ledger."""

    keys: list[LedgerKey]
