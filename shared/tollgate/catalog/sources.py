"""Public lists of prices and limits, as rows that can be compared with the catalog's routes. Pure.

Each format has a reader, which is chosen by the form of the document. The documents come from
https://models.dev/api.json, litellm's `model_prices_and_context_window.json`,
https://openrouter.ai/api/v1/models, OpenAI's `GET /v1/models`, fal's `/v1/models/pricing`, and the packages
`model-prices` (PyPI), `rates` (PyPI) and `pi-ai` (npm), which carry snapshots.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

MEGA = 1_000_000
S_PER_MINUTE = 60
_ABOVE = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


class UnknownFormatError(Exception):
    """A document is in no known format."""


@dataclass(frozen=True, slots=True)
class Row:
    """The prices and limits of a model at a provider. Prices are in USD per million tokens, or per `unit`.

    `tiers` has the prices of long inputs, by the number of input tokens.
    """

    prices: Mapping[str, Decimal]
    context_tokens: int | None = None
    max_output_tokens: int | None = None
    retires: str | None = None
    status: str | None = None
    tiers: Mapping[int, Mapping[str, Decimal]] = field(default_factory=dict)
    unit: str = "megatoken"


Rows = dict[tuple[str, str], Row]
"""Rows by the provider's name in the source and the provider's id for the model."""


@dataclass(frozen=True, slots=True)
class Source:
    """The rows of a document; `names` has the source's names of our providers, the best first."""

    name: str
    rows: Rows
    names: Mapping[str, tuple[str, ...]]

    def find(self, provider: str, upstream: str) -> Row | None:
        """Return the row of a provider's model, or None."""
        found = (self.rows.get((name, upstream)) for name in self._names(provider))
        return next((row for row in found if row is not None), None)

    def covers(self, provider: str) -> bool:
        """Return whether the source lists any model of a provider."""
        names = self._names(provider)
        return any(name in names for name, _ in self.rows)

    def _names(self, provider: str) -> tuple[str, ...]:
        return self.names.get(provider, (provider,))


_MODELS_DEV = {
    "bedrock": ("amazon-bedrock",),
    "dashscope": ("alibaba",),
    "fireworks": ("fireworks-ai",),
    "moonshot": ("moonshotai",),
    "tencent": ("tencent-tokenhub",),
    "together": ("togetherai",),
}
_PI = {
    "bedrock": ("amazon-bedrock",),
    "dashscope": ("alibaba",),
    "moonshot": ("moonshotai",),
}
_LITELLM = {
    "bedrock": ("bedrock_converse", "bedrock"),
    "cohere": ("cohere_chat", "cohere"),
    "fireworks": ("fireworks_ai",),
    "google": ("gemini",),
    "together": ("together_ai",),
    "xiaomi": ("xiaomi_mimo",),
}


def read_source(document: Any) -> Source:
    """Return the source in a JSON document. Raises `UnknownFormatError`."""
    for fits, read in _READERS:
        if fits(document):
            return read(document)
    raise UnknownFormatError(
        "The file is in no known format: models.dev, litellm, openrouter, openai, fal, model-prices, rates, "
        "pi-ai."
    )


def _models_dev(document: Any) -> Source:
    rows: Rows = {}
    for provider, about in document.items():
        for model_id, model in about["models"].items():
            cost = model.get("cost") or {}
            limit = model.get("limit") or {}
            tiers = {int(one["tier"]["size"]): _prices(one) for one in cost.get("tiers", [])}
            if "context_over_200k" in cost and not tiers:
                tiers[200_000] = _prices(cost["context_over_200k"])
            rows[provider, model_id] = Row(
                _prices(cost), limit.get("context"), limit.get("output"), None, model.get("status"), tiers
            )
    return Source("models.dev", rows, _MODELS_DEV)


def _litellm(document: Any) -> Source:
    rows: Rows = {}
    for key, model in document.items():
        provider = model.get("litellm_provider")
        audio = _litellm_audio(model)
        if not provider or ("input_cost_per_token" not in model and not audio):
            continue
        prices = {
            **audio,
            "input": _per_mega(model.get("input_cost_per_token")),
            "output": _per_mega(model.get("output_cost_per_token")),
            "cacheRead": _per_mega(model.get("cache_read_input_token_cost")),
            "cacheWrite": _per_mega(model.get("cache_creation_input_token_cost")),
        }
        rows[provider, key.removeprefix(f"{provider}/")] = Row(
            _said(prices),
            model.get("max_input_tokens"),
            model.get("max_output_tokens"),
            model.get("deprecation_date"),
            None,
            dict(_litellm_tiers(model)),
        )
    return Source("litellm", rows, _LITELLM)


def _litellm_audio(model: Mapping[str, Any]) -> dict[str, Decimal | None]:
    """Return the price of 1M characters of speech, or of a minute of a recording, by our names."""
    mode, character, second = (
        model.get(name) for name in ("mode", "input_cost_per_character", "input_cost_per_second")
    )
    if mode == "audio_speech" and character is not None:
        return {"character": _per_mega(character)}
    if mode == "audio_transcription" and second is not None:
        return {"minute": _decimal(Decimal(str(second)) * S_PER_MINUTE)}
    return {}


def _litellm_tiers(model: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Decimal]]]:
    for name in model:
        if found := _ABOVE.fullmatch(name):
            above = f"_above_{found[1]}k_tokens"
            prices = {
                "input": _per_mega(model[name]),
                "output": _per_mega(model.get(f"output_cost_per_token{above}")),
                "cacheRead": _per_mega(model.get(f"cache_read_input_token_cost{above}")),
            }
            yield int(found[1]) * 1_000, _said(prices)


def _openrouter(document: Any) -> Source:
    rows: Rows = {}
    for model in document["data"]:
        pricing = model["pricing"]
        prices = {
            "input": _per_mega(pricing.get("prompt")),
            "output": _per_mega(pricing.get("completion")),
            "cacheRead": _per_mega(pricing.get("input_cache_read")),
            "cacheWrite": _per_mega(pricing.get("input_cache_write")),
        }
        most = (model.get("top_provider") or {}).get("max_completion_tokens")
        rows["openrouter", model["id"]] = Row(
            _said(prices), model.get("context_length"), most, model.get("expiration_date")
        )
    return Source("openrouter", rows, {})


def _openai(document: Any) -> Source:
    rows = {("openai", one["id"]): Row({}, retires=one.get("shutdown_date")) for one in document["data"]}
    return Source("openai", rows, {})


def _fal(document: Any) -> Source:
    rows: Rows = {
        ("fal", price["endpoint_id"]): Row({"cost": _decimal(price["unit_price"])}, unit=price["unit"])
        for price in document["prices"]
    }
    return Source("fal", rows, {})


def _model_prices(document: Any) -> Source:
    rows: Rows = {}
    for provider, models in document["prices"].items():
        for model_id, kinds in models.items():
            rates = [one["rates"] for one in kinds.get("standard", []) if one["rates"]]
            if not rates:
                continue
            tiers = {int(one["above"]): _prices(one) for one in rates[-1].get("tiers", [])}
            status = document["status"].get(provider, {}).get(model_id)
            rows[provider, model_id] = Row(_prices(rates[-1]), status=status, tiers=tiers)
    return Source("model-prices", rows, _MODELS_DEV)


def _rates(document: Any) -> Source:
    rows: Rows = {}
    for model in document["models"]:
        price, context, life = model["price"], model.get("context") or {}, model["lifecycle"]
        prices = {name: price.get(f"{ours}_mtok") for name, ours in _RATES.items()}
        rows[model["provider"], model["id"]] = Row(
            _said({name: _decimal(value) for name, value in prices.items() if value}),
            context.get("input"),
            context.get("output"),
            life.get("deprecation_date"),
            life.get("status"),
        )
    return Source("rates", rows, _MODELS_DEV)


def _pi(document: Any) -> Source:
    rows: Rows = {}
    for models in document.values():
        for model in models.values():
            if model.get("type", "chat") != "chat" or "decisions" in model.get("api", ""):
                continue
            tiers = {int(one["inputTokensAbove"]): _prices(one) for one in model["cost"].get("tiers", [])}
            rows[model["provider"], model["id"]] = Row(
                _prices(model["cost"]), model.get("contextWindow"), model.get("maxTokens"), tiers=tiers
            )
    return Source("pi-ai", rows, _PI)


_RATES = {"input": "input", "output": "output", "cacheRead": "cache_read", "cacheWrite": "cache_write"}
_NAMES = {"input": "input", "output": "output", "cache_read": "cacheRead", "cache_write": "cacheWrite"}


def _prices(raw: Mapping[str, Any]) -> dict[str, Decimal]:
    """Return the prices of a row by our names, from camelCase or snake_case names."""
    found = {ours: raw.get(name, raw.get(ours)) for name, ours in _NAMES.items()}
    return _said({name: _decimal(value) for name, value in found.items() if value is not None})


def _said(prices: Mapping[str, Decimal | None]) -> dict[str, Decimal]:
    """Return the stated prices. A cache price of 0 is not stated: no list has a free cache."""
    return {
        name: price
        for name, price in prices.items()
        if price is not None and (price or name in ("input", "output"))
    }


def _per_mega(value: Any) -> Decimal | None:
    return None if value is None else _decimal(Decimal(str(value)) * MEGA)


def _decimal(value: Any) -> Decimal:
    # Without trailing zeros, and without the noise of a float.
    return Decimal(f"{round(Decimal(str(value)), 6).normalize():f}")


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda document: isinstance(document, dict) and all(name in document for name in names)


def _values_have(*names: str) -> Callable[[Any], bool]:
    def fits(document: Any) -> bool:
        values = list(document.values()) if isinstance(document, dict) else []
        return any(isinstance(value, dict) and all(name in value for name in names) for value in values)

    return fits


def _is_openai(document: Any) -> bool:
    """Return whether this is OpenAI's `GET /v1/models`, which has ids and ends but no prices."""
    rows = document.get("data") if isinstance(document, dict) else None
    return isinstance(rows, list) and bool(rows) and "pricing" not in rows[0]


def _is_pi(document: Any) -> bool:
    values = list(document.values()) if isinstance(document, dict) else []
    return any(isinstance(value, dict) and _values_have("provider", "cost")(value) for value in values)


_READERS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Source]], ...] = (
    (_has("prices", "status", "models_dev"), _model_prices),
    (_has("prices"), _fal),
    (_is_openai, _openai),
    (_has("data"), _openrouter),
    (_has("models", "snapshot_date"), _rates),
    (_values_have("litellm_provider"), _litellm),
    (_values_have("models", "id"), _models_dev),
    (_is_pi, _pi),
)
