"""Every error a customer can meet: unique, complete, and of one shape."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.sample_errors import SAMPLE_ERRORS, WITH_NEXT_STEP
from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.kit.errors import (
    TYPES,
    ConcurrencyLimitedError,
    InvalidInputError,
    MethodNotAllowedError,
    PayloadTooLargeError,
    RouteNotFoundError,
    TollgateError,
)
from tollgate.kit.problems import MAX_PROBLEMS, Problem, unknown_fields
from tollgate.ledger.errors import (
    BudgetReachedError,
    InsufficientBalanceError,
    QuoteExhaustedError,
    QuoteNotCreatedError,
    SpendingCapReachedError,
)
from tollgate.reference.errors import MODULES, errors_of
from tollgate.tasks.errors import IdempotencyConflictError, MaxCostExceededError, TaskNotFoundError
from tollgate.text.wire import errors as text_errors


def subclasses(parent: type[TollgateError]) -> Iterator[type[TollgateError]]:
    for child in parent.__subclasses__():
        yield child
        yield from subclasses(child)


def waiting_cap(spent: int, required: int, *, waiting_helps: bool) -> SpendingCapReachedError:
    return SpendingCapReachedError(
        100, spent, required, resets_at="2026-12-01T00:00:00.000Z", waiting_helps=waiting_helps
    )


ERRORS = [error for module in MODULES if module is not text_errors for error in errors_of(module)]

STATUSES = {
    # site/errors.md; the two of the HTTP server itself, 404 and 405, beside them.
    "invalid_input": 400,
    "max_cost_exceeded": 400,
    "invalid_api_key": 401,
    "insufficient_balance": 402,
    "forbidden": 403,
    "not_found": 404,
    "task_not_found": 404,
    "user_not_found": 404,
    "model_not_found": 404,
    "method_not_allowed": 405,
    "idempotency_conflict": 409,
    "payload_too_large": 413,
    "idempotency_key_reused": 422,
    "concurrency_limited": 429,
    "internal_error": 500,
}


class TestEveryError:
    @pytest.mark.parametrize("error", ERRORS)
    def test_status_type_and_code_are_set_and_it_says_what_it_is(self, error: type[TollgateError]) -> None:
        assert 400 <= error.status <= 599
        assert error.code == error.code.lower()
        assert error.code.replace("_", "").isalpha()
        assert TYPES[error.status].isalpha()
        assert TYPES[error.status][0].isupper()
        assert error.__doc__

    def test_codes_are_unique(self) -> None:
        codes = [error.code for error in ERRORS]
        assert sorted(codes) == sorted(set(codes))

    def test_each_published_code_has_its_status(self) -> None:
        found = {error.code: error.status for error in ERRORS}
        assert {code: found.get(code) for code in STATUSES} == STATUSES


class TestNextStep:
    def test_there_is_a_sample_of_every_error(self) -> None:
        ours = [error for error in subclasses(TollgateError) if error.__module__.startswith("tollgate.")]
        assert SAMPLE_ERRORS.keys() == {error.code for error in ours}

    @pytest.mark.parametrize("error", SAMPLE_ERRORS.values(), ids=SAMPLE_ERRORS)
    def test_is_the_last_sentence_of_the_message(self, error: TollgateError) -> None:
        assert (error.next_step != "") == (error.status in WITH_NEXT_STEP)
        assert error.message.endswith(error.next_step)
        assert error.message != error.next_step

    @pytest.mark.parametrize("error", [InsufficientBalanceError, waiting_cap])
    def test_depends_on_whether_waiting_helps(self, error: Any) -> None:
        helps, does_not = (error(30, 100, waiting_helps=helps).next_step for helps in (True, False))
        assert "running requests have ended" in helps
        assert "running requests" not in does_not
        assert does_not.startswith(("Add credit", "Wait until"))
        assert [error(30, 100, waiting_helps=helps).extra()["waitingHelps"] for helps in (True, False)] == [
            True,
            False,
        ]

    @pytest.mark.parametrize(
        ("scope", "value", "resets_at", "what", "step"),
        [
            ("account", "", None, "budget Pilot has", "Ask the owner of the account to raise the budget."),
            (
                "user",
                "alice",
                "Monday",
                "budget Pilot for user alice has",
                "Wait until Monday, or ask the owner",
            ),
            ("run", "", "Monday", "run token Pilot has", "Continue with a new run token."),
        ],
    )
    def test_of_a_budget_depends_on_its_scope_and_its_period(
        self, scope: str, value: str, resets_at: str | None, what: str, step: str
    ) -> None:
        error = BudgetReachedError(
            "bud_1", "Pilot", 500, 20, 25, scope=scope, value=value, resets_at=resets_at
        )
        sentence = f"The {what} $0.20 of $5.00 left, and this request costs $0.25. {step}"
        assert error.message.startswith(sentence)
        assert error.extra() == {
            "budgetId": "bud_1",
            "budgetName": "Pilot",
            "scope": scope,
            "value": value,
            "limitCents": 500,
            "leftCents": 20,
            "requiredCents": 25,
            "resetsAt": resets_at,
        }

    def test_of_a_quote_names_it(self) -> None:
        assert "/api/v1/quotes/quo_1/create" in QuoteNotCreatedError("quo_1").next_step
        error = QuoteExhaustedError("quo_1", 1_500_000, 2_000_000)
        assert "quo_1" in error.message
        assert error.extra() == {"quoteId": "quo_1", "leftMicroUsd": 1_500_000, "requiredMicroUsd": 2_000_000}


class TestBody:
    def test_it_has_the_contracts_shape(self) -> None:
        assert TaskNotFoundError().body() == {
            "code": 404,
            "error": {"message": "Task not found.", "type": "NotFound", "code": "task_not_found"},
        }

    def test_insufficient_balance_says_what_is_there_and_what_is_missing(self) -> None:
        error = InsufficientBalanceError(balance_cents=30, required_cents=100)
        assert error.extra() == {"balanceCents": 30, "requiredCents": 100, "shortfallCents": 70}

    def test_max_cost_exceeded_says_the_cost(self) -> None:
        assert MaxCostExceededError(cost_cents=12, max_cost_cents=10).body()["error"]["costCents"] == 12

    def test_a_cap_that_is_reached_says_what_was_spent_and_when_it_starts_anew(self) -> None:
        error = SpendingCapReachedError(500, 480, 25, resets_at="2026-12-01T00:00:00.000Z")
        assert error.extra() == {
            "capCents": 500,
            "spentCents": 480,
            "requiredCents": 25,
            "resetsAt": "2026-12-01T00:00:00.000Z",
        }

    def test_the_limit_of_a_body_is_named(self) -> None:
        assert "1,024 bytes" in PayloadTooLargeError(1024).message

    def test_every_problem_of_an_input_is_listed_and_the_first_is_in_the_message(self) -> None:
        problems = [Problem("/input/size", "Not allowed.", ["1:1"]), Problem("", "Something else.")]
        error = InvalidInputError(problems)
        shown: dict[str, Any] = json.loads(json.dumps(error.body()))["error"]
        assert shown["message"] == "/input/size: Not allowed. (and 1 more, see details)"
        assert shown["details"] == [
            {"path": "/input/size", "message": "Not allowed.", "allowed": ["1:1"]},
            {"path": "", "message": "Something else."},
        ]

    def test_a_single_problem_of_the_whole_body_is_shown_at_the_root(self) -> None:
        assert InvalidInputError([Problem("", "Broken.")]).message == "Broken."

    def test_amounts_are_in_dollars(self) -> None:
        message = MaxCostExceededError(cost_cents=1, max_cost_cents=0).message
        assert message == "This request costs $0.01, more than its maxCostCents allows: $0.00."
        assert InsufficientBalanceError(123_456, 123_457).message == (
            "The balance of $1,234.56 does not cover this request, which costs $1,234.57. "
            "Add credit in the dashboard, or ask the operator of this service for it."
        )
        assert "this request costs $0.01." in SpendingCapReachedError(2, 2, 1, resets_at="later").message


class TestBounds:
    def test_fifty_problems_are_listed_and_the_others_counted(self) -> None:
        error = InvalidInputError([Problem(f"/{n}", "Unknown field.", ["model"]) for n in range(10_000)])
        assert len(error.body()["error"]["details"]) == MAX_PROBLEMS == 50
        assert error.message == "/0: Unknown field. (and 49 more, see details, and 9,950 more)"

    @given(
        st.lists(
            st.builds(Problem, st.text(max_size=300), st.text(max_size=2_000), st.text(max_size=9_000)),
            min_size=1,
            max_size=70,
        )
    )
    def test_an_error_stays_below_64_kb_whatever_it_says_again(self, problems: list[Problem]) -> None:
        assert len(json.dumps(InvalidInputError(problems).body())) < 64 * 1024

    def test_a_megabyte_of_one_name_is_cut(self) -> None:
        (problem,) = unknown_fields({"x" * 1_000_000: 1}, ["model"])
        body = InvalidInputError([problem]).body()["error"]
        assert body["details"][0]["path"] == "/" + "x" * 198 + "…"
        assert len(json.dumps(body)) < 1_000

    def test_a_path_that_was_asked_for_is_cut_and_says_nothing_that_cannot_be_printed(self) -> None:
        assert RouteNotFoundError("POST", "/x").message == "No such endpoint: POST /x."
        assert len(RouteNotFoundError("GET", "/" + "x" * 9_000).message) < 200
        assert RouteNotFoundError("GET", "/a\nb").message == "No such endpoint."


class TestMethod:
    def test_the_right_one_is_named_and_allowed(self) -> None:
        error = MethodNotAllowedError({"POST", "GET"})
        assert error.message == "Use GET or POST for this endpoint."
        assert error.headers() == {"Allow": "GET, POST"}


class TestHeaders:
    def test_a_wrong_key_is_answered_with_the_challenge(self) -> None:
        challenge = 'Bearer realm="tollgate", error="invalid_token"'
        assert InvalidApiKeyError().headers() == {"WWW-Authenticate": challenge}

    @pytest.mark.parametrize("error", [ConcurrencyLimitedError("Too many."), IdempotencyConflictError()])
    def test_what_may_be_tried_again_says_when(self, error: TollgateError) -> None:
        assert int(error.headers()["Retry-After"]) >= 1

    def test_what_may_not_be_tried_again_says_nothing(self) -> None:
        assert TaskNotFoundError().headers() == {}
