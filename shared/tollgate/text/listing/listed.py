"""The input, output and parameters of a model in `GET /models`, in OpenRouter's words. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from tollgate.catalog import text_models as catalog
from tollgate.catalog.models import CatalogModel
from tollgate.text.body.images import CONFIG, IMAGE, MODALITIES
from tollgate.text.models import Refuses

# The tag of chats whose prices hold for audio too.
HEARS = "audio"
_MADE = {"IMAGE": "image", "VIDEO": "video", "MUSIC": "audio", "3D": "3d"}
_MADE |= {"embeddings": "embeddings", "rerank": "rerank", "speech": "audio"}
# Parameters in OpenRouter's words, by the refusals that exclude them.
_SUPPORTED: Mapping[tuple[Refuses, ...], Sequence[str]] = {
    (Refuses.SAMPLING, Refuses.TEMPERATURE): ("temperature",),
    (Refuses.SAMPLING,): ("top_p",),
    (Refuses.STOP,): ("stop",),
    (Refuses.LOGITS, Refuses.STOP): ("frequency_penalty", "presence_penalty"),
    (Refuses.LOGITS,): ("logit_bias", "logprobs", "top_logprobs"),
    (Refuses.SCHEMAS,): ("structured_outputs",),
}


def architecture_of(model: CatalogModel) -> dict[str, Any]:
    """Return the input and output of a model, in OpenRouter's words."""
    if isinstance(model, catalog.CatalogTextModel):
        draws = [IMAGE] if model.images is not None else []
        return _architecture(_read_by(model), [_MADE.get(model.protocols[0], "text"), *draws])
    return _architecture(["text"], [_MADE.get(getattr(model, "media_type", ""), "text")])


def _read_by(model: catalog.CatalogTextModel) -> list[str]:
    if model.transcription is not None:
        return ["audio"]
    reads_images = model.reads_images or (model.moderation is not None and model.moderation.takes_images)
    return ["text", *([IMAGE] if reads_images else []), *(["audio"] if HEARS in model.tags else [])]


def parameters_of(model: CatalogModel, of_route: frozenset[Refuses] = frozenset()) -> list[str]:
    """Return OpenRouter's names of the parameters that a model takes, on a route that refuses `of_route`."""
    if isinstance(model, catalog.CatalogTextModel) and model.speech is not None:
        told = ["instructions"] if model.speech.takes_instructions else []
        return [*told, "response_format", *(["speed"] if model.speech.takes_speed else [])]
    if isinstance(model, catalog.CatalogTextModel) and model.transcription is not None:
        return ["language", "prompt", "response_format", "temperature"]
    if not isinstance(model, catalog.CatalogTextModel) or not model.is_chat:
        return []
    if model.images is not None:
        return sorted([CONFIG, MODALITIES, "max_tokens", "seed", "stop", "temperature", "top_p"])
    refuses = of_route.union(map(Refuses, model.refuses))
    found = ["max_tokens", "reasoning", "response_format", "tool_choice", "tools"]
    for refusals, names in _SUPPORTED.items():
        found += [] if refuses.intersection(refusals) else names
    return sorted(found)


def _architecture(takes: Sequence[str], makes: Sequence[str]) -> dict[str, Any]:
    return {
        "modality": f"{'+'.join(takes)}->{'+'.join(makes)}",
        "input_modalities": takes,
        "output_modalities": makes,
        "tokenizer": "Other",
        "instruct_type": None,
    }
