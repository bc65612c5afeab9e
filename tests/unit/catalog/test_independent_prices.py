"""What a request costs, worked out again from the published `pricing` alone.

Nothing of pricing.py is used here: the published entries, what the contract and the data say is billed, and
plain arithmetic.
"""

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.unit.catalog.cases import CATALOG
from tests.unit.catalog.strategies import measures, valid_inputs
from tollgate.catalog.media import Measured
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import quote
from tollgate.catalog.views import catalog_dto

MODELS = CATALOG.media_models()

READ_FROM = {"audio": ("generateAudio", "audio"), "mode": ("speed",)}
"""The fields that a dimension reads, where they are not called like it."""
SOURCES = {
    "VID-D": "videoUrls", "VID-E": "videoUrls", "VID-H": "referenceVideoUrls", "VID-I": "videoUrl",
    "VID-L": "videoUrl",
}  # fmt: skip
TIMES = {"midjourney": "repeat", "midjourney-video": "batchSize"}
FREE_IMAGES = {
    "minimax-h3-max": ("imageUrls", 5),
    "minimax-h3": ("imageUrls", 5),
    "qwen-image-3": ("urls", 2),
    "grok-imagine-video-1.5": ("urls", 0),
}
INPUT_IS_BILLED_TOO = ("VID-D", "VID-E", "VID-L")


def fact(profile: str, values: dict[str, Any], dimension: str) -> str | None:
    if dimension == "sourceVideo":
        has_element = any("videoUrl" in one for one in values.get("elements", []))
        return "true" if SOURCES[profile] in values or has_element else "false"
    if profile == "Midjourney-video":
        return "720p" if values["videoType"].endswith("720") else "480p"
    if profile == "IMG-B" and dimension == "quality" and values["quality"] == "auto":
        return "medium"
    if profile == "IMG-B" and dimension == "size" and values["size"] != "1:1":
        return "other"
    for name in READ_FROM.get(dimension, (dimension,)):
        if name in values:
            return {True: "true", False: "false"}.get(values[name]) or str(values[name])
    return None


def seconds(profile: str, values: dict[str, Any], source: Decimal) -> Fraction:
    """Return the seconds that are billed."""
    if profile in ("VID-K", "Upscale-video", "Avatar", "Lip-sync"):
        return Fraction(source)
    if profile == "VID-O" and values["duration"] == 0:
        return Fraction(source)
    made = Fraction(values["duration"])
    if profile == "VID-L":
        if "videoUrl" in values:
            made = Fraction(source)
        elif "multiShots" in values:
            made = Fraction(sum(shot["duration"] for shot in values["multiShots"]))
        return made + max(made, Fraction(source)) if source else made
    return made + (Fraction(source) if profile in INPUT_IS_BILLED_TOO else 0)


def in_tiers(entries: list[Any], sizes: Mapping[str, int]) -> list[Any]:
    """Return the entries without those whose size is too small, or larger than necessary."""
    for name, size in sizes.items():
        tiers = [int(entry["dimensions"][name]) for entry in entries if name in entry.get("dimensions", {})]
        needed = min((tier for tier in tiers if tier >= size), default=None)
        entries = [one for one in entries if one.get("dimensions", {}).get(name) in (None, str(needed))]
    return entries


@cache
def published(model_id: str) -> dict[str, Any]:
    """Return what the catalog says of a model."""
    return dict(catalog_dto(CATALOG.media_model(model_id)))


def cents(model: Model, values: dict[str, Any], measured: Measured) -> int:
    dto = published(model.id)
    source = measured.seconds
    entries = [entry for entry in dto["pricing"] if entry["key"] != "reference_image"]
    entries = in_tiers(entries, measured.sizes)
    fitting = [
        entry
        for entry in entries
        if all(
            name in measured.sizes or fact(model.profile, values, name) == value
            for name, value in entry.get("dimensions", {}).items()
        )
    ]
    assert len(fitting) == 1, "exactly one published price fits"
    units = Fraction(1) if dto["priceUnit"] == "generation" else seconds(model.profile, values, source)
    total = Fraction(fitting[0]["price"]) * units
    if model.id in FREE_IMAGES:
        name, free = FREE_IMAGES[model.id]
        each = next(entry["price"] for entry in dto["pricing"] if entry["key"] == "reference_image")
        total += Fraction(each) * max(0, len(values.get(name, [])) - free)
    total *= Fraction(values.get(TIMES.get(model.id, ""), 1))
    return math.ceil(total * 100)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
@settings(max_examples=examples(100))
@given(data=st.data())
def test_an_estimate_is_what_the_published_prices_say(model: Model, data: st.DataObject) -> None:
    checked = model.check(data.draw(valid_inputs(model)))
    measured = data.draw(measures(model, checked))
    assert quote(model, checked, measured).charge_cents == cents(model, checked.values, measured)
