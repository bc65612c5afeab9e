"""One error of each class that a customer can receive."""

from tests.support.samples import PAID_IMAGE
from tollgate.kit import errors as kit
from tollgate.kit.errors import Problem, TollgateError
from tollgate.text import errors as text

TASK = f"task_{'1' * 26}"
TIME = "2026-12-01T00:00:00.000Z"

_KIT: tuple[TollgateError, ...] = (
    kit.InvalidInputError([Problem("/model", "Required.")]),
    kit.MaxCostExceededError(12, 10),
    kit.InvalidSignatureError(),
    kit.InvalidApiKeyError(),
    kit.InsufficientBalanceError(30, 100),
    kit.SpendingCapReachedError(500, 480, 25, resets_at=TIME),
    kit.BudgetReachedError("bud_1", "Free users", 100, 3, 5, scope="user", value="alice", resets_at=TIME),
    kit.QuoteExhaustedError("quo_1", 1_000, 25_000),
    kit.ForbiddenError("This API key has no 'media' scope.", "Use another key."),
    kit.AccountSuspendedError(),
    kit.RouteNotFoundError("POST", "/api/v1/chat/completions"),
    kit.TaskNotFoundError(),
    kit.KeyNotFoundError(),
    kit.BudgetNotFoundError(),
    kit.ProjectNotFoundError(),
    kit.TokenNotFoundError(),
    kit.WorkflowNotFoundError(),
    kit.QuoteNotFoundError(),
    kit.DeliveryNotFoundError(),
    kit.UploadNotFoundError(),
    kit.RequestNotFoundError(),
    kit.UserNotFoundError(),
    kit.ModelNotFoundError(),
    kit.MethodNotAllowedError(["POST"]),
    kit.IdempotencyConflictError(),
    kit.BudgetLimitReachedError("This account has 50 budgets, the most allowed."),
    kit.KeyLimitReachedError("This account has 100 API keys, the most allowed."),
    kit.ProjectInUseError(),
    kit.SubaccountNotFoundError(),
    kit.SubaccountClosedError(),
    kit.SubaccountLimitReachedError("This account has 10,000 sub-accounts, the most allowed."),
    kit.ProjectLimitReachedError("This account has 100 projects, the most allowed."),
    kit.TokenLimitReachedError("This account has created 5,000 run tokens in this hour, the most allowed."),
    kit.PriceChangedError(2, "4409a782a6842a19"),
    kit.QuoteEndedError("quo_1", "has expired"),
    kit.QuoteNotCreatedError("quo_1"),
    kit.QuotePriceChangedError("quo_1", 10_000, 20_000),
    kit.QuoteLimitReachedError("This account has created 1,000 quotes in this hour, the most allowed."),
    kit.RedeliveryLimitError(20),
    kit.RotationInProgressError(TIME),
    kit.TaskNotEndedError(TASK),
    kit.PayloadTooLargeError(1024),
    kit.IdempotencyKeyReusedError(),
    kit.ConcurrencyLimitedError("This account has 100 text requests running, the most allowed."),
    kit.RateLimitedError(600),
    kit.InternalError(),
    kit.GenerationFailedError(TASK, f"The task of {PAID_IMAGE} failed."),
    kit.TaskPendingError(TASK),
    kit.MediaTimeoutError([Problem("/input/videoUrls/0", "The file's header did not arrive in time.")]),
    kit.PaymentUnavailableError(),
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
KIT_ERRORS = {error.code: error for error in _KIT}
SAMPLE_ERRORS = {error.code: error for error in (*_KIT, *_TEXT)}
WITH_NEXT_STEP = (402, 403, 409, 422, 429)
"""The statuses whose message states what the client can do. Each needs more than a corrected request."""
