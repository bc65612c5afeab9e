"""One error of each class that a customer can receive."""

from tests.support.samples import PAID_IMAGE
from tollgate.accounts import errors as accounts
from tollgate.budgets import errors as budgets
from tollgate.kit import errors as kit
from tollgate.kit.errors import TollgateError
from tollgate.kit.problems import Problem
from tollgate.ledger import errors as ledger
from tollgate.payments import errors as payments
from tollgate.projects import errors as projects
from tollgate.quotes import errors as quotes
from tollgate.run_tokens import errors as run_tokens
from tollgate.subaccounts import errors as subaccounts
from tollgate.tasks import errors as tasks
from tollgate.text.wire import errors as text
from tollgate.webhooks import errors as webhooks
from tollgate.workflows import errors as workflows

TASK = f"task_{'1' * 26}"
TIME = "2026-12-01T00:00:00.000Z"

_OTHERS: tuple[TollgateError, ...] = (
    kit.InvalidInputError([Problem("/model", "Required.")]),
    tasks.MaxCostExceededError(12, 10),
    payments.InvalidSignatureError(),
    accounts.InvalidApiKeyError(),
    ledger.InsufficientBalanceError(30, 100),
    ledger.SpendingCapReachedError(500, 480, 25, resets_at=TIME),
    ledger.BudgetReachedError("bud_1", "Free users", 100, 3, 5, scope="user", value="alice", resets_at=TIME),
    ledger.QuoteExhaustedError("quo_1", 1_000, 25_000),
    kit.ForbiddenError("This API key has no 'media' scope.", "Use another key."),
    ledger.AccountSuspendedError(),
    kit.RouteNotFoundError("POST", "/api/v1/chat/completions"),
    tasks.TaskNotFoundError(),
    accounts.KeyNotFoundError(),
    budgets.BudgetNotFoundError(),
    projects.ProjectNotFoundError(),
    run_tokens.TokenNotFoundError(),
    workflows.WorkflowNotFoundError(),
    ledger.QuoteNotFoundError(),
    webhooks.DeliveryNotFoundError(),
    kit.UploadNotFoundError(),
    kit.RequestNotFoundError(),
    kit.UserNotFoundError(),
    kit.ModelNotFoundError(),
    kit.MethodNotAllowedError(["POST"]),
    tasks.IdempotencyConflictError(),
    budgets.BudgetLimitReachedError("This account has 50 budgets, the most allowed."),
    ledger.KeyLimitReachedError("This account has 100 API keys, the most allowed."),
    projects.ProjectInUseError(),
    subaccounts.SubaccountNotFoundError(),
    ledger.SubaccountClosedError(),
    subaccounts.SubaccountLimitReachedError("This account has 10,000 sub-accounts, the most allowed."),
    projects.ProjectLimitReachedError("This account has 100 projects, the most allowed."),
    run_tokens.TokenLimitReachedError(
        "This account has created 5,000 run tokens, the most allowed in an hour."
    ),
    tasks.PriceChangedError(2, "4409a782a6842a19"),
    ledger.QuoteEndedError("quo_1", "has expired"),
    ledger.QuoteNotCreatedError("quo_1"),
    quotes.QuotePriceChangedError("quo_1", 10_000, 20_000),
    quotes.QuoteLimitReachedError("This account has created 1,000 quotes in this hour, the most allowed."),
    webhooks.RedeliveryLimitError(20),
    accounts.RotationInProgressError(TIME),
    tasks.TaskNotEndedError(TASK),
    kit.PayloadTooLargeError(1024),
    kit.IdempotencyKeyReusedError(),
    kit.ConcurrencyLimitedError("This account has 100 text requests running, the most allowed."),
    ledger.RateLimitedError(600),
    kit.InternalError(),
    tasks.GenerationFailedError(TASK, f"The task of {PAID_IMAGE} failed."),
    tasks.ContentBlockedError(TASK, "The provider refused the content. Refunded in full."),
    tasks.InputRejectedError(TASK, "The provider refused the input. Refunded in full."),
    tasks.TaskPendingError(TASK),
    tasks.MediaTimeoutError([Problem("/input/videoUrls/0", "The file's header did not arrive in time.")]),
    payments.PaymentUnavailableError(),
    kit.StorageBusyError(),
)
_TEXT: tuple[TollgateError, ...] = (
    text.ProviderError(),
    text.ProviderUnavailableError(),
    text.UpstreamTimeoutError(),
    text.ResponseNotFoundError("resp_1"),
    text.ConversationNotFoundError("conv_1"),
    text.BatchNotFoundError("batch_1"),
    text.BatchLimitReachedError(),
    text.StoreFullError(),
    text.RequestEndedError(),
)
OTHER_ERRORS = {error.code: error for error in _OTHERS}
SAMPLE_ERRORS = {error.code: error for error in (*_OTHERS, *_TEXT)}
WITH_NEXT_STEP = (402, 403, 409, 422, 429)
"""The statuses whose message states what the client can do. Each needs more than a corrected request."""
