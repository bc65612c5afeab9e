"""The status page: which models are available, by the same health data that routes use. It is public."""

import json
from typing import Literal

from fastapi import APIRouter, Request, Response

from dashboard.render import cached_answer, public_page
from dashboard.services import Services
from tollgate.kit.clock import iso

KINDS = {"IMAGE": "Images", "VIDEO": "Videos", "MUSIC": "Music", "3D": "3D"}

router = APIRouter()


@router.get("/status")
def show(services: Services, request: Request, format: Literal["html", "json"] = "html") -> Response:  # noqa: A002 - its name in the address
    """Show each model's status. Text is not listed, because each request tries all its routes.

    As `json`, for monitors: `{"at": …, "models": {id: "up", "reserve" or "down"}}`.
    """
    found = [each for each in services.route_watch.statuses() if "test" not in each.model.tags]
    at = iso(services.clock.now_ms() // 60_000 * 60_000)
    if format == "json":
        shown = {"at": at, "models": {each.model.id: each.word for each in found}}
        return cached_answer(request, json.dumps(shown), "application/json")
    by_kind = {
        name: [each for each in found if each.model.media_type == kind] for kind, name in KINDS.items()
    }
    words = [each.word for each in found]
    down, on_reserve = words.count("down"), words.count("reserve")
    return public_page(request, "status.html", kinds=by_kind, down=down, on_reserve=on_reserve, at=at)
