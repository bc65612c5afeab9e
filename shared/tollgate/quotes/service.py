"""Customers' requests about quotes: create, show, create the tasks, cancel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.catalog.loader import Catalog
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import ConcurrencyLimitedError, ForbiddenError, InvalidInputError, ModelNotFoundError
from tollgate.kit.ids import is_id, new_id
from tollgate.kit.observability import logger
from tollgate.kit.problems import Problem
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.callers import Caller
from tollgate.ledger.errors import QuoteEndedError, QuoteNotFoundError
from tollgate.ledger.holds import Hold
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.reservations import QUOTE_PREFIX, RESERVED_MS, Reservation
from tollgate.ledger.runs import token_id_of
from tollgate.quotes.errors import QuotePriceChangedError
from tollgate.quotes.parts import Part, generation_part, text_part, text_part_now, total_of, version_of
from tollgate.quotes.repository import QuoteRepository, StaleQuoteError
from tollgate.quotes.request import Asked, check_scopes, read_requests
from tollgate.quotes.views import QuoteStatus, QuoteView, SavedQuote
from tollgate.routing.selection import Policies
from tollgate.tasks.charges import MarkupChangedError, Purchase
from tollgate.tasks.priced import PricedTask
from tollgate.tasks.service import TaskService, below
from tollgate.text.routes.exchanges import RouteCheck

# Each but the first because another request used or cancelled the quote meanwhile.
MAX_ATTEMPTS = 3
# Attempts to return reserved money; each but the first because a request took its hold meanwhile.
MAX_RELEASES = 10
_CONFLICT = "Too many requests of this account at the same time."


@dataclass(frozen=True, slots=True)
class QuoteService:
    """Quotes of an account. Only the key that created a quote may create its tasks."""

    quotes: QuoteRepository
    tasks: TaskService
    ledger: LedgerRepository
    catalog: Catalog
    routes: RouteCheck
    clock: Clock

    def create(self, body: Mapping[str, Any], key: ApiKey) -> QuoteView:
        """Price a list of requests; nothing is charged.

        Raises `InvalidInputError` with the problems of all requests, `PayloadTooLargeError`,
        `ForbiddenError`, `QuoteLimitReachedError`, and the errors of a body that states another price.
        """
        asked = read_requests(body, key)
        if self.tasks.charges.markup_percent(key.account_id, now=True):
            raise _no_quotes()
        priced = iter(self._priced({one.pointer: one.body for one in asked if one.text is None}, key))
        texts = iter(self._text_parts(asked, key))
        parts = [next(texts) if one.text is not None else _part_of(one.body, next(priced)) for one in asked]
        now_ms = self.clock.now_ms()
        quote = SavedQuote(key.account_id, new_id(QUOTE_PREFIX), key.key_id, tuple(parts), now_ms)
        self.quotes.add(quote)
        logger.info("quote.created", quote_id=quote.quote_id, parts=len(parts), micro_usd=total_of(parts))
        return quote.view(now_ms, 0)

    def one(self, caller: Caller, quote_id: str) -> QuoteView:
        """Return a quote. Raises `QuoteNotFoundError`."""
        return self._view(self._find(caller, quote_id))

    def start(self, quote_id: str, key: ApiKey, attribution: Attribution) -> QuoteView:
        """Charge and queue the generations of a quote, and reserve the money of its text requests: all, or
        nothing. A repeat returns the same tasks.

        Raises `QuoteNotFoundError`, `QuoteEndedError`, `QuotePriceChangedError`, `InvalidInputError` for
        input that is not valid any more, and the errors of a charge. When it raises, nothing was charged.
        """
        for _ in range(MAX_ATTEMPTS):
            quote = self._find(key.caller, quote_id)
            if quote.key_id != key.key_id:
                raise QuoteNotFoundError
            status = quote.status_at(self.clock.now_ms())
            if status is QuoteStatus.CREATED:
                return self._view(quote)
            if status is not QuoteStatus.OPEN:
                raise QuoteEndedError(
                    quote_id, "has expired" if status is QuoteStatus.EXPIRED else "was cancelled"
                )
            try:
                return self._view(self._start(quote, key, attribution))
            except StaleQuoteError:
                continue
            except WriteConflictError as exc:
                raise ConcurrencyLimitedError(_CONFLICT) from exc
            except MarkupChangedError as exc:
                raise _no_quotes() from exc
        raise ConcurrencyLimitedError(_CONFLICT)

    def cancel(self, caller: Caller, quote_id: str) -> QuoteView:
        """End a quote: nothing more starts, and the money that no request uses is returned.

        Tasks that have started end as `TaskService.cancel` says; the others are refunded. A repeat changes
        nothing more. Raises `QuoteNotFoundError`.
        """
        for _ in range(MAX_ATTEMPTS):
            quote = self._find(caller, quote_id)
            if quote.status is QuoteStatus.CANCELLED:
                break
            try:
                self.quotes.change(quote.cancelled(), was=quote.status)
            except StaleQuoteError:
                continue
            quote = quote.cancelled()
            break
        else:
            raise ConcurrencyLimitedError(_CONFLICT)
        # A crash before here leaves a hold that expires and tasks that run; a repeat ends them.
        if quote.reservation is not None:
            self._release(quote.reservation)
        for part in quote.parts:
            if part.task_id is not None:
                self.tasks.cancel(caller, part.task_id)
        return self._view(quote)

    def _start(self, quote: SavedQuote, key: ApiKey, attribution: Attribution) -> SavedQuote:
        priced = self._check_prices(quote, key)
        self.tasks.check_accepted(quote.account_id, priced)
        now_ms = self.clock.now_ms()
        allowance, spender = key.allowance(now_ms), key.spender(attribution)
        tasks = [one.task(quote.account_id, now_ms, allowance, spender) for one in priced]
        counter, ends_at_ms = None if allowance is None else allowance.counter, now_ms + RESERVED_MS
        amount = quote.reserved_micro_usd
        has_text = any(part.is_text for part in quote.parts)
        hold = Hold(quote.quote_id, amount, ends_at_ms, counter) if has_text else None
        task_ids = [task.task_id for task in tasks]

        def started(placed: Purchase, row_id: str) -> SavedQuote:
            if placed.hold is None:
                return quote.started(task_ids, None)
            labels, budgets = spender.attribution, placed.hold.budgets
            reservation = Reservation(
                quote.quote_id, row_id, key.key_id, ends_at_ms, labels, counter, budgets
            )
            return quote.started(task_ids, reservation)

        def together(placed: Purchase, row_id: str) -> Sequence[Write]:
            return [self.quotes.changed(started(placed, row_id), was=QuoteStatus.OPEN)]

        wanted = Purchase(quote.account_id, now_ms, tasks, [one.choose for one in priced], hold)
        self.tasks.buy(wanted, together, allowance, spender)
        # Only after the charge, as for one generation.
        self.tasks.inputs.store([file for one in priced for file in one.files])
        logger.info("quote.started", quote_id=quote.quote_id, tasks=len(tasks), reserved_micro_usd=amount)
        return self._find(key.caller, quote.quote_id)

    def _check_prices(self, quote: SavedQuote, key: ApiKey) -> list[PricedTask]:
        """Return the generations with the present prices. Raises `QuotePriceChangedError` if any differ."""
        # The key may have lost permissions since.
        check_scopes((part.is_text for part in quote.parts), key)
        bodies = {
            f"/requests/{number}": part.body
            for number, part in enumerate(quote.parts)
            if part.body is not None
        }
        priced = self._priced(bodies, key)
        left = iter(priced)
        now = []
        for number, part in enumerate(quote.parts):
            if part.is_text:
                for model in (part.model, *(name for name, _ in part.fallbacks)):
                    key.check_model(model)
                try:
                    now.append(text_part_now(part, self.catalog))
                except ModelNotFoundError as exc:
                    message = f"The model {part.model} is not available any more."
                    raise InvalidInputError([Problem(f"/requests/{number}/body/model", message)]) from exc
            else:
                now.append(_part_of({}, next(left)))
        if version_of(now) != version_of(quote.parts):
            raise QuotePriceChangedError(quote.quote_id, total_of(quote.parts), total_of(now))
        return priced

    def _priced(self, bodies: Mapping[str, Mapping[str, Any]], key: ApiKey) -> list[PricedTask]:
        below_body = {f"{pointer}/body": body for pointer, body in bodies.items()}
        priced = self.tasks.priced(key.account_id, below_body, key)
        self.tasks.check_routes(key.account_id, dict(zip(below_body, priced, strict=True)))
        # A body can state the price that its customer accepts.
        if refusal := next(filter(None, (one.refusal() for one in priced)), None):
            raise refusal
        return priced

    def _text_parts(self, asked: Sequence[Asked], key: ApiKey) -> list[Part]:
        parts, problems = [], list[Problem]()
        account = self.tasks.charges.budgets.routing(key.account_id)
        check = self.routes.under(Policies(account, key.routing))
        for one in asked:
            if one.text is not None:
                with below(f"{one.pointer}/body", problems):
                    parts.append(text_part(one, one.text, self.catalog, key, check))
        if problems:
            raise InvalidInputError(problems)
        return parts

    def _release(self, reservation: Reservation) -> None:
        for _ in range(MAX_RELEASES):
            if self.ledger.release(reservation):
                return
        raise ConcurrencyLimitedError(_CONFLICT)

    def _find(self, caller: Caller, quote_id: str) -> SavedQuote:
        found = self.quotes.get(caller.account_id, quote_id) if is_id(QUOTE_PREFIX, quote_id) else None
        # A quote has only the id of its key. If that key is no run token, no token has the id made from it.
        if found is None or not caller.may_see(Caller(found.account_id, token_id_of(found.key_id))):
            raise QuoteNotFoundError
        return found

    def _view(self, quote: SavedQuote) -> QuoteView:
        hold = None if quote.reservation is None else self.ledger.reserved(quote.reservation)
        return quote.view(self.clock.now_ms(), 0 if hold is None else hold.amount_micro_usd)


def _no_quotes() -> ForbiddenError:
    message = "A sub-account with a mark-up has no quotes."
    return ForbiddenError(message, "Send the requests one by one.")


def _part_of(body: Mapping[str, Any], priced: PricedTask) -> Part:
    return generation_part(body, priced.request.model.id, priced.price)
