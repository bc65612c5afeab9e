"""Answers the chats of steps, as ordinary text requests that are paid from the money of the workflow.

A chat whose worker died starts again. The charge of its first request, if there is one, is returned first.
The money of that request is back in the balance, so the second one is paid from there.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from tollgate.accounts.async_auth import AsyncAuthenticator
from tollgate.artifacts.models import Address
from tollgate.batches.calls import Call, LineCalls
from tollgate.batches.models import request_id_of
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.async_database import AsyncDatabase
from tollgate.kit.errors import ConcurrencyLimitedError
from tollgate.kit.observability import logger
from tollgate.ledger.attribution import HEADER, labels_text
from tollgate.ledger.crediting import AlreadyPostedError, credit_of_lost_response, credit_writes
from tollgate.ledger.entries import Entry
from tollgate.ledger.errors import RateLimitedError
from tollgate.ledger.hold_entries import late_entry_id, text_entry_id
from tollgate.ledger.reservations import QUOTE_HEADER
from tollgate.text.serving.asgi import Reply
from tollgate.text.serving.middleware import public_error
from tollgate.workflows.media_steps import NO_KEY, result_of
from tollgate.workflows.models import MAX_CHATS, MAX_TEXT_BYTES, Step, StepError, StepStatus, Workflow
from tollgate.workflows.pricing import chat_body
from tollgate.workflows.references import Reference, with_results

ENDPOINT = "/v1/chat/completions"
# A chat that the account's own limits refuse is sent again after this time, so often: a minute is over then.
LIMIT_WAIT_S = 5.0
MAX_WAITS = 15
WORKER_LOST = StepError("worker_lost", "The chat was interrupted twice. Its charge was returned.")
_FIRST_ERROR = 400


@dataclass(frozen=True, slots=True)
class ChatSteps:
    """Answers chats. `address` returns the address of a file of a step."""

    calls: LineCalls
    authenticator: AsyncAuthenticator
    db: AsyncDatabase
    accounts_table: str
    ledger_table: str
    address: Address
    clock: Clock

    async def answer(self, workflow: Workflow, steps: Sequence[Step]) -> list[Step]:
        """Answer claimed chats at once; return the steps at their ends."""
        numbers = {step.step_id: number for number, step in enumerate(workflow.steps)}
        ended = [
            asyncio.ensure_future(self._answered(workflow, step, numbers[step.step_id])) for step in steps
        ]
        # All of them end, even if one raises.
        await asyncio.wait(ended)
        return [each.result() for each in ended]

    async def _answered(self, workflow: Workflow, step: Step, number: int) -> Step:
        for attempt in range(1, step.attempts):
            await self._return_charge(workflow, request_id_of(workflow.workflow_id, number, attempt, 0))
        if step.attempts > MAX_CHATS:
            return step.failed(WORKER_LOST, self.clock.now_ms())
        try:
            ended = await self._reply(workflow, step)
        except Exception as exc:  # noqa: BLE001 - the boundary: whatever it is, the step ends with it
            error = public_error(exc)
            ended = step.failed(StepError(error.code, str(error)), self.clock.now_ms())
        # The charge is in the ledger before a response has ended.
        await self.calls.responses.text.finishing.wait()
        return replace(ended, cost_micro_usd=await self._cost(workflow.account_id, step.request_id or ""))

    async def _reply(self, workflow: Workflow, step: Step) -> Step:
        """Return the step after its request. Raises the errors that refuse it."""
        values = with_results(step.input, lambda one: self._result(workflow, one))
        fields = chat_body(step.model, values, step.options)
        for waits in range(MAX_WAITS + 1):
            key = await self.authenticator.current_now(workflow.key_id)
            if key is None:
                return step.failed(NO_KEY, self.clock.now_ms())
            call = Call(key, step.request_id or "", self._headers(workflow, step))
            try:
                return _ended(step, await self.calls.answer(ENDPOINT, fields, call), self.clock.now_ms())
            except (RateLimitedError, ConcurrencyLimitedError):
                if waits == MAX_WAITS:
                    raise
            # Nothing was held, and no provider was called, so the same request is sent again.
            await asyncio.sleep(LIMIT_WAIT_S)
        raise AssertionError("the last attempt returns or raises")

    def _result(self, workflow: Workflow, reference: Reference) -> str:
        found = result_of(workflow, reference)
        return found if reference.index is None else self.address(found)

    @staticmethod
    def _headers(workflow: Workflow, step: Step) -> dict[str, str]:
        if step.attempts == 1:
            return {QUOTE_HEADER: workflow.reservation.quote_id}
        tags = labels_text(workflow.reservation.labels)
        return {HEADER: tags} if tags else {}

    async def _cost(self, account_id: str, request_id: str) -> int:
        entry = await self._charge(account_id, request_id)
        return 0 if entry is None else -entry.amount_micro_usd

    async def _charge(self, account_id: str, request_id: str) -> Entry | None:
        """Return the entry that bills a request, if there is one."""
        for entry_id in (text_entry_id(request_id), late_entry_id(request_id)):
            row = await self.db.get(self.ledger_table, {"account_id": account_id, "entry_id": entry_id})
            if row is not None and row["amount_micro_usd"] < 0:
                return Entry.from_item(row)
        return None

    async def _return_charge(self, workflow: Workflow, request_id: str) -> None:
        """Return the charge of a request whose worker died, once."""
        charge = await self._charge(workflow.account_id, request_id)
        if charge is None:
            return
        logger.error("workflows.response_lost", request=request_id, micro_usd=-charge.amount_micro_usd)
        credit = credit_of_lost_response(charge, self.clock.now_ms())
        with suppress(AlreadyPostedError):
            await self.db.transact(credit_writes(self.accounts_table, self.ledger_table, credit))


def cut(text: str) -> str:
    """Return the start of a text that has at most `MAX_TEXT_BYTES` as JSON in ASCII."""
    if len(json.dumps(text)) - 2 <= MAX_TEXT_BYTES:
        return text
    left, right = 0, min(len(text), MAX_TEXT_BYTES)
    while left < right:
        middle = (left + right + 1) // 2
        if len(json.dumps(text[:middle])) - 2 <= MAX_TEXT_BYTES:
            left = middle
        else:
            right = middle - 1
    return text[:left]


def _ended(step: Step, reply: Reply, now_ms: int) -> Step:
    """Return the step with the answer of its request."""
    body = json.loads(reply.body)
    if reply.status >= _FIRST_ERROR:
        error: dict[str, Any] = body.get("error", {})
        return step.failed(StepError(str(error.get("code")), str(error.get("message"))), now_ms)
    # An answer without text, such as a refusal, is an empty one.
    text = body["choices"][0]["message"].get("content") or ""
    kept = cut(text)
    return replace(
        step,
        status=StepStatus.FINISHED,
        text=kept,
        is_cut=kept != text,
        ended_at_ms=now_ms,
        claim_ends_at_ms=None,
    )
