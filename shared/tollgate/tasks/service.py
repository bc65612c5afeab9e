"""Customers' requests about tasks: estimate the cost, create, cancel."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tollgate.accounts.models import ApiKey
from tollgate.artifacts.inputs import InputFile, InputStore
from tollgate.catalog.loader import Catalog
from tollgate.catalog.pricing import NOTHING_MEASURED, EstimateView, Quote
from tollgate.catalog.unknown_files import known_of, most_of
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import Clock, iso
from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.errors import (
    ConcurrencyLimitedError,
    ForbiddenError,
    IdempotencyKeyReusedError,
    InvalidInputError,
    TollgateError,
)
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.observability import logger
from tollgate.kit.problems import Problem
from tollgate.kit.retry import retry_change
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.budgets import Spender
from tollgate.ledger.callers import Caller
from tollgate.ledger.caps import Allowance
from tollgate.ledger.repository import LedgerRepository
from tollgate.probing.facts import ProbeCode, ProbedMedia, ProbeError, ProbeResult
from tollgate.routing.facts import NO_PROVIDERS, KnownProviders
from tollgate.routing.wishes import NO_WISHES
from tollgate.tasks.charges import MarkupChangedError, Others, Purchase, TaskCharges
from tollgate.tasks.errors import (
    IdempotencyConflictError,
    MaxCostExceededError,
    MediaTimeoutError,
    PriceChangedError,
)
from tollgate.tasks.followups import find_origin
from tollgate.tasks.idempotency import AlreadyCreatedError, IdempotencyStore
from tollgate.tasks.media_kinds import kind_problems
from tollgate.tasks.models import CreatedTaskView, Origin, TaskView
from tollgate.tasks.priced import PricedTask
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.request import CreateRequest, check_idempotency_key, parse_request, request_hash
from tollgate.tasks.routing import chooser
from tollgate.webhooks.receivers import check_host

# The refusals of a request that can follow from a change since an earlier one: of the price, or of the
# account's routing policy.
REFUSALS = (MaxCostExceededError, PriceChangedError, ForbiddenError, InvalidInputError)


class MediaProber(Protocol):
    """Reads the properties of media without reading it whole."""

    def probe(self, urls: Sequence[str]) -> Mapping[str, ProbeResult]:
        """Return for each URL the media's properties, or the reason why they are unknown."""


@dataclass(frozen=True, slots=True)
class TaskService:
    """Estimates, creates and shows tasks."""

    tasks: TaskRepository
    ledger: LedgerRepository
    idempotency: IdempotencyStore
    catalog: Catalog
    webhook_guard: AddressGuard
    prober: MediaProber
    inputs: InputStore
    reader: TaskReader
    charges: TaskCharges
    queue: Callable[[], Queue]
    clock: Clock
    known: KnownProviders = NO_PROVIDERS

    def estimate(self, account_id: str, body: Mapping[str, Any], key: ApiKey | None) -> EstimateView:
        """Return the `data` of an estimate: exactly what create would debit, in cents.

        `key` is that of `create_copies`.
        """
        (priced,) = self.priced(account_id, {"": body}, key)
        price = priced.marked_up(self.charges.markup_percent(account_id, now=True)).price
        self.check_routes(account_id, {"": priced})
        return {
            "model": priced.request.model.id,
            "price": price.charge_cents,
            "currency": "USD",
            "breakdown": price.breakdown,
            "priceVersion": price.price_version,
        }

    def create(
        self,
        account_id: str,
        body: Mapping[str, Any],
        idempotency_key: str | None,
        key: ApiKey | None,
        attribution: Attribution,
    ) -> CreatedTaskView:
        """Charge and queue a generation; return the `data` of the contract's task creation result.

        Parameters and errors are those of `create_copies`.
        """
        return self.create_copies(account_id, body, idempotency_key, key, attribution)[0]

    def create_copies(
        self,
        account_id: str,
        body: Mapping[str, Any],
        idempotency_key: str | None,
        key: ApiKey | None,
        attribution: Attribution,
        *,
        copies: int = 1,
    ) -> list[CreatedTaskView]:
        """Charge and queue several generations of the same input, all or none; return a result for each.

        `key` is the caller's key, with its models, its spending cap and a run token's budget. Members and
        operators act for the whole account: their key is `None`. The labels in `attribution` decide which
        budgets count the charge. Neither has a default, because a call without it would skip these limits.
        Raises the errors of `parse_request`, `MaxCostExceededError`, `PriceChangedError`, the errors of the
        charge, and for the Idempotency-Key `IdempotencyKeyReusedError` and
        `IdempotencyConflictError`. When it raises, nothing was charged.
        """
        check_idempotency_key(idempotency_key)
        (priced,) = self.priced(account_id, {"": body}, key)
        self.check_accepted(account_id, [priced])
        # One time for the task, its charge, its deadline and the windows that count it.
        now_ms = self.clock.now_ms()
        body_hash = request_hash(body if copies == 1 else {**body, "copies": copies})
        allowance = None if key is None else key.allowance(now_ms)
        spender = Spender(None, attribution) if key is None else key.spender(attribution)

        def charge() -> list[CreatedTaskView]:
            percent = self.charges.markup_percent(account_id)
            marked = priced.marked_up(percent)
            try:
                if (refusal := marked.refusal()) is not None:
                    raise refusal
                tasks = [marked.task(account_id, now_ms, allowance, spender) for _ in range(copies)]
                choices = [marked.choose] * copies
                wanted = Purchase(account_id, now_ms, tasks, choices, markup_percent=percent)
                return self._charge_once(wanted, idempotency_key, body_hash, allowance, spender)
            except REFUSALS as exc:
                return self._repeated_or(
                    exc, account_id, idempotency_key, spender, body_hash=body_hash, percent=percent
                )

        created = retry_change(charge, MarkupChangedError, what="The mark-up of this account is")
        # Only after the charge, so unpaid requests leave no files. A crash in between ends in a refund,
        # because the provider finds no file; a repeat with the same Idempotency-Key stores it after all.
        self.inputs.store(priced.files)
        return created

    def check_accepted(self, account_id: str, wanted: Sequence[PricedTask]) -> None:
        """Check what no price depends on: the hosts of webhooks, and the room for files.

        Raises `InvalidInputError`.
        """
        for one in wanted:
            if one.request.webhook is not None:
                check_host("/webhook", one.request.webhook, self.webhook_guard)
        # Before the charge: without room for the files, the customer would pay and wait for the refund.
        if any(one.files for one in wanted):
            self.inputs.uploads.check_quota(account_id)

    def buy(
        self, wanted: Purchase, others: Others, allowance: Allowance | None, spender: Spender
    ) -> Purchase:
        """Write tasks, charges and hold in one transaction with the others; return them as placed.

        Raises as `TaskCharges.charge` does.
        """
        # A cap's counter of this period must exist before a charge can be added to it: a transaction cannot
        # write the same row twice.
        if allowance is not None:
            self.ledger.open_counter(wanted.account_id, allowance, wanted.at_ms)
        placed = self.charges.charge(wanted, others, allowance, spender)
        for task in placed.tasks:
            logger.info(
                "task.created", task_id=task.task_id, model=task.model, charge_micro_usd=task.charge_micro_usd
            )
        return placed

    def cancel(self, caller: Caller, task_id: str) -> TaskView:
        """Request the end of a task; return its status as it is now. Raises `TaskNotFoundError`.

        The worker ends it with a refund if no result will follow; an ended task stays unchanged.
        """
        task = self.reader.find(caller, task_id)
        # A worker decides, not this request: a submit may be running at this moment.
        if not task.ended:
            self.queue().send({"task_id": task_id, "cancel": 0})
        return self.reader.view(task)

    def priced(
        self,
        account_id: str,
        bodies: Mapping[str, Mapping[str, Any]],
        key: ApiKey | None,
        unknown: Collection[str] = (),
        results: Collection[str] = (),
    ) -> list[PricedTask]:
        """Check bodies, and price them. It reads the earlier tasks and the files that they name.

        `bodies` are by their JSON pointers in the request. Files at `unknown` URLs do not exist yet.
        `results` are stored URLs of the account's results, which may be private.
        Raises `InvalidInputError` with the problems of all of them, and the other errors of `create_copies`.
        """
        read, problems = [], list[Problem]()
        for pointer, body in bodies.items():
            with below(pointer, problems):
                read.append((pointer, *self._read(account_id, body, key, results)))
        _check(problems)
        # All media of all bodies at once.
        probed = self._probed([(request, files) for _, request, _, files in read], unknown)
        priced = []
        for pointer, request, origin, files in read:
            with below(pointer, problems):
                price, is_exact, measured = self._quote(request, probed, pointer, unknown)
                wishes = NO_WISHES if key is None else key.routing
                choose = chooser(request, price, origin, wishes, self.known)
                priced.append(PricedTask(request, origin, files, price, measured, choose, is_exact))
        _check(problems)
        return priced

    def check_routes(self, account_id: str, priced: Mapping[str, PricedTask]) -> None:
        """Raise the errors of tasks, by their JSON pointers, whose wishes leave them no provider.

        A policy of the account that this process does not know yet applies when the task is created.
        """
        problems: list[Problem] = []
        account = self.charges.budgets.routing(account_id)
        for pointer, one in priced.items():
            with below(pointer, problems):
                one.choose(account)
        _check(problems)

    def _read(
        self, account_id: str, body: Mapping[str, Any], key: ApiKey | None, results: Collection[str]
    ) -> tuple[CreateRequest, Origin | None, Sequence[InputFile]]:
        """Check a body; read the earlier tasks that it names, and take out the media inside it."""
        caller = Caller.of_account(account_id) if key is None else key.caller
        with_urls, files = self.inputs.read(caller, body, results)
        request = parse_request(with_urls, self.catalog, self.webhook_guard, self.known)
        _check(list(kind_problems(with_urls["input"], request.model, self.inputs.kind_of)))
        if key is not None:
            key.check_model(request.model.id)
        origin = find_origin(caller, request.model, request.checked.values, self.tasks.get)
        return request, origin, files

    def _repeated_or(
        self,
        refusal: TollgateError,
        account_id: str,
        idempotency_key: str | None,
        spender: Spender,
        *,
        body_hash: str,
        percent: int,
    ) -> list[CreatedTaskView]:
        """Return the tasks of an earlier request with this key.

        The price may have changed since, or the account's routing policy.
        Raises `refusal` if there is none, or `MarkupChangedError` if the price had an old mark-up.
        """
        now_ms = self.clock.now_ms()
        caller = Caller(account_id, spender.attribution.token)
        key_used = idempotency_key and self.idempotency.earlier(caller, idempotency_key, now_ms)
        if key_used:
            return _repeated(key_used, body_hash)
        if percent and self.charges.markup_percent(account_id, now=True) != percent:
            raise MarkupChangedError
        raise refusal

    def _charge_once(
        self,
        wanted: Purchase,
        key: str | None,
        body_hash: str,
        allowance: Allowance | None,
        spender: Spender,
    ) -> list[CreatedTaskView]:
        """Write charges and tasks in one transaction, or find the tasks that `key` created before."""
        # The key comes first: a repeat returns its tasks, even if the balance has changed since.
        tasks = wanted.tasks
        remember = [] if key is None else [self.idempotency.remember(tasks, key, body_hash)]
        try:
            self.buy(wanted, lambda *_: remember, allowance, spender)
        except AlreadyCreatedError as exc:
            return _repeated(exc, body_hash)
        except WriteConflictError as exc:
            if key is not None:
                raise IdempotencyConflictError from exc
            raise ConcurrencyLimitedError("Too many requests of this account at the same time.") from exc
        return [_created(task.task_id, wanted.at_ms) for task in tasks]

    def _probed(
        self, wanted: Sequence[tuple[CreateRequest, Sequence[InputFile]]], unknown: Collection[str]
    ) -> Mapping[str, ProbeResult]:
        """Return the facts of all media whose length or size affects a price, by their URLs."""
        # Media inside a request is not stored yet: the prober gets it as it came. The customer's uploads are
        # private, so the prober gets them signed.
        inside = {file.url: file.uri for _, files in wanted for file in files}
        requests = [one for request, _ in wanted for one in request.model.probes(request.checked)]
        urls = [one.url for one in known_of(requests, unknown)]
        read_at = {url: inside.get(url) or self.inputs.readable_url(url) for url in urls}
        probed = self.prober.probe(list(read_at.values()))
        return {url: probed[address] for url, address in read_at.items()}

    def _quote(
        self,
        request: CreateRequest,
        probed: Mapping[str, ProbeResult],
        pointer: str,
        unknown: Collection[str],
    ) -> tuple[Quote, bool, dict[str, dict[str, Any]]]:
        """Price a request, which is at a pointer, with the facts of its media: nothing is guessed.

        The second result is whether the price is exact. The third one has the facts of each file that affects
        the price and that others can replace.
        """
        model, checked = request.model, request.checked
        probes = model.probes(checked)
        wanted = known_of(probes, unknown)
        found = {one.url: probed[one.url] for one in wanted}
        unreadable = {url: facts for url, facts in found.items() if isinstance(facts, ProbeError)}
        if unreadable:
            problems = [
                Problem(one.path, unreadable[one.url].message) for one in wanted if one.url in unreadable
            ]
            # Slow may be the customer's server or this service, and the next attempt may be faster.
            if all(each.code is ProbeCode.TOO_SLOW for each in unreadable.values()):
                raise MediaTimeoutError([replace(each, path=pointer + each.path) for each in problems])
            raise InvalidInputError(problems)
        facts = {url: facts for url, facts in found.items() if isinstance(facts, ProbedMedia)}
        measured = model.check_media(checked, facts, unknown)
        foreign = {
            url: one.body()
            for url, one in facts.items()
            if measured != NOTHING_MEASURED and not self.inputs.is_ours(url)
        }
        missing = [one for one in probes if one.url in unknown]
        price, is_exact = most_of(model, checked, measured, missing)
        return price, is_exact, foreign


@contextmanager
def below(pointer: str, problems: list[Problem]) -> Iterator[None]:
    """Collect the problems of a body that is at a pointer of the request. The whole request's are raised."""
    try:
        yield
    except InvalidInputError as exc:
        if not pointer:
            raise
        problems += [replace(problem, path=pointer + problem.path) for problem in exc.problems]


def _check(problems: list[Problem]) -> None:
    if problems:
        raise InvalidInputError(problems)


def _repeated(earlier: AlreadyCreatedError, body_hash: str) -> list[CreatedTaskView]:
    """Return the tasks that a key created before. Raises `IdempotencyKeyReusedError` if its body differs."""
    if earlier.request_hash != body_hash:
        raise IdempotencyKeyReusedError from earlier
    logger.info("task.repeated", task_id=earlier.task_ids[0])
    return [_created(task_id, earlier.created_at_ms) for task_id in earlier.task_ids]


def _created(task_id: str, created_at_ms: int) -> CreatedTaskView:
    return {"taskId": task_id, "status": "not_started", "createdAt": iso(created_at_ms)}
