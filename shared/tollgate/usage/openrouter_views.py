"""What OpenRouter's clients read about an account, in OpenRouter's shapes. Pure.

Source: `GetCreditsResponse`, `GetCurrentKeyResponse`, `GenerationResponse` and `ActivityResponse` of the
package openrouter 1.3.84 (PyPI). Its types require every field, so a field without a meaning here is null, 0
or empty. Amounts are numbers in USD, with micro-USD as their last digit.
"""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from tollgate.accounts.keys import visible_prefix
from tollgate.accounts.models import ApiKey
from tollgate.kit.clock import iso, utc_day
from tollgate.kit.money import usd_number
from tollgate.kit.response_shapes import Date, Shape, Timestamp
from tollgate.ledger.budgets import ACCOUNT, KEY, BudgetPeriod, Use
from tollgate.ledger.caps import CapPeriod
from tollgate.usage.counts import Counts, DayCounts, total

# The provider of sums over several, and of requests that no provider answered.
SELLER = "Tollgate"
_RESETS = {CapPeriod.DAY: "daily", CapPeriod.MONTH: "monthly"}
_INTERVALS = {BudgetPeriod.DAY: "daily", BudgetPeriod.WEEK: "weekly", BudgetPeriod.MONTH: "monthly"}
# OpenRouter's names of the layers (`KeyBudgetScope`).
_SCOPES = {ACCOUNT: "workspace", "project": "workspace", KEY: "api_key"}
_MONTH_LENGTH = len("2026-11")


class CreditsView(Shape):
    """The credit of the account, in USD."""

    total_credits: float
    """All credit that was added."""
    total_usage: float
    """All charges less refunds. The difference is the balance, including open holds."""


class KeyRateLimitView(Shape):
    """Always -1. The headers `x-ratelimit-*` have the limit."""

    requests: int
    interval: str
    note: str


class KeyLimitView(Shape):
    """The spending cap of the key, or a budget that counts all its requests."""

    budget_id: str | None
    """Null for the spending cap."""
    guardrail_id: None
    scope: str
    """key_limit for the spending cap, workspace for budgets of the account or a project, api_key for budgets
    of keys, and user or tag:name for the fixed labels of a run token."""
    limit_usd: float
    spend_usd: float
    """With open holds."""
    remaining_usd: float
    reset_interval: str | None
    """daily, weekly or monthly; null if it never starts again."""
    resets_at: Timestamp | None
    include_byok: bool


class FreeRequestsView(Shape):
    """There are no free models, so there is no quota."""

    limit: int
    used: int
    remaining: int


class CurrentKeyView(Shape):
    """The key of the request, with its spending in USD. Days, weeks and months are UTC."""

    label: str
    limit: float | None
    """The spending cap; null if there is none."""
    limit_remaining: float | None
    limit_reset: str | None
    usage: float
    usage_daily: float
    usage_weekly: float
    """Since Monday."""
    usage_monthly: float
    byok_usage: float
    byok_usage_daily: float
    byok_usage_weekly: float
    byok_usage_monthly: float
    include_byok_in_limit: bool
    is_free_tier: bool
    is_management_key: bool
    """Whether the key has the scope `account`."""
    is_provisioning_key: bool
    creator_user_id: str | None
    organization_id: str | None
    workspace_id: str | None
    expires_at: Timestamp | None
    budgets: list[KeyLimitView]
    """The key's cap, and the budgets that count all its requests. A request with labels can have more."""
    effective_budget: KeyLimitView | None
    """The one with the least left."""
    free_model_daily_requests: FreeRequestsView
    allowed_data_regions: list[str]
    rate_limit: KeyRateLimitView


class GenerationRecordView(Shape):
    """A text request after its end, or a generation. Fields that Tollgate does not record are null."""

    id: str
    request_id: str
    model: str
    created_at: Timestamp
    total_cost: float
    """The charge in USD."""
    usage: float
    streamed: bool | None
    latency: float | None
    """Milliseconds until the first bytes of a streamed response, otherwise until its end."""
    generation_time: float | None
    """Milliseconds from the acceptance of the request to its end."""
    tokens_prompt: int
    tokens_completion: int
    native_tokens_prompt: int
    native_tokens_completion: int
    native_tokens_reasoning: int
    native_tokens_cached: int
    external_user: str | None
    provider_name: str
    cancelled: bool | None
    finish_reason: str | None
    native_finish_reason: str | None
    api_type: str | None
    app_id: int | None
    cache_discount: float | None
    data_region: str
    http_referer: str | None
    is_byok: bool
    moderation_latency: float | None
    native_tokens_completion_images: int | None
    num_fetches: int | None
    num_input_audio_prompt: int | None
    num_media_completion: int | None
    num_media_prompt: int | None
    num_search_results: int | None
    origin: str
    preset_id: str | None
    provider_responses: None
    router: str | None
    service_tier: str | None
    session_id: str | None
    upstream_id: str | None
    upstream_inference_cost: float | None
    user_agent: str | None
    web_search_engine: str | None
    workspace_id: str | None


class ActivityItemView(Shape):
    """The text requests and generations of one model on one UTC day."""

    date: Date
    model: str
    model_permaslug: str
    endpoint_id: str
    provider_name: str
    usage: float
    """Charges less refunds, in USD."""
    byok_usage_inference: float
    requests: int
    """Text requests and generations."""
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    cached_tokens: int


def net_micro_usd(counts: Counts) -> int:
    """Return the spending after refunds."""
    return counts.spent_micro_usd - counts.refunded_micro_usd


def credits_view(funds_micro_usd: int, days: Iterable[DayCounts]) -> CreditsView:
    """Return the credit of an account with this money, including open holds.

    The roll-up is seconds behind, so the total is made from the balance: the difference is always exact.
    """
    used = sum(net_micro_usd(total(day.by_model.values())) for day in days)
    return {"total_credits": usd_number(funds_micro_usd + used), "total_usage": usd_number(used)}


def key_view(
    key: ApiKey, now_ms: int, counters: Mapping[str, int], days: Mapping[str, DayCounts]
) -> CurrentKeyView:
    """Return the caller's key. `counters` are its account's (`ledger/caps.py`)."""
    today = utc_day(now_ms)
    first_of_week = _monday(today)
    spent = {day: net_micro_usd(counts.by_key.get(key.key_id, Counts())) for day, counts in days.items()}
    cap = _cap_view(key, now_ms, counters)
    is_manager = "account" in key.scopes
    return {
        "label": key.name or visible_prefix(key.key_id),
        "limit": cap["limit_usd"] if cap else None,
        "limit_remaining": cap["remaining_usd"] if cap else None,
        "limit_reset": cap["reset_interval"] if cap else None,
        "usage": usd_number(sum(spent.values())),
        "usage_daily": usd_number(spent.get(today, 0)),
        "usage_weekly": usd_number(sum(each for day, each in spent.items() if day >= first_of_week)),
        "usage_monthly": usd_number(
            sum(each for day, each in spent.items() if day[:_MONTH_LENGTH] == today[:_MONTH_LENGTH])
        ),
        "byok_usage": 0,
        "byok_usage_daily": 0,
        "byok_usage_weekly": 0,
        "byok_usage_monthly": 0,
        "include_byok_in_limit": False,
        "is_free_tier": False,
        "is_management_key": is_manager,
        "is_provisioning_key": is_manager,
        "creator_user_id": key.made_by,
        "organization_id": None,
        "workspace_id": None,
        "expires_at": None if key.expires_at_ms is None else iso(key.expires_at_ms),
        "budgets": [cap] if cap else [],
        "effective_budget": cap,
        "free_model_daily_requests": {"limit": 0, "used": 0, "remaining": 0},
        "allowed_data_regions": ["global"],
        "rate_limit": {"requests": -1, "interval": "1m", "note": "See the headers x-ratelimit-*."},
    }


def with_budgets(shown: CurrentKeyView, counted: Iterable[tuple[Use, int]]) -> CurrentKeyView:
    """Return the view with budgets and the spending that each has counted, in micro-USD."""
    budgets = [*shown["budgets"], *(_budget_view(use, spent) for use, spent in counted)]
    least = min(budgets, key=lambda each: each["remaining_usd"], default=None)
    return {**shown, "budgets": budgets, "effective_budget": least}


def _budget_view(use: Use, spent_micro_usd: int) -> KeyLimitView:
    budget, ends_ms = use.budget, use.ends_ms
    return {
        "budget_id": budget.budget_id,
        "guardrail_id": None,
        "scope": _SCOPES.get(budget.scope, budget.scope),
        "limit_usd": usd_number(budget.limit_micro_usd),
        "spend_usd": usd_number(spent_micro_usd),
        "remaining_usd": usd_number(max(0, budget.limit_micro_usd - spent_micro_usd)),
        "reset_interval": _INTERVALS.get(budget.per),
        "resets_at": None if ends_ms is None else iso(ends_ms),
        "include_byok": False,
    }


def with_run(shown: CurrentKeyView, limit_micro_usd: int, spent_micro_usd: int) -> CurrentKeyView:
    """Return the view of a run token's key: its limit, and its spending with open holds instead of the key's.

    A run token works for a day at most, so the amounts of all periods are those in total.
    """
    spent = usd_number(spent_micro_usd)
    return {
        **shown,
        "limit": usd_number(limit_micro_usd),
        "limit_remaining": usd_number(max(limit_micro_usd - spent_micro_usd, 0)),
        "limit_reset": None,
        "usage": spent,
        "usage_daily": spent,
        "usage_weekly": spent,
        "usage_monthly": spent,
    }


def _cap_view(key: ApiKey, now_ms: int, counters: Mapping[str, int]) -> KeyLimitView | None:
    if key.cap is None:
        return None
    allowance = key.cap.at(key.listed_id or key.key_id, now_ms)
    spent = counters.get(allowance.counter, 0)
    return {
        "budget_id": None,
        "guardrail_id": None,
        "scope": "key_limit",
        "limit_usd": usd_number(key.cap.limit_micro_usd),
        "spend_usd": usd_number(spent),
        "remaining_usd": usd_number(max(0, key.cap.limit_micro_usd - spent)),
        "reset_interval": _RESETS[key.cap.per],
        "resets_at": iso(allowance.resets_at_ms),
        "include_byok": False,
    }


def activity_items(days: Mapping[str, DayCounts]) -> list[ActivityItemView]:
    """Return a row for each day and model, the newest day first, then the most expensive model."""
    rows = [
        (day, model, counts)
        for day, day_counts in days.items()
        for model, counts in day_counts.by_model.items()
    ]
    rows.sort(key=lambda row: (-date.fromisoformat(row[0]).toordinal(), -net_micro_usd(row[2]), row[1]))
    return [_activity_item(*row) for row in rows]


def _activity_item(day: str, model: str, counts: Counts) -> ActivityItemView:
    return {
        "date": day,
        "model": model,
        "model_permaslug": model,
        "endpoint_id": model,
        "provider_name": SELLER,
        "usage": usd_number(net_micro_usd(counts)),
        "byok_usage_inference": 0,
        "requests": counts.requests + counts.tasks,
        "prompt_tokens": counts.input_tokens,
        "completion_tokens": counts.output_tokens,
        "reasoning_tokens": counts.reasoning_tokens,
        "cached_tokens": counts.cached_tokens,
    }


def _monday(day: str) -> str:
    """Return the Monday of a day's week."""
    found = date.fromisoformat(day)
    return (found - timedelta(days=found.weekday())).isoformat()
