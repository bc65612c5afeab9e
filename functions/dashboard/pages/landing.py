"""The landing page: Tollgate's purpose, models and prices, and the first call. The same for all visitors."""

from base64 import b64encode
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.render import STATIC, base_url, public_page
from dashboard.services import Services
from tollgate.catalog.listing import Listing
from tollgate.catalog.views import Card
from tollgate.reference.snippets import first_snippets
from tollgate.status import checks
from tollgate.status.history import DAYS

# Kinds with an example of their results.
MADE = ("IMAGE", "VIDEO", "MUSIC")
KINDS = ("IMAGE", "VIDEO", "MUSIC", "3D", "TEXT")
TEST_FILES = files("tollgate") / "providers/media/test/files"
# Models of each kind: enough to see the range, few enough to read.
SHOWN = 4
# Tags of models that are only for tests, or that generate no text.
LEFT_OUT = frozenset({"test", "embedding", "rerank", "moderation", "speech", "transcription"})
# The time to the first byte of text, and the difference to a proxy without checks
# (docs/performance.md#text). A test compares the page with these.
FIRST_BYTE_MS, ADDED_MS = "4.36", "1.2"
CONTENT_TYPES = {".png": "image/png", ".mp4": "video/mp4", ".mp3": "audio/mpeg"}

router = APIRouter()


@router.get("/")
def show(services: Services, request: Request) -> Response:
    """Show the landing page, with the prices of now."""
    api = services.api
    media = {kind: [dto["id"] for dto in _shown(api.listing, kind, most=None)] for kind in MADE}
    everything = [dto for dto in api.listing.matching_cards({}) if "test" not in dto["tags"]]
    return public_page(
        request,
        "landing.html",
        models=len(everything),
        vendors=sorted({dto["vendor"] for dto in everything}, key=str.casefold),
        figures=_figures(services),
        shown={kind: _shown(api.listing, kind) for kind in KINDS},
        prices=api.reference.headlines,
        examples=examples(),
        made=services.examples.first_of(media),
        views=views(),
        snippets=first_snippets(base_url(request)),
    )


def _figures(services: Services) -> dict[str, Any]:
    """Return numbers of the current catalog, of benchmarks, and of checks if there are any."""
    models = [
        each for each in services.api.catalog.catalog().media_models() if LEFT_OUT.isdisjoint(each.tags)
    ]
    several = sum(len({route.provider for route in each.routes}) > 1 for each in models)
    return {
        "models": len(models),
        "several": several,
        "uptime": services.status.uptime_percent(checks.MEDIA),
        "days": DAYS,
        "first_byte_ms": FIRST_BYTE_MS,
        "added_ms": ADDED_MS,
    }


@cache
def examples() -> dict[str, str]:
    """Return the results of the test models as `data:` URLs, by type: the gateway passes on no binary."""
    found = {}
    for file in sorted(TEST_FILES.iterdir(), key=lambda file: file.name):
        kind = CONTENT_TYPES.get(Path(file.name).suffix)
        if kind is not None:
            found[kind.partition("/")[0]] = f"data:{kind};base64,{b64encode(file.read_bytes()).decode()}"
    return found


@cache
def views() -> dict[str, str]:
    """Return screenshots of our pages as `data:` URLs, by name (`tests/browser/pictures.py`)."""
    found = {}
    for file in sorted((STATIC / "screenshots").glob("*.webp")):
        found[file.stem] = f"data:image/webp;base64,{b64encode(file.read_bytes()).decode()}"
    return found


def _shown(listing: Listing, kind: str, most: int | None = SHOWN) -> list[Card]:
    """Return at most `most` models of a kind, newest first, and all vendors before any vendor again."""
    newest = sorted(
        listing.matching_cards({"type": kind}), key=lambda dto: dto.get("releasedAt", ""), reverse=True
    )
    first: list[Card] = []
    further: list[Card] = []
    vendors: set[str] = set()
    for dto in newest:
        if LEFT_OUT.isdisjoint(dto["tags"]):
            (further if dto["vendor"] in vendors else first).append(dto)
            vendors.add(dto["vendor"])
    return [*first, *further][:most]
