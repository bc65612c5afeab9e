"""Whatever runs at once, an account never gets more work than it has money for, and the books agree."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from local.machine.service import FIRST_ACCOUNT_CENTS, PROVIDERS
from tests.support.samples import PAID_IMAGE
from tests.support.tasks import create_task, estimated_cents
from tests.unit.catalog.strategies import valid_inputs
from tollgate.accounts.service import OpenedAccount
from tollgate.catalog.loader import Catalog
from tollgate.composition import api as api_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.audit import audit
from tollgate.ledger.errors import InsufficientBalanceError
from tollgate.providers.runtime.registry import MappingNames
from tollgate.tasks.followups import FIELDS as FOLLOW_UP_FIELDS
from tollgate.tasks.step import StepResult

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("ministack"),
    pytest.mark.usefixtures("service"),
]

THREADS = 16
REJECTED = {"model": PAID_IMAGE, "input": {"prompt": "[[reject]]", "size": "1:1"}}


def open_account(cents: int) -> OpenedAccount:
    """Return an account with money on it."""
    return api_parts.api().accounts.open(micro_usd_of_cents(cents))


def books_agree(account_id: str) -> bool:
    """Return whether the balance equals the sum of the ledger."""
    account = api_parts.api().accounts.me(account_id)
    entries = run_task_parts.step_runner().ledger.entries(account_id)
    return audit(account_id, account.balance_micro_usd, entries, account.holds) is None


class TestParallelCreates:
    def test_of_200_creates_with_money_for_50_exactly_50_are_accepted(self) -> None:
        customer = open_account(50)

        def create(_: int) -> str:
            try:
                return str(create_task(customer.account_id, REJECTED)["taskId"])
            except InsufficientBalanceError:
                return "refused"

        with ThreadPoolExecutor(THREADS) as pool:
            outcomes = Counter(pool.map(create, range(200)))
        assert outcomes.pop("refused") == 150
        assert len(outcomes) == 50
        account = api_parts.api().accounts.me(customer.account_id)
        assert (account.balance_micro_usd, account.open_tasks) == (0, 50)
        assert books_agree(customer.account_id)

    def test_one_key_sent_by_16_threads_at_once_makes_one_task(self) -> None:
        customer = open_account(50)
        with ThreadPoolExecutor(THREADS) as pool:
            made = list(
                pool.map(
                    lambda _: create_task(customer.account_id, REJECTED, "k")["taskId"],
                    range(THREADS),
                )
            )
        assert len(set(made)) == 1
        assert api_parts.api().accounts.me(customer.account_id).view()["balance"] == 49


class TestParallelSteps:
    def test_the_same_message_handled_by_16_workers_ends_a_task_once_with_one_refund(self) -> None:
        customer = open_account(1)
        task_id = str(create_task(customer.account_id, REJECTED)["taskId"])
        runner = run_task_parts.step_runner()
        results: list[StepResult] = []
        for _ in range(20):
            task = runner.tasks.get(task_id)
            assert task is not None
            if task.ended:
                break
            with ThreadPoolExecutor(THREADS) as pool:
                results += [
                    stepped.result
                    for stepped in pool.map(lambda seq: runner.run(task_id, seq), [task.seq] * THREADS)
                ]
        assert Counter(results)[StepResult.ENDED] == 1
        assert api_parts.api().accounts.me(customer.account_id).view()["balance"] == 1
        assert books_agree(customer.account_id)

    def test_creates_and_ends_of_one_account_at_once_keep_the_books(self) -> None:
        customer = open_account(30)
        runner = run_task_parts.step_runner()

        def live(_: int) -> str:
            try:
                task_id = str(create_task(customer.account_id, REJECTED)["taskId"])
            except (InsufficientBalanceError, WriteConflictError) as exc:
                return type(exc).__name__
            seq, ended = 0, False
            while not ended:
                stepped = runner.run(task_id, seq)
                assert stepped.task is not None
                seq, ended = stepped.task.seq, stepped.task.ended
            return "ended"

        with ThreadPoolExecutor(THREADS) as pool:
            outcomes = Counter(pool.map(live, range(80)))
        assert outcomes["ended"] >= 30
        account = api_parts.api().accounts.me(customer.account_id)
        # Every one of them was rejected, so every cent is back.
        assert (account.view()["balance"], account.open_tasks) == (30, 0)
        assert books_agree(customer.account_id)


class TestEstimateIsTheDebit:
    @pytest.mark.parametrize("model_id", [PAID_IMAGE, "seedance-1.5-pro", "suno"])
    def test_for_random_valid_inputs_the_balance_drops_by_the_estimate(self, model_id: str) -> None:
        """On real tables; over every model by `tests/unit/tasks/test_estimate_is_the_debit.py`."""
        model = Catalog.shipped().with_live(frozenset(PROVIDERS), MappingNames()).media_model(model_id)
        customer = open_account(100 * FIRST_ACCOUNT_CENTS)

        @settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(valid_inputs(model))
        def drops_by_the_estimate(values: dict[str, Any]) -> None:
            assume(not any(values.get(name) for name in FOLLOW_UP_FIELDS))  # there is no task to follow
            body = {"model": model_id, "input": values}
            api = api_parts.api()
            before = api.accounts.me(customer.account_id).view()["balance"]
            try:
                price = estimated_cents(customer.account_id, body)
            except InvalidInputError:
                # Each field is valid, and no single provider takes all of them together.
                with pytest.raises(InvalidInputError, match="No provider takes this"):
                    create_task(customer.account_id, body)
                assert api.accounts.me(customer.account_id).view()["balance"] == before
                return
            create_task(customer.account_id, body)
            after = api.accounts.me(customer.account_id).view()["balance"]
            assert isinstance(before, int)
            assert before - price == after

        drops_by_the_estimate()
        assert books_agree(customer.account_id)


class TestRandomLives:
    def test_many_accounts_with_little_money_never_go_negative(self) -> None:
        customers = [open_account(random.randint(0, 5)) for _ in range(10)]  # noqa: S311 - not a secret
        prompts = ("fine", "[[reject]]", "[[status 429]]")

        def create(n: int) -> None:
            customer = customers[n % len(customers)]
            body = {"model": PAID_IMAGE, "input": {"prompt": prompts[n // 20 % 3], "size": "1:1"}}
            try:
                create_task(customer.account_id, body, f"key-{n // 20}")
            except InsufficientBalanceError:
                return

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(create, range(200)))
        for customer in customers:
            assert api_parts.api().accounts.me(customer.account_id).balance_micro_usd >= 0
            assert books_agree(customer.account_id)
