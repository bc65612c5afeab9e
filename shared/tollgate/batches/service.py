"""The routes of batches in both protocols, for one account at a time."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.artifacts.deletions import declared_bytes, deleted_key
from tollgate.artifacts.uploads import EXTENSIONS, JSONL, prefix_of, usable_until_of
from tollgate.audit.events import Action
from tollgate.audit.notes import AuditNotes
from tollgate.batches.download import Download
from tollgate.batches.models import (
    MAX_INPUT_BYTES,
    MAX_UNFINISHED,
    Batch,
    ChangedError,
    Kind,
    State,
    input_key,
    new_batch,
    results_key,
)
from tollgate.batches.repository import BatchRepository
from tollgate.batches.request import (
    MESSAGES,
    BatchQuery,
    read_anthropic_create,
    read_batch_query,
    read_openai_create,
)
from tollgate.batches.views import batch_list_view, batch_view, message_batch_list_view, message_batch_view
from tollgate.kit.aws.s3_objects import S3Objects
from tollgate.kit.dynamodb.pages import MAX_ROUNDS
from tollgate.kit.errors import IdempotencyKeyReusedError, StorageBusyError
from tollgate.kit.ids import is_id
from tollgate.ledger.attribution import HEADER, attribution_of
from tollgate.text.body.fields import invalid
from tollgate.text.upstream.exchange import encoded
from tollgate.text.wire.errors import BatchLimitReachedError, BatchNotFoundError

# The newest batches of an account, among which a repeat of a create is found.
MAX_RECENT = 100
# SDKs repeat a request after seconds.
REPEAT_S = 10 * 60
MAX_KEY_LENGTH = 255
IDEMPOTENCY_KEY = "idempotency-key"
# Both vendors' SDKs number their repeats in this header.
RETRY_COUNT = "x-stainless-retry-count"
# Headers of the create that its lines are sent with.
KEPT_HEADERS = (HEADER, "anthropic-beta", "anthropic-version")

Send = Callable[[Mapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class BatchService:
    """Creates, shows, cancels and deletes batches. `send` sends a message to the worker.

    Each method with an id raises `BatchNotFoundError`.
    """

    kept: BatchRepository
    objects: S3Objects
    audit: AuditNotes
    send: Send

    async def create(self, key: ApiKey, body: bytes, headers: Mapping[str, str]) -> bytes:
        """Create a batch in OpenAI's protocol, and return it.

        Raises `InvalidInputError`, `BatchLimitReachedError`, `IdempotencyKeyReusedError`, `StoreFullError`,
        `StorageBusyError`.
        """
        asked = read_openai_create(body)
        name = await self.objects.first_name(prefix_of(key.caller, asked.input_file_id))
        now_ms = self.kept.storage.clock.now_ms()
        if (
            name is None
            or deleted_key(name)
            or not name.endswith(f".{EXTENSIONS[JSONL]}")
            or usable_until_of(name) <= now_ms
        ):
            raise invalid("/input_file_id", "There is no file with this id and the purpose batch.")
        if declared_bytes(name) > MAX_INPUT_BYTES:
            allowed = f"at most {MAX_INPUT_BYTES} bytes"
            raise invalid("/input_file_id", f"The file of a batch has {allowed}.", allowed)
        fields = {
            "endpoint": asked.endpoint,
            "input_file_id": asked.input_file_id,
            "input_key": name,
            "metadata": asked.metadata,
        }
        sent = _Sent(Kind.OPENAI, key, body, headers)
        return encoded(batch_view(await self._created(sent, fields)))

    async def create_messages(
        self, key: ApiKey, body: bytes, headers: Mapping[str, str], base_url: str
    ) -> bytes:
        """Create a batch in Anthropic's protocol, and return it. Raises as `create` does."""
        lines = read_anthropic_create(body)
        fields = {"endpoint": MESSAGES, "total": lines.count(b"\n") + 1, "metadata": {}}
        sent = _Sent(Kind.ANTHROPIC, key, body, headers)
        made = await self._created(sent, fields, lines)
        return encoded(message_batch_view(made, base_url))

    async def _created(self, sent: "_Sent", fields: Mapping[str, Any], lines: bytes | None = None) -> Batch:
        """Store a batch, and send its message. A repeat returns the batch that is there."""
        attribution_of(sent.headers)
        account_id, once = sent.key.account_id, sent.headers.get(IDEMPOTENCY_KEY)
        if once is not None and not 1 <= len(once) <= MAX_KEY_LENGTH:
            raise invalid("", f"The header Idempotency-Key has 1 to {MAX_KEY_LENGTH} characters.")
        now_s = self.kept.storage.now_s()
        recent, _ = await self.kept.page(account_id, sent.kind, MAX_RECENT)
        if (made := sent.made_before(recent, now_s)) is None:
            if sum(not each.is_ended for each in recent) >= MAX_UNFINISHED:
                raise BatchLimitReachedError
            own = {name: sent.headers[name] for name in KEPT_HEADERS if name in sent.headers}
            more = {"key_id": sent.key.key_id, "headers": own, "once": sent.once, **fields}
            more |= sent.key.caller.stored()
            made = new_batch(account_id, sent.kind, self.kept.storage.clock.now_ms(), sent.fingerprint, more)
            if lines is not None:
                await self.kept.storage.count(account_id, len(lines))
                made.row["input_key"] = input_key(made)
                await self.objects.put(made.row["input_key"], lines)
            try:
                await self.kept.create(made)
            except ChangedError as exc:
                # A request with the same key was faster.
                recent, _ = await self.kept.page(account_id, sent.kind, MAX_RECENT)
                if (made := sent.made_before(recent, now_s)) is None:
                    raise StorageBusyError from exc
        # Also for a repeat, because the first message may not have been sent.
        await self.send({"account_id": account_id, "batch_id": made.id})
        return made

    async def get(self, key: ApiKey, batch_id: str) -> bytes:
        """Return a batch in OpenAI's shape."""
        return encoded(batch_view(await self._find(key, Kind.OPENAI, batch_id)))

    async def get_messages(self, key: ApiKey, batch_id: str, base_url: str) -> bytes:
        """Return a batch in Anthropic's shape."""
        return encoded(message_batch_view(await self._find(key, Kind.ANTHROPIC, batch_id), base_url))

    async def list(self, key: ApiKey, query: Mapping[str, str]) -> bytes:
        """Return a page of batches in OpenAI's shape. Raises `InvalidInputError`."""
        asked = read_batch_query(query, Kind.OPENAI)
        found, has_more = await self._page(key, Kind.OPENAI, asked)
        return encoded(batch_list_view(found, has_more=has_more))

    async def list_messages(self, key: ApiKey, query: Mapping[str, str], base_url: str) -> bytes:
        """Return a page of batches in Anthropic's shape. Raises `InvalidInputError`."""
        asked = read_batch_query(query, Kind.ANTHROPIC)
        found, has_more = await self._page(key, Kind.ANTHROPIC, asked)
        return encoded(message_batch_list_view(found, base_url, has_more=has_more))

    async def _page(self, key: ApiKey, kind: Kind, asked: BatchQuery) -> tuple[Sequence[Batch], bool]:
        """Return a page of the batches that a key may see, and whether there may be more.

        It reads at most `MAX_ROUNDS` pages of its account's batches.
        """
        shown: list[Batch] = []
        after, before, has_more = asked.after, asked.before, True
        for _ in range(MAX_ROUNDS):
            found, has_more = await self.kept.page(
                key.account_id, kind, asked.limit, after=after, before=before
            )
            seen = [each for each in found if _may_see(key, each)]
            shown = [*shown, *seen] if before is None else [*seen, *shown]
            if not has_more or len(shown) >= asked.limit:
                break
            after, before = (found[-1].id, None) if before is None else (after, found[0].id)
        # They begin at the cursor, which is behind the last one if the page has those before it.
        page = shown[: asked.limit] if before is None else shown[-asked.limit :]
        return page, has_more or len(shown) > len(page)

    async def cancel(self, key: ApiKey, batch_id: str) -> bytes:
        """Cancel a batch, and return it in OpenAI's shape. A batch that has ended stays."""
        return encoded(batch_view(await self._cancelled(key, Kind.OPENAI, batch_id)))

    async def cancel_messages(self, key: ApiKey, batch_id: str, base_url: str) -> bytes:
        """Cancel a batch, and return it in Anthropic's shape. A batch that has ended stays."""
        return encoded(message_batch_view(await self._cancelled(key, Kind.ANTHROPIC, batch_id), base_url))

    async def _cancelled(self, key: ApiKey, kind: Kind, batch_id: str) -> Batch:
        await self._find(key, kind, batch_id)
        now_s = self.kept.storage.now_s()

        found = await self.kept.change(key.account_id, batch_id, lambda now: now.cancelling(now_s))
        if found is None:
            raise BatchNotFoundError(batch_id)
        if found.is_at_vendor:
            # Its worker looks only now and then.
            await self.send({"account_id": key.account_id, "batch_id": batch_id, "is_urgent": True})
        return found

    async def results(self, key: ApiKey, batch_id: str, accept: str = "") -> Download:
        """Return the results of a batch in Anthropic's protocol. `accept` is the header of the request.

        Raises `InvalidInputError` before its end.
        """
        batch = await self._find(key, Kind.ANTHROPIC, batch_id)
        if not batch.is_ended:
            raise invalid("/message_batch_id", "This batch has not ended, so it has no results yet.")
        found = await self.objects.open(results_key(batch))
        if found is None:
            raise BatchNotFoundError(batch_id)
        return Download(found, accept)

    async def delete_messages(self, key: ApiKey, batch_id: str) -> bytes:
        """Delete a batch with its results. Raises `InvalidInputError` before its end."""
        batch = await self._find(key, Kind.ANTHROPIC, batch_id)
        if not batch.is_ended:
            raise invalid("/message_batch_id", "This batch has not ended. Cancel it first.")
        for name in (batch.row["input_key"], results_key(batch)):
            await self.objects.put(name, b"")
        noted = self.audit.note(key.account_id, key.actor, Action.BATCH_DELETED, batch_id)
        await self.kept.delete(batch, noted)
        return encoded({"id": batch_id, "type": "message_batch_deleted"})

    async def _find(self, key: ApiKey, kind: Kind, batch_id: str) -> Batch:
        """Return a batch that the key may see. If no worker has it, the message is sent again."""
        found = await self.kept.find(key.account_id, batch_id) if is_id(kind.prefix, batch_id) else None
        if found is None or not _may_see(key, found):
            raise BatchNotFoundError(batch_id)
        now_s = self.kept.storage.now_s()
        if found.is_forgotten(now_s):
            # Once in that time, even if clients look often.
            await self.kept.change(key.account_id, batch_id, lambda now: now.awakened(now_s))
            await self.send({"account_id": key.account_id, "batch_id": batch_id})
        return found


def _may_see(key: ApiKey, batch: Batch) -> bool:
    """Return whether a key may see a batch: a run token and a key for some models see only their own."""
    is_own = batch.row["key_id"] == key.key_id
    return is_own or (key.models is None and key.caller.may_see(batch.creator))


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request for a batch."""

    kind: Kind
    key: ApiKey
    body: bytes
    headers: Mapping[str, str]

    @property
    def once(self) -> str | None:
        """Return the name of its Idempotency-Key among those in its account."""
        once, caller = self.headers.get(IDEMPOTENCY_KEY), self.key.caller
        return None if once is None else caller.idempotency_id(once).removeprefix(f"{caller.account_id}#")

    @property
    def fingerprint(self) -> str:
        """Return what two equal requests of one key have in common."""
        return sha256(f"{self.key.key_id}:".encode() + self.body).hexdigest()

    def made_before(self, recent: Sequence[Batch], now_s: int) -> Batch | None:
        """Return the batch that this request has created before.

        It has the same Idempotency-Key or, if an SDK repeats a request, the same body. Raises
        `IdempotencyKeyReusedError`.
        """
        once, is_repeat = self.once, self.headers.get(RETRY_COUNT, "0") != "0"
        for batch in recent:
            is_same = batch.row["fingerprint"] == self.fingerprint
            if once is not None and batch.row["once"] == once:
                if not is_same:
                    raise IdempotencyKeyReusedError
                return batch
            age_s = now_s - (batch.time(State.VALIDATING) or 0)
            if once is None and is_same and is_repeat and age_s <= REPEAT_S:
                return batch
        return None
