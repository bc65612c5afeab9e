"""A request in the shape of OpenRouter's `/generation`. Pure.

Source: see `usage/openrouter_views.py`.
"""

from tollgate.activity.found import Found
from tollgate.activity.record import record_of
from tollgate.kit.money import usd_number
from tollgate.ledger.trace import Ending
from tollgate.usage.counts import INPUT, OUTPUT
from tollgate.usage.openrouter_views import SELLER, GenerationRecordView

# OpenRouter's names of protocols. Its others are about services that Tollgate names by the model.
_API_TYPES = {
    "chat": "completions",
    "completions": "completions",
    "responses": "completions",
    "messages": "completions",
    "embeddings": "embeddings",
    "rerank": "rerank",
    "speech": "tts",
    "transcription": "stt",
    "translation": "stt",
}


def generation_view(asked_id: str, found: Found) -> GenerationRecordView:
    """Return the record of a request; `asked_id` is the id that the client used for it."""
    entry, task, record = found.entry, found.task, record_of(found)
    usage = entry.usage or {}
    prompt, completion = (sum(usage.get(name, 0) for name in names) for names in (INPUT, OUTPUT))
    cost = usd_number(record["costMicroUsd"] - record["refundedMicroUsd"])
    latency_ms = record.get("latencyMs")
    return {
        "id": asked_id,
        "request_id": found.request_id,
        "model": entry.model or "",
        "created_at": record["createdAt"],
        "total_cost": cost,
        "usage": cost,
        "streamed": record["streamed"],
        "latency": record.get("firstByteMs", latency_ms),
        "generation_time": latency_ms,
        "tokens_prompt": prompt,
        "tokens_completion": completion,
        "native_tokens_prompt": prompt,
        "native_tokens_completion": completion,
        "native_tokens_reasoning": usage.get("reasoning_tokens", 0),
        "native_tokens_cached": usage.get("cache_read_tokens", 0),
        "external_user": entry.user,
        "provider_name": record.get("route", SELLER),
        "cancelled": record["status"] in (Ending.CANCELLED, Ending.DISCONNECTED),
        "finish_reason": None,
        "native_finish_reason": None,
        "api_type": _API_TYPES.get(record.get("api", "")),
        "app_id": None,
        "cache_discount": None,
        "data_region": "global",
        "http_referer": None,
        "is_byok": False,
        "moderation_latency": None,
        "native_tokens_completion_images": None,
        "num_fetches": None,
        "num_input_audio_prompt": None,
        "num_media_completion": len(task.files) if task is not None else None,
        "num_media_prompt": None,
        "num_search_results": None,
        "origin": "",
        "preset_id": None,
        "provider_responses": None,
        "router": None,
        "service_tier": usage.get("service"),
        "session_id": None,
        "upstream_id": None,
        "upstream_inference_cost": None,
        "user_agent": None,
        "web_search_engine": None,
        "workspace_id": None,
    }
